"""What a step says: orders for the driver, and news for observers.

Rule 1: orders are imperative and obeyed in order; news are past tense and stand before the orders
that they cause. Nothing is done here.
Rule 2: observers are fed from the news alone: one step may take a call through several states.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from attrs import frozen
from pyrsistent import PVector

from callgate.kernel.calls import Call
from callgate.kernel.frozenjson import Json, JsonObject
from callgate.kernel.moulds import mould
from callgate.kernel.values import Answer, Confirmation, Outcome, Status


@final
@frozen(weakref_slot=False)
class Validate:
    """Ask the tool whether it needs a confirmation, and the policy for its verdict."""

    call: int
    revision: int
    epoch: int
    ask_tool: bool = True
    "False: the tool has answered already; only the policy is asked again."


@final
@frozen(weakref_slot=False)
class WithdrawValidation:
    """Nobody waits for this verdict any more: end the asking."""

    call: int
    revision: int


@final
@frozen(weakref_slot=False)
class AskApproval:
    """Put this question to a person, under this number."""

    call: int
    approval_id: int
    confirmation: Confirmation


@final
@frozen(weakref_slot=False)
class WithdrawApproval:
    """Take the question back, with all that its answer set going."""

    call: int
    approval_id: int


@final
@frozen(weakref_slot=False)
class TellTool:
    """Tell the tool the answer before it takes effect."""

    call: int
    approval_id: int
    answer: Answer


@final
@frozen(weakref_slot=False)
class OpenEditor:
    """Open the person's editor on the proposed content."""

    call: int
    approval_id: int


@final
@frozen(weakref_slot=False)
class Rebuild:
    """Build the arguments again with this edit, and put the result to the policy."""

    call: int
    revision: int
    epoch: int
    edit: Json


@final
@frozen(weakref_slot=False)
class RememberAnswer:
    """Keep this "always" for later calls."""

    call: int
    outcome: Outcome


@final
@frozen(weakref_slot=False)
class ReviewWaiting:
    """Put every call that is asking (or this one) to the policy again, in request order."""

    batch_id: str
    epoch: int
    call: int | None = None


@final
@frozen(weakref_slot=False)
class Execute:
    """Run the tool with just these arguments."""

    call: int
    attempt: int
    name: str
    args: JsonObject
    revision: int

    @property
    def key(self) -> str:
        """The same for every attempt, so that a tool can notice that it ran before."""
        return f"{self.call}.{self.revision}"


@final
@frozen(weakref_slot=False)
class StopExecution:
    """Tell the running tool to stop."""

    call: int
    attempt: int


@final
@frozen(weakref_slot=False)
class Deliver:
    """Hand the finished batch to its owner, in request order, and acknowledge."""

    batch_id: str
    calls: PVector[Call]


@final
@frozen(weakref_slot=False)
class RejectBatch:
    """Tell the owner that nothing of this batch will run."""

    batch_id: str
    reason: str


@final
@frozen(weakref_slot=False)
class BatchAdmitted:
    """All calls of a batch appeared together."""

    batch_id: str
    calls: PVector[Call]


@final
@frozen(weakref_slot=False)
class Moved:
    """A call changed its status; the record is as it was right then."""

    record: Call

    @property
    def call(self) -> int:
        """The call's serial."""
        return self.record.facts.serial

    @property
    def status(self) -> Status:
        """The status it has now."""
        return self.record.status

    @property
    def outcome(self) -> Outcome | None:
        """What was said to it so far."""
        return self.record.outcome


@final
@frozen(weakref_slot=False)
class OutputShown:
    """A running tool sent live output; the chunk is whole, whatever the state keeps of it."""

    call: int
    chunk: Json


@final
@frozen(weakref_slot=False)
class Ignored:
    """This event changed nothing: it was late, repeated, or nobody's."""

    why: str
    call: int | None = None


new_validate: Final = mould(Validate)
new_ask_approval: Final = mould(AskApproval)
new_execute: Final = mould(Execute)
new_moved: Final = mould(Moved)

Order: TypeAlias = (
    Validate
    | WithdrawValidation
    | AskApproval
    | WithdrawApproval
    | TellTool
    | OpenEditor
    | Rebuild
    | RememberAnswer
    | ReviewWaiting
    | Execute
    | StopExecution
    | Deliver
    | RejectBatch
)
News: TypeAlias = BatchAdmitted | Moved | OutputShown | Ignored
Effect: TypeAlias = Order | News
