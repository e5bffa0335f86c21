"""Results of calls, in the shapes that each vendor's API accepts.

Rule 1: nothing is lost in silence: what a shape cannot carry is named in a text.
Rule 2: an answer for each call, under the call's own id, in the order that was given.
Rule 3: every shape is plain JSON data, and is held to the vendor's own types by tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from callgate.responses.asked import Shape
from callgate.responses.contents import Binary, Link, Text, contents_of, gemini_parts, is_error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from callgate.responses.contents import Content

_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_PDF: Final = "application/pdf"


class Response(Protocol):
    """What is read of a response."""

    @property
    def parts(self) -> list[Any]:
        """As `parts_of` made them."""
        ...


class Finished(Protocol):
    """What is read of a finished call."""

    @property
    def call_id(self) -> str:
        """The model's own id."""
        ...

    @property
    def response(self) -> Response:
        """What the model reads."""
        ...


def gemini(finished: Iterable[Finished]) -> dict[str, Any]:
    """One content of the role `user`, for `contents` of `generate_content`."""
    parts = [part for call in finished for part in gemini_parts(call.response.parts)]
    return {"role": "user", "parts": parts}


def openai_chat(finished: Iterable[Finished]) -> list[dict[str, Any]]:
    """Messages of the role `tool`; what only a user may send follows in one of the user."""
    messages: list[dict[str, Any]] = []
    beside: list[dict[str, Any]] = []
    for call in finished:
        contents = contents_of(call.response.parts)
        text = "\n".join(item.note for item in contents)
        messages.append({"role": "tool", "tool_call_id": call.call_id, "content": text})
        shown = [part for item in contents if (part := _chat_part(item)) is not None]
        if shown:
            beside += [{"type": "text", "text": f"From tool call {call.call_id}:"}, *shown]
    return [*messages, {"role": "user", "content": beside}] if beside else messages


def openai_responses(finished: Iterable[Finished]) -> list[dict[str, Any]]:
    """Items `function_call_output` for `input` of `responses`."""
    return [
        {
            "type": "function_call_output",
            "call_id": call.call_id,
            "output": _text_or(contents_of(call.response.parts), _responses_part),
        }
        for call in finished
    ]


def anthropic(finished: Iterable[Finished]) -> dict[str, Any]:
    """One message of the role `user` with a `tool_result` for each call."""
    blocks = []
    for call in finished:
        content = _text_or(contents_of(call.response.parts), _anthropic_block)
        block = {"type": "tool_result", "tool_use_id": call.call_id, "content": content}
        blocks.append({**block, "is_error": True} if is_error_of(call.response.parts) else block)
    return {"role": "user", "content": blocks}


def mcp(finished: Finished) -> dict[str, Any]:
    """The `CallToolResult` of one call."""
    contents = contents_of(finished.response.parts)
    blocks = [_mcp_block(item, finished.call_id, index) for index, item in enumerate(contents)]
    return {"content": blocks, "isError": is_error_of(finished.response.parts)}


def in_shape(shape: Shape | str, finished: Iterable[Finished]) -> Any:
    """The results in this shape; of MCP a list, one result a call.

    >>> in_shape("gemini", [])
    {'role': 'user', 'parts': []}
    """
    match Shape(shape):
        case Shape.GEMINI:
            return gemini(finished)
        case Shape.OPENAI_CHAT:
            return openai_chat(finished)
        case Shape.OPENAI_RESPONSES:
            return openai_responses(finished)
        case Shape.ANTHROPIC:
            return anthropic(finished)
        case Shape.MCP:
            return [mcp(call) for call in finished]
        case Shape.CALLGATE:
            return [{"call_id": call.call_id, "parts": call.response.parts} for call in finished]


def _text_or(contents: list[Content], part_of: Callable[[Content], dict[str, Any]]) -> Any:
    """A text where that says it all, else a list of parts. Empty texts are refused by the APIs."""
    if all(isinstance(item, Text) for item in contents):
        return "\n".join(item.note for item in contents)
    return [part_of(item) for item in contents if item.note]


def _chat_part(item: Content) -> dict[str, Any] | None:
    if isinstance(item, Binary) and item.media in _IMAGES:
        return {"type": "image_url", "image_url": {"url": item.url}}
    if isinstance(item, Binary) and item.media == _PDF:
        return {"type": "file", "file": {"filename": "output.pdf", "file_data": item.url}}
    if isinstance(item, Link) and item.media in _IMAGES and item.is_web:
        return {"type": "image_url", "image_url": {"url": item.uri}}
    return None


def _responses_part(item: Content) -> dict[str, Any]:
    if isinstance(item, Binary) and item.media in _IMAGES:
        return {"type": "input_image", "detail": "auto", "image_url": item.url}
    if isinstance(item, Binary) and item.media == _PDF:
        return {"type": "input_file", "filename": "output.pdf", "file_data": item.url}
    if isinstance(item, Link) and item.is_web:
        if item.media in _IMAGES:
            return {"type": "input_image", "detail": "auto", "image_url": item.uri}
        return {"type": "input_file", "file_url": item.uri}
    return {"type": "input_text", "text": item.note}


def _anthropic_block(item: Content) -> dict[str, Any]:
    kinds = {**dict.fromkeys(_IMAGES, "image"), _PDF: "document"}
    if isinstance(item, Binary) and item.media in kinds:
        source = {"type": "base64", "media_type": item.media, "data": item.data}
        return {"type": kinds[item.media], "source": source}
    if isinstance(item, Link) and item.is_web and item.media in kinds:
        return {"type": kinds[item.media], "source": {"type": "url", "url": item.uri}}
    return {"type": "text", "text": item.note}


def _mcp_block(item: Content, call_id: str, index: int) -> dict[str, Any]:
    match item:
        case Text():
            return {"type": "text", "text": item.text}
        case Binary() if item.media.startswith(("image/", "audio/")):
            kind = item.media.partition("/")[0]
            return {"type": kind, "data": item.data, "mimeType": item.media}
        case Binary():
            uri = f"callgate://results/{call_id}/{index}"
            held = {"uri": uri, "mimeType": item.media, "blob": item.data}
            return {"type": "resource", "resource": held}
        case Link():
            link = {"type": "resource_link", "uri": item.uri, "name": item.uri}
            return {**link, "mimeType": item.media} if item.media else link
