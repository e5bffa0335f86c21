"""What a function returned, as the content of a result.

Rule 1: a text, parts, bytes and nothing stay what they are; any other value becomes its JSON, since
a model can read that, and a part that nobody knows it cannot.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from callgate.tools.protocols import ToolResult

_PART_KEYS: Final = frozenset(
    ("text", "inlineData", "fileData", "functionResponse", "videoMetadata", "thought")
)


def result_of(value: Any) -> Any:
    """The result of a function: what it returned, or a `ToolResult` that says it in JSON.

    >>> result_of("text")
    'text'
    >>> result_of({"rows": 3}).content
    '{"rows": 3}'
    """
    if isinstance(value, ToolResult) or value is None or is_content(value):
        return value
    return ToolResult(json_of(value), display=json_of(value), value=value)


def is_content(value: Any) -> bool:
    """Is this a text, bytes, a part, or a list of texts and parts?"""
    if isinstance(value, (str, bytes)) or _is_part(value):
        return True
    if not isinstance(value, list) or not value:
        return False
    has_part = any(_is_part(item) for item in value)
    return has_part and all(isinstance(item, str) or _is_part(item) for item in value)


def json_of(value: Any) -> str:
    """Any value as JSON; what has none is written as its text."""
    try:
        encoded = msgspec.json.encode(value, enc_hook=_open, order="deterministic")
        return msgspec.json.format(encoded, indent=0).decode("utf-8")
    except Exception:  # a value that cannot even be looked at has a text still, or the call fails
        return str(value)


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and value.keys() <= _PART_KEYS


def _open(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)
