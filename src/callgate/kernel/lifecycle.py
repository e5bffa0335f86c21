"""The life of one tool call: the only place where a transition is written.

Rule 1: transitions have guards and no actions. What a transition does to the record stands in
`moves.py`; `table.py` compiles this class into the frozen table that `step` runs.
Rule 2: every cell of state x event is decided. What no transition takes is *absorbed* (late or
repeated news) or *rejected* (a driver that breaks the contract): `FALLBACKS`, below the class.

Theory of operation. Four states are live, three are final. The order of the candidates of one event
is their priority: the first whose guards all hold is taken. `awaiting_approval` has four phases
(asking, telling, editing, rechecking), which are fields of its record: the transitions between them
are loops, and the guards that end in `_counts` read the phase. `start` and `time_out` come from the
coordinator, never from a driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from statemachine import State, StateMachine

from callgate.kernel import guards, guards_running
from callgate.kernel.guards import GUARDS, Guard
from callgate.kernel.values import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from callgate.kernel.calls import Call
    from callgate.kernel.situation import Situation


class Holder:
    """The engine's model: it needs something mutable to write its state into."""

    def __init__(self, call: Call, situation: Situation) -> None:
        self.state = call.status.value
        self.call = call
        self.situation = situation


class GuardMethods:
    """The guards as methods, by their names, so that the engine finds them."""


def _as_method(guard: Guard) -> Callable[..., bool]:
    def method(self: Any, fact: Any = None) -> bool:
        return guard(self.model.call, fact, self.model.situation)

    method.__doc__ = guard.__doc__
    return method


GUARDED_BY: Final = (guards, guards_running)
"""The modules that register the guards; importing them is what fills `GUARDS`."""

for _name, _predicate in GUARDS.items():
    setattr(GuardMethods, _name, _as_method(_predicate))


class ToolCallMachine(StateMachine, GuardMethods):
    """The machine that each tool call is.

    >>> from callgate import Allow, CallValidated, Request, begin
    >>> machine = ToolCallMachine.at(begin(Request("c1", "ls")))
    >>> machine.send("validated",
    ...     CallValidated(call=1, revision=1, epoch=0, verdict=Allow(), at_ms=0))
    >>> machine.call.status.value, machine.call.outcome.value
    ('scheduled', 'proceed_always')
    """

    validating = State(initial=True)
    awaiting_approval = State()
    scheduled = State()
    executing = State()
    success = State(final=True)
    error = State(final=True)
    cancelled = State(final=True)

    validated = (
        validating.to(error, cond=["answers_validate", "verdict_failed"])
        | validating.to(validating, cond=["answers_validate", "verdict_is_stale"])
        | validating.to(scheduled, cond=["answers_validate", "verdict_allows"])
        | validating.to(awaiting_approval, cond=["answers_validate", "verdict_asks"])
        | validating.to(error, cond=["answers_validate", "verdict_denies"])
    )
    reviewed = (
        awaiting_approval.to(scheduled, cond=["review_counts", "verdict_allows"])
        | awaiting_approval.to(error, cond=["review_counts", "verdict_denies"])
        | awaiting_approval.to(awaiting_approval, cond=["review_counts", "review_keeps_asking"])
    )
    answered = (
        awaiting_approval.to(cancelled, cond=["answer_counts", "declines"])
        | awaiting_approval.to(success, cond=["answer_counts", "replaces_the_tool"])
        | awaiting_approval.to(awaiting_approval, cond=["answer_counts", "must_be_told"])
        | awaiting_approval.to(awaiting_approval, cond=["answer_counts", "opens_the_editor"])
        | awaiting_approval.to(awaiting_approval, cond=["answer_counts", "edits_inline"])
        | awaiting_approval.to(scheduled, cond=["answer_counts"])
    )
    told = (
        awaiting_approval.to(error, cond=["telling_counts", "telling_failed"])
        | awaiting_approval.to(awaiting_approval, cond=["telling_counts", "opens_the_editor"])
        | awaiting_approval.to(awaiting_approval, cond=["telling_counts", "edits_inline"])
        | awaiting_approval.to(scheduled, cond=["telling_counts"])
    )
    editor_closed = awaiting_approval.to(
        awaiting_approval, cond=["editor_counts", "editor_failed"]
    ) | awaiting_approval.to(awaiting_approval, cond=["editor_counts"])
    rebuilt = (
        awaiting_approval.to(error, cond=["rebuild_counts", "rebuild_failed"])
        | awaiting_approval.to(awaiting_approval, cond=["rebuild_counts", "verdict_is_stale"])
        | awaiting_approval.to(error, cond=["rebuild_counts", "rebuild_denied"])
        | awaiting_approval.to(awaiting_approval, cond=["rebuild_counts", "came_from_the_editor"])
        | awaiting_approval.to(scheduled, cond=["rebuild_counts", "was_edited_inline"])
    )
    start = scheduled.to(executing, cond=["may_start"])
    progressed = executing.to(executing, cond=["is_current_attempt"])
    finished = (
        executing.to(cancelled, cond=["is_current_end", "is_cancelling"])
        | executing.to(error, cond=["is_current_end", "is_timing_out"])
        | executing.to(success, cond=["is_current_end", "succeeded"])
        | executing.to(scheduled, cond=["is_current_end", "may_retry"])
        | executing.to(error, cond=["is_current_end"])
    )
    lost = (
        executing.to(cancelled, cond=["is_current_loss", "is_cancelling"])
        | executing.to(error, cond=["is_current_loss", "is_timing_out"])
        | executing.to(scheduled, cond=["is_current_loss", "loss_reruns"])
        | executing.to(awaiting_approval, cond=["is_current_loss", "loss_asks"])
        | executing.to(error, cond=["is_current_loss"])
    )
    cancel = (
        validating.to(cancelled)
        | awaiting_approval.to(cancelled)
        | scheduled.to(cancelled)
        | executing.to(executing, unless=["is_cancelling"])
    )
    time_out = (
        validating.to(error, cond=["is_due"])
        | awaiting_approval.to(cancelled, cond=["is_asking", "is_due"])
        | executing.to(cancelled, cond=["is_due", "is_cancelling"])
        | executing.to(error, cond=["is_due", "is_timing_out"])
        | executing.to(executing, cond=["is_due"])
    )

    @classmethod
    def at(cls, call: Call, situation: Situation | None = None) -> ToolCallMachine:
        """A live machine for this call: send it events by name, with the fact as argument.

        `situation` tells what the coordinator would: the time, the epoch and the config; none means
        a fresh kernel's. An event that no transition takes raises `TransitionNotAllowed`.
        """
        from callgate.kernel.state import initial  # state is built from lifecycle

        return cls(Holder(call, situation or initial()))

    @property
    def call(self) -> Call:
        """The record as the events sent so far have left it."""
        call: Call = self.model.call
        return call

    def after_transition(self, fact: Any = None, transition: Any = None) -> None:
        """Carry the record along (a convention of the engine; declarations have no actions)."""
        from callgate.kernel.table import edge_of  # compiled from this class

        moved, _ = edge_of(transition).move(self.model.call, fact, self.model.situation)
        self.model.call = moved


ABSORB: Final = "absorb"
REJECT: Final = "reject"

FINAL_STATES: Final = (Status.SUCCESS, Status.ERROR, Status.CANCELLED)

# Beside the class: what becomes of an event that no transition takes. A line is a guard (none:
# always) and a decision; the first that holds is taken. A final state may have no transition in the
# class, and absorbs here.
_Fallback = tuple[str | None, str]
_REJECT: Final[tuple[_Fallback, ...]] = ((None, REJECT),)
_ABSORB: Final[tuple[_Fallback, ...]] = ((None, ABSORB),)
_BY_ATTEMPT: Final[tuple[_Fallback, ...]] = (("names_unstarted_attempt", REJECT), (None, ABSORB))
_BY_APPROVAL: Final[tuple[_Fallback, ...]] = (("names_unissued_approval", REJECT), (None, ABSORB))

FALLBACKS: Final[dict[tuple[Status, str], tuple[_Fallback, ...]]] = {
    (Status.VALIDATING, "validated"): (("names_older_epoch", ABSORB), (None, REJECT)),
    (Status.VALIDATING, "reviewed"): _REJECT,
    (Status.VALIDATING, "answered"): _ABSORB,
    (Status.VALIDATING, "told"): _REJECT,
    (Status.VALIDATING, "editor_closed"): _REJECT,
    (Status.VALIDATING, "rebuilt"): _REJECT,
    (Status.VALIDATING, "start"): _REJECT,
    (Status.VALIDATING, "progressed"): _REJECT,
    (Status.VALIDATING, "finished"): _REJECT,
    (Status.VALIDATING, "lost"): _REJECT,
    (Status.VALIDATING, "cancel"): _ABSORB,
    (Status.VALIDATING, "time_out"): _ABSORB,
    (Status.AWAITING_APPROVAL, "validated"): _ABSORB,
    (Status.AWAITING_APPROVAL, "reviewed"): (("names_unissued_review", REJECT), (None, ABSORB)),
    (Status.AWAITING_APPROVAL, "answered"): _ABSORB,
    (Status.AWAITING_APPROVAL, "told"): _BY_APPROVAL,
    (Status.AWAITING_APPROVAL, "editor_closed"): _BY_APPROVAL,
    (Status.AWAITING_APPROVAL, "rebuilt"): (("names_unissued_rebuild", REJECT), (None, ABSORB)),
    (Status.AWAITING_APPROVAL, "start"): _REJECT,
    (Status.AWAITING_APPROVAL, "progressed"): _BY_ATTEMPT,
    (Status.AWAITING_APPROVAL, "finished"): _BY_ATTEMPT,
    (Status.AWAITING_APPROVAL, "lost"): _BY_ATTEMPT,
    (Status.AWAITING_APPROVAL, "cancel"): _ABSORB,
    (Status.AWAITING_APPROVAL, "time_out"): _ABSORB,
    (Status.SCHEDULED, "validated"): _ABSORB,
    (Status.SCHEDULED, "reviewed"): _ABSORB,
    (Status.SCHEDULED, "answered"): _ABSORB,
    (Status.SCHEDULED, "told"): _ABSORB,
    (Status.SCHEDULED, "editor_closed"): _ABSORB,
    (Status.SCHEDULED, "rebuilt"): _ABSORB,
    (Status.SCHEDULED, "start"): _ABSORB,
    (Status.SCHEDULED, "progressed"): _BY_ATTEMPT,
    (Status.SCHEDULED, "finished"): _BY_ATTEMPT,
    (Status.SCHEDULED, "lost"): _BY_ATTEMPT,
    (Status.SCHEDULED, "cancel"): _ABSORB,
    (Status.SCHEDULED, "time_out"): _ABSORB,
    (Status.EXECUTING, "validated"): _ABSORB,
    (Status.EXECUTING, "reviewed"): _ABSORB,
    (Status.EXECUTING, "answered"): _ABSORB,
    (Status.EXECUTING, "told"): _ABSORB,
    (Status.EXECUTING, "editor_closed"): _ABSORB,
    (Status.EXECUTING, "rebuilt"): _ABSORB,
    (Status.EXECUTING, "start"): _REJECT,
    (Status.EXECUTING, "progressed"): _BY_ATTEMPT,
    (Status.EXECUTING, "finished"): _BY_ATTEMPT,
    (Status.EXECUTING, "lost"): _BY_ATTEMPT,
    (Status.EXECUTING, "cancel"): _ABSORB,
    (Status.EXECUTING, "time_out"): _ABSORB,
    **{
        (status, event): (_REJECT if event == "start" else _ABSORB)
        for status in FINAL_STATES
        for event in (
            "validated",
            "reviewed",
            "answered",
            "told",
            "editor_closed",
            "rebuilt",
            "start",
            "progressed",
            "finished",
            "lost",
            "cancel",
            "time_out",
        )
    },
}
