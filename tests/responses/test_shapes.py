"""What we print is what the vendors' own types accept, and it says all that the parts say."""

import base64
import json

import anthropic.types
import attrs
import mcp.types
import openai.types.chat
import openai.types.responses.response_input_item_param
import pytest
from google.genai import types as genai
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from callgate.responses.asked import Shape
from callgate.responses.convert import error_parts, parts_of, with_error
from callgate.responses.shapes import anthropic as to_anthropic
from callgate.responses.shapes import gemini, in_shape, openai_chat, openai_responses
from callgate.responses.shapes import mcp as to_mcp

PIXEL = base64.b64encode(b"\x89PNG\r\n").decode()


@attrs.frozen
class Response:
    parts: list


@attrs.frozen
class Finished:
    call_id: str
    response: Response


def finished(call_id, content):
    return Finished(call_id, Response(parts_of(call_id, "read", content)))


def failed(call_id, text):
    return Finished(call_id, Response(error_parts(call_id, "read", text)))


def inline(media, data=PIXEL):
    return {"inlineData": {"mimeType": media, "data": data}}


def linked(media, uri):
    return {"fileData": {"mimeType": media, "fileUri": uri}}


RESULTS = {
    "text": "hello",
    "empty": "",
    "nothing": None,
    "texts": ["a", {"text": "b"}],
    "image": inline("image/png"),
    "image among texts": ["before", inline("image/png"), "after"],
    "urlsafe base64": inline("image/png", base64.urlsafe_b64encode(b"\xfb\xff\xfe").decode()),
    "pdf": inline("application/pdf"),
    "audio": inline("audio/wav"),
    "video": inline("video/mp4"),
    "unknown media": inline("application/x-odd"),
    "broken base64": inline("image/png", "not base64!"),
    "binary without data": {"inlineData": {"mimeType": "image/png"}},
    "web image": ["see", linked("image/png", "https://example.org/a.png")],
    "web pdf": linked("application/pdf", "https://example.org/a.pdf"),
    "bucket": linked("application/pdf", "gs://bucket/a.pdf"),
    "nested": {"functionResponse": {"response": {"rows": [1, 2], "ok": True}}},
    "nested nothing": {"functionResponse": {}},
    "nested text": {"functionResponse": {"response": "text"}},
    "odd parts": [{"functionCall": {"name": "x"}}, 7, {"unknown": 1}, [1]],
    "lone surrogate": "half \ud83d of it",
    "bytes": b"\x00\x01",
}

CHAT = TypeAdapter(list[openai.types.chat.ChatCompletionMessageParam])
RESPONSES = TypeAdapter(list[openai.types.responses.response_input_item_param.FunctionCallOutput])
ANTHROPIC = TypeAdapter(anthropic.types.MessageParam)


def same(adapter, data):
    """Validated by the vendor's type, every iterator of it too."""
    return walked(adapter.validate_python(data))


def walked(value):
    if isinstance(value, dict):
        return {key: walked(item) for key, item in value.items()}
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    return [walked(item) for item in value]


@pytest.mark.parametrize("case", RESULTS)
def test_gemini_accepts_each_result(case):
    content = gemini([finished("c1", RESULTS[case]), failed("c2", "no")])
    checked = genai.Content.model_validate(content)
    answers = [part.function_response for part in checked.parts if part.function_response]
    assert [answer.id for answer in answers] == ["c1", "c2"]
    assert answers[1].response == {"error": "no"}
    json.dumps(content).encode()
    json.dumps(content, ensure_ascii=False).encode()


@pytest.mark.parametrize("case", RESULTS)
def test_openai_chat_accepts_each_result(case):
    messages = openai_chat([finished("c1", RESULTS[case]), failed("c2", "no")])
    assert same(CHAT, messages) == messages
    assert [message.get("tool_call_id") for message in messages[:2]] == ["c1", "c2"]
    assert {message["role"] for message in messages[2:]} <= {"user"}
    json.dumps(messages, ensure_ascii=False).encode()


@pytest.mark.parametrize("case", RESULTS)
def test_openai_responses_accepts_each_result(case):
    items = openai_responses([finished("c1", RESULTS[case]), failed("c2", "no")])
    assert same(RESPONSES, items) == items
    assert [item["call_id"] for item in items] == ["c1", "c2"]
    json.dumps(items, ensure_ascii=False).encode()


@pytest.mark.parametrize("case", RESULTS)
def test_anthropic_accepts_each_result(case):
    message = to_anthropic([finished("c1", RESULTS[case]), failed("c2", "no")])
    assert same(ANTHROPIC, message) == message
    assert [block["tool_use_id"] for block in message["content"]] == ["c1", "c2"]
    assert ["is_error" in block for block in message["content"]] == [False, True]
    parts = message["content"][0]["content"]
    assert isinstance(parts, str) or all(part.get("text", "x") for part in parts)
    json.dumps(message, ensure_ascii=False).encode()


@pytest.mark.parametrize("case", RESULTS)
def test_mcp_accepts_each_result(case):
    result = to_mcp(finished("c1", RESULTS[case]))
    checked = mcp.types.CallToolResult.model_validate(result)
    assert checked.is_error is False
    written = checked.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert written == json.loads(json.dumps(result))
    assert mcp.types.CallToolResult.model_validate(to_mcp(failed("c2", "no"))).is_error is True


def test_an_image_reaches_every_vendor():
    call = finished("c1", ["look:", inline("image/png")])
    url = f"data:image/png;base64,{PIXEL}"
    assert gemini([call])["parts"][2] == inline("image/png")
    assert openai_chat([call])[1]["content"][1] == {"type": "image_url", "image_url": {"url": url}}
    assert openai_responses([call])[0]["output"][1]["image_url"] == url
    block = to_anthropic([call])["content"][0]["content"][1]
    assert block["source"] == {"type": "base64", "media_type": "image/png", "data": PIXEL}
    assert to_mcp(call)["content"][1] == {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def test_what_a_shape_cannot_carry_is_named():
    call = finished("c1", ["listen:", inline("audio/wav")])
    note = "[audio/wav, 6 bytes]"
    assert openai_chat([call])[0]["content"] == f"listen:\n{note}"
    assert to_anthropic([call])["content"][0]["content"][1] == {"type": "text", "text": note}
    broken = finished("c1", inline("image/png", "not base64!"))
    assert "not base64!" in openai_chat([broken])[0]["content"]


def test_partial_results_keep_both_words():
    parts = with_error(parts_of("c1", "shell", "half"), "stopped")
    call = Finished("c1", Response(parts))
    assert openai_chat([call])[0]["content"] == "half\nstopped"
    assert to_anthropic([call])["content"][0]["is_error"] is True


def test_each_shape_has_its_name():
    call = finished("c1", "x")
    for shape in Shape:
        assert in_shape(shape.value, [call])
    with pytest.raises(ValueError, match="cohere"):
        in_shape("cohere", [call])


PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "functionResponse",
                    "response",
                    "content",
                    "inlineData",
                    "fileData",
                    "text",
                    "mimeType",
                    "data",
                    "fileUri",
                    "error",
                    "output",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(PARTS)
def test_any_result_is_accepted_by_all(content):
    call = finished("c1", content)
    genai.Content.model_validate(gemini([call]))
    same(CHAT, openai_chat([call]))
    same(RESPONSES, openai_responses([call]))
    same(ANTHROPIC, to_anthropic([call]))
    mcp.types.CallToolResult.model_validate(to_mcp(call))
    for shape in Shape:
        json.dumps(in_shape(shape, [call]), ensure_ascii=False).encode()
