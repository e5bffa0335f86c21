"""What the parts of a result say, apart from any vendor: texts, binaries and links.

Rule 1: every part becomes something; one that nobody knows becomes its JSON as a text.
Rule 2: what comes out can be sent: no lone surrogates, and only base64 that can be decoded.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, TypeAlias, final

from attrs import frozen

from callgate.responses.convert import SUCCEEDED


@final
@frozen
class Text:
    """Something to read."""

    text: str

    @property
    def note(self) -> str:
        """What stands for it in a text."""
        return self.text


@final
@frozen
class Binary:
    """Bytes, in base64 of the usual alphabet."""

    media: str
    data: str

    @property
    def note(self) -> str:
        """What stands for it in a text."""
        size = len(self.data) * 3 // 4 - self.data[-2:].count("=")
        return f"[{self.media}, {size} bytes]"

    @property
    def url(self) -> str:
        """As a data URL."""
        return f"data:{self.media};base64,{self.data}"


@final
@frozen
class Link:
    """A file that is somewhere else."""

    media: str
    uri: str

    @property
    def note(self) -> str:
        """What stands for it in a text."""
        return f"[{self.media}: {self.uri}]" if self.media else f"[{self.uri}]"

    @property
    def is_web(self) -> bool:
        """Can anybody fetch it?"""
        return self.uri.startswith(("https://", "http://"))


Content: TypeAlias = Text | Binary | Link


def contents_of(parts: list[Any]) -> list[Content]:
    """What the parts of one result say, in their order.

    >>> from callgate.responses.convert import parts_of
    >>> binary = {"inlineData": {"mimeType": "x/y", "data": "aGk"}}
    >>> contents_of(parts_of("c1", "read", ["a", binary]))
    [Text(text='a'), Binary(media='x/y', data='aGk=')]
    """
    first, *others = parts
    rest = [_content(part) for part in others]
    said = _said(first["functionResponse"]["response"])
    return rest if rest and said == SUCCEEDED else [Text(sendable(said)), *rest]


def gemini_parts(parts: list[Any]) -> list[dict[str, Any]]:
    """The parts themselves, where Gemini accepts them; what it would refuse becomes a text."""
    told = parts[0]["functionResponse"]
    response = told["response"]
    if not isinstance(response, dict):
        response = {} if response is None else {"output": response}
    first = {"functionResponse": {**told, "response": _sendable_json(response)}}
    return [first, *(_gemini_part(_content(part)) for part in parts[1:])]


def is_error_of(parts: list[Any]) -> bool:
    """Does the answer say that something went wrong?"""
    response = parts[0]["functionResponse"]["response"]
    return isinstance(response, dict) and "error" in response


def sendable(text: str) -> str:
    """A text that can be encoded: half a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _said(response: Any) -> str:
    if not isinstance(response, dict):
        return "" if response is None else _json_text(response)
    said = [response[key] for key in ("output", "error") if key in response]
    if not said or len(said) != len(response):
        return _json_text(response) if response else ""
    return "\n".join(item if isinstance(item, str) else _json_text(item) for item in said)


def _content(part: Any) -> Content:
    if isinstance(part, dict):
        inline, linked, text = (part.get(key) for key in ("inlineData", "fileData", "text"))
        found = _binary(inline) or _link(linked)
        if found is not None:
            return found
        if isinstance(text, str):
            return Text(sendable(text))
    return Text(sendable(part if isinstance(part, str) else _json_text(part)))


def _binary(inline: Any) -> Binary | None:
    if not isinstance(inline, dict):
        return None
    data, media = inline.get("data"), inline.get("mimeType")
    if not isinstance(data, str) or not isinstance(media, str) or "/" not in media:
        return None
    usual = "".join(data.split()).replace("-", "+").replace("_", "/").rstrip("=")
    padded = usual + "=" * (-len(usual) % 4)
    try:
        base64.b64decode(padded, validate=True)
    except (binascii.Error, ValueError):
        return None
    return Binary(media, padded)


def _link(linked: Any) -> Link | None:
    if not isinstance(linked, dict):
        return None
    uri, media = linked.get("fileUri"), linked.get("mimeType")
    if not isinstance(uri, str) or not uri:
        return None
    return Link(media if isinstance(media, str) else "", uri)


def _gemini_part(item: Content) -> dict[str, Any]:
    match item:
        case Text():
            return {"text": item.text}
        case Binary():
            return {"inlineData": {"mimeType": item.media, "data": item.data}}
        case Link():
            linked = {"fileUri": item.uri}
            return {"fileData": {**linked, "mimeType": item.media} if item.media else linked}


def _sendable_json(value: Any) -> Any:
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, list):
        return [_sendable_json(item) for item in value]
    if isinstance(value, dict):
        return {sendable(key): _sendable_json(item) for key, item in value.items()}
    return value


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
