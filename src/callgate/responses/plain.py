"""Whatever a tool returned, as plain JSON data.

Rule 1: total: every Python value gives JSON, and nothing that a value does can raise through here.
Rule 2: what is JSON stays as it is; what has fields becomes an object; anything else its text.
Rule 3: no addresses of memory, no order of hashing: the same value always gives the same JSON.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from enum import Enum
from math import isfinite
from typing import Any, Final

import attrs

DEPTH_MAX: Final = 60
"""How deep lists and objects are followed: below the kernel's own limit."""
NODES_MAX: Final = 1_000_000
"""After so many values no list or object is entered: doubling a list 60 times costs nothing."""
_DIGITS_MAX_BITS: Final = 10_000
_LEFT_OUT: Final = "[left out: nested too deep or too large]"
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
_LEAVES: Final = frozenset({str, bool, type(None)})
_GO_ON: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)


def plain(value: object) -> Any:
    """Lists, objects with string keys, texts, numbers, booleans and null.

    >>> plain({"sizes": (1, 2), 3: {"b", "a"}, "raw": b"hi"})["sizes"]
    [1, 2]
    >>> plain(float("nan"))
    'nan'
    """
    if type(value) in _LEAVES:
        return value
    return _Copy().of(value, 0)


def text_of(value: object) -> str:
    """The text of a value, even of one that refuses to say it.

    >>> text_of(object())
    '<object>'
    """
    kind = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return f"<{kind.__qualname__}>"
    try:
        return _ADDRESS.sub("", str.__str__(str(value)))
    except _GO_ON:
        raise
    except BaseException:
        return f"<{kind.__qualname__} that has no text>"


class _Copy:
    """One copying, which counts what it has seen."""

    def __init__(self) -> None:
        self.nodes = 0
        self.entered: set[int] = set()

    def of(self, value: object, depth: int) -> Any:
        """Copy one value; whatever it does wrong, its text stands for it."""
        self.nodes += 1
        if type(value) in _LEAVES:
            return value
        try:
            return self._of(value, depth)
        except _GO_ON:
            raise
        except BaseException:  # a property, a method or a key of the value itself
            return text_of(value)

    def _of(self, value: object, depth: int) -> Any:
        if isinstance(value, Enum):
            return self.of(value.value, depth + 1) if depth < DEPTH_MAX else _LEFT_OUT
        if value is None or isinstance(value, (bool, str, int, float)):
            return _scalar(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return binary(bytes(value))
        if depth >= DEPTH_MAX or self.nodes >= NODES_MAX or id(value) in self.entered:
            return _LEFT_OUT
        self.entered.add(id(value))
        try:
            return self._inside(value, depth)
        finally:
            self.entered.discard(id(value))

    def _inside(self, value: object, depth: int) -> Any:
        if isinstance(value, Sequence):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, Set):
            return [self.of(item, depth + 1) for item in sorted(value, key=_order)]
        pairs = _pairs(value)
        if pairs is None:
            return _text_with_time(value)
        return {
            key if type(key) is str else text_of(key): self.of(item, depth + 1)
            for key, item in pairs.items()
        }


def binary(data: bytes, media: str = "application/octet-stream") -> dict[str, Any]:
    """Bytes as the part that carries them.

    >>> binary(b"hi", "image/png")
    {'inlineData': {'mimeType': 'image/png', 'data': 'aGk='}}
    """
    encoded = base64.b64encode(data).decode("ascii")
    return {"inlineData": {"mimeType": media, "data": encoded}}


def _scalar(value: bool | str | float | None) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        # Python refuses to write a longer number in decimal digits
        return int(value) if value.bit_length() <= _DIGITS_MAX_BITS else hex(value)
    return float(value) if isfinite(value) else text_of(value)


def _order(item: object) -> tuple[str, str]:
    return type(item).__qualname__, text_of(item)


def _pairs(value: object) -> Mapping[object, object] | None:
    """The fields of whatever has fields, by their names."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, type):
        return None
    dump = getattr(value, "model_dump", None)  # pydantic, in which all four vendors speak
    if callable(dump):
        dumped = dump(mode="json", by_alias=True, exclude_none=True)
        return dumped if isinstance(dumped, Mapping) else None
    kind: Any = type(value)
    if attrs.has(kind):
        return {field.name: getattr(value, field.name) for field in attrs.fields(kind)}
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclass_fields(value)}
    names = getattr(value, "__struct_fields__", None)  # msgspec
    return None if names is None else {name: getattr(value, name) for name in names}


def _text_with_time(value: object) -> str:
    written = getattr(value, "isoformat", None)
    return text_of(written()) if callable(written) else text_of(value)
