"""The fronts: one call alone, and a batch without asyncio."""

import asyncio

import pytest

from callgate import Request
from callgate.drivers.blocking import execute_tool_call, run_batch
from callgate.drivers.cancelling import CancelToken
from callgate.drivers.errors import DriverError
from tests.drivers.doubles import EXEC, Tool, asks


def test_a_batch_without_asyncio():
    finished = run_batch(asks("a", "b"), [Tool(does="done")])
    assert [call.value for call in finished] == ["done", "done"]


def test_a_plain_function_asks():
    finished = run_batch(asks("a"), [Tool(does=1, question=EXEC)], ask=lambda _: "proceed_once")
    assert finished[0].ok


def test_without_one_nobody_is_asked():
    (call,) = run_batch(asks("a"), [Tool(does=1, question=EXEC)])
    assert "not supported in non-interactive mode" in call.response.error


def test_inside_a_loop_it_says_what_to_do():
    async def scene():
        run_batch(asks("a"), [Tool(does=1)])

    with pytest.raises(DriverError, match="await ToolScheduler"):
        asyncio.run(scene())


def test_one_call():
    call = asyncio.run(execute_tool_call(Request("a", "tool"), [Tool(does="done")]))
    assert call.value == "done"


def test_one_call_that_would_ask():
    call = asyncio.run(execute_tool_call(Request("a", "tool"), [Tool(question=EXEC)]))
    assert call.status == "error"


def test_one_call_whose_switch_is_off():
    token = CancelToken()
    token.cancel()
    tool = Tool(does=1)
    call = asyncio.run(execute_tool_call(Request("a", "tool"), [tool], cancel=token))
    assert (call.status, tool.started) == ("cancelled", [])
