"""Any interleaving of answers, results and cancellations gives the kernel's own trace."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate import Config, Retry, initial, step
from callgate.drivers.cancelling import CancelToken
from callgate.drivers.errors import BatchRejected
from callgate.kernel.effects import BatchAdmitted, Deliver, Execute, Moved, RejectBatch
from callgate.kernel.invariants import check
from tests.drivers.doubles import EXEC, Editable, Question, Tool, ToolScheduler, asks, play, settle

NAMES = ("free", "asked", "edit", "slow", "flaky")
IDS = [f"c{number}" for number in range(5)]
OUTCOMES = ["proceed_once", "proceed_always", "modify_with_editor", "cancel", "nonsense"]
ids, batches = st.sampled_from(IDS), st.integers(0, 3)
actions = st.lists(
    st.one_of(
        st.tuples(
            st.just("schedule"),
            st.lists(st.tuples(ids, st.sampled_from(NAMES)), max_size=4),
            batches,
        ),
        st.tuples(st.just("answer"), ids, st.sampled_from(OUTCOMES)),
        st.tuples(st.just("edit"), ids, st.just("edited")),
        st.tuples(st.just("end"), ids, st.booleans()),
        st.tuples(st.just("cancel"), ids, st.just(None)),
        st.tuples(st.just("switch"), batches, st.just(None)),
        st.tuples(st.just("mode"), st.sampled_from(["default", "auto_edit", "yolo"]), st.none()),
        st.tuples(st.just("rest"), st.integers(0, 6), st.none()),
        st.tuples(st.just("time"), st.integers(1, 2_000), st.none()),
    ),
    max_size=25,
)


class Run:
    """A scheduler, everything that was recorded of it, and everything that was seen."""

    def __init__(self, config):
        self.config, self.events, self.seen, self.delivered = config, [], [], []
        self.tokens = [CancelToken() for _ in range(4)]
        self.handles = []
        self.tools = [
            Tool("free"),
            Tool("asked", question=EXEC),
            Editable("edit", question=Question("edit")),
            Tool("slow", question=lambda _: self.think()),
            Tool("flaky", question=EXEC),
        ]

    async def think(self):
        await asyncio.sleep(0)
        return Question("info")

    class Editor:
        def edit(self, *, path, current, proposed):
            return proposed + "!"

    async def play(self, script):
        async with ToolScheduler(
            self.tools,
            config=self.config,
            editor=self.Editor(),
            retryable=lambda error: isinstance(error, OSError),
            record=self.events.append,
            on_update=self.seen.append,
            on_complete=lambda calls: self.delivered.append([c.call_id for c in calls]),
            on_error=lambda *_: None,
        ) as self.scheduler:
            for name, one, other in script:
                await getattr(self, f"do_{name}")(one, other)
        for handle in self.handles:
            assert handle.is_done
        return self

    async def do_schedule(self, calls, place):
        requests = [request for call_id, name in calls for request in asks(call_id, name=name)]
        self.handles.append(self.scheduler.schedule(requests, cancel=self.tokens[place]))

    async def do_answer(self, call_id, outcome):
        self.scheduler.approve(call_id, outcome)

    async def do_edit(self, call_id, content):
        self.scheduler.approve(call_id, "proceed_once", edit=content)

    async def do_end(self, call_id, is_well):
        for tool in self.tools:
            end = tool.running.get(call_id)
            if end is not None and not end.done():
                end.set_result("ok") if is_well else end.set_exception(OSError("busy"))

    async def do_cancel(self, call_id, _):
        self.scheduler.cancel(call_id)

    async def do_switch(self, place, _):
        self.tokens[place].cancel()

    async def do_mode(self, mode, _):
        self.scheduler.set_mode(mode)

    async def do_rest(self, rounds, _):
        await settle(rounds)

    async def do_time(self, milliseconds, _):
        await asyncio.sleep(milliseconds / 1000)


CONFIGS = st.sampled_from(
    [
        Config(),
        Config(max_parallel=1),
        Config(timeout_ms=500, cancel_grace_ms=100, approval_timeout_ms=1_000),
        Config(retry=Retry(attempts_max=3, backoff_ms=50)),
    ]
)


@given(actions, CONFIGS)
def test_the_driver_adds_nothing_to_the_kernel_and_takes_nothing_away(script, config):
    run = Run(config)
    play(lambda: run.play(script))

    state, effects = initial(config), []
    for event in run.events:
        state, caused = step(state, event)
        check(state)
        effects += caused
    assert state == run.scheduler.state
    assert state.is_idle

    moved = [effect.record for effect in effects if type(effect) is Moved]
    assert [snapshot.changed for snapshot in run.seen if snapshot.changed] == moved
    admitted = [effect for effect in effects if type(effect) is BatchAdmitted]
    assert [snapshot.calls for snapshot in run.seen if not snapshot.changed] == [
        news.calls for news in admitted
    ]
    delivered = [effect for effect in effects if type(effect) is Deliver and effect.calls]
    assert run.delivered == [
        [call.facts.request.call_id for call in order.calls] for order in delivered
    ]
    assert_each_handle_has_its_own(run, effects)
    started = sum(len(tool.started) for tool in run.tools)
    ordered = [effect for effect in effects if type(effect) is Execute]
    assert started <= len(ordered)
    assert len({(order.call, order.attempt) for order in ordered}) == len(ordered)


def assert_each_handle_has_its_own(run, effects):
    ends = {effect.batch_id: effect for effect in effects if type(effect) in (Deliver, RejectBatch)}
    for handle in run.handles:
        end = ends[handle.batch_id]
        if type(end) is RejectBatch:
            with pytest.raises(BatchRejected) as rejected:
                handle.result()
            assert str(rejected.value) == end.reason
        else:
            assert [call.record for call in handle.result()] == list(end.calls)
