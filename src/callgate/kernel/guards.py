"""The named predicates that decide between the transitions of a call.

Rule 1: a guard reads the call, the fact and the situation; it never acts and never fails, whatever
nonsense a fact carries: what it cannot read is false.
Rule 2: the names are the ones that the spec, the class and the diagrams use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callgate.kernel.calls import ASKING, Executing
from callgate.kernel.frozenjson import weigh
from callgate.kernel.situation import Situation
from callgate.kernel.values import (
    Allow,
    Ask,
    Confirmation,
    Deny,
    Failed,
    Ok,
    Outcome,
    Phase,
    Rebuilt,
    Stop,
)

if TYPE_CHECKING:
    from collections.abc import Callable


# A fact is an event of any kind and a call is a record of any state: which ones meet is decided by
# the table, so the predicates are written against the attributes they read.
Guard: TypeAlias = "Callable[[Any, Any, Situation], bool]"
GUARDS: Final[dict[str, Guard]] = {}
OUTCOMES: Final = {outcome.value: outcome for outcome in Outcome}

# Members under names of the module, for speed: see `ASKING`.
_PROCEED_ONCE, _CANCEL = Outcome.PROCEED_ONCE, Outcome.CANCEL
_MODIFY_WITH_EDITOR, _ANSWER_INSTEAD = Outcome.MODIFY_WITH_EDITOR, Outcome.ANSWER_INSTEAD
_BY_CANCEL, _BY_TIME = Stop.BY_CANCEL, Stop.BY_TIME


def _guard(predicate: Guard) -> Guard:
    GUARDS[predicate.__name__] = predicate
    return predicate


# --- validating -----------------------------------------------------------------------------------


@_guard
def answers_validate(call: Any, fact: Any, _: Situation) -> bool:
    """It is the verdict that the last `Validate` of this call waits for."""
    asked: bool = call.asked_epoch is not None and fact.epoch == call.asked_epoch
    return asked and fact.revision == call.facts.revision


@_guard
def names_older_epoch(call: Any, fact: Any, _: Situation) -> bool:
    """It repeats a verdict that was found stale already."""
    if call.asked_epoch is None or fact.revision != call.facts.revision:
        return False
    return type(fact.epoch) is int and bool(0 <= fact.epoch < call.asked_epoch)


@_guard
def verdict_is_stale(_call: Any, fact: Any, situation: Situation) -> bool:
    """The policy has changed since the order was given."""
    return bool(fact.epoch < situation.epoch)


@_guard
def verdict_allows(_call: Any, fact: Any, _: Situation) -> bool:
    """It may run unasked."""
    return type(fact.verdict) is Allow


@_guard
def verdict_asks(_call: Any, fact: Any, _: Situation) -> bool:
    """A person must be asked."""
    return type(fact.verdict) is Ask and type(fact.verdict.confirmation) is Confirmation


@_guard
def verdict_denies(_call: Any, fact: Any, _: Situation) -> bool:
    """It must not run."""
    return type(fact.verdict) is Deny


@_guard
def verdict_failed(_call: Any, fact: Any, _: Situation) -> bool:
    """The asking itself raised."""
    return type(fact.verdict) is Failed


# --- awaiting approval ----------------------------------------------------------------------------


@_guard
def is_asking(call: Any, _fact: Any, _: Situation) -> bool:
    """The question is open."""
    return bool(call.phase is ASKING)


@_guard
def review_counts(call: Any, fact: Any, situation: Situation) -> bool:
    """It is the review that the newest change of policy ordered for the open question."""
    return bool(
        call.phase is ASKING
        and fact.approval_id == call.approval_id
        and fact.epoch == situation.epoch
        and fact.epoch != call.epoch
    )


@_guard
def review_keeps_asking(_call: Any, fact: Any, _: Situation) -> bool:
    """The policy still asks; an asking that raises means ask."""
    return type(fact.verdict) is Ask or type(fact.verdict) is Failed


@_guard
def names_unissued_review(call: Any, fact: Any, situation: Situation) -> bool:
    """No order ever carried these numbers, or its verdict is none."""
    if type(fact.approval_id) is not int or type(fact.epoch) is not int:
        return True
    if type(fact.verdict) not in (Allow, Ask, Deny, Failed):
        return True
    return bool(not 1 <= fact.approval_id <= call.approval_id or fact.epoch > situation.epoch)


@_guard
def answer_counts(call: Any, fact: Any, situation: Situation) -> bool:
    """The question is open, the answer is one of the seven, and it can be carried out."""
    if call.phase is not ASKING or fact.approval_id != call.approval_id:
        return False
    outcome = OUTCOMES.get(fact.outcome) if isinstance(fact.outcome, str) else None
    if outcome is None:
        return False
    if outcome is _PROCEED_ONCE and fact.edit is None:
        return True
    limits = situation.config
    if outcome is _MODIFY_WITH_EDITOR:
        return bool(call.confirmation.modifiable and call.confirmation.has_editor)
    if outcome is _ANSWER_INSTEAD:
        return type(fact.result) is Ok and weigh(fact.result.content) <= limits.result_weight_max
    return outcome is _CANCEL or weigh(fact.edit) <= limits.args_weight_max


@_guard
def declines(_call: Any, fact: Any, _: Situation) -> bool:
    """The answer is no; nothing that comes with it changes that."""
    return bool(fact.outcome == _CANCEL)


@_guard
def replaces_the_tool(_call: Any, fact: Any, _: Situation) -> bool:
    """The person's own result stands in the tool's place."""
    return bool(fact.outcome == _ANSWER_INSTEAD)


@_guard
def must_be_told(call: Any, _fact: Any, _: Situation) -> bool:
    """The tool wants to know the answer first."""
    return bool(call.confirmation.tells)


def _answer_of(call: Any, fact: Any) -> Any:
    """The answer that is being carried out: the fact itself while asking, then the kept one."""
    return fact if call.phase is ASKING else call.answer


@_guard
def opens_the_editor(call: Any, fact: Any, _: Situation) -> bool:
    """The answer asks for the editor."""
    return bool(_answer_of(call, fact).outcome == _MODIFY_WITH_EDITOR)


@_guard
def edits_inline(call: Any, fact: Any, _: Situation) -> bool:
    """The answer brings edited content, and the call can be edited."""
    return _answer_of(call, fact).edit is not None and call.confirmation.modifiable


@_guard
def telling_counts(call: Any, fact: Any, _: Situation) -> bool:
    """The tool was being told just this answer."""
    return bool(call.phase is Phase.TELLING and fact.approval_id == call.approval_id)


@_guard
def telling_failed(_call: Any, fact: Any, _: Situation) -> bool:
    """The tool raised when it was told."""
    return fact.failure is not None


@_guard
def editor_counts(call: Any, fact: Any, _: Situation) -> bool:
    """The editor was open for just this approval."""
    return bool(call.phase is Phase.EDITING and fact.approval_id == call.approval_id)


@_guard
def editor_failed(_call: Any, fact: Any, situation: Situation) -> bool:
    """Nothing that was done in the editor counts; content beyond the limit does not either."""
    return bool(fact.failed or weigh(fact.content) > situation.config.args_weight_max)


@_guard
def names_unissued_approval(call: Any, fact: Any, _: Situation) -> bool:
    """No question of this number was ever asked."""
    return type(fact.approval_id) is not int or not 1 <= fact.approval_id <= call.approval_id


@_guard
def rebuild_counts(call: Any, fact: Any, _: Situation) -> bool:
    """It is the rebuilding that the last `Rebuild` of this call waits for."""
    return bool(
        call.phase is Phase.RECHECKING
        and fact.revision == call.facts.revision + 1
        and fact.epoch == call.epoch
    )


@_guard
def rebuild_failed(_call: Any, fact: Any, situation: Situation) -> bool:
    """The edited arguments are invalid, or beyond the limit."""
    if type(fact.built) is Rebuilt:
        return fact.built.args.weight > situation.config.args_weight_max
    return type(fact.built) is Failed


@_guard
def rebuild_denied(_call: Any, fact: Any, _: Situation) -> bool:
    """The policy does not allow the edited arguments."""
    return type(fact.built) is Deny


@_guard
def came_from_the_editor(call: Any, fact: Any, _: Situation) -> bool:
    """The person has not yet said yes to what they made in the editor."""
    return type(fact.built) is Rebuilt and bool(call.edit_from_editor)


@_guard
def was_edited_inline(call: Any, fact: Any, _: Situation) -> bool:
    """The person said yes to what they wrote."""
    return type(fact.built) is Rebuilt and not call.edit_from_editor


@_guard
def names_unissued_rebuild(call: Any, fact: Any, situation: Situation) -> bool:
    """No order ever carried these numbers, or what was built is nothing."""
    if type(fact.revision) is not int or type(fact.epoch) is not int:
        return True
    if type(fact.built) not in (Rebuilt, Deny, Failed):
        return True
    pending = 1 if call.phase is Phase.RECHECKING else 0
    newest = call.facts.revision + pending
    return bool(
        not 1 <= fact.revision <= newest
        or fact.epoch > situation.epoch
        or (pending and fact.revision == newest and fact.epoch > call.epoch)
    )


# --- scheduled and executing ----------------------------------------------------------------------


@_guard
def is_due(call: Any, _fact: Any, situation: Situation) -> bool:
    """Its deadline has come."""
    return call.deadline_ms is not None and bool(call.deadline_ms <= situation.now_ms)


@_guard
def may_start(call: Any, _fact: Any, situation: Situation) -> bool:
    """No backoff holds it any more."""
    return call.deadline_ms is None or bool(call.deadline_ms <= situation.now_ms)


@_guard
def is_current_attempt(call: Any, fact: Any, _: Situation) -> bool:
    """It speaks of the attempt that runs."""
    return bool(fact.attempt == call.attempt)


@_guard
def is_current_end(call: Any, fact: Any, _: Situation) -> bool:
    """It ends the attempt that runs, with a result or a failure."""
    return fact.attempt == call.attempt and type(fact.result) in (Ok, Failed)


@_guard
def is_current_loss(call: Any, fact: Any, _: Situation) -> bool:
    """The attempt that ran was lost, and the driver says what then."""
    if fact.attempt != call.attempt:
        return False
    return type(fact.then) is Confirmation or (
        isinstance(fact.then, str) and fact.then in ("fail", "rerun")
    )


@_guard
def names_unstarted_attempt(call: Any, fact: Any, _: Situation) -> bool:
    """No attempt of this number was ever started, or the current one is not told in full."""
    if type(fact.attempt) is not int or fact.attempt < 1:
        return True
    running = type(call) is Executing
    return bool(fact.attempt > call.attempt or (running and fact.attempt == call.attempt))


@_guard
def is_cancelling(call: Any, _fact: Any, _: Situation) -> bool:
    """It was told to stop because somebody cancelled."""
    return bool(call.stop is _BY_CANCEL)


@_guard
def is_timing_out(call: Any, _fact: Any, _: Situation) -> bool:
    """It was told to stop because its time was up."""
    return bool(call.stop is _BY_TIME)


@_guard
def succeeded(_call: Any, fact: Any, situation: Situation) -> bool:
    """The tool returned, and its result is within the limit."""
    limit = situation.config.result_weight_max
    return type(fact.result) is Ok and weigh(fact.result.content) <= limit


@_guard
def may_retry(call: Any, fact: Any, situation: Situation) -> bool:
    """The failure is marked retryable and attempts are left."""
    if type(fact.result) is not Failed or not fact.result.failure.retryable:
        return False
    return bool(call.attempt < situation.config.retry.attempts_max)


@_guard
def loss_reruns(_call: Any, fact: Any, _: Situation) -> bool:
    """The driver knows that running again is safe."""
    return bool(fact.then == "rerun")


@_guard
def loss_asks(_call: Any, fact: Any, _: Situation) -> bool:
    """A person decides what to do about the loss."""
    return type(fact.then) is Confirmation
