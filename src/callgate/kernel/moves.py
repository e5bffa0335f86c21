"""What each transition makes of a record, and what it orders.

Rule 1: one function for each edge of `lifecycle.py`, found by the edge's own name (state, event,
guards); pure: record, fact and situation in, record and orders out.
Rule 2: nothing is decided here: the guards have. The coordinator adds what concerns the batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import evolve

from callgate.kernel.calls import (
    AwaitingApproval,
    Call,
    Cancelled,
    Errored,
    Executing,
    Facts,
    Scheduled,
    Success,
    Validating,
)
from callgate.kernel.effects import (
    AskApproval,
    Execute,
    OpenEditor,
    Order,
    OutputShown,
    Rebuild,
    RememberAnswer,
    StopExecution,
    TellTool,
    Validate,
    WithdrawApproval,
    WithdrawValidation,
)
from callgate.kernel.frozenjson import Json, weigh
from callgate.kernel.guards import OUTCOMES, Situation
from callgate.kernel.values import (
    Answer,
    CancelCause,
    Confirmation,
    Failed,
    Failure,
    Live,
    Ok,
    Outcome,
    Phase,
    Stop,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Effects: TypeAlias = "tuple[Order | OutputShown, ...]"
Move: TypeAlias = "Callable[[Any, Any, Situation], tuple[Call, Effects]]"
MOVES: Final[dict[str, Move]] = {}


def _on(*names: str) -> Callable[[Move], Move]:
    """Name the edges that a function serves: `state.event` and, after a blank, its guards."""

    def register(move: Move) -> Move:
        for name in names:
            MOVES[name] = move
        return move

    return register


def clip(text: str, limit: int) -> str:
    """A text within its limit; what was cut is said."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... ({len(text) - limit} characters cut)"


def deadline(situation: Situation, wait_ms: int | None) -> int | None:
    """When a wait that begins now is over."""
    return None if wait_ms is None else situation.now_ms + wait_ms


def failed(
    call: Call, failure: Failure, situation: Situation, outcome: Outcome | None, attempt: int = 0
) -> Errored:
    """The record of a call that ends in an error."""
    limit = situation.config.text_chars_max
    if len(failure.message) > limit:
        failure = Failure(failure.type, clip(failure.message, limit), failure.retryable)
    duration_ms = situation.now_ms - call.facts.since_ms
    return Errored(call.facts, outcome, failure, duration_ms, attempt)


# --- validating -----------------------------------------------------------------------------------


@_on("validating.validated answers_validate verdict_failed")
def _validation_failed(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return failed(call, fact.verdict.failure, situation, None), ()


@_on("validating.validated answers_validate verdict_is_stale")
def _ask_policy_again(call: Validating, _: Any, situation: Situation) -> tuple[Call, Effects]:
    facts, epoch = call.facts, situation.epoch
    again = Validate(facts.serial, facts.revision, epoch, False)
    return Validating(facts, epoch, call.deadline_ms), (again,)


@_on("validating.validated answers_validate verdict_allows")
def _allow(call: Validating, _fact: Any, _: Situation) -> tuple[Call, Effects]:
    return Scheduled(call.facts, Outcome.PROCEED_ALWAYS), ()


@_on("validating.validated answers_validate verdict_asks")
def _ask(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return ask(call.facts, 1, fact.verdict.confirmation, situation)


@_on("validating.validated answers_validate verdict_denies")
def _deny(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return failed(call, Failure("policy_violation", fact.verdict.message), situation, None), ()


def ask(
    facts: Facts, approval_id: int, shown: Confirmation, situation: Situation, attempt: int = 0
) -> tuple[Call, Effects]:
    """Put a question to the person, under a number of its own and with its own deadline."""
    until_ms = deadline(situation, situation.config.approval_timeout_ms)
    waiting = AwaitingApproval(
        facts,
        approval_id,
        shown,
        situation.epoch,
        Phase.ASKING,
        None,
        False,
        until_ms,
        attempt,
    )
    return waiting, (AskApproval(facts.serial, approval_id, shown),)


@_on("validating.time_out is_due")
def _validation_late(call: Validating, _: Any, situation: Situation) -> tuple[Call, Effects]:
    limit = situation.config.validation_timeout_ms
    failure = Failure("timeout", f"The tool call was not validated within {limit} ms.")
    return failed(call, failure, situation, None), _withdraw_validation(call)


@_on("validating.cancel")
def _cancel_validating(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return cancelled(call, fact, situation), _withdraw_validation(call)


def _withdraw_validation(call: Validating) -> Effects:
    if call.asked_epoch is None:
        return ()
    return (WithdrawValidation(call.facts.serial, call.facts.revision),)


def cancelled(
    call: Validating | AwaitingApproval | Scheduled,
    fact: Any,
    situation: Situation,
    cause: CancelCause = CancelCause.CANCELLED,
    outcome: Outcome | None = None,
) -> Cancelled:
    """The record of a call that ends before (or between) its attempts."""
    return Cancelled(
        call.facts,
        outcome or call.outcome,
        cause,
        clip(fact.reason, situation.config.text_chars_max) if fact is not None else "",
        situation.now_ms - call.facts.since_ms,
        0 if type(call) is Validating else call.attempt,
        shown=call.confirmation if type(call) is AwaitingApproval else None,
    )


# --- awaiting approval ----------------------------------------------------------------------------


def _withdraw_approval(call: AwaitingApproval) -> Effects:
    return (WithdrawApproval(call.facts.serial, call.approval_id),)


def _schedule(call: AwaitingApproval, outcome: Outcome) -> Scheduled:
    return Scheduled(call.facts, outcome, call.attempt, None, call.approval_id)


@_on("awaiting_approval.reviewed review_counts verdict_allows")
def _release(call: AwaitingApproval, _fact: Any, _: Situation) -> tuple[Call, Effects]:
    return _schedule(call, Outcome.PROCEED_ALWAYS), _withdraw_approval(call)


@_on("awaiting_approval.reviewed review_counts verdict_denies")
def _deny_waiting(call: AwaitingApproval, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    failure = Failure("policy_violation", fact.verdict.message)
    return failed(call, failure, situation, None, call.attempt), _withdraw_approval(call)


@_on("awaiting_approval.reviewed review_counts review_keeps_asking")
def _note_epoch(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    return evolve(call, epoch=fact.epoch), ()


@_on("awaiting_approval.answered answer_counts declines")
def _decline(call: AwaitingApproval, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    # CALL-11: a no is a no: no edit, no result and no failing tool changes it.
    return cancelled(call, fact, situation, CancelCause.DECLINED, Outcome.CANCEL), ()


@_on("awaiting_approval.answered answer_counts replaces_the_tool")
def _answer_instead(call: AwaitingApproval, fact: Any, now: Situation) -> tuple[Call, Effects]:
    duration_ms = now.now_ms - call.facts.since_ms
    outcome = Outcome.ANSWER_INSTEAD
    return Success(call.facts, outcome, fact.result, duration_ms, call.attempt), ()


@_on("awaiting_approval.answered answer_counts must_be_told")
def _tell(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    answer = Answer(OUTCOMES[fact.outcome], fact.edit)
    telling = TellTool(call.facts.serial, call.approval_id, answer)
    return _in_phase(call, Phase.TELLING, answer, call.epoch), (telling,)


@_on(
    "awaiting_approval.answered answer_counts opens_the_editor",
    "awaiting_approval.told telling_counts opens_the_editor",
)
def _open_editor(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    answer = call.answer or Answer(OUTCOMES[fact.outcome], fact.edit)
    order = OpenEditor(call.facts.serial, call.approval_id)
    return _in_phase(call, Phase.EDITING, answer, call.epoch), (order,)


@_on(
    "awaiting_approval.answered answer_counts edits_inline",
    "awaiting_approval.told telling_counts edits_inline",
)
def _edit_inline(call: AwaitingApproval, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    answer = call.answer or Answer(OUTCOMES[fact.outcome], fact.edit)
    return _recheck(call, answer, answer.edit, situation, from_editor=False)


@_on("awaiting_approval.answered answer_counts")
def _approve(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    outcome = OUTCOMES[fact.outcome]
    return _schedule(call, outcome), _remember(call, outcome)


@_on("awaiting_approval.told telling_counts telling_failed")
def _telling_failed(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return failed(call, fact.failure, situation, call.answer.outcome, call.attempt), ()


@_on("awaiting_approval.told telling_counts")
def _told(call: Any, _fact: Any, _: Situation) -> tuple[Call, Effects]:
    return _schedule(call, call.answer.outcome), _remember(call, call.answer.outcome)


def _remember(call: AwaitingApproval, outcome: Outcome) -> Effects:
    return (RememberAnswer(call.facts.serial, outcome),) if outcome.is_always else ()


def _in_phase(
    call: AwaitingApproval, phase: Phase, answer: Answer, epoch: int, *, from_editor: bool = False
) -> AwaitingApproval:
    """The same approval, used up: no deadline runs while its answer is carried out."""
    return AwaitingApproval(
        call.facts,
        call.approval_id,
        call.confirmation,
        epoch,
        phase,
        answer,
        from_editor,
        None,
        call.attempt,
    )


def _recheck(
    call: AwaitingApproval, answer: Answer, edit: Json, situation: Situation, *, from_editor: bool
) -> tuple[Call, Effects]:
    remembered = () if from_editor else _remember(call, answer.outcome)
    # BATCH-13: an always changes the policy, so the rebuilding is ordered under the epoch after it.
    epoch = situation.epoch + len(remembered)
    moved = _in_phase(call, Phase.RECHECKING, answer, epoch, from_editor=from_editor)
    rebuild = Rebuild(call.facts.serial, call.facts.revision + 1, epoch, edit)
    if from_editor:
        moved = evolve(moved, answer=Answer(answer.outcome, edit))
    return moved, (*remembered, rebuild)


@_on("awaiting_approval.editor_closed editor_counts editor_failed")
def _editor_failed(call: AwaitingApproval, _: Any, situation: Situation) -> tuple[Call, Effects]:
    # It did not count: the same question again, under the same number.
    again, _orders = ask(call.facts, call.approval_id, call.confirmation, situation, call.attempt)
    reopened = evolve(again, epoch=call.epoch)  # type: ignore[arg-type]
    return reopened, (AskApproval(call.facts.serial, call.approval_id, call.confirmation),)


@_on("awaiting_approval.editor_closed editor_counts")
def _editor_closed(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return _recheck(call, call.answer, fact.content, situation, from_editor=True)


@_on("awaiting_approval.rebuilt rebuild_counts rebuild_failed")
def _rebuild_failed(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    if type(fact.built) is Failed:
        failure = fact.built.failure
    else:
        limit = situation.config.args_weight_max
        text = f"The edited arguments weigh {fact.built.args.weight}; at most {limit} is allowed."
        failure = Failure("invalid_tool_params", text)
    return failed(call, failure, situation, None, call.attempt), ()


@_on("awaiting_approval.rebuilt rebuild_counts verdict_is_stale")
def _rebuild_again(call: Any, _: Any, situation: Situation) -> tuple[Call, Effects]:
    epoch = situation.epoch
    order = Rebuild(call.facts.serial, call.facts.revision + 1, epoch, call.answer.edit)
    return evolve(call, epoch=epoch), (order,)


@_on("awaiting_approval.rebuilt rebuild_counts rebuild_denied")
def _rebuild_denied(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    failure = Failure("policy_violation", fact.built.message)
    return failed(call, failure, situation, None, call.attempt), ()


def _edited(call: AwaitingApproval, fact: Any) -> Facts:
    facts = call.facts
    return Facts(facts.serial, facts.request, facts.since_ms, fact.built.args, facts.revision + 1)


@_on("awaiting_approval.rebuilt rebuild_counts came_from_the_editor")
def _ask_again(call: AwaitingApproval, fact: Any, now: Situation) -> tuple[Call, Effects]:
    shown = fact.built.confirmation
    return ask(_edited(call, fact), call.approval_id + 1, shown, now, call.attempt)


@_on("awaiting_approval.rebuilt rebuild_counts was_edited_inline")
def _schedule_edited(call: Any, fact: Any, _: Situation) -> tuple[Call, Effects]:
    facts = _edited(call, fact)
    return Scheduled(facts, call.answer.outcome, call.attempt, None, call.approval_id), ()


@_on("awaiting_approval.cancel")
def _cancel_waiting(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return cancelled(call, fact, situation), _withdraw_approval(call)


@_on("awaiting_approval.time_out is_asking is_due")
def _approval_expired(call: AwaitingApproval, _: Any, now: Situation) -> tuple[Call, Effects]:
    return cancelled(call, None, now, CancelCause.EXPIRED), _withdraw_approval(call)


# --- scheduled and executing ----------------------------------------------------------------------


@_on("scheduled.start may_start")
def _start(call: Scheduled, _: Any, situation: Situation) -> tuple[Call, Effects]:
    facts, attempt = call.facts, call.attempt + 1
    request = facts.request
    limit = request.timeout_ms
    until_ms = deadline(situation, situation.config.timeout_ms if limit is None else limit)
    running = Executing(facts, call.outcome, attempt, until_ms, None, call.approval_id)
    return running, (Execute(facts.serial, attempt, request.name, facts.args, facts.revision),)


@_on("scheduled.cancel")
def _cancel_scheduled(call: Scheduled, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return cancelled(call, fact, situation), ()


@_on("executing.progressed is_current_attempt")
def _progress(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    old = call.live or Live()
    live = Live(
        old.output if fact.output is None else _bounded(fact.output, situation),
        old.pid if fact.pid is None else fact.pid,
        old.progress if fact.progress is None else fact.progress,
    )
    shown = () if fact.output is None else (OutputShown(call.facts.serial, fact.output),)
    return evolve(call, live=live), shown


def _bounded(output: Json, situation: Situation) -> Json:
    """The end of a text; other data whole, or not at all."""
    limit = situation.config.live_output_chars_max
    if isinstance(output, str):
        return output[-limit:]
    return output if weigh(output) <= limit else None


def _stopped(call: Executing, result: Ok | None, situation: Situation) -> Cancelled:
    return Cancelled(
        call.facts,
        call.outcome,
        CancelCause.STOPPED,
        call.reason,
        situation.now_ms - call.facts.since_ms,
        call.attempt,
        result,
        call.live,
    )


def _timed_out(call: Executing, situation: Situation) -> Errored:
    limit = call.facts.request.timeout_ms or situation.config.timeout_ms
    failure = Failure("timeout", f"The tool did not end within {limit} ms.")
    return failed(call, failure, situation, call.outcome, call.attempt)


@_on("executing.finished is_current_end is_cancelling")
def _end_cancelled(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    limit = situation.config.result_weight_max
    result = fact.result if type(fact.result) is Ok else None
    if result is not None and weigh(result.content) > limit:
        result = None
    return _stopped(call, result, situation), ()


@_on(
    "executing.lost is_current_loss is_cancelling",
    "executing.time_out is_due is_cancelling",
)
def _end_stopped(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    return _stopped(call, None, situation), ()


@_on(
    "executing.finished is_current_end is_timing_out",
    "executing.lost is_current_loss is_timing_out",
    "executing.time_out is_due is_timing_out",
)
def _end_timed_out(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    return _timed_out(call, situation), ()


@_on("executing.finished is_current_end succeeded")
def _succeed(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    facts = call.facts
    duration_ms = situation.now_ms - facts.since_ms
    return Success(facts, call.outcome, fact.result, duration_ms, call.attempt), ()


@_on("executing.finished is_current_end may_retry")
def _retry(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    wait_ms = situation.config.retry.wait_ms(call.attempt)
    until_ms = situation.now_ms + wait_ms if wait_ms else None
    return Scheduled(call.facts, call.outcome, call.attempt, until_ms, call.approval_id), ()


@_on("executing.finished is_current_end")
def _fail(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    if type(fact.result) is Failed:
        failure = fact.result.failure
    else:
        limit = situation.config.result_weight_max
        weight = weigh(fact.result.content)
        text = f"The tool ran, but its result weighs {weight}; at most {limit} is allowed."
        failure = Failure("result_too_large", text)
    return failed(call, failure, situation, call.outcome, call.attempt), ()


@_on("executing.lost is_current_loss loss_reruns")
def _rerun(call: Executing, _fact: Any, _: Situation) -> tuple[Call, Effects]:
    return Scheduled(call.facts, call.outcome, call.attempt, None, call.approval_id), ()


@_on("executing.lost is_current_loss loss_asks")
def _ask_about_loss(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return ask(call.facts, call.approval_id + 1, fact.then, situation, call.attempt)


@_on("executing.lost is_current_loss")
def _fail_lost(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    text = "The tool was started and its end is not known: it may have run."
    failure = Failure("execution_lost", text)
    return failed(call, failure, situation, call.outcome, call.attempt), ()


@_on("executing.cancel !is_cancelling")
def _stop_by_cancel(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    reason = clip(fact.reason, situation.config.text_chars_max)
    if call.stop is not None:  # it was told to stop already; now somebody wants it cancelled
        return evolve(call, stop=Stop.BY_CANCEL, reason=reason), ()
    return _stop(call, Stop.BY_CANCEL, situation, reason)


@_on("executing.time_out is_due")
def _stop_by_time(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    return _stop(call, Stop.BY_TIME, situation, "")


def _stop(call: Executing, stop: Stop, situation: Situation, reason: str) -> tuple[Call, Effects]:
    until_ms = deadline(situation, situation.config.cancel_grace_ms)
    moved = evolve(call, stop=stop, deadline_ms=until_ms, reason=reason)
    return moved, (StopExecution(call.facts.serial, call.attempt),)
