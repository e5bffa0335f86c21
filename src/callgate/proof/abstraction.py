"""Which states count as one: the key that the search remembers instead of the state.

Rule 1: two states share a key only if whatever happens to one can happen to the other, and leads
to states that share a key again. What no guard, no bound and no counter reads is left out: texts,
results, live output, durations, the outcome of a call that may run, and how a final call ended.
Rule 2: numbers that are only compared are kept as the comparison: an epoch as 'older than the
policy' or not, a deadline as the time until it. The kernel reads them in no other way.
Rule 3: calls are sorted where their positions decide nothing: in a batch of one wave without a
limit of slots. There the next to be asked is any one that was not, and all that may start do.
Rule 4: the counters are kept though they follow from the calls, so that a wrong one is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callgate.kernel.calls import AwaitingApproval, Executing, Scheduled, Validating
from callgate.kernel.values import Outcome, Phase, Stop

if TYPE_CHECKING:
    from callgate.kernel.state import Batch, KernelState
    from callgate.proof.moves import Bounds

Key: TypeAlias = tuple[Any, ...]

ENDED: Final = (9,)
NEVER: Final = -1
_PHASES: Final = {phase: at for at, phase in enumerate(Phase)}
_STOPS: Final = {None: 0, Stop.BY_CANCEL: 1, Stop.BY_TIME: 2}


def is_symmetric(state: KernelState) -> bool:
    """Do the positions of the calls at work decide nothing?"""
    batch = state.batch
    return batch is not None and len(batch.outline.ends) == 1 and state.config.max_parallel is None


def key_of(state: KernelState, bounds: Bounds, unsent: int, *, full: bool = False) -> Key:
    """The small value that stands for a state; `full`: with every call at its own place."""
    waiting: tuple[tuple[int, ...], ...] = ()
    if state.order:
        queued = state.queued
        waiting = tuple(
            tuple(serial in queued[batch_id].cancelled for serial in _serials(queued[batch_id]))
            for batch_id, first in state.order
            if batch_id in queued and queued[batch_id].first == first
        )
    # An epoch beyond the bound enables nothing, as the bound itself does.
    epoch = min(state.epoch, bounds.epochs)
    batch = state.batch
    if batch is None:
        return (unsent, epoch, waiting)
    return (unsent, epoch, waiting, *_batch(batch, state, full))


def _serials(queued: Any) -> range:
    return range(queued.first, queued.first + len(queued.requests))


def representatives(state: KernelState, *, full: bool = False) -> list[Any]:
    """One call of each class of calls that nothing tells apart, in request order."""
    batch = state.batch
    if batch is None:
        return []
    if full or not is_symmetric(state):
        return list(batch.calls)
    return list({call_key(call, state): call for call in reversed(batch.calls)}.values())


def _batch(batch: Batch, state: KernelState, full: bool) -> Key:
    calls: Any = [call_key(call, state) for call in batch.calls]
    cursor = batch.cursor
    if full:
        ended = [call.status.value if call.status.is_final else "" for call in batch.calls]
        calls = list(zip(calls, ended, strict=True))
    elif is_symmetric(state):
        calls.sort()
        cursor = int(cursor < batch.outline.ends[0])
    return (
        tuple(calls),
        cursor,
        batch.wave,
        batch.is_open,
        batch.is_delivering,
        batch.undecided,
        batch.wave_unfinished,
        batch.unfinished,
        batch.running,
        batch.asking,
        tuple(batch.ready),
    )


def call_key(call: Any, state: KernelState) -> tuple[int, ...]:
    """What of a call decides what may still happen to it."""
    kind = type(call)
    if kind is AwaitingApproval:
        return _waiting(call, state)
    if kind is Executing:
        return (4, call.attempt, call.approval_id, _STOPS[call.stop], _until(call, state))
    if kind is Scheduled:
        return (3, call.attempt, call.approval_id, _until(call, state))
    if kind is Validating:
        asked = call.asked_epoch
        if asked is None:
            return (1, 0)
        return (1, 1, asked < state.epoch, asked > 0, _until(call, state))
    return ENDED


def _waiting(call: AwaitingApproval, state: KernelState) -> tuple[int, ...]:
    shown, phase, answer = call.confirmation, call.phase, call.answer
    said = 0
    if phase is Phase.TELLING and answer is not None:
        always = answer.outcome is Outcome.PROCEED_ALWAYS
        editor = answer.outcome is Outcome.MODIFY_WITH_EDITOR
        said = 1 + always + 2 * editor + 4 * (answer.edit is not None)
    rechecking = phase is Phase.RECHECKING
    return (
        2,
        _PHASES[phase],
        0 if rechecking else shown.modifiable + 2 * shown.tells,
        call.epoch < state.epoch,
        call.approval_id,
        call.attempt,
        call.facts.revision if shown.modifiable and not rechecking else 0,
        said,
        call.edit_from_editor,
        _until(call, state),
    )


def _until(call: Any, state: KernelState) -> int:
    return NEVER if call.deadline_ms is None else call.deadline_ms - state.now_ms
