"""The named predicates that decide between the transitions of a call; here: until it may run.

General layout: those of a call that is scheduled or runs stand in `guards_running.py`.

Rule 1: a guard reads the call, the fact and the situation; it never acts and never fails, whatever
nonsense a fact carries: what it cannot read is false.
Rule 2: the names are the ones that the spec, the class and the diagrams use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callgate.kernel.calls import ASKING
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


def guard(predicate: Guard) -> Guard:
    """Register a predicate under its own name."""
    GUARDS[predicate.__name__] = predicate
    return predicate


# --- validating -----------------------------------------------------------------------------------


@guard
def answers_validate(call: Any, fact: Any, _: Situation) -> bool:
    """It is the verdict that the last `Validate` of this call waits for."""
    asked: bool = call.asked_epoch is not None and fact.epoch == call.asked_epoch
    return asked and fact.revision == call.facts.revision


@guard
def names_older_epoch(call: Any, fact: Any, _: Situation) -> bool:
    """It repeats a verdict that was found stale already."""
    if call.asked_epoch is None or fact.revision != call.facts.revision:
        return False
    return type(fact.epoch) is int and bool(0 <= fact.epoch < call.asked_epoch)


@guard
def verdict_is_stale(_call: Any, fact: Any, situation: Situation) -> bool:
    """The policy has changed since the order was given."""
    return bool(fact.epoch < situation.epoch)


@guard
def verdict_allows(_call: Any, fact: Any, _: Situation) -> bool:
    """It may run unasked."""
    return type(fact.verdict) is Allow


@guard
def verdict_asks(_call: Any, fact: Any, _: Situation) -> bool:
    """A person must be asked."""
    return type(fact.verdict) is Ask and type(fact.verdict.confirmation) is Confirmation


@guard
def verdict_denies(_call: Any, fact: Any, _: Situation) -> bool:
    """It must not run."""
    return type(fact.verdict) is Deny


@guard
def verdict_failed(_call: Any, fact: Any, _: Situation) -> bool:
    """The asking itself raised."""
    return type(fact.verdict) is Failed


# --- awaiting approval ----------------------------------------------------------------------------


@guard
def is_asking(call: Any, _fact: Any, _: Situation) -> bool:
    """The question is open."""
    return bool(call.phase is ASKING)


@guard
def review_counts(call: Any, fact: Any, situation: Situation) -> bool:
    """It is the review that the newest change of policy ordered for the open question."""
    return bool(
        call.phase is ASKING
        and fact.approval_id == call.approval_id
        and fact.epoch == situation.epoch
        and fact.epoch != call.epoch
    )


@guard
def review_keeps_asking(_call: Any, fact: Any, _: Situation) -> bool:
    """The policy still asks; an asking that raises means ask."""
    return type(fact.verdict) is Ask or type(fact.verdict) is Failed


@guard
def names_unissued_review(call: Any, fact: Any, situation: Situation) -> bool:
    """No order ever carried these numbers, or its verdict is none."""
    if type(fact.approval_id) is not int or type(fact.epoch) is not int:
        return True
    if type(fact.verdict) not in (Allow, Ask, Deny, Failed):
        return True
    return bool(not 1 <= fact.approval_id <= call.approval_id or fact.epoch > situation.epoch)


@guard
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


@guard
def declines(_call: Any, fact: Any, _: Situation) -> bool:
    """The answer is no; nothing that comes with it changes that."""
    return bool(fact.outcome == _CANCEL)


@guard
def replaces_the_tool(_call: Any, fact: Any, _: Situation) -> bool:
    """The person's own result stands in the tool's place."""
    return bool(fact.outcome == _ANSWER_INSTEAD)


@guard
def must_be_told(call: Any, _fact: Any, _: Situation) -> bool:
    """The tool wants to know the answer first."""
    return bool(call.confirmation.tells)


def _answer_of(call: Any, fact: Any) -> Any:
    """The answer that is being carried out: the fact itself while asking, then the kept one."""
    return fact if call.phase is ASKING else call.answer


@guard
def opens_the_editor(call: Any, fact: Any, _: Situation) -> bool:
    """The answer asks for the editor."""
    return bool(_answer_of(call, fact).outcome == _MODIFY_WITH_EDITOR)


@guard
def edits_inline(call: Any, fact: Any, _: Situation) -> bool:
    """The answer brings edited content, and the call can be edited."""
    return _answer_of(call, fact).edit is not None and call.confirmation.modifiable


@guard
def telling_counts(call: Any, fact: Any, _: Situation) -> bool:
    """The tool was being told just this answer."""
    return bool(call.phase is Phase.TELLING and fact.approval_id == call.approval_id)


@guard
def telling_failed(_call: Any, fact: Any, _: Situation) -> bool:
    """The tool raised when it was told."""
    return fact.failure is not None


@guard
def editor_counts(call: Any, fact: Any, _: Situation) -> bool:
    """The editor was open for just this approval."""
    return bool(call.phase is Phase.EDITING and fact.approval_id == call.approval_id)


@guard
def editor_failed(_call: Any, fact: Any, situation: Situation) -> bool:
    """Nothing that was done in the editor counts; content beyond the limit does not either."""
    return bool(fact.failed or weigh(fact.content) > situation.config.args_weight_max)


@guard
def names_unissued_approval(call: Any, fact: Any, _: Situation) -> bool:
    """No question of this number was ever asked."""
    return type(fact.approval_id) is not int or not 1 <= fact.approval_id <= call.approval_id


@guard
def rebuild_counts(call: Any, fact: Any, _: Situation) -> bool:
    """It is the rebuilding that the last `Rebuild` of this call waits for."""
    return bool(
        call.phase is Phase.RECHECKING
        and fact.revision == call.facts.revision + 1
        and fact.epoch == call.epoch
    )


@guard
def rebuild_failed(_call: Any, fact: Any, situation: Situation) -> bool:
    """The edited arguments are invalid, or beyond the limit."""
    if type(fact.built) is Rebuilt:
        return fact.built.args.weight > situation.config.args_weight_max
    return type(fact.built) is Failed


@guard
def rebuild_denied(_call: Any, fact: Any, _: Situation) -> bool:
    """The policy does not allow the edited arguments."""
    return type(fact.built) is Deny


@guard
def came_from_the_editor(call: Any, fact: Any, _: Situation) -> bool:
    """The person has not yet said yes to what they made in the editor."""
    return type(fact.built) is Rebuilt and bool(call.edit_from_editor)


@guard
def was_edited_inline(call: Any, fact: Any, _: Situation) -> bool:
    """The person said yes to what they wrote."""
    return type(fact.built) is Rebuilt and not call.edit_from_editor


@guard
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
