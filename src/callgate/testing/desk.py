"""A driver that waits: it keeps the kernel's orders until somebody carries one out.

Rule 1: every order is carried out as a driver must: a policy's word becomes a verdict, an "always"
changes the policy at once, what ran and who said yes is written down.
Rule 2: what the kernel may never do is checked where it would show: a call that starts twice or
after a no, a batch that is delivered twice, early, or out of order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from attrs import define, field, frozen

from callgate.kernel import effects as orders
from callgate.kernel.errors import KernelError
from callgate.kernel.events import (
    AnswerTold,
    ApprovalAnswered,
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
    OneCall,
    PolicyChanged,
)
from callgate.kernel.invariants import check
from callgate.kernel.state import KernelState, initial
from callgate.kernel.step import step
from callgate.kernel.values import (
    Allow,
    Ask,
    Confirmation,
    Deny,
    Failed,
    Failure,
    Ok,
    Outcome,
    Rebuilt,
    Request,
    Verdict,
)
from callgate.policy.decisions import (
    Context,
    Effect,
    Mode,
    Policy,
    RememberingPolicy,
    ToolCall,
)
from callgate.testing.situations import Raised, ask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callgate.kernel.plans import PlanName, Waves

OWED = (
    orders.Validate,
    orders.ReviewWaiting,
    orders.Rebuild,
    orders.TellTool,
    orders.OpenEditor,
    orders.Deliver,
)


class Broken(AssertionError):
    """Something happened that must never happen: its text says what."""


@final
@frozen
class Ran:
    """A tool that was started, and with which arguments."""

    serial: int
    call: ToolCall
    said_yes: bool
    "Did a person say yes to this very call?"


@final
@define
class Desk:
    """The kernel, a policy, and all that is owed between them."""

    policy: Policy
    mode: Mode = Mode.DEFAULT
    interactive: bool = True
    state: KernelState = field(factory=initial)
    now_ms: int = 0
    owed: list[Any] = field(factory=list)
    "Orders that nobody has carried out yet, oldest first."
    questions: dict[int, int] = field(factory=dict)
    "Open questions: call -> approval."
    running: dict[int, int] = field(factory=dict)
    "Started and not ended: call -> attempt."
    ran: list[Ran] = field(factory=list)
    calls: dict[int, ToolCall] = field(factory=dict)
    "What each call is now: an edit changes it."
    yes: set[int] = field(factory=set)
    no: set[int] = field(factory=set)
    always: list[tuple[ToolCall, Outcome]] = field(factory=list)
    submitted: list[str] = field(factory=list)
    delivered: list[str] = field(factory=list)
    at_once: list[str] = field(factory=list)
    "Batches that wait for nobody: empty, or rejected."
    reported: list[Event] = field(factory=list)
    "Every fact about a call, for who wants to repeat one."
    _told: list[Event] = field(factory=list)

    @property
    def told(self) -> tuple[Event, ...]:
        """Every fact that the kernel was told, in order."""
        return tuple(self._told)

    # --- facts ------------------------------------------------------------------------------------

    def submit(self, calls: Sequence[ToolCall], plan: PlanName | Waves = "classic") -> str:
        """A model answers with these calls."""
        requests = [Request(f"c{at}", call.name, call.args) for at, call in enumerate(calls)]
        self.calls.update(dict(enumerate(calls, self.state.next_serial)))
        return self.submit_requests(requests, plan)

    def submit_requests(
        self, requests: Sequence[Request], plan: PlanName | Waves = "classic"
    ) -> str:
        """A model answers with these requests, as they are."""
        batch_id = f"b{len(self.submitted) + len(self.at_once) + 1}"
        for serial, request in enumerate(requests, self.state.next_serial):
            self.calls.setdefault(serial, ToolCall(request.name, request.args))
        self.submitted.append(batch_id)
        self.tell(
            BatchSubmitted(batch_id=batch_id, requests=requests, plan=plan, at_ms=self.now_ms)
        )
        return batch_id

    def answer(self, serial: int, outcome: Outcome, edit: Any = None) -> None:
        """A person answers the open question about this call."""
        call, approval = self.calls[serial], self.questions[serial]
        result = Ok("said by a person") if outcome is Outcome.ANSWER_INSTEAD else None
        self.questions.pop(serial)
        if outcome is Outcome.CANCEL:
            self.no.add(serial)
        elif outcome is not Outcome.ANSWER_INSTEAD:
            self.yes.add(serial)
            if outcome.is_always:
                self.always.append((call, outcome))
        self._report(
            ApprovalAnswered,
            call=serial,
            approval_id=approval,
            outcome=outcome,
            edit=edit,
            result=result,
        )

    def finish(self, serial: int, failure: Failure | None = None) -> None:
        """A running tool ends."""
        attempt = self.running.pop(serial)
        result = Ok("done") if failure is None else Failed(failure)
        self._report(ExecutionFinished, call=serial, attempt=attempt, result=result)

    def change_mode(self, mode: Mode) -> None:
        """A person chooses another approval mode."""
        self.mode = mode
        self._report(PolicyChanged)

    def cancel(self, serial: int | None = None) -> None:
        """Somebody does not want this call, or anything, any more."""
        scope = Everything() if serial is None else OneCall(serial)
        self._report(CancelRequested, scope=scope)

    def repeat(self, number: int) -> None:
        """News that was reported before arrives once more."""
        if self.reported:
            self.tell(self.reported[number % len(self.reported)])

    def carry_out(self, number: int = 0) -> None:
        """Carry out one order that is owed."""
        order = self.owed.pop(number)
        match order:
            case orders.Validate(call=serial, revision=revision, epoch=epoch):
                self._report(
                    CallValidated,
                    call=serial,
                    revision=revision,
                    epoch=epoch,
                    verdict=self.verdict(self.calls[serial]),
                )
            case orders.ReviewWaiting(epoch=epoch, call=only):
                self._review(epoch, only)
            case orders.Rebuild(call=serial, revision=revision, epoch=epoch, edit=edit):
                built = self._rebuilt(serial, edit)
                self._report(CallRebuilt, call=serial, revision=revision, epoch=epoch, built=built)
            case orders.TellTool(call=serial, approval_id=approval):
                self._report(AnswerTold, call=serial, approval_id=approval)
            case orders.OpenEditor(call=serial, approval_id=approval):
                self._report(EditorClosed, call=serial, approval_id=approval, content="edited")
            case orders.Deliver(batch_id=batch_id):
                self._report(DeliveryAcknowledged, batch_id=batch_id)
            case _:
                raise TypeError(f"{type(order).__name__} is no order that is owed")

    def tell(self, event: Event) -> None:
        """Step one fact, check the state, and take in the orders."""
        self._told.append(event)
        try:
            self.state, effects = step(self.state, event)
            check(self.state)
        except KernelError as error:
            raise Broken(f"{type(event).__name__}: {error}") from error
        for effect in effects:
            self._take(effect)

    def _report(self, kind: Callable[..., Any], **facts: Any) -> None:
        self.now_ms += 1
        event = kind(**facts, at_ms=self.now_ms)
        if "call" in facts:
            self.reported.append(event)
        self.tell(event)

    # --- orders -----------------------------------------------------------------------------------

    def _take(self, effect: Any) -> None:
        match effect:
            case orders.AskApproval(call=serial, approval_id=approval):
                self.questions[serial] = approval
            case orders.WithdrawApproval(call=serial, approval_id=approval):
                if self.questions.get(serial) == approval:
                    del self.questions[serial]
            case orders.RememberAnswer(call=serial, outcome=outcome):
                self._remember(self.calls[serial], outcome)
            case orders.Execute():
                self._start(effect)
            case orders.Deliver():
                self._deliver(effect)
            case orders.RejectBatch(batch_id=batch_id):
                self._skip(batch_id)
            case _:
                """News, and orders to stop what nobody waits for here."""
        is_empty = isinstance(effect, orders.Deliver) and not effect.calls
        if isinstance(effect, OWED) and not is_empty:
            self.owed.append(effect)

    def _remember(self, call: ToolCall, outcome: Outcome) -> None:
        if isinstance(self.policy, RememberingPolicy):
            self.policy, self.mode = self.policy.remember(call, outcome, self.context)

    def _start(self, order: orders.Execute) -> None:
        serial = order.call
        if serial in self.running:
            raise Broken(f"call {serial} was started while it runs")
        if serial in self.no:
            raise Broken(f"call {serial} was started after a no")
        self.running[serial] = order.attempt
        call = ToolCall(order.name, order.args, self.calls[serial].server)
        self.ran.append(Ran(serial, call, serial in self.yes))

    def _skip(self, batch_id: str) -> None:
        self.submitted.remove(batch_id)
        self.at_once.append(batch_id)

    def _deliver(self, order: orders.Deliver) -> None:
        if not order.calls:
            self._skip(order.batch_id)
            return
        if order.batch_id in self.delivered:
            raise Broken(f"batch {order.batch_id} was delivered twice")
        unfinished = [call.facts.label for call in order.calls if not call.status.is_final]
        if unfinished:
            raise Broken(f"batch {order.batch_id} was delivered before {unfinished[0]} was final")
        self.delivered.append(order.batch_id)

    # --- the policy -------------------------------------------------------------------------------

    @property
    def context(self) -> Context:
        """What calls happen in right now."""
        return Context(self.mode, self.interactive)

    def verdict(self, call: ToolCall) -> Verdict:
        """What the policy says, as the kernel hears it."""
        said = ask(self.policy, call, self.context)
        if isinstance(said, Raised):
            return Failed(Failure("unhandled_exception", said.error))
        if said.effect is Effect.ALLOW:
            return Allow(said.rule.name if said.rule else "")
        if said.effect is Effect.DENY:
            return Deny(said.message or said.reason or "denied")
        return Ask(Confirmation("info", call.args, modifiable=True, has_editor=True))

    def _review(self, epoch: int, only: int | None) -> None:
        for serial in [only] if only is not None else sorted(self.questions):
            if serial not in self.questions:
                continue
            verdict = self.verdict(self.calls[serial])
            approval = self.questions[serial]
            self._report(
                CallReviewed, call=serial, approval_id=approval, epoch=epoch, verdict=verdict
            )

    def _rebuilt(self, serial: int, edit: Any) -> Rebuilt | Deny | Failed:
        call = self.calls[serial]
        args = edit if isinstance(edit, dict) else {**call.args, "content": edit}
        edited = ToolCall(call.name, args, call.server, call.annotations)
        verdict = self.verdict(edited)
        if isinstance(verdict, (Deny, Failed)):
            return verdict
        self.calls[serial] = edited
        self.yes.discard(serial) if not isinstance(edit, dict) else None
        return Rebuilt(edited.args, Confirmation("info", edited.args, True, True))

    # --- the end ----------------------------------------------------------------------------------

    def drain(self) -> None:
        """Let everything end: owed orders are carried out, questions declined, tools finished."""
        for _ in range(10_000):
            if self.owed:
                self.carry_out()
            elif self.questions:
                self.answer(min(self.questions), Outcome.CANCEL)
            elif self.running:
                self.finish(min(self.running))
            else:
                break
        if not self.state.is_idle or self.delivered != self.submitted:
            raise Broken(f"submitted {self.submitted}, and delivered {self.delivered} at the end")
