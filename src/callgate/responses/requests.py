"""A model's answer, in any vendor's shape, as the requests of a batch.

Rule 1: what the model got wrong (arguments that are no JSON) becomes a request that is born an
error, which the model reads; what the caller got wrong (no answer at all) is raised, with its path.
Rule 2: every call gets an id: its own, or one of ours by its position, never one of its siblings'.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NoReturn

from callgate.kernel.errors import LimitExceeded
from callgate.kernel.frozenjson import EMPTY, JsonObject, freeze_object
from callgate.kernel.values import Invalid, Request
from callgate.responses.asked import Asked, Shape, asked_in, shape_of
from callgate.responses.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterable

_OBJECTS_DEPTH: Final = 8
"""The vendors' objects stand no deeper: `choices[0].message.tool_calls[0].function`."""


def requests_of(answer: object, shape: Shape | str | None = None) -> list[Request]:
    """The tool calls of an answer, in its order; none where the model only talked.

    Args:
        answer: JSON data or the vendor's own objects: a whole answer, a message, or its calls.
        shape: whose shape it has; none: it is recognised.

    Raises:
        UnreadableAnswer: it has none of the shapes, or a call has no name; the path says where.

    >>> call = {"type": "tool_use", "id": "t1", "name": "ls", "input": {"dir_path": "."}}
    >>> [request.name for request in requests_of({"role": "assistant", "content": [call]})]
    ['ls']
    """
    node = Node(_opened(answer, 0))
    if not node.value and isinstance(node.value, list):
        return []
    found = shape_of(node) if shape is None else Shape(shape)
    if found is None:
        node.refuse(f"an answer in one of these shapes was expected: {', '.join(Shape)}")
    asked = tuple(asked_in(found, node))
    ids = _ids(asked)
    return [_request(call_id, call) for call_id, call in zip(ids, asked, strict=True)]


def _opened(value: Any, depth: int) -> Any:
    """The vendors' own objects as JSON data, as deep as they stand; arguments stay as they are."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json", by_alias=True, exclude_none=True)
    if depth == _OBJECTS_DEPTH:
        return value
    if isinstance(value, dict):
        return {key: _opened(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_opened(item, depth + 1) for item in value]
    return value


def _ids(asked: tuple[Asked, ...]) -> Iterable[str]:
    given = [_given(call) for call in asked]
    taken = frozenset(given)
    for position, call_id in enumerate(given, 1):
        ours = f"call_{position}"
        while ours in taken:
            ours += "_"
        yield call_id or ours


def _given(call: Asked) -> str:
    """The id of a call; JSON-RPC numbers its messages."""
    value = None if call.id is None else call.id.value
    if value is None or value == "":
        return ""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    return (call.id or call.name).refuse("an id was expected: a text, or nothing")


def _request(call_id: str, call: Asked) -> Request:
    name = call.name.text()
    try:
        return Request(call_id, name, _arguments(call.args.value))
    except _BadArgumentsError as error:
        return Request(call_id, name, EMPTY, Invalid(str(error)))


class _BadArgumentsError(Exception):
    """The model's arguments are no object."""


def _arguments(value: Any) -> JsonObject:
    if isinstance(value, str):
        value = _parsed(value)
    if value is None:
        return EMPTY
    if not isinstance(value, dict):
        raise _BadArgumentsError(f"The arguments are {_short(value)}; a JSON object was expected.")
    try:
        return freeze_object(value)
    except (LimitExceeded, TypeError) as error:
        raise _BadArgumentsError(f"The arguments cannot be taken: {error}.") from None


def _parsed(text: str) -> Any:
    if not text.strip():
        return None
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        where = f" near {_near(text, error.pos)}" if isinstance(error, json.JSONDecodeError) else ""
        raise _BadArgumentsError(
            f"The arguments are no valid JSON: {error}{where}. A JSON object was expected."
        ) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _near(text: str, position: int) -> str:
    return repr(text[max(0, position - 20) : position + 20])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
