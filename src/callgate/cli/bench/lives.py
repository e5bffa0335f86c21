"""Whole lives of calls, for measuring: through `step`, and on live python-statemachine instances.

Rule 1: whatever a driver would bring (requests, verdicts, events) is built before the clock starts;
what is timed is deciding, and nothing else.
Rule 2: a life that was not whole is no measurement: it raises instead of giving a number.
Rule 3: the garbage collector is run before, and off while the clock runs, so that a number does not
depend on what else the process holds; the clock is the processor's, so that it does not depend on
what else the machine does. Nothing here waits.
"""

from __future__ import annotations

import gc
import tracemalloc
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from callgate.kernel.events import (
    ApprovalAnswered,
    BatchSubmitted,
    CallValidated,
    DeliveryAcknowledged,
    Event,
    ExecutionFinished,
)
from callgate.kernel.lifecycle import ToolCallMachine
from callgate.kernel.state import begin, initial
from callgate.kernel.step import step
from callgate.kernel.values import Ask, Confirmation, Ok, Request, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callgate.kernel.state import KernelState

BATCH_ID: Final = "b1"


def requests(count: int) -> tuple[Request, ...]:
    """As many requests, each with arguments of its own."""
    return tuple(Request(f"c{serial}", "shell", {"n": serial}) for serial in range(1, count + 1))


def submitted_and_validated(count: int) -> list[Event]:
    """The first part of every life: the batch arrives, and each call must be asked about."""
    asked: Any = requests(count)  # the event's field takes any iterable
    events: list[Event] = [BatchSubmitted(batch_id=BATCH_ID, requests=asked, at_ms=0)]
    events += [_validated(serial) for serial in range(1, count + 1)]
    return events


def approved_and_delivered(count: int) -> list[Event]:
    """The rest: each is approved, runs and succeeds; the batch is delivered."""
    serials = range(1, count + 1)
    events: list[Event] = [_answered(serial) for serial in serials]
    events += [_finished(serial) for serial in serials]
    events.append(DeliveryAcknowledged(batch_id=BATCH_ID, at_ms=4))
    return events


def _validated(serial: int) -> CallValidated:
    question = Ask(Confirmation("exec", {"n": serial}))
    return CallValidated(call=serial, revision=1, epoch=0, verdict=question, at_ms=1)


def _answered(serial: int) -> ApprovalAnswered:
    return ApprovalAnswered(call=serial, approval_id=1, outcome="proceed_once", at_ms=2)


def _finished(serial: int) -> ExecutionFinished:
    return ExecutionFinished(call=serial, attempt=1, result=Ok("done"), at_ms=3)


def kernel_us_per_call(count: int, repeats: int) -> float:
    """The best of several runs of a batch through `step`, one event at a time."""
    events = submitted_and_validated(count) + approved_and_delivered(count)
    return _best_seconds(lambda: _live_through_step(events), repeats) * 1e6 / count


def _live_through_step(events: Sequence[Event]) -> None:
    state = _after(initial(), events)
    if state.batch is not None:
        raise RuntimeError("the batch was not delivered: the lives were not whole")


def _after(state: KernelState, events: Sequence[Event]) -> KernelState:
    for event in events:
        state, _ = step(state, event)
    return state


def kernel_bytes_per_call(count: int) -> float:
    """What the state keeps of each call that waits, beside what the driver's events hold anyway."""
    events = submitted_and_validated(count)
    _after(initial(), events)  # what is allocated once and kept is no call's
    gc.collect()
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    state = _after(initial(), events)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    if not was_tracing:
        tracemalloc.stop()
    if state.batch is None or len(state.batch.calls) != count:
        raise RuntimeError("the state does not hold the batch: nothing was weighed")
    return (after - before) / count


def live_us_per_call(count: int, repeats: int) -> float:
    """The best of several runs of the same life, each call on a machine of the engine."""
    asked = requests(count)
    facts = [(_validated(n), _answered(n), _finished(n)) for n in range(1, count + 1)]
    lives = list(zip(asked, facts, strict=True))
    return _best_seconds(lambda: _live_on_the_engine(lives), repeats) * 1e6 / count


def _live_on_the_engine(
    lives: Sequence[tuple[Request, tuple[CallValidated, ApprovalAnswered, ExecutionFinished]]],
) -> None:
    for request, (validated, answered, finished) in lives:
        machine = ToolCallMachine.at(begin(request))
        machine.send("validated", validated)
        machine.send("answered", answered)
        machine.send("start")
        machine.send("finished", finished)
        if machine.call.status is not Status.SUCCESS:
            raise RuntimeError(f"the live machine ended {machine.call.status.value}")


def _best_seconds(life: Callable[[], None], repeats: int) -> float:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        return min(_seconds(life) for _ in range(repeats))
    finally:
        if was_enabled:
            gc.enable()


def _seconds(life: Callable[[], None]) -> float:
    start = process_time()
    life()
    return process_time() - start
