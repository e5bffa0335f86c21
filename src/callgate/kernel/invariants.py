"""What must be true of every reachable state. The ids are those of `statemachine_spec`.

Rule 1: an invariant raises; it is no `assert`, which `python -O` would remove.
Rule 2: each looks at the state alone and recounts from nothing; the full sweep is for tests, for
the explorer, and for who switches it on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.kernel.calls import (
    AwaitingApproval,
    Executing,
    Scheduled,
    Validating,
    is_open_question,
)
from callgate.kernel.errors import InvariantViolation
from callgate.kernel.values import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callgate.kernel.state import Batch, KernelState


def check(state: KernelState) -> None:
    """Raise `InvariantViolation` if the state must not exist.

    >>> from callgate import initial
    >>> check(initial())
    """
    for invariant, find in INVARIANTS.items():
        for detail in find(state):
            raise InvariantViolation(invariant=invariant, detail=detail)


def _barrier(state: KernelState) -> Iterator[str]:
    """Nothing of a wave executes while a call of it is undecided; later waves have not begun."""
    batch = state.batch
    if batch is None:
        return
    start, end = wave_bounds(batch)
    if not batch.is_open and any(type(batch.calls[at]) is Executing for at in range(start, end)):
        yield f"a call of wave {batch.wave} executes behind a closed barrier"
    for at in range(end, len(batch.calls)):
        call = batch.calls[at]
        if not (is_ended(call) or (type(call) is Validating and call.asked_epoch is None)):
            yield f"{call.facts.label} has begun before its wave"
    for at in range(start):
        if not is_ended(batch.calls[at]):
            yield f"{batch.calls[at].facts.label} is not final though its wave is over"


def _decided_once_open(state: KernelState) -> Iterator[str]:
    """Behind an open barrier only a lost execution brings a question back."""
    batch = state.batch
    if batch is None or not batch.is_open:
        return
    for at in range(*wave_bounds(batch)):
        call = batch.calls[at]
        if type(call) is Validating:
            yield f"{call.facts.label} is undecided behind an open barrier"
        if type(call) is AwaitingApproval and call.attempt == 0:
            yield f"{call.facts.label} waits for its first yes behind an open barrier"


def _delivery(state: KernelState) -> Iterator[str]:
    """A batch is delivered just when all of it is final."""
    batch = state.batch
    if batch is None:
        return
    ended = all(is_ended(call) for call in batch.calls)
    if ended is not batch.is_delivering:
        yield f"delivering is {batch.is_delivering}, all final is {ended}"


def _counters(state: KernelState) -> Iterator[str]:
    """The counters equal a recount."""
    batch = state.batch
    if batch is None:
        return
    wave = [batch.calls[at] for at in range(*wave_bounds(batch))]
    undecided = sum(type(call) in (Validating, AwaitingApproval) for call in wave)
    counts = {
        "undecided": (batch.undecided, 0 if batch.is_open else undecided),
        "wave_unfinished": (batch.wave_unfinished, sum(not is_ended(call) for call in wave)),
        "unfinished": (batch.unfinished, sum(not is_ended(call) for call in batch.calls)),
        "running": (batch.running, sum(type(call) is Executing for call in batch.calls)),
        "asking": (batch.asking, sum(is_open_question(call) for call in batch.calls)),
    }
    for name, (kept, recount) in counts.items():
        if kept != recount:
            yield f"{name} is {kept}, a recount gives {recount}"


def _max_parallel(state: KernelState) -> Iterator[str]:
    """No more tools run than may, and no slot is free while a call waits for one."""
    batch, limit = state.batch, state.config.max_parallel
    if batch is None:
        return
    if limit is not None and batch.running > limit:
        yield f"{batch.running} tools run, {limit} may"
    if batch.is_open and (limit is None or batch.running < limit):
        for at in range(*wave_bounds(batch)):
            call = batch.calls[at]
            due = type(call) is Scheduled and (call.deadline_ms or 0) <= state.now_ms
            if due:
                yield f"{call.facts.label} waits though a slot is free"


def _asking(state: KernelState) -> Iterator[str]:
    """Somebody is always being asked while the barrier is closed; one at a time, if so planned."""
    batch = state.batch
    if batch is None or batch.is_open or batch.is_delivering:
        return
    wave = [batch.calls[at] for at in range(*wave_bounds(batch))]
    validating = [call for call in wave if type(call) is Validating]
    asked = [call for call in validating if call.asked_epoch is not None]
    if validating and not asked:
        yield "calls are validating and none of them is asked"
    if batch.outline.together and len(asked) != len(validating):
        yield "a call of this wave is not asked though all are asked together"
    if not batch.outline.together and (len(asked) > 1 or (asked and asked[0] is not validating[0])):
        yield "calls are asked out of order"


def _queue(state: KernelState) -> Iterator[str]:
    """Nobody queues while nothing is at work; every queued batch has its place, once, in order."""
    if state.batch is None and state.queued:
        yield "batches are queued and nothing is at work"
    places = [
        (first, batch_id)
        for batch_id, first in state.order
        if batch_id in state.queued and state.queued[batch_id].first == first
    ]
    if len(places) != len(state.queued) or places != sorted(set(places)):
        yield f"the queue holds {len(state.queued)} batches and the order {len(places)}"


def _answers(state: KernelState) -> Iterator[str]:
    """An approval that is used up has its answer; an open one has none."""
    for call in state.batch.calls if state.batch else ():
        if type(call) is AwaitingApproval and (call.answer is None) is not (
            call.phase is Phase.ASKING
        ):
            yield f"{call.facts.label} is {call.phase.value} with the answer {call.answer}"


def _alarms(state: KernelState) -> Iterator[str]:
    """Every deadline to come has its alarm, and the first alarm still counts."""
    batch = state.batch
    if batch is None:
        return
    alarms = {batch.alarms.heap[at] for at in range(batch.alarms.size)}
    for at, call in enumerate(batch.calls):
        until_ms = None if is_ended(call) else call.deadline_ms  # type: ignore[union-attr]
        if until_ms is not None and until_ms > state.now_ms and (until_ms, at) not in alarms:
            yield f"{call.facts.label} has no alarm for {until_ms}"
    first = batch.alarms.first
    if first is not None and first[0] <= state.now_ms:
        yield f"the alarm for {first[0]} is still to come at {state.now_ms}"


def _serials(state: KernelState) -> Iterator[str]:
    """Serials follow each other, and none is given out twice."""
    batch = state.batch
    if batch is None:
        return
    for at, call in enumerate(batch.calls):
        if call.facts.serial != batch.outline.first + at:
            yield f"{call.facts.label} stands at position {at}"
    if batch.outline.first + len(batch.calls) > state.next_serial:
        yield f"serials run past {state.next_serial}"


def is_ended(call: object) -> bool:
    """Is this record final?"""
    return type(call) not in (Validating, AwaitingApproval, Scheduled, Executing)


def wave_bounds(batch: Batch) -> tuple[int, int]:
    """The positions of the current wave."""
    ends = batch.outline.ends
    return (ends[batch.wave - 1] if batch.wave else 0), ends[batch.wave]


INVARIANTS: Final[dict[str, Callable[[KernelState], Iterator[str]]]] = {
    "INV-1": _barrier,
    "INV-2": _decided_once_open,
    "INV-3": _delivery,
    "INV-4": _counters,
    "INV-5": _max_parallel,
    "INV-6": _asking,
    "INV-7": _queue,
    "INV-8": _answers,
    "INV-9": _alarms,
    "INV-10": _serials,
}
