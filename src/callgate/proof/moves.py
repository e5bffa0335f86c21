"""What may happen next: every event that a driver or a person can bring about in a state.

Rule 1: an event is listed if the kernel's orders so far allow a driver to report it, or if it is
late, repeated or stale news that the kernel must ignore. None of them may be refused.
Rule 2: what would go on for ever is bounded here and nowhere else, by `Bounds`. A bound only ever
takes away an event that has a harmless sibling, so that it cannot make a dead end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from callgate.kernel.calls import AwaitingApproval, Executing, Validating
from callgate.kernel.events import (
    AnswerTold,
    ApprovalAnswered,
    Batches,
    BatchSubmitted,
    CallRebuilt,
    CallReviewed,
    CallValidated,
    CancelRequested,
    DeliveryAcknowledged,
    EditorClosed,
    Event,
    Everything,
    ExecutionFinished,
    ExecutionLost,
    ExecutionProgressed,
    OneCall,
    PolicyChanged,
    TimePassed,
)
from callgate.kernel.state import next_deadline
from callgate.kernel.values import (
    Allow,
    Ask,
    Confirmation,
    Deny,
    Failed,
    Failure,
    Ok,
    Outcome,
    Phase,
    Rebuilt,
    Request,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callgate.kernel.state import KernelState

PLAIN: Final = Confirmation("plain")
EDITABLE: Final = Confirmation("edit", modifiable=True, has_editor=True)
TELLING: Final = Confirmation("tell", modifiable=True, has_editor=True, tells=True)
BOOM: Final = Failed(Failure("unhandled_exception", "boom"))
FLAKY: Final = Failed(Failure("unhandled_exception", "flaky", retryable=True))
DONE: Final = Ok("done")
VERDICTS: Final = (Allow(), Ask(PLAIN), Ask(EDITABLE), Ask(TELLING), Deny("no"), BOOM)
REVIEWS: Final = (Allow(), Ask(PLAIN), Deny("no"))
BUILT: Final = (Rebuilt({"edited": True}, PLAIN), Deny("no"), BOOM)
RESULTS: Final = (DONE, FLAKY, BOOM)


@final
@frozen(kw_only=True)
class Bounds:
    """What makes the space finite."""

    epochs: int = 1
    "Policy changes and answers 'always', together, that may begin; one being told may follow."
    approvals: int = 2
    "Questions about one call."
    revisions: int = 2
    "Arguments of one call: as requested, and edited once."
    attempts: int = 2
    "Executions of one call, retries and reruns together."


def enabled(
    state: KernelState, bounds: Bounds, unsent: int, calls: Sequence[Any]
) -> Iterator[Event]:
    """Everything that may happen now.

    `unsent`: how many batches are still to be submitted; `calls`: those of the batch at work whose
    news are wanted, one for each class of calls that nothing tells apart.
    """
    now_ms, batch = state.now_ms, state.batch
    if unsent:
        yield submission(state, 1)
    if state.epoch < bounds.epochs:
        yield PolicyChanged(at_ms=now_ms)
    if batch is None or batch.outline.first > 1:
        yield ExecutionFinished(call=1, attempt=1, result=DONE, at_ms=now_ms)
        yield ApprovalAnswered(call=1, approval_id=1, outcome="proceed_once", at_ms=now_ms)
        yield DeliveryAcknowledged(batch_id="b1", at_ms=now_ms)
    yield from _cancellations(state, calls)
    for call in calls:
        yield from _news(call, state, bounds)
    if batch is not None and batch.is_delivering:
        yield DeliveryAcknowledged(batch_id=batch.outline.batch_id, at_ms=now_ms)
    if next_deadline(state) is not None:
        # One millisecond at a time: durations are 1 and 2, so deadlines come in every order.
        yield TimePassed(at_ms=now_ms + 1)


def submission(state: KernelState, size: int, plan: Any = "classic") -> BatchSubmitted:
    """The next batch; its last call may not run beside others, where the plan minds."""
    requests = [Request(f"c{n}", "tool", {"n": n}, parallel=n < size - 1) for n in range(size)]
    batch_id = f"b{state.next_serial}"
    return BatchSubmitted(batch_id=batch_id, requests=requests, plan=plan, at_ms=state.now_ms)


def _cancellations(state: KernelState, calls: Sequence[Any]) -> Iterator[Event]:
    now_ms, batch = state.now_ms, state.batch
    yield CancelRequested(scope=Everything(), at_ms=now_ms)
    if batch is not None and state.order:
        yield CancelRequested(scope=Batches((batch.outline.batch_id,)), at_ms=now_ms)
    for batch_id, _ in state.order:
        yield CancelRequested(scope=Batches((batch_id,)), at_ms=now_ms)
    serials = [call.facts.serial for call in calls]
    for serial in serials + [first for _, first in state.order]:
        yield CancelRequested(scope=OneCall(serial), at_ms=now_ms)


def _news(call: Any, state: KernelState, bounds: Bounds) -> Iterator[Event]:
    serial, now_ms, kind = call.facts.serial, state.now_ms, type(call)
    if kind is Validating:
        yield from _of_validating(call, now_ms)
    elif kind is AwaitingApproval:
        yield from _of_waiting(call, state, bounds)
    elif kind is Executing:
        yield from _of_executing(call, now_ms, bounds)
    else:
        yield CallValidated(call=serial, revision=1, epoch=0, verdict=Allow(), at_ms=now_ms)
    if kind is not AwaitingApproval:
        yield ApprovalAnswered(call=serial, approval_id=1, outcome="cancel", at_ms=now_ms)
    if kind not in (Validating, AwaitingApproval, Executing) and call.attempt:
        yield ExecutionFinished(call=serial, attempt=call.attempt, result=DONE, at_ms=now_ms)


def _of_validating(call: Validating, now_ms: int) -> Iterator[Event]:
    epoch, serial = call.asked_epoch, call.facts.serial
    if epoch is None:
        return
    for verdict in VERDICTS:
        yield CallValidated(call=serial, revision=1, epoch=epoch, verdict=verdict, at_ms=now_ms)
    if epoch:
        yield CallValidated(call=serial, revision=1, epoch=0, verdict=Allow(), at_ms=now_ms)


def _of_waiting(call: AwaitingApproval, state: KernelState, bounds: Bounds) -> Iterator[Event]:
    serial, number, now_ms = call.facts.serial, call.approval_id, state.now_ms
    for other in (number - 1, number + 1):
        yield ApprovalAnswered(call=serial, approval_id=other, outcome="proceed_once", at_ms=now_ms)
    if call.phase is not Phase.TELLING:
        yield AnswerTold(call=serial, approval_id=number, failure=BOOM.failure, at_ms=now_ms)
    if call.attempt:
        yield ExecutionFinished(call=serial, attempt=call.attempt, result=DONE, at_ms=now_ms)
    if call.phase is Phase.ASKING:
        yield ApprovalAnswered(call=serial, approval_id=number, outcome="maybe", at_ms=now_ms)
        yield from _answers(call, state, bounds)
        yield from _reviews(call, state)
        return
    yield ApprovalAnswered(call=serial, approval_id=number, outcome="cancel", at_ms=now_ms)
    if call.phase is Phase.TELLING:
        for failure in (None, BOOM.failure):
            yield AnswerTold(call=serial, approval_id=number, failure=failure, at_ms=now_ms)
    elif call.phase is Phase.EDITING:
        for failed in (False, True):
            yield EditorClosed(
                call=serial, approval_id=number, content="new", failed=failed, at_ms=now_ms
            )
    else:
        revision, epoch = call.facts.revision + 1, call.epoch
        for built in BUILT:
            yield CallRebuilt(
                call=serial, revision=revision, epoch=epoch, built=built, at_ms=now_ms
            )


def _answers(call: AwaitingApproval, state: KernelState, bounds: Bounds) -> Iterator[Event]:
    shown, may_edit = call.confirmation, call.facts.revision < bounds.revisions
    outcomes: list[tuple[Outcome, str | None]] = [
        (Outcome.PROCEED_ONCE, None),
        (Outcome.CANCEL, None),
        (Outcome.ANSWER_INSTEAD, None),
    ]
    if state.epoch < bounds.epochs:
        outcomes.append((Outcome.PROCEED_ALWAYS, None))
    if shown.modifiable and may_edit:
        outcomes.append((Outcome.PROCEED_ONCE, "new"))
        if state.epoch < bounds.epochs:
            outcomes.append((Outcome.PROCEED_ALWAYS, "new"))
    if not shown.modifiable or (may_edit and call.approval_id < bounds.approvals):
        outcomes.append((Outcome.MODIFY_WITH_EDITOR, None))
    for outcome, edit in outcomes:
        yield ApprovalAnswered(
            call=call.facts.serial,
            approval_id=call.approval_id,
            outcome=outcome,
            edit=edit,
            result=DONE if outcome is Outcome.ANSWER_INSTEAD else None,
            at_ms=state.now_ms,
        )


def _reviews(call: AwaitingApproval, state: KernelState) -> Iterator[Event]:
    newest = REVIEWS if call.epoch < state.epoch else REVIEWS[:1]
    stale = REVIEWS[:1] if state.epoch else ()
    epochs = [(state.epoch, verdict) for verdict in newest]
    for epoch, verdict in epochs + [(state.epoch - 1, verdict) for verdict in stale]:
        yield CallReviewed(
            call=call.facts.serial,
            approval_id=call.approval_id,
            epoch=epoch,
            verdict=verdict,
            at_ms=state.now_ms,
        )


def _of_executing(call: Executing, now_ms: int, bounds: Bounds) -> Iterator[Event]:
    serial, attempt = call.facts.serial, call.attempt
    for result in RESULTS:
        yield ExecutionFinished(call=serial, attempt=attempt, result=result, at_ms=now_ms)
    if attempt > 1:
        yield ExecutionFinished(call=serial, attempt=attempt - 1, result=DONE, at_ms=now_ms)
    yield ExecutionProgressed(call=serial, attempt=attempt, output="half", at_ms=now_ms)
    yield ExecutionLost(call=serial, attempt=attempt, then="fail", at_ms=now_ms)
    if attempt < bounds.attempts:
        yield ExecutionLost(call=serial, attempt=attempt, then="rerun", at_ms=now_ms)
    if call.approval_id < bounds.approvals and attempt < bounds.attempts:
        yield ExecutionLost(call=serial, attempt=attempt, then=PLAIN, at_ms=now_ms)
