"""Drivers with one fault each, as people write them on asyncio, and one that has none.

Rule 1: each breaks its contract in one way; the check must see it by what really happened.
"""

import asyncio

from attrs import frozen

from callgate.kernel.state import begin
from callgate.kernel.values import Outcome, Request
from callgate.policy.decisions import Context, Effect, ToolCall


@frozen
class Ended:
    call_id: str
    status: str


class Switch:
    """Tells a running tool to stop."""

    def __init__(self):
        self.event = asyncio.Event()
        self.is_cancelled = False

    async def wait(self):
        await self.event.wait()

    def on_cancel(self, callback):
        pass

    def cancel(self):
        self.is_cancelled = True
        self.event.set()


class Asked:
    """What the world's person is shown: a record with the request in it."""

    def __init__(self, request: Request):
        self.facts = begin(request).facts


class Plain:
    """Sound, for one batch at a time: asks all, waits for all answers, runs, answers in order."""

    def __init__(self, world):
        self.world, self.tool = world, world.tools[0]
        self.switches = {}
        self.turn = asyncio.Lock()

    async def schedule(self, requests):
        async with self.turn:
            may = await asyncio.gather(*(self.decided(request) for request in requests))
            return await self.run_all(list(zip(requests, may, strict=True)))

    async def run_all(self, decided):
        return await asyncio.gather(*(self.end(request, may) for request, may in decided))

    async def decided(self, request):
        try:
            said = self.world.decide(ToolCall(request.name, request.args), Context())
            if said.effect is Effect.ASK:
                return await self.world.ask(Asked(request)) is Outcome.PROCEED_ONCE
            return said.effect is Effect.ALLOW
        except (RuntimeError, ConnectionError):
            return False

    async def end(self, request, may):
        if not may:
            return Ended(request.call_id, "error")
        switch = self.switches[request.call_id] = Switch()
        try:
            await self.tool.build(request.args).execute(switch, lambda chunk: None)
        except OSError:
            return Ended(request.call_id, "error")
        return Ended(request.call_id, "cancelled" if switch.is_cancelled else "success")

    def cancel(self, call_id):
        self.switches[call_id].cancel()


class StartsBeforeTheLastYes(Plain):
    """Each call runs as soon as it is allowed itself."""

    async def schedule(self, requests):
        return await asyncio.gather(*(self.one(request) for request in requests))

    async def one(self, request):
        return await self.end(request, await self.decided(request))


class RunsAfterANo(Plain):
    """The answer is awaited and not looked at."""

    async def decided(self, request):
        await super().decided(request)
        return True


class RunsTwice(Plain):
    """What fails is tried again, though nobody said that it may be."""

    async def end(self, request, may):
        ended = await super().end(request, may)
        return await super().end(request, may) if may and ended.status == "error" else ended


class AnswersInTheOrderOfEnding(Plain):
    """The first that ends is the first of the answer."""

    async def run_all(self, decided):
        running = [asyncio.ensure_future(self.end(request, may)) for request, may in decided]
        return [await ended for ended in asyncio.as_completed(running)]


class LosesWhatFailed(Plain):
    """A call that raises has no end."""

    async def run_all(self, decided):
        ended = await super().run_all(decided)
        return [one for one in ended if one.status != "error"]


class OneFailureEndsTheBatch(Plain):
    """An error of the policy is nobody's."""

    async def decided(self, request):
        said = self.world.decide(ToolCall(request.name, request.args), Context())
        if said.effect is Effect.ASK:
            return await self.world.ask(Asked(request)) is Outcome.PROCEED_ONCE
        return said.effect is Effect.ALLOW


class SaysSuccessAlways(Plain):
    """The tool's error is swallowed."""

    async def end(self, request, may):
        ended = await super().end(request, may)
        return Ended(ended.call_id, "success")


class AnswersEachTwice(Plain):
    """A report that arrives twice is passed on twice."""

    async def run_all(self, decided):
        return [one for one in await super().run_all(decided) for _ in range(2)]


class ForgetsToCancel(Plain):
    """The end of a cancelled tool is a success like any other."""

    async def end(self, request, may):
        ended = await super().end(request, may)
        return Ended(ended.call_id, "success" if ended.status == "cancelled" else ended.status)


class LeavesATaskBehind(Plain):
    """Closed, and something still runs."""

    async def aclose(self):
        self.left = asyncio.ensure_future(asyncio.Event().wait())


BROKEN = [
    (StartsBeforeTheLastYes, "still waits for a person"),
    (RunsAfterANo, "was started, and the script says"),
    (RunsTwice, "was started twice"),
    (AnswersInTheOrderOfEnding, "asked for"),
    (LosesWhatFailed, "asked for"),
    (OneFailureEndsTheBatch, "not with calls"),
    (SaysSuccessAlways, "ended as success"),
    (AnswersEachTwice, "asked for"),
    (ForgetsToCancel, "not cancelled"),
    (LeavesATaskBehind, "tasks are left"),
]
