"""JSON that cannot change: the only free-form data that the kernel keeps.

Rule 1: what enters a state is copied once, checked once, and frozen; nobody can reach in later.
Rule 2: a value knows its weight (characters and nodes), so that a limit costs one comparison.
"""

from __future__ import annotations

from math import isfinite
from typing import Final, NoReturn, TypeAlias

from callgate.kernel.errors import LimitExceeded

Json: TypeAlias = "bool | int | float | str | tuple[Json, ...] | JsonObject | None"

DEPTH_MAX: Final = 64
"""How deep lists and objects may be nested."""


class JsonObject(dict[str, "Json"]):
    """A JSON object that cannot be changed, and can be hashed.

    >>> JsonObject({"path": "a.txt"})["path"]
    'a.txt'
    """

    __slots__ = ("weight",)
    weight: int

    def __init__(self, pairs: dict[str, Json], weight: int = 1) -> None:
        super().__init__(pairs)
        self.weight = weight

    def _refuse(self, *_args: object, **_names: object) -> NoReturn:
        raise TypeError("a JsonObject cannot be changed: build another one")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))

    def __reduce__(self) -> tuple[object, ...]:
        return (freeze_object, (dict(self),))

    def __copy__(self) -> JsonObject:
        return self

    def __deepcopy__(self, _memo: object) -> JsonObject:
        return self


EMPTY: Final = JsonObject({})


def freeze(value: object) -> Json:
    """Copy plain JSON data into its frozen form; lists become tuples."""
    return _freeze(value, 0)[0]


def freeze_object(value: object) -> JsonObject:
    """Freeze the arguments of a call: a JSON object, and nothing else."""
    if type(value) is JsonObject:
        return value
    if not isinstance(value, dict):
        raise TypeError(f"arguments are {_short(value)}; an object with string keys was expected")
    if not value:
        return EMPTY
    frozen, _ = _freeze(value, 0)
    return frozen  # type: ignore[return-value]


def weigh(value: Json) -> int:
    """Characters and nodes of a frozen value."""
    if type(value) is JsonObject:
        return value.weight
    if type(value) is str:
        return len(value) + 1
    if type(value) is tuple:
        return 1 + sum(weigh(item) for item in value)
    return 1


def _freeze(value: object, depth: int) -> tuple[Json, int]:
    kind = type(value)
    if kind is str:
        return value, len(value) + 1  # type: ignore[return-value, arg-type]
    if value is None or kind is bool or kind is int:
        return value, 1  # type: ignore[return-value]
    if kind is JsonObject:
        return value, value.weight  # type: ignore[return-value, attr-defined]
    if depth >= DEPTH_MAX:
        raise LimitExceeded(
            what="nesting of JSON data", value=depth + 1, limit=DEPTH_MAX, where="depth"
        )
    return _freeze_other(value, depth)


def _freeze_other(value: object, depth: int) -> tuple[Json, int]:
    if isinstance(value, float):
        if not isfinite(value):
            raise TypeError(f"{value!r} is no JSON number: a finite number was expected")
        return value, 1
    if isinstance(value, (list, tuple)):
        items = [_freeze(item, depth + 1) for item in value]
        return tuple(item for item, _ in items), 1 + sum(weight for _, weight in items)
    if isinstance(value, dict):
        return _freeze_dict(value, depth)
    raise TypeError(
        f"{_short(value)} is no JSON data: "
        "null, a boolean, a number, a string, a list or an object was expected"
    )


def _freeze_dict(value: dict[object, object], depth: int) -> tuple[JsonObject, int]:
    pairs: dict[str, Json] = {}
    total = 1
    for key, item in value.items():
        if type(key) is not str:
            raise TypeError(f"the key {_short(key)} of an object is no string")
        frozen, weight = _freeze(item, depth + 1)
        pairs[key] = frozen
        total += len(key) + weight
    return JsonObject(pairs, total), total


def _short(value: object) -> str:
    """A value in an error text: its type always, its text only as far as it stays readable."""
    text = repr(value) if isinstance(value, (str, int, float)) else ""
    return f"{type(value).__name__} {text[:60]}".rstrip()
