"""A small agent of somebody else's: all of the public API that an author meets, with strict types.

It is checked by mypy, and it runs.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from callgate import Config, Request, Retry
from callgate.drivers import (
    AddContext,
    BatchRejected,
    Block,
    CancelToken,
    CommandEditor,
    FinishedCall,
    Hook,
    HookCall,
    PolicyInForce,
    Reply,
    ScheduledBatch,
    ScheduledCall,
    Snapshot,
    ToolScheduler,
    execute_tool_call,
    run_batch,
)
from callgate.kernel.calls import AwaitingApproval
from callgate.kernel.events import Event
from callgate.policy.decisions import Context, Decision, Effect, ToolCall
from callgate.responses.requests import requests_of
from callgate.responses.shapes import in_shape
from callgate.tools.decorator import tool
from callgate.tools.protocols import Cancellation, Kind, Output, Question, ToolResult


@tool(confirm="exec")
async def deploy(target: str) -> str:
    """Deploy somewhere."""
    return f"deployed to {target}"


@tool
def add(one: int, other: int = 1) -> int:
    """Add two numbers."""
    return one + other


@tool
async def watch(stop: Cancellation, output: Output) -> str:
    """Talk until it is stopped."""
    output("begun")
    await stop.wait()
    return "stopped"


class LookUp:
    """A tool that is a class of its own."""

    name = "look_up"
    display_name = "Look up"
    kind = Kind.FETCH
    schema: Mapping[str, Any] = {"type": "object"}
    can_update_output = False
    is_output_markdown = False

    def build(self, args: Mapping[str, Any]) -> "LookingUp":
        return LookingUp(args)


class LookingUp:
    def __init__(self, args: Mapping[str, Any]) -> None:
        self.args = args

    def describe(self) -> str:
        return "Look something up"

    def should_confirm(self) -> Question | None:
        return Question("info", {"prompt": "May I?"})

    async def execute(self, cancel: Cancellation, output: Output) -> ToolResult:
        return ToolResult(dict(self.args), display="found")


class Careful:
    """A policy in Python."""

    def decide(self, call: ToolCall, context: Context) -> Decision:
        return Decision(Effect.ALLOW if call.name in ("add", "watch") else Effect.ASK)


def ask(call: AwaitingApproval) -> Reply | str:
    refuses = call.facts.args.get("target") == "production"
    return Reply("cancel", "not today") if refuses else "proceed_once"


async def ask_later(call: AwaitingApproval) -> Reply | str:
    return ask(call)


def before(call: HookCall) -> Block | None:
    return Block("never") if call.name == "rm" else None


async def after(call: HookCall, result: ToolResult) -> AddContext:
    return AddContext(f"{call.name} was watched")


async def batches(seen: list[str]) -> None:
    def on_update(snapshot: Snapshot) -> None:
        seen.extend(call.status.value for call in snapshot.calls)

    def on_output(call_id: str, chunk: Any) -> None:
        seen.append(f"{call_id}: {chunk}")

    async def on_complete(calls: list[FinishedCall]) -> None:
        seen.append(f"{len(calls)} ended")

    facts: list[Event] = []
    async with ToolScheduler(
        [deploy, add, watch, LookUp()],
        policy=PolicyInForce(Careful(), "default"),
        ask=ask_later,
        hooks=[Hook(before=before, after=after)],
        config=Config(max_parallel=4, timeout_ms=60_000, retry=Retry(attempts_max=3)),
        editor=CommandEditor.from_environment(),
        on_update=on_update,
        on_output=on_output,
        on_complete=on_complete,
        record=facts.append,
    ) as scheduler:
        updates = scheduler.updates()
        requests = [
            Request("c1", "deploy", {"target": "production"}),
            Request("c2", "look_up", {"word": "gate"}),
        ]
        batch: ScheduledBatch = scheduler.schedule(requests, plan="waves")
        first: Snapshot = await anext(updates)
        one: ScheduledCall = batch.call("c2")
        looked: FinishedCall = await one
        finished: list[FinishedCall] = await batch
        assert looked.response.display == "found"
        assert [call.status.value for call in finished] == ["cancelled", "success"]
        assert first.batch_id == batch.batch_id
        assert in_shape("anthropic", finished)
    assert facts
    assert "2 ended" in seen


async def cancelling() -> None:
    begun = asyncio.Event()
    async with ToolScheduler([watch], on_output=lambda *_: begun.set(), mode="yolo") as scheduler:
        token = CancelToken()
        at_work = scheduler.schedule(Request("c1", "watch"))
        queued = scheduler.schedule(Request("c2", "watch"), cancel=token)
        token.cancel("enough")
        rejected = ""
        try:
            await queued
        except BatchRejected as error:
            rejected = error.batch_id
        assert rejected == queued.batch_id
        await begun.wait()
        is_there: bool = scheduler.cancel("c1", "me too")
        assert is_there
        counts: bool = scheduler.approve("c1", "proceed_once", reason="late", approval_id=1)
        assert not counts
        scheduler.set_mode("auto_edit")
        scheduler.cancel_all()
        assert (await at_work)[0].status.value == "cancelled"


async def one_call() -> FinishedCall:
    return await execute_tool_call(Request("c1", "add", {"one": 1}), [add], mode="yolo")


def main() -> None:
    asyncio.run(batches([]))
    asyncio.run(cancelling())
    assert asyncio.run(one_call()).value == 2
    call_of_add = {"type": "tool_use", "id": "c1", "name": "add", "input": {"one": 2}}
    answer = {"role": "assistant", "content": [call_of_add]}
    (call,) = run_batch(requests_of(answer), [add, deploy], ask=ask)
    assert call.value == 3


if __name__ == "__main__":
    main()
