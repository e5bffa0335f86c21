"""What an MCP server answered, as the result of a tool: the way back from `shapes.mcp`.

Rule 1: every block becomes a text or a part; one that nobody knows becomes its JSON as a text.
"""

from __future__ import annotations

import json
from typing import Any

from callgate.responses.plain import plain
from callgate.tools.protocols import ToolError, ToolResult


def result_of_mcp(answer: object) -> ToolResult:
    """A `CallToolResult`, the client's own object or its JSON, as a result.

    >>> result_of_mcp({"content": [{"type": "text", "text": "3 files"}]}).content
    ['3 files']
    >>> result_of_mcp({"content": [{"type": "text", "text": "no"}], "isError": True}).error.message
    'no'
    """
    data = plain(answer)
    blocks = data.get("content") if isinstance(data, dict) else None
    if not isinstance(blocks, list):
        return ToolResult(error=ToolError(f"The MCP server gave no result: {_json(data)}", _TYPE))
    content = [_part(block) for block in blocks]
    structured = data.get("structuredContent")
    if not content and structured is not None:
        content = [_json(structured)]
    text = "\n".join(item for item in content if isinstance(item, str))
    if data.get("isError") is True:
        return ToolResult(error=ToolError(text or "The MCP server reported an error.", _TYPE))
    return ToolResult(content, display=text or None, value=answer)


_TYPE = "mcp_tool_error"


def _part(block: Any) -> Any:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return block["text"]
    if kind in ("image", "audio") and isinstance(block.get("data"), str):
        return _inline(block.get("mimeType"), block["data"])
    if kind == "resource" and isinstance(block.get("resource"), dict):
        return _resource(block["resource"], block)
    if kind == "resource_link" and isinstance(block.get("uri"), str):
        return {"fileData": {"fileUri": block["uri"], **_media(block)}}
    return _json(block)


def _resource(resource: dict[str, Any], block: dict[str, Any]) -> Any:
    if isinstance(resource.get("text"), str):
        return resource["text"]
    if isinstance(resource.get("blob"), str):
        return _inline(resource.get("mimeType"), resource["blob"])
    return _json(block)


def _media(block: dict[str, Any]) -> dict[str, Any]:
    media = block.get("mimeType")
    return {"mimeType": media} if isinstance(media, str) else {}


def _inline(media: Any, data: str) -> dict[str, Any]:
    media = media if isinstance(media, str) else "application/octet-stream"
    return {"inlineData": {"mimeType": media, "data": data}}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
