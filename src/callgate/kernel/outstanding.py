"""The orders that are still owed: what a driver issues again after it has read a journal.

Rule 1: pure, and with the same numbers as the first time, so that an answer to either copy counts
once. A running tool is not ordered again: its driver reports `ExecutionLost`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.kernel.calls import AwaitingApproval, Call, Executing, Validating
from callgate.kernel.effects import (
    AskApproval,
    Deliver,
    OpenEditor,
    Order,
    Rebuild,
    ReviewWaiting,
    StopExecution,
    TellTool,
    Validate,
)
from callgate.kernel.values import Phase

if TYPE_CHECKING:
    from callgate.kernel.state import KernelState


def outstanding(state: KernelState) -> tuple[Order, ...]:
    """List the orders that nobody has answered yet, in request order.

    >>> from callgate import BatchSubmitted, Request, initial, step
    >>> state, _ = step(initial(),
    ...     BatchSubmitted(batch_id="b1", requests=[Request("c1", "ls")], at_ms=0))
    >>> [type(order).__name__ for order in outstanding(state)]
    ['Validate']
    """
    batch = state.batch
    if batch is None:
        return ()
    if batch.is_delivering:
        return (Deliver(batch.outline.batch_id, batch.calls),)
    owed = [order for call in batch.calls for order in _owed(call, state, batch.outline.batch_id)]
    return tuple(owed)


def _owed(call: Call, state: KernelState, batch_id: str) -> tuple[Order, ...]:
    match call:
        case Validating(asked_epoch=int(epoch), facts=facts):
            return (Validate(facts.serial, facts.revision, epoch),)
        case AwaitingApproval():
            return _owed_waiting(call, state, batch_id)
        case Executing(stop=stop) if stop is not None:
            return (StopExecution(call.facts.serial, call.attempt),)
        case _:
            return ()


def _owed_waiting(call: AwaitingApproval, state: KernelState, batch_id: str) -> tuple[Order, ...]:
    serial, answer = call.facts.serial, call.answer
    if call.phase is Phase.ASKING:
        question = AskApproval(serial, call.approval_id, call.confirmation)
        if call.epoch < state.epoch:
            return (question, ReviewWaiting(batch_id, state.epoch, serial))
        return (question,)
    if answer is None:  # pragma: no cover - INV-8: only an open question has no answer
        return ()
    if call.phase is Phase.TELLING:
        return (TellTool(serial, call.approval_id, answer),)
    if call.phase is Phase.EDITING:
        return (OpenEditor(serial, call.approval_id),)
    return (Rebuild(serial, call.facts.revision + 1, call.epoch, answer.edit),)
