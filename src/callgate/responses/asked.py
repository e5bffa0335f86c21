"""Where the tool calls stand in each vendor's answer.

Rule 1: whole answers, messages, and bare lists of calls are all read; text beside calls is skipped.
Rule 2: of several candidates the first is read: the others are other futures, not more calls.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from callgate.responses.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@final
class Shape(StrEnum):
    """Whose shape an answer has."""

    GEMINI = "gemini"
    OPENAI_CHAT = "openai_chat"
    OPENAI_RESPONSES = "openai_responses"
    ANTHROPIC = "anthropic"
    MCP = "mcp"
    CALLGATE = "callgate"


@final
@frozen
class Asked:
    """One call, where it stands."""

    id: Node | None
    name: Node
    args: Node


def shape_of(node: Node) -> Shape | None:
    """Whose shape this is; none: nobody's.

    >>> shape_of(Node({"choices": []})).value
    'openai_chat'
    """
    if isinstance(node.value, list):
        shapes = (shape_of(item) for item in node.each())
        return next((shape for shape in shapes if shape is not None), None)
    return next((shape for shape, is_it in _SIGNS if is_it(node)), None)


def _type(node: Node, *names: str) -> bool:
    return node.has("type") and node.value["type"] in names


def _is_message(node: Node) -> bool:
    is_list = node.has("content") and isinstance(node.value["content"], list)
    return is_list and (_type(node, "message") or node.value.get("role") == "assistant")


_SIGNS: Final[tuple[tuple[Shape, Callable[[Node], bool]], ...]] = (
    (Shape.GEMINI, lambda node: node.has("candidates") or node.has("parts")),
    (Shape.GEMINI, lambda node: node.has("functionCall") or node.has("usageMetadata")),
    (Shape.OPENAI_CHAT, lambda node: node.has("choices") or node.has("tool_calls")),
    (Shape.OPENAI_CHAT, lambda node: _type(node, "function", "custom") or node.has("function")),
    (Shape.OPENAI_RESPONSES, lambda node: node.has("output") and "name" not in node.value),
    (Shape.OPENAI_RESPONSES, lambda node: _type(node, "function_call", "custom_tool_call")),
    (Shape.ANTHROPIC, lambda node: _type(node, "tool_use") or _is_message(node)),
    (Shape.OPENAI_CHAT, lambda node: node.has("role") and node.value["role"] == "assistant"),
    (Shape.MCP, lambda node: node.has("method") or node.has("params")),
    (Shape.CALLGATE, lambda node: node.has("requests") or node.has("call_id")),
    (Shape.MCP, lambda node: node.has("name", "arguments")),
    (Shape.GEMINI, lambda node: node.has("name", "args")),
    (Shape.CALLGATE, lambda node: node.has("name")),
    (Shape.ANTHROPIC, lambda node: _type(node, "text", "thinking", "redacted_thinking")),
    (Shape.OPENAI_RESPONSES, lambda node: _type(node, "reasoning", "message")),
    (Shape.GEMINI, lambda node: node.has("text")),
)


def asked_in(shape: Shape, node: Node) -> Iterator[Asked]:
    """The calls of an answer of this shape, in its order."""
    return _READERS[shape](node)


def _listed(node: Node) -> tuple[Node, ...]:
    return node.each() if isinstance(node.value, list) else (node,)


def _first(node: Node, key: str) -> Node:
    found = node.get(key).each()
    return found[0] if found else Node({}, node.path)


def _gemini(node: Node) -> Iterator[Asked]:
    if node.has("candidates"):
        node = _first(node, "candidates").get("content")
        if node.value is None:  # blocked, or nothing said
            return
    parts = (
        node.get("parts").each() if isinstance(node.value, dict) and "parts" in node.value else None
    )
    for part in _listed(node) if parts is None else parts:
        call = part.get("functionCall")
        if call.value is None and part.has("name"):
            call = part
        if call.value is not None:
            yield Asked(call.get("id"), call.get("name"), call.get("args"))


def _openai_chat(node: Node) -> Iterator[Asked]:
    if node.has("choices"):
        node = _first(node, "choices").get("message")
        if node.value is None:
            return
    is_message = isinstance(node.value, dict) and not (node.has("function") or node.has("custom"))
    for call in node.get("tool_calls").each() if is_message else _listed(node):
        if _type(call, "custom"):
            custom = call.get("custom")
            yield Asked(call.get("id"), custom.get("name"), _as_input(custom.get("input")))
        else:
            function = call.get("function")
            yield Asked(call.get("id"), function.get("name"), function.get("arguments"))


def _openai_responses(node: Node) -> Iterator[Asked]:
    for item in node.get("output").each() if node.has("output") else _listed(node):
        if _type(item, "function_call"):
            yield Asked(item.get("call_id"), item.get("name"), item.get("arguments"))
        elif _type(item, "custom_tool_call"):
            yield Asked(item.get("call_id"), item.get("name"), _as_input(item.get("input")))


def _as_input(node: Node) -> Node:
    """A custom tool takes a text; ours take an object, with the text as `input`."""
    return Node({"input": node.value}, node.path)


def _anthropic(node: Node) -> Iterator[Asked]:
    is_message = isinstance(node.value, dict) and "content" in node.value
    for block in node.get("content").each() if is_message else _listed(node):
        if _type(block, "tool_use"):
            yield Asked(block.get("id"), block.get("name"), block.get("input"))


def _mcp(node: Node) -> Iterator[Asked]:
    for message in _listed(node):
        if message.has("method") and message.value["method"] != "tools/call":
            message.get("method").refuse("'tools/call' was expected")
        is_whole = message.has("method") or message.has("params")
        params = message.get("params") if is_whole else message
        yield Asked(message.get("id"), params.get("name"), params.get("arguments"))


def _callgate(node: Node) -> Iterator[Asked]:
    for request in node.get("requests").each() if node.has("requests") else _listed(node):
        yield Asked(request.get("call_id"), request.get("name"), request.get("args"))


_READERS: Final[dict[Shape, Callable[[Node], Iterator[Asked]]]] = {
    Shape.GEMINI: _gemini,
    Shape.OPENAI_CHAT: _openai_chat,
    Shape.OPENAI_RESPONSES: _openai_responses,
    Shape.ANTHROPIC: _anthropic,
    Shape.MCP: _mcp,
    Shape.CALLGATE: _callgate,
}
