"""A model's answer in each vendor's shape, built by the vendors' own types, as requests."""

import json

import anthropic.types
import mcp.types
import openai.types.chat
import openai.types.responses
import pytest
from google.genai import types as genai
from hypothesis import given
from hypothesis import strategies as st

from callgate.kernel.values import Invalid, Request
from callgate.responses.asked import Shape
from callgate.responses.node import UnreadableAnswer
from callgate.responses.requests import requests_of

TWO = [
    ("c1", "read", {"file_path": "a"}),
    ("c2", "shell", {"command": "ls", "n": [1, {"x": None}]}),
]


def gemini_answer():
    parts = [genai.Part(text="let me see")]
    parts += [
        genai.Part(function_call=genai.FunctionCall(id=id_, name=name, args=args))
        for id_, name, args in TWO
    ]
    content = genai.Content(role="model", parts=parts)
    other = genai.Content(role="model", parts=[parts[1]])
    return genai.GenerateContentResponse(
        candidates=[genai.Candidate(content=content), genai.Candidate(content=other)]
    )


def chat_answer():
    calls = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for id_, name, args in TWO
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message, "logprobs": None}
    return openai.types.chat.ChatCompletion.model_validate(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    )


def responses_items():
    return [
        openai.types.responses.ResponseFunctionToolCall(
            type="function_call", id=f"fc_{id_}", call_id=id_, name=name, arguments=json.dumps(args)
        )
        for id_, name, args in TWO
    ]


def anthropic_answer():
    blocks = [{"type": "text", "text": "let me see"}]
    blocks += [
        {"type": "tool_use", "id": id_, "name": name, "input": args} for id_, name, args in TWO
    ]
    return anthropic.types.Message.model_validate(
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "x",
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": blocks,
        }
    )


def mcp_requests():
    return [
        {"jsonrpc": "2.0", "id": id_}
        | mcp.types.CallToolRequest(
            params=mcp.types.CallToolRequestParams(name=name, arguments=args)
        ).model_dump(by_alias=True, exclude_none=True)
        for id_, name, args in TWO
    ]


def ours():
    return {"requests": [{"call_id": id_, "name": name, "args": args} for id_, name, args in TWO]}


def dumped(answer):
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)


WHOLE = {
    "gemini objects": gemini_answer,
    "gemini json": lambda: dumped(gemini_answer()),
    "gemini content": lambda: gemini_answer().candidates[0].content,
    "gemini parts": lambda: gemini_answer().candidates[0].content.parts,
    "gemini calls": lambda: gemini_answer().function_calls,
    "chat objects": chat_answer,
    "chat json": lambda: dumped(chat_answer()),
    "chat message": lambda: chat_answer().choices[0].message,
    "chat calls": lambda: chat_answer().choices[0].message.tool_calls,
    "chat calls in a message of ours": lambda: {
        "role": "assistant",
        "tool_calls": chat_answer().choices[0].message.tool_calls,
    },
    "responses items": responses_items,
    "responses json": lambda: {
        "object": "response",
        "output": [{"type": "reasoning", "summary": []}, *map(dumped, responses_items())],
    },
    "anthropic objects": anthropic_answer,
    "anthropic json": lambda: dumped(anthropic_answer()),
    "anthropic blocks": lambda: anthropic_answer().content,
    "anthropic blocks in a message of ours": lambda: {
        "role": "assistant",
        "content": anthropic_answer().content,
    },
    "mcp": mcp_requests,
    "ours": ours,
    "our list": lambda: ours()["requests"],
}


@pytest.mark.parametrize("case", WHOLE)
def test_each_vendors_answer_becomes_the_same_batch(case):
    assert requests_of(WHOLE[case]()) == [Request(*call) for call in TWO]


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"candidates": []},
        {"candidates": [{"finishReason": "SAFETY"}]},
        {"choices": []},
        {"role": "assistant", "content": "hello"},
        {"role": "assistant", "content": [{"type": "text", "text": "hello"}]},
        [{"type": "text", "text": "hello"}],
        {"object": "response", "output": [{"type": "message", "content": []}]},
        {"parts": [{"text": "hello"}]},
        {"requests": []},
        genai.GenerateContentResponse(candidates=[]),
    ],
)
def test_an_answer_without_calls_is_an_empty_batch(answer):
    assert requests_of(answer) == []


def test_one_call_alone_is_a_batch_of_one():
    assert requests_of(responses_items()[0]) == [Request(*TWO[0])]
    assert requests_of(mcp_requests()[1]) == [Request(*TWO[1])]
    assert requests_of({"name": "ls"}) == [Request("call_1", "ls")]


def test_missing_ids_are_given_by_position_and_never_clash():
    calls = [{"name": "a", "args": {}}, {"id": "call_1", "name": "b", "args": {}}]
    calls += [{"name": "c", "args": {}}, {"id": "", "name": "d", "args": {}}]
    ids = [request.call_id for request in requests_of(calls)]
    assert ids == ["call_1_", "call_1", "call_3", "call_4"]


def test_numbers_of_json_rpc_are_ids():
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ls"}}
    assert requests_of(call) == [Request("7", "ls")]


def test_a_custom_tool_takes_its_text_as_input():
    call = {"type": "custom", "id": "c", "custom": {"name": "sql", "input": "select 1"}}
    assert requests_of([call]) == [Request("c", "sql", {"input": "select 1"})]
    item = {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "select 1"}
    assert requests_of([item]) == [Request("c", "sql", {"input": "select 1"})]


DEEP = "[" * 100_000 + "]" * 100_000
NESTED: dict = {}
for _ in range(80):
    NESTED = {"x": NESTED}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"path": "a', "no valid JSON: Unterminated string"),
        ("{'path': 'a'}", "near \"{'path': 'a'}\""),
        ("[1]", "[1]; a JSON object was expected"),
        ('"text"', "'text'; a JSON object was expected"),
        ("7", "7; a JSON object was expected"),
        ('{"x": NaN}', "NaN is no JSON number"),
        ('{"x": 1e999}', "finite number"),
        (DEEP, "no valid JSON"),
        (json.dumps(NESTED), "nesting of JSON data"),
        (NESTED, "nesting of JSON data"),
        (["list"], "a JSON object was expected"),
    ],
)
def test_arguments_that_are_no_object_become_an_error_of_that_call(arguments, words):
    item = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": arguments}
    good = {"type": "function_call", "call_id": "c2", "name": "ls", "arguments": "{}"}
    bad, other = requests_of([item, good])
    assert isinstance(bad.problem, Invalid)
    assert words in bad.problem.message
    assert (bad.call_id, bad.name, bad.args) == ("c1", "read", {})
    assert other == Request("c2", "ls")


@pytest.mark.parametrize("arguments", ["", "  ", None, "null", "{}", {}])
def test_no_arguments_are_no_problem(arguments):
    item = {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": arguments}
    assert requests_of([item]) == [Request("c1", "ls")]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (7, "the answer is 7; an answer in one of these shapes was expected: gemini, openai_chat"),
        (None, "the answer is missing; an answer in one of these shapes"),
        ({"hello": 1}, "the answer is {'hello': 1}; an answer in one of these shapes"),
        (
            {"choices": [{"message": {"tool_calls": [{"id": "x", "function": {}}]}}]},
            "choices[0].message.tool_calls[0].function.name is missing; a text was expected",
        ),
        ({"choices": [{"message": 7}]}, "choices[0].message is 7; an object was expected"),
        ({"choices": 3}, "choices is 3; a list was expected"),
        (
            {"content": [{"type": "tool_use", "id": [], "name": "x"}], "role": "assistant"},
            "content[0].id is []; an id was expected: a text, or nothing",
        ),
        ([{"functionCall": {"name": 7}}], "[0].functionCall.name is 7; a text was expected"),
        ({"method": "tools/list"}, "method is 'tools/list'; 'tools/call' was expected"),
        ([{"call_id": "x"}], "[0].name is missing; a text was expected"),
    ],
)
def test_an_unreadable_answer_says_where(answer, message):
    with pytest.raises(UnreadableAnswer) as caught:
        requests_of(answer)
    assert str(caught.value).startswith(message)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "candidates",
                    "content",
                    "parts",
                    "functionCall",
                    "name",
                    "args",
                    "choices",
                    "message",
                    "tool_calls",
                    "function",
                    "arguments",
                    "output",
                    "type",
                    "call_id",
                    "method",
                    "params",
                    "requests",
                    "id",
                    "input",
                    "custom",
                ]
            ),
            inner | st.sampled_from(["function_call", "tool_use", "custom", "tools/call"]),
            max_size=4,
        )
    ),
)


@given(JSON, st.sampled_from([None, *Shape]))
def test_any_json_is_requests_or_one_clear_error(answer, shape):
    try:
        requests = requests_of(answer, shape)
    except UnreadableAnswer:
        return
    assert all(request.call_id and request.name for request in requests)
