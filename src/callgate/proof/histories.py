"""What must be true of every transition: the invariants of histories, checked one step at a time.

Rule 1: each looks at the state before, the event, the state after and the effects, and nothing
else: an induction over steps, so that it holds for every history if it holds for every step.
Rule 2: nothing is taken from the kernel's own counters: the records and the effects are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callgate.kernel.calls import Executing
from callgate.kernel.effects import (
    AskApproval,
    BatchAdmitted,
    Deliver,
    Execute,
    Ignored,
    Moved,
    OpenEditor,
    Rebuild,
    RejectBatch,
    ReviewWaiting,
    TellTool,
    Validate,
    WithdrawApproval,
    WithdrawValidation,
)
from callgate.kernel.events import (
    AnswerTold,
    ApprovalAnswered,
    BatchSubmitted,
    CallRebuilt,
    CallValidated,
    EditorClosed,
)
from callgate.kernel.invariants import is_ended
from callgate.kernel.outstanding import outstanding
from callgate.kernel.values import Rebuilt, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.kernel.effects import Effect, Order
    from callgate.kernel.events import Event
    from callgate.kernel.state import KernelState

Broken: TypeAlias = tuple[str, str]
"""The id of an invariant, and what breaks it."""


def broken_by(
    before: KernelState,
    event: Event,
    after: KernelState,
    effects: tuple[Effect, ...],
    owed: tuple[Order, ...] | None = None,
) -> Iterator[Broken]:
    """Every invariant of histories that a step breaks; `owed`: `outstanding(before)`."""
    yield from _numbers(before, event)
    yield from _calls(before, after, effects)
    yield from _batches(before, event, after, effects)
    was = outstanding(before) if owed is None else owed
    yield from _orders(was, event, outstanding(after), effects)
    yield from _arguments(before, event, after)


def _numbers(before: KernelState, event: Any) -> Iterator[Broken]:
    """Only news of the attempt and of the question in force is taken."""
    record = _records(before).get(getattr(event, "call", 0))
    for name in ("attempt", "approval_id"):
        said = getattr(event, name, None)
        if said is not None and said != getattr(record, name, said):
            yield "INV-18", f"{type(event).__name__} of {name} {said} counts: {record}"


def is_ignored(effects: tuple[Effect, ...]) -> bool:
    """Does the step say that nothing happened? Then nothing may have (INV-18)."""
    return len(effects) == 1 and type(effects[0]) is Ignored


def _records(state: KernelState) -> dict[int, Any]:
    return {call.facts.serial: call for call in state.batch.calls} if state.batch else {}


def _attempt(record: Any) -> int:
    """How often a call has run; a call that validates has not."""
    return getattr(record, "attempt", 0)


def _calls(
    before: KernelState, after: KernelState, effects: tuple[Effect, ...]
) -> Iterator[Broken]:
    """Final is for ever, nothing final starts, nothing starts twice."""
    latest = _records(before)
    for effect in effects:
        match effect:
            case BatchAdmitted(calls=calls):
                latest = {call.facts.serial: call for call in calls}
            case Moved(record=record):
                old = latest.get(effect.call)
                if old is None or is_ended(old):
                    yield "INV-11", f"call {effect.call} moves to {effect.status} after its end"
                elif _attempt(record) < _attempt(old):
                    yield "INV-13", f"call {effect.call} forgets that it ran {old.attempt} times"
                latest[effect.call] = record
            case Execute(call=serial, attempt=attempt):
                yield from _start(latest.get(serial), serial, attempt, effect)
            case _:
                pass
    for serial, record in _records(after).items():
        told = latest.get(serial)
        if told is None or told.status is not record.status:
            yield "INV-11", f"call {serial} is {record.status}, told as {told and told.status}"
    yield from _started(before, after, effects)


def _start(record: Any, serial: int, attempt: int, order: Any) -> Iterator[Broken]:
    if type(record) is not Executing:
        yield "INV-12", f"call {serial} is started while it is {record and record.status}"
    elif record.attempt != attempt or record.facts.args != order.args:
        yield "INV-13", f"attempt {attempt} of call {serial} is not the one that is recorded"


def _started(
    before: KernelState, after: KernelState, effects: tuple[Effect, ...]
) -> Iterator[Broken]:
    """Each attempt that began has its `Execute`, once, and its number is the next."""
    started = [(e.call, e.attempt) for e in effects if type(e) is Execute]
    old = _records(before)
    for serial, attempt in started:
        was = _attempt(old.get(serial))
        if attempt != was + 1 or started.count((serial, attempt)) > 1:
            yield "INV-13", f"call {serial} starts attempt {attempt} after attempt {was}"
    for serial, record in _records(after).items():
        begun = type(record) is Executing and record.attempt != _attempt(old.get(serial))
        if begun and (serial, record.attempt) not in started:
            yield "INV-16", f"call {serial} executes, and nobody was told to run it"


def _alive(state: KernelState) -> list[str]:
    """Batches that still have to end, in order of arrival."""
    batch = state.batch
    at_work = [batch.outline.batch_id] if batch and not batch.is_delivering else []
    return at_work + [
        batch_id
        for batch_id, first in state.order
        if batch_id in state.queued and state.queued[batch_id].first == first
    ]


def _batches(
    before: KernelState, event: Event, after: KernelState, effects: tuple[Effect, ...]
) -> Iterator[Broken]:
    """Each batch ends once, and comes to work in its turn."""
    ends = [e.batch_id for e in effects if type(e) in (Deliver, RejectBatch)]  # type: ignore[union-attr]
    admitted = [e.batch_id for e in effects if type(e) is BatchAdmitted]
    waiting = _alive(before) + ([event.batch_id] if type(event) is BatchSubmitted else [])
    left = _alive(after)
    if sorted(ends + left) != sorted(waiting):
        yield "INV-14", f"of {waiting} the batches {ends} end and {left} are left"
    for batch_id in admitted:
        earlier = waiting[: waiting.index(batch_id)] if batch_id in waiting else waiting
        if any(other not in ends for other in earlier):
            yield "INV-14", f"batch {batch_id} overtakes one of {earlier}"
    for effect in effects:
        if type(effect) is Deliver:
            if effect.calls and not (after.batch and after.batch.is_delivering):
                yield "INV-14", f"batch {effect.batch_id} is gone before it was acknowledged"
            serials = [call.facts.serial for call in effect.calls]
            if serials != sorted(set(serials)) or not all(map(is_ended, effect.calls)):
                yield "INV-14", f"batch {effect.batch_id} is delivered out of order or unfinished"


# Who may end the waiting for an order, beside the order that withdraws it.
_ENDED_BY: Final[dict[type, tuple[type, type]]] = {
    Validate: (CallValidated, WithdrawValidation),
    AskApproval: (ApprovalAnswered, WithdrawApproval),
    TellTool: (AnswerTold, WithdrawApproval),
    OpenEditor: (EditorClosed, WithdrawApproval),
    Rebuild: (CallRebuilt, WithdrawApproval),
}


def _orders(
    was: tuple[Order, ...], event: Event, now: tuple[Order, ...], effects: tuple[Effect, ...]
) -> Iterator[Broken]:
    """What the kernel waits for it has ordered; what it waits for no more was done or withdrawn."""
    for order in now:
        if order not in was and not _is_said(order, effects):
            yield "INV-16", f"it waits for {type(order).__name__}, which was never ordered"
    for order in was:
        ended_by = _ENDED_BY.get(type(order))
        if ended_by is None or order in now:
            continue
        serial: int = order.call  # type: ignore[union-attr, assignment]
        done = type(event) is ended_by[0] and event.call == serial  # type: ignore[union-attr]
        withdrawn = any(type(e) is ended_by[1] and e.call == serial for e in effects)  # type: ignore[union-attr]
        if not done and not withdrawn:
            yield "INV-17", f"{type(order).__name__} of call {serial} is dropped, and nobody told"


def _is_said(order: Order, effects: tuple[Effect, ...]) -> bool:
    if type(order) is ReviewWaiting:
        return any(type(e) is ReviewWaiting and e.epoch == order.epoch for e in effects)
    if type(order) is Validate:
        numbers = (order.call, order.revision, order.epoch)
        said = [(e.call, e.revision, e.epoch) for e in effects if type(e) is Validate]
        return numbers in said
    return order in effects


def _arguments(before: KernelState, event: Event, after: KernelState) -> Iterator[Broken]:
    """Arguments change only by being built again, and are then those that were built."""
    if after.batch is before.batch or before.batch is None or after.batch is None:
        return
    if after.batch.outline is not before.batch.outline:
        return
    for old, new in zip(before.batch.calls, after.batch.calls, strict=True):
        if old.facts is new.facts and type(event) is not CallRebuilt:
            continue
        built = (
            event.built if type(event) is CallRebuilt and event.call == new.facts.serial else None
        )
        taken = type(built) is Rebuilt and new.status not in (old.status, Status.ERROR)
        asked_again = old.facts.revision != new.facts.revision
        if not taken and not asked_again:
            continue
        if type(built) is not Rebuilt or new.facts.args != built.args or not asked_again:
            yield "INV-19", f"{new.facts.label} has other arguments than were built last"
