"""The batch: who is asked next, when the barrier opens, who starts, when it is delivered.

Rule 1: counters decide, never a scan of the calls; a wave is walked once when it begins and once
when its barrier opens.
Rule 2: all moves of an event come first, then the consequences, in this order: ask, open, start,
next wave, deliver, admit.

The barrier: no call of a wave starts until every call of that wave is scheduled or final. It is
tested until it opens, once; a retry waits for a slot, not for the barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrsistent import pdeque, pmap, pvector

from callgate.kernel.alarms import NO_ALARMS
from callgate.kernel.calls import (
    Cancelled,
    Errored,
    Scheduled,
    Validating,
    new_facts,
    new_validating,
)
from callgate.kernel.effects import BatchAdmitted, Deliver, new_validate
from callgate.kernel.moves import clip, deadline
from callgate.kernel.state import NOBODY, Outline
from callgate.kernel.values import CancelCause, Failure, Unknown

if TYPE_CHECKING:
    from callgate.kernel.calls import Call
    from callgate.kernel.state import QueuedBatch
    from callgate.kernel.values import Request
    from callgate.kernel.workspace import Workspace


def settle(desk: Workspace) -> None:
    """Do whatever the moves so far have made possible, until nothing more is."""
    while True:
        if desk.outline is None:
            if not admit_next(desk):
                return
        elif desk.is_delivering:
            return
        _ask(desk)
        if not desk.is_open and desk.undecided == 0:
            _open(desk)
        if desk.is_open and desk.ready:
            _start_ready(desk)
        if desk.wave_unfinished:
            return
        if desk.unfinished:
            desk.wave += 1
            _begin_wave(desk)
        else:
            _deliver(desk)


def _slots(desk: Workspace) -> int:
    limit = desk.config.max_parallel
    return len(desk.calls) if limit is None else limit - desk.running


def _ask(desk: Workspace) -> None:
    """BATCH-4: the next call is asked when the one before has left validating, by any cause."""
    outline = desk.outline
    end = outline.ends[desk.wave]  # type: ignore[union-attr]
    while desk.cursor < end:
        call = desk.calls[desk.cursor]
        if type(call) is Validating:
            if call.asked_epoch is None:
                _validate(desk, desk.cursor, call)
            if not outline.together:  # type: ignore[union-attr]
                return
        desk.cursor += 1


def _validate(desk: Workspace, position: int, call: Validating) -> None:
    until_ms = deadline(desk, desk.config.validation_timeout_ms)
    desk.put(position, call, new_validating(call.facts, desk.epoch, until_ms))
    desk.effects.append(new_validate(call.facts.serial, call.facts.revision, desk.epoch))


def _open(desk: Workspace) -> None:
    """BATCH-5: the barrier opens, once, and what is scheduled starts in request order."""
    desk.is_open = True
    start = desk.outline.ends[desk.wave - 1] if desk.wave else 0  # type: ignore[union-attr]
    end = desk.outline.ends[desk.wave]  # type: ignore[union-attr]
    slots = _slots(desk)
    held: list[int] = []
    for position in range(start, end):
        if type(desk.calls[position]) is not Scheduled:
            continue
        if slots > 0:
            desk.send(position, "start", None)
            slots -= 1
        else:
            held.append(position)
    desk.ready = pdeque(held) if held else NOBODY


def _start_ready(desk: Workspace) -> None:
    """BATCH-6: first come, first served; who was cancelled meanwhile is passed over."""
    while desk.ready and _slots(desk) > 0:
        position = desk.ready.left
        desk.ready = desk.ready.popleft()
        if type(desk.calls[position]) is Scheduled:
            desk.send(position, "start", None)


def _deliver(desk: Workspace) -> None:
    """BATCH-7: once, whole, in request order, and only when all of it is final."""
    desk.is_delivering = True
    desk.alarms = NO_ALARMS
    desk.effects.append(Deliver(desk.outline.batch_id, desk.calls.persistent()))  # type: ignore[union-attr]


def admit_next(desk: Workspace) -> bool:
    """BATCH-2: first come, first served; False: nobody waits."""
    while desk.order:
        batch_id, first = desk.order.left
        desk.order = desk.order.popleft()
        queued = desk.queued.get(batch_id)
        if queued is not None and queued.first == first:
            desk.queued = desk.queued.remove(batch_id)
            admit(desk, queued)
            return True
    return False


def admit(desk: Workspace, queued: QueuedBatch) -> None:
    """BATCH-3: all calls of a batch appear together."""
    records = [
        _born(desk, request, serial, queued)
        for serial, request in enumerate(queued.requests, queued.first)
    ]
    index = {
        request.call_id: serial for serial, request in enumerate(queued.requests, queued.first)
    }
    calls = pvector(records)
    desk.clear()
    desk.outline = Outline(queued.batch_id, queued.first, queued.ends, queued.together, pmap(index))
    desk.calls = calls.evolver()
    desk.unfinished = sum(type(record) is Validating for record in records)
    desk.effects.append(BatchAdmitted(queued.batch_id, calls))
    _begin_wave(desk)


def _born(desk: Workspace, request: Request, serial: int, queued: QueuedBatch) -> Call:
    facts = new_facts(serial, request, desk.now_ms, request.args)
    problem = request.problem
    if problem is not None:
        kind = "tool_not_registered" if type(problem) is Unknown else "invalid_tool_params"
        message = clip(problem.message, desk.config.text_chars_max)
        return Errored(facts, None, Failure(kind, message), 0)
    if queued.cancelled and serial in queued.cancelled:
        return Cancelled(facts, None, CancelCause.CANCELLED, queued.cancelled[serial], 0)
    return new_validating(facts)


def _begin_wave(desk: Workspace) -> None:
    ends = desk.outline.ends  # type: ignore[union-attr]
    desk.cursor = ends[desk.wave - 1] if desk.wave else 0
    live = sum(type(desk.calls[at]) is Validating for at in range(desk.cursor, ends[desk.wave]))
    desk.undecided = desk.wave_unfinished = live
    desk.is_open = False
    desk.ready = NOBODY
