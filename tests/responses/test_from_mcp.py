"""Answers of MCP servers, made by the client's own types, as results."""

import mcp.types
import pytest

from callgate.responses.convert import parts_of
from callgate.responses.from_mcp import result_of_mcp
from callgate.responses.shapes import mcp as to_mcp


def answer(*blocks, **more):
    return mcp.types.CallToolResult.model_validate({"content": list(blocks), **more})


PNG = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "t"}, "t"),
        ({"type": "image", "data": "AA==", "mimeType": "image/png"}, PNG),
        (
            {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
            {"inlineData": {"mimeType": "audio/wav", "data": "AA=="}},
        ),
        ({"type": "resource", "resource": {"uri": "file:///a", "text": "held"}}, "held"),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "blob": "AA=="}},
            {"inlineData": {"mimeType": "application/octet-stream", "data": "AA=="}},
        ),
        (
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"fileData": {"fileUri": "file:///a"}},
        ),
    ],
)
def test_each_block_becomes_a_part(block, part):
    original = answer(block)
    result = result_of_mcp(original)
    assert result.content == [part]
    assert result.error is None
    assert result.value is original
    assert result_of_mcp(original.model_dump(mode="json", by_alias=True)).content == [part]


def test_errors_structures_and_nonsense():
    text = {"type": "text", "text": "no"}
    error = result_of_mcp(answer(text, text, isError=True)).error
    assert (error.message, error.type) == ("no\nno", "mcp_tool_error")
    assert result_of_mcp(answer(isError=True)).error.message == "The MCP server reported an error."
    assert result_of_mcp(answer(structuredContent={"rows": 1})).content == ['{"rows": 1}']
    assert result_of_mcp(answer(text, structuredContent={"rows": 1})).content == ["no"]
    assert result_of_mcp(answer()).content == []
    assert result_of_mcp({"content": [{"type": "hologram"}, 7]}).content == [
        '{"type": "hologram"}',
        "7",
    ]
    for nonsense in (None, 7, {}, {"content": "x"}, object()):
        assert "gave no result" in result_of_mcp(nonsense).error.message


class Finished:
    def __init__(self, content):
        self.call_id, self.response = "c1", self
        self.parts = parts_of("c1", "t", content)


def test_there_and_back_again():
    content = ["a", PNG, "b"]
    assert result_of_mcp(to_mcp(Finished(content))).content == content
