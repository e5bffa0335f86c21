"""What a tool returned, as the parts that a model reads.

Rule 1: total: whatever a tool returns, parts come out, and the first of them answers the call.
Rule 2: the id and the name are always those of the call, whatever the result says of itself.
Rule 3: null is absence: in a list, in a part, and as a whole.

These are the parts of Gemini, the richest of the four shapes; `shapes` makes the others of them.
"""

from __future__ import annotations

from typing import Any, Final

from callgate.responses.plain import plain

SUCCEEDED: Final = "Tool execution succeeded."
"""What stands where a result has no text."""


def parts_of(call_id: str, name: str, content: object) -> list[Any]:
    """The parts of a result, by the first rule that fits.

    >>> parts_of("c1", "read", "text")
    [{'functionResponse': {'id': 'c1', 'name': 'read', 'response': {'output': 'text'}}}]
    >>> [list(part) for part in parts_of("c1", "read", ["one", {"text": "two"}, None])]
    [['functionResponse'], ['text'], ['text']]
    """
    content = plain(content)
    if isinstance(content, list) and len(content) == 1:
        content = content[0]
    if isinstance(content, str):
        return [_said(call_id, name, content)]
    if isinstance(content, list):
        return [_said(call_id, name, SUCCEEDED), *_items(content)]
    if isinstance(content, dict):
        return _of_part(call_id, name, content)
    return [_said(call_id, name, SUCCEEDED)]


def error_parts(call_id: str, name: str, text: str) -> list[Any]:
    """The parts of a failure.

    >>> error_parts("c1", "read", "no such file")
    [{'functionResponse': {'id': 'c1', 'name': 'read', 'response': {'error': 'no such file'}}}]
    """
    return [answer(call_id, name, {"error": text})]


def with_error(parts: list[Any], text: str) -> list[Any]:
    """The parts of a result that came although the call ended otherwise: both are said.

    >>> with_error(parts_of("c1", "read", "half"), "stopped")[0]["functionResponse"]["response"]
    {'output': 'half', 'error': 'stopped'}
    """
    told = parts[0]["functionResponse"]
    response = told["response"]
    if not isinstance(response, dict):
        response = {} if response is None else {"output": response}
    return [answer(told["id"], told["name"], {**response, "error": text}), *parts[1:]]


def answer(call_id: str, name: str, response: Any) -> dict[str, Any]:
    """The part that answers a call."""
    return {"functionResponse": {"id": call_id, "name": name, "response": response}}


def _said(call_id: str, name: str, output: object) -> dict[str, Any]:
    return answer(call_id, name, {"output": output})


def _items(content: list[Any]) -> list[Any]:
    return [
        {"text": item} if isinstance(item, str) else item for item in content if item is not None
    ]


def _of_part(call_id: str, name: str, part: dict[str, Any]) -> list[Any]:
    nested = part.get("functionResponse")
    if nested is not None:
        return [_of_nested(call_id, name, nested)]
    if part.get("inlineData") is not None or part.get("fileData") is not None:
        said = f"Binary content of type {_media(part)} was processed."
        return [_said(call_id, name, said), part]
    text = part.get("text")
    return [_said(call_id, name, SUCCEEDED if text is None else text)]


def _of_nested(call_id: str, name: str, nested: object) -> dict[str, Any]:
    """A result that is an answer already: its words are kept, its id and name are not."""
    response = nested.get("response") if isinstance(nested, dict) else None
    content = response.get("content") if isinstance(response, dict) else None
    if isinstance(content, list):
        return _said(call_id, name, "".join(map(_text, content)))
    return answer(call_id, name, response)


def _text(item: object) -> str:
    text = item.get("text") if isinstance(item, dict) else item
    return text if isinstance(text, str) else ""


def _media(part: dict[str, Any]) -> str:
    for data in (part.get("inlineData"), part.get("fileData")):
        media = data.get("mimeType") if isinstance(data, dict) else None
        if media:
            return str(media)
    return "unknown"
