"""A small world of tools and people in which everything that can go wrong does, by a seed.

Rule 1: no clock and no threads: whoever waits stands at a gate, and the seed says which gate opens
next. So what is late, lost, repeated or out of order is so again with the same seed.
Rule 2: the world writes down what really happened; what a driver says is compared with that.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, final

from attrs import define, field

from callgate.kernel.values import Outcome, Request
from callgate.policy.decisions import Context, Decision, Effect, ToolCall
from callgate.testing.seeds import random_of
from callgate.tools.protocols import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from callgate.kernel.calls import AwaitingApproval
    from callgate.kernel.frozenjson import JsonObject
    from callgate.tools.protocols import Cancellation, Output

CALLS_MAX: Final = 5
TOOL: Final = "simulated"


@final
class Says(StrEnum):
    """What the policy of this world says to a call, and the person after it."""

    ALLOW = "allow"
    YES = "yes"
    NO = "no"
    DENY = "deny"
    ASK_FAILS = "ask_fails"
    """The person's end of the line raises: silence is no yes."""
    POLICY_FAILS = "policy_fails"

    __hash__ = str.__hash__


@final
class Does(StrEnum):
    """What the tool does."""

    RETURNS = "returns"
    RAISES = "raises"
    IS_LATE = "is_late"
    """It stands at many gates before it ends."""
    IS_LOST = "is_lost"
    """It never ends, until it is cancelled."""
    TALKS_AFTER = "talks_after"
    """It reports once more after it has ended."""

    __hash__ = str.__hash__


MAY_RUN: Final = (Says.ALLOW, Says.YES)


@final
@define
class World:
    """Tools, a policy and a person; `tools`, `policy` and `ask` are what a driver is made with."""

    seed: int
    random: Random = field(init=False)
    scripts: dict[str, tuple[Says, Does]] = field(factory=dict)
    started: list[str] = field(factory=list)
    "Calls whose tool was really started, in order."
    ended: list[str] = field(factory=list)
    answered: set[str] = field(factory=set)
    cancelled: set[str] = field(factory=set)
    broken: list[str] = field(factory=list)
    gates: list[asyncio.Future[None]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.random = random_of(self.seed)

    @property
    def tools(self) -> list[Simulated]:
        """The one tool of this world; what it does is in the arguments."""
        return [Simulated(self)]

    @property
    def policy(self) -> World:
        """The world is its own policy."""
        return self

    def batch(self, number: int) -> list[Request]:
        """The calls of a batch, and what will become of each."""
        made = []
        for at in range(self.random.randint(0, CALLS_MAX)):
            call_id = f"b{number}c{at}"
            script = (self.random.choice(list(Says)), self.random.choice(list(Does)))
            self.scripts[call_id] = script
            made.append(Request(call_id, TOOL, {"call": call_id}))
        return made

    def decide(self, call: ToolCall, _context: Context) -> Decision:
        """What the script says."""
        says = self.scripts[str(call.args["call"])][0]
        if says is Says.POLICY_FAILS:
            raise RuntimeError("the policy of this world fails here")
        if says in (Says.ALLOW, Says.DENY):
            return Decision(Effect(says.value), reason="the script")
        return Decision(Effect.ASK, reason="the script")

    async def ask(self, waiting: AwaitingApproval) -> Outcome:
        """The person: answers late and out of order, or fails."""
        call_id = waiting.facts.request.call_id
        for _ in range(self.random.randint(0, 3)):
            await self.gate()
        says = self.scripts[call_id][0]
        if says is Says.ASK_FAILS:
            raise ConnectionError("the person hung up")
        self.answered.add(call_id)
        return Outcome.PROCEED_ONCE if says is Says.YES else Outcome.CANCEL

    async def gate(self) -> None:
        """Wait until the seed lets this one pass."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.gates.append(waiting)
        await waiting

    def open_one(self) -> bool:
        """Let one of those who wait pass; False: nobody waits."""
        self.gates[:] = [gate for gate in self.gates if not gate.done()]
        if not self.gates:
            return False
        self.gates.pop(self.random.randrange(len(self.gates))).set_result(None)
        return True

    def start(self, call_id: str) -> None:
        """A tool is really started: was it allowed, for the first time, behind an open barrier?"""
        says = self.scripts[call_id][0]
        if says not in MAY_RUN:
            self.broken.append(f"{call_id} was started, and the script says {says.value}")
        if call_id in self.started:
            self.broken.append(f"{call_id} was started twice")
        batch = call_id.partition("c")[0]
        for other, (said, _) in self.scripts.items():
            open_question = said is Says.YES and other not in self.answered | self.cancelled
            if other.partition("c")[0] == batch and open_question:
                self.broken.append(f"{call_id} was started while {other} still waits for a person")
        self.started.append(call_id)


@final
class Simulated:
    """The tool: a `Tool` that does what the script says."""

    name = TOOL
    display_name = TOOL
    kind = Kind.OTHER
    schema: Mapping[str, Any] = {"type": "object"}
    can_update_output = True
    is_output_markdown = False

    def __init__(self, world: World) -> None:
        self.world = world

    def build(self, args: JsonObject) -> Running:
        """One call."""
        return Running(self.world, str(args["call"]))


@final
class Running:
    """One call of the tool."""

    def __init__(self, world: World, call_id: str) -> None:
        self.world, self.call_id = world, call_id

    def describe(self) -> str:
        """For a person."""
        return self.call_id

    def should_confirm(self) -> None:
        """The tool itself sees no need: the policy decides."""

    async def execute(self, cancel: Cancellation, output: Output) -> str:
        """Do what the script says."""
        world, does = self.world, self.world.scripts[self.call_id][1]
        world.start(self.call_id)
        output("started")
        for _ in range(8 if does is Does.IS_LATE else 1):
            await world.gate()
        if does is Does.IS_LOST:
            await cancel.wait()
        world.ended.append(self.call_id)
        if does is Does.RAISES:
            raise OSError("the disk is full")
        if does is Does.TALKS_AFTER:
            asyncio.get_running_loop().call_soon(output, "one more thing")
        return f"result of {self.call_id}"
