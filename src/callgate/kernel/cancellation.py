"""Somebody does not want a call, some batches, or anything any more.

Rule 1: it ends in bounded steps: what has not started never starts, what runs is told to stop.
Rule 2: queued batches first, then the batch at work; barrier and delivery are tested after all
moves, so that no call starts between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import evolve

from callgate.kernel.effects import RejectBatch
from callgate.kernel.errors import IllegalEvent, UnknownCall, shown
from callgate.kernel.events import Batches, CancelRequested, Everything, OneCall
from callgate.kernel.moves import clip

if TYPE_CHECKING:
    from callgate.kernel.state import QueuedBatch
    from callgate.kernel.workspace import Workspace

IN_QUEUE: Final = "Tool call cancelled while in queue."


def cancel(desk: Workspace, event: CancelRequested) -> None:
    """Carry out a cancellation of whatever scope."""
    match event.scope:
        case OneCall(call=serial):
            _cancel_one(desk, serial, event)
        case Batches(batch_ids=batch_ids):
            _cancel_batches(desk, batch_ids, event)
        case Everything():
            queued = [batch_id for batch_id, first in desk.order if _waits(desk, batch_id, first)]
            active = [desk.outline.batch_id] if desk.outline is not None else []
            _cancel_batches(desk, tuple(queued + active), event)
        case _:
            raise IllegalEvent(
                what="CancelRequested",
                where="kernel",
                value=f"with the scope {shown(event.scope)}",
                allowed="OneCall, Batches, Everything",
            )


def _waits(desk: Workspace, batch_id: str, first: int) -> bool:
    queued = desk.queued.get(batch_id)
    return queued is not None and queued.first == first


def _cancel_batches(desk: Workspace, batch_ids: tuple[str, ...], event: CancelRequested) -> None:
    changed = False
    for batch_id in batch_ids:
        if batch_id in desk.queued:
            desk.queued = desk.queued.remove(batch_id)
            desk.effects.append(RejectBatch(batch_id, IN_QUEUE))
            changed = True
    outline = desk.outline
    if outline is not None and outline.batch_id in batch_ids and not desk.is_delivering:
        for position in range(len(desk.calls)):
            changed = desk.send(position, "cancel", event) or changed
    if not changed:
        desk.ignore("nothing of this is at work or queued")


def _cancel_one(desk: Workspace, serial: int, event: CancelRequested) -> None:
    if type(serial) is not int or not 0 < serial < desk.next_serial:
        raise UnknownCall(what="CancelRequested", call=serial, known=desk.next_serial)
    outline = desk.outline
    if outline is not None and outline.first <= serial < outline.first + len(desk.calls):
        if not desk.send(serial - outline.first, "cancel", event):
            desk.ignore("it is final, or being cancelled already", serial)
        return
    queued = queued_batch_of(desk, serial)
    if queued is None:
        desk.ignore("the call is gone", serial)
    elif serial in queued.cancelled:
        desk.ignore("it is cancelled already", serial)
    elif queued.requests[serial - queued.first].problem is not None:
        desk.ignore("it will be born an error", serial)
    else:
        # BATCH-10: one call of a queued batch: it is born cancelled when its batch is admitted.
        reason = clip(event.reason, desk.config.text_chars_max)
        marked = evolve(queued, cancelled=queued.cancelled.set(serial, reason))
        desk.queued = desk.queued.set(queued.batch_id, marked)


def queued_batch_of(desk: Workspace, serial: int) -> QueuedBatch | None:
    """The queued batch that a call belongs to; it is looked for in the queue, not in its calls."""
    for batch_id, first in desk.order:
        if first > serial:
            return None
        queued = desk.queued.get(batch_id)
        if queued is not None and queued.first == first and serial < first + len(queued.requests):
            return queued
    return None


def refuse_early_news(desk: Workspace, name: str, serial: int) -> None:
    """News of a call that is still queued: nothing was ordered for it, so nothing can be told."""
    queued = queued_batch_of(desk, serial)
    if queued is not None:
        request = queued.requests[serial - queued.first]
        raise IllegalEvent(
            what=name,
            where=f"call {serial} {request.call_id!r}",
            value=f"while its batch {queued.batch_id!r} is queued",
            allowed="CancelRequested",
        )
