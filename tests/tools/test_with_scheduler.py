"""Functions and built-in tools at work in the real scheduler."""

import asyncio
import json

import pytest

from callgate.drivers.scheduler import ToolScheduler
from callgate.kernel.config import Config, Retry
from callgate.kernel.values import Request
from callgate.responses.requests import requests_of
from callgate.responses.shapes import in_shape
from callgate.tools.builtin import builtin_tools
from callgate.tools.decorator import IdempotencyKey, tool
from callgate.tools.protocols import Output


def run_batch(tools, requests, **options):
    async def main():
        async with ToolScheduler(tools, **options) as scheduler:
            return await scheduler.schedule(requests)

    return asyncio.run(main())


def output(call):
    return call.response.parts[0]["functionResponse"]["response"]


def test_a_model_reads_what_a_function_returned():
    @tool
    def table(rows: int) -> list:
        return [{"row": number} for number in range(rows)]

    good, bad = run_batch([table], [Request("1", "table", {"rows": 2}), Request("2", "table")])
    assert json.loads(output(good)["output"]) == [{"row": 0}, {"row": 1}]
    assert good.value == [{"row": 0}, {"row": 1}]
    assert bad.response.error_type == "invalid_tool_params"
    assert bad.response.error == 'Invalid arguments for "table": "rows" is missing.'


def test_every_attempt_has_the_same_key():
    keys = []

    @tool
    def pay(key: IdempotencyKey, out: Output) -> str:
        keys.append(key)
        out("paying")
        if len(keys) < 3:
            raise ConnectionError("lost")
        return "paid"

    shown = []
    (call,) = run_batch(
        [pay],
        [Request("1", "pay")],
        config=Config(retry=Retry(attempts_max=3)),
        retryable=lambda error: isinstance(error, ConnectionError),
        on_output=lambda call_id, chunk: shown.append((call_id, chunk)),
        run_id="run7/",
    )
    assert output(call) == {"output": "paid"}
    assert keys == ["run7/1.1"] * 3
    assert shown == [("1", "paying")] * 3


@pytest.fixture
def space(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    return tmp_path


def test_the_built_in_tools_work_together(space):
    answer = {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": str(at), "name": name, "input": args}
            for at, (name, args) in enumerate(
                [
                    ("read_file", {"file_path": "a.txt"}),
                    ("search_text", {"pattern": "tw."}),
                    ("edit_file", {"file_path": "a.txt", "old_string": "one", "new_string": "1"}),
                    ("write_file", {"file_path": "../x", "content": ""}),
                ]
            )
        ],
    }
    finished = run_batch(builtin_tools(space), requests_of(answer), mode="yolo")
    read, found, edited, outside = finished
    assert output(read) in ({"output": "one\ntwo\n"}, {"output": "1\ntwo\n"})
    assert output(found)["output"] == "a.txt:2: two"
    assert edited.response.display["newContent"] == "1\ntwo\n"
    assert "leads out of the workspace" in outside.response.error
    assert (space / "a.txt").read_text() == "1\ntwo\n"
    for shape in ("gemini", "openai_chat", "openai_responses", "anthropic", "mcp"):
        json.dumps(in_shape(shape, finished))


def test_an_edit_is_shown_and_a_stale_yes_writes_nothing(space):
    shown = []

    def ask(call):
        shown.append(call.confirmation.details["fileDiff"])
        (space / "a.txt").write_text("theirs\n")
        return "proceed_once"

    args = {"file_path": "a.txt", "old_string": "one", "new_string": "1"}
    (call,) = run_batch(builtin_tools(space), [Request("1", "edit_file", args)], ask=ask)
    assert "-one\n+1\n" in shown[0]
    assert call.status.value == "error"
    assert (space / "a.txt").read_text() == "theirs\n"


def test_a_person_edits_the_edit_and_that_is_written(space):
    from callgate.drivers.approvals import Reply

    args = {"file_path": "a.txt", "old_string": "one", "new_string": "1"}
    (call,) = run_batch(
        builtin_tools(space),
        [Request("1", "edit_file", args)],
        ask=lambda call: Reply("proceed_once", edit="mine\n"),
    )
    assert call.status.value == "success"
    assert (space / "a.txt").read_text() == "mine\n"
    (call,) = run_batch(
        builtin_tools(space),
        [Request("1", "write_file", {"file_path": "b.txt", "content": "x"})],
        ask=lambda call: Reply("proceed_once", edit=""),
    )
    assert call.status.value == "success"
    assert (space / "b.txt").read_text() == ""


def test_a_cancelled_command_keeps_what_it_printed(space):
    async def main():
        seen = asyncio.Event()
        async with ToolScheduler(
            builtin_tools(space), mode="yolo", on_output=lambda *_told: seen.set()
        ) as scheduler:
            request = Request("1", "shell", {"command": "echo half; exec sleep 1000"})
            batch = asyncio.ensure_future(scheduler.schedule([request]))
            await seen.wait()
            scheduler.cancel("1")
            return await batch

    (call,) = asyncio.run(main())
    assert call.status.value == "cancelled"
    assert output(call)["output"].startswith("half\n")
    assert output(call)["error"].endswith("User cancelled tool execution.")


def test_the_output_of_the_shell_is_truncated_to_a_file(space):
    from callgate.responses.truncation import Truncation

    (call,) = run_batch(
        builtin_tools(space),
        [Request("1", "shell", {"command": "for i in {1..1000}; do echo line $i; done"})],
        mode="yolo",
        truncation=Truncation(threshold=100, lines=10),
    )
    assert "... [CONTENT TRUNCATED] ..." in output(call)["output"]
    assert call.output_path is not None
