"""Seven records, one for each state of a call.

Rule 1: a record has just the fields that make sense in its state, so that a waiting call *has* a
confirmation, a successful one *has* a result, and an illegal combination cannot be built.
Rule 2: records are built by their moulds, never evolved, on the path that every call takes.
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeAlias, final

from attrs import frozen

from callgate.kernel.frozenjson import JsonObject
from callgate.kernel.moulds import mould
from callgate.kernel.values import (
    Answer,
    CancelCause,
    Confirmation,
    Failure,
    Live,
    Ok,
    Outcome,
    Phase,
    Request,
    Status,
    Stop,
)


@final
@frozen(weakref_slot=False)
class Facts:
    """What is known of a call whatever its state."""

    serial: int
    "The kernel's own number: never used twice, whatever ids a model repeats."
    request: Request
    since_ms: int
    "When it was admitted; its duration counts from here."
    args: JsonObject
    "The arguments in force: what was shown last is what runs."
    revision: int = 1
    "Counts the arguments in force: 1 as requested, one more for each edit."

    @property
    def label(self) -> str:
        """How errors name the call."""
        return f"call {self.serial} {self.request.call_id!r}"


@final
@frozen(weakref_slot=False)
class Validating:
    """Waits for a verdict: of the tool, and of the policy."""

    status: ClassVar[Status] = Status.VALIDATING
    outcome: ClassVar[None] = None
    facts: Facts
    asked_epoch: int | None = None
    "The epoch that `Validate` was ordered under; none: not ordered yet."
    deadline_ms: int | None = None


@final
@frozen(weakref_slot=False)
class AwaitingApproval:
    """Waits for a person, or for what their answer set going."""

    status: ClassVar[Status] = Status.AWAITING_APPROVAL
    outcome: ClassVar[None] = None
    facts: Facts
    approval_id: int
    confirmation: Confirmation
    epoch: int
    "The epoch of the policy that last said: ask."
    phase: Phase = Phase.ASKING
    answer: Answer | None = None
    "What was answered, in every phase but asking."
    edit_from_editor: bool = False
    "In rechecking: the edit came out of the editor, so the person is asked again."
    deadline_ms: int | None = None
    attempt: int = 0
    "How often the tool has run already: above 0 after a lost execution."


@final
@frozen(weakref_slot=False)
class Scheduled:
    """May run: waits for the barrier, for a slot, or for the backoff of a retry."""

    status: ClassVar[Status] = Status.SCHEDULED
    facts: Facts
    outcome: Outcome
    attempt: int = 0
    "How often it has run already."
    deadline_ms: int | None = None
    "A retry may not start before this time."
    approval_id: int = 0
    "The last approval that was given out."


@final
@frozen(weakref_slot=False)
class Executing:
    """Its tool runs."""

    status: ClassVar[Status] = Status.EXECUTING
    facts: Facts
    outcome: Outcome
    attempt: int
    deadline_ms: int | None = None
    "When time is up: of the tool, or of the grace after a stop."
    stop: Stop | None = None
    approval_id: int = 0
    live: Live | None = None
    reason: str = ""
    "Why it is being cancelled, in somebody's words."


@final
@frozen(weakref_slot=False)
class Success:
    """Ended with a result."""

    status: ClassVar[Status] = Status.SUCCESS
    facts: Facts
    outcome: Outcome
    result: Ok
    duration_ms: int
    attempt: int
    "How often the tool ran: 0 where a person answered in its place."

    @property
    def ran(self) -> bool:
        """Did the tool run?"""
        return self.attempt > 0


@final
@frozen(weakref_slot=False)
class Errored:
    """Ended with a failure."""

    status: ClassVar[Status] = Status.ERROR
    facts: Facts
    outcome: Outcome | None
    failure: Failure
    duration_ms: int
    attempt: int = 0

    @property
    def ran(self) -> bool:
        """Did the tool start? Its effects may have happened."""
        return self.attempt > 0


@final
@frozen(weakref_slot=False)
class Cancelled:
    """Ended because somebody did not want it, or did not answer."""

    status: ClassVar[Status] = Status.CANCELLED
    facts: Facts
    outcome: Outcome | None
    cause: CancelCause
    reason: str
    duration_ms: int
    attempt: int = 0
    result: Ok | None = None
    "What the tool returned after it was told to stop: effects that happened are never hidden."
    live: Live | None = None
    shown: Confirmation | None = None
    "What the person was shown last, if it was waiting for them."

    @property
    def ran(self) -> bool:
        """Did the tool start? Its effects may have happened."""
        return self.attempt > 0


Call: TypeAlias = (
    Validating | AwaitingApproval | Scheduled | Executing | Success | Errored | Cancelled
)
FinalCall: TypeAlias = Success | Errored | Cancelled

new_facts: Final = mould(Facts)
new_validating: Final = mould(Validating)
new_awaiting_approval: Final = mould(AwaitingApproval)
new_scheduled: Final = mould(Scheduled)
new_executing: Final = mould(Executing)
new_success: Final = mould(Success)

RECORDS: Final[dict[Status, type[Call]]] = {
    record.status: record
    for record in (Validating, AwaitingApproval, Scheduled, Executing, Success, Errored, Cancelled)
}


ASKING: Final = Phase.ASKING
"""A name of a module is read faster than a member of an enum, which is looked up by a call."""


def is_open_question(call: object) -> bool:
    """Does this record wait for a person's answer right now?"""
    return type(call) is AwaitingApproval and call.phase is ASKING
