"""The moves of a call that is not decided yet: validating, and awaiting approval.

Rule 1: an approval is used up by its first answer, a no stays a no, and what runs is what was shown
last: edited arguments are built again and put to the policy before they count.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from callgate.kernel.calls import (
    AwaitingApproval,
    Call,
    Facts,
    Scheduled,
    Success,
    Validating,
    new_scheduled,
)
from callgate.kernel.effects import (
    AskApproval,
    OpenEditor,
    Rebuild,
    RememberAnswer,
    TellTool,
    Validate,
    WithdrawApproval,
    WithdrawValidation,
)
from callgate.kernel.frozenjson import Json
from callgate.kernel.guards import OUTCOMES
from callgate.kernel.moves import Effects, ask, cancelled, failed, on
from callgate.kernel.situation import Situation
from callgate.kernel.values import (
    Answer,
    CancelCause,
    Failed,
    Failure,
    Outcome,
    Phase,
)

# --- validating -----------------------------------------------------------------------------------


@on("validating.validated answers_validate verdict_failed")
def _validation_failed(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return failed(call, fact.verdict.failure, situation, None), ()


@on("validating.validated answers_validate verdict_is_stale")
def _ask_policy_again(call: Validating, _: Any, situation: Situation) -> tuple[Call, Effects]:
    facts, epoch = call.facts, situation.epoch
    again = Validate(facts.serial, facts.revision, epoch, False)
    return Validating(facts, epoch, call.deadline_ms), (again,)


@on("validating.validated answers_validate verdict_allows")
def _allow(call: Validating, _fact: Any, _: Situation) -> tuple[Call, Effects]:
    return new_scheduled(call.facts, Outcome.PROCEED_ALWAYS), ()


@on("validating.validated answers_validate verdict_asks")
def _ask(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return ask(call.facts, 1, fact.verdict.confirmation, situation)


@on("validating.validated answers_validate verdict_denies")
def _deny(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return failed(call, Failure("policy_violation", fact.verdict.message), situation, None), ()


@on("validating.time_out is_due")
def _validation_late(call: Validating, _: Any, situation: Situation) -> tuple[Call, Effects]:
    limit = situation.config.validation_timeout_ms
    failure = Failure("timeout", f"The tool call was not validated within {limit} ms.")
    return failed(call, failure, situation, None), _withdraw_validation(call)


@on("validating.cancel")
def _cancel_validating(call: Validating, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return cancelled(call, fact, situation), _withdraw_validation(call)


def _withdraw_validation(call: Validating) -> Effects:
    if call.asked_epoch is None:
        return ()
    return (WithdrawValidation(call.facts.serial, call.facts.revision),)


# --- awaiting approval ----------------------------------------------------------------------------


def _withdraw_approval(call: AwaitingApproval) -> Effects:
    return (WithdrawApproval(call.facts.serial, call.approval_id),)


def _schedule(call: AwaitingApproval, outcome: Outcome) -> Scheduled:
    return new_scheduled(call.facts, outcome, call.attempt, None, call.approval_id)


@on("awaiting_approval.reviewed review_counts verdict_allows")
def _release(call: AwaitingApproval, _fact: Any, _: Situation) -> tuple[Call, Effects]:
    return _schedule(call, Outcome.PROCEED_ALWAYS), _withdraw_approval(call)


@on("awaiting_approval.reviewed review_counts verdict_denies")
def _deny_waiting(call: AwaitingApproval, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    failure = Failure("policy_violation", fact.verdict.message)
    return failed(call, failure, situation, None, call.attempt), _withdraw_approval(call)


@on("awaiting_approval.reviewed review_counts review_keeps_asking")
def _note_epoch(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    return evolve(call, epoch=fact.epoch), ()


@on("awaiting_approval.answered answer_counts declines")
def _decline(call: AwaitingApproval, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    # CALL-11: a no is a no: no edit, no result and no failing tool changes it.
    return cancelled(call, fact, situation, CancelCause.DECLINED, Outcome.CANCEL), ()


@on("awaiting_approval.answered answer_counts replaces_the_tool")
def _answer_instead(call: AwaitingApproval, fact: Any, now: Situation) -> tuple[Call, Effects]:
    duration_ms = now.now_ms - call.facts.since_ms
    outcome = Outcome.ANSWER_INSTEAD
    return Success(call.facts, outcome, fact.result, duration_ms, call.attempt), ()


@on("awaiting_approval.answered answer_counts must_be_told")
def _tell(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    answer = Answer(OUTCOMES[fact.outcome], fact.edit)
    telling = TellTool(call.facts.serial, call.approval_id, answer)
    return _in_phase(call, Phase.TELLING, answer, call.epoch), (telling,)


@on(
    "awaiting_approval.answered answer_counts opens_the_editor",
    "awaiting_approval.told telling_counts opens_the_editor",
)
def _open_editor(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    answer = call.answer or Answer(OUTCOMES[fact.outcome], fact.edit)
    order = OpenEditor(call.facts.serial, call.approval_id)
    return _in_phase(call, Phase.EDITING, answer, call.epoch), (order,)


@on(
    "awaiting_approval.answered answer_counts edits_inline",
    "awaiting_approval.told telling_counts edits_inline",
)
def _edit_inline(call: AwaitingApproval, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    answer = call.answer or Answer(OUTCOMES[fact.outcome], fact.edit)
    return _recheck(call, answer, answer.edit, situation, from_editor=False)


@on("awaiting_approval.answered answer_counts")
def _approve(call: AwaitingApproval, fact: Any, _: Situation) -> tuple[Call, Effects]:
    outcome = OUTCOMES[fact.outcome]
    return _schedule(call, outcome), _remember(call, outcome)


@on("awaiting_approval.told telling_counts telling_failed")
def _telling_failed(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return failed(call, fact.failure, situation, call.answer.outcome, call.attempt), ()


@on("awaiting_approval.told telling_counts")
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


@on("awaiting_approval.editor_closed editor_counts editor_failed")
def _editor_failed(call: AwaitingApproval, _: Any, situation: Situation) -> tuple[Call, Effects]:
    # It did not count: the same question again, under the same number.
    again, _orders = ask(call.facts, call.approval_id, call.confirmation, situation, call.attempt)
    reopened = evolve(again, epoch=call.epoch)  # type: ignore[arg-type]
    return reopened, (AskApproval(call.facts.serial, call.approval_id, call.confirmation),)


@on("awaiting_approval.editor_closed editor_counts")
def _editor_closed(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return _recheck(call, call.answer, fact.content, situation, from_editor=True)


@on("awaiting_approval.rebuilt rebuild_counts rebuild_failed")
def _rebuild_failed(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    if type(fact.built) is Failed:
        failure = fact.built.failure
    else:
        limit = situation.config.args_weight_max
        text = f"The edited arguments weigh {fact.built.args.weight}; at most {limit} is allowed."
        failure = Failure("invalid_tool_params", text)
    return failed(call, failure, situation, None, call.attempt), ()


@on("awaiting_approval.rebuilt rebuild_counts verdict_is_stale")
def _rebuild_again(call: Any, _: Any, situation: Situation) -> tuple[Call, Effects]:
    epoch = situation.epoch
    order = Rebuild(call.facts.serial, call.facts.revision + 1, epoch, call.answer.edit)
    return evolve(call, epoch=epoch), (order,)


@on("awaiting_approval.rebuilt rebuild_counts rebuild_denied")
def _rebuild_denied(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    failure = Failure("policy_violation", fact.built.message)
    return failed(call, failure, situation, None, call.attempt), ()


def _edited(call: AwaitingApproval, fact: Any) -> Facts:
    facts = call.facts
    return Facts(facts.serial, facts.request, facts.since_ms, fact.built.args, facts.revision + 1)


@on("awaiting_approval.rebuilt rebuild_counts came_from_the_editor")
def _ask_again(call: AwaitingApproval, fact: Any, now: Situation) -> tuple[Call, Effects]:
    shown = fact.built.confirmation
    return ask(_edited(call, fact), call.approval_id + 1, shown, now, call.attempt)


@on("awaiting_approval.rebuilt rebuild_counts was_edited_inline")
def _schedule_edited(call: Any, fact: Any, _: Situation) -> tuple[Call, Effects]:
    facts = _edited(call, fact)
    return Scheduled(facts, call.answer.outcome, call.attempt, None, call.approval_id), ()


@on("awaiting_approval.cancel")
def _cancel_waiting(call: Any, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return cancelled(call, fact, situation), _withdraw_approval(call)


@on("awaiting_approval.time_out is_asking is_due")
def _approval_expired(call: AwaitingApproval, _: Any, now: Situation) -> tuple[Call, Effects]:
    return cancelled(call, None, now, CancelCause.EXPIRED), _withdraw_approval(call)
