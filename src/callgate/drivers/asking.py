"""Orders `Validate` and `ReviewWaiting`: ask the tool what it wants, and the policy what may be.

Rule 1: nothing is decided here: the verdict is the policy's, with the rule that made it.
Rule 2: fail closed: whoever raises, tool, policy or hook, has not allowed anything.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from callgate.drivers.editing import shown_edit
from callgate.drivers.failures import GO_ON, failure_of
from callgate.drivers.hooks import as_confirmation, run_before
from callgate.drivers.jobs import Job
from callgate.drivers.shared import drop
from callgate.kernel.calls import is_open_question
from callgate.kernel.events import CallReviewed, CallValidated
from callgate.kernel.frozenjson import freeze_object
from callgate.kernel.values import (
    Allow,
    Ask,
    Confirmation,
    Deny,
    Failed,
    Failure,
    Request,
    Verdict,
)
from callgate.policy.decisions import Decision, Effect, RuleRef, ToolCall
from callgate.responses.plain import plain
from callgate.tools.protocols import Question

if TYPE_CHECKING:
    from callgate.drivers.shared import Shared
    from callgate.kernel.effects import ReviewWaiting, Validate, WithdrawValidation
    from callgate.tools.registry import Entry

_ALLOW: Final = Allow()
_DENIED: Final = "Tool execution denied by policy."


@final
class Asking:
    """Gives verdicts."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    def validate(self, order: Validate) -> None:
        """Ask the tool, if it is to be asked, and the policy."""
        job = self.shared.job(order.call)
        token = job.work.token  # type: ignore[union-attr]
        if token is not None and token.is_cancelled:
            return  # its cancellation is the next fact: nobody is asked for nothing
        if not order.ask_tool:
            self._report(order, self.verdict(job, job.question))
        elif self.shared.choices.hooks:
            job.asking = self.shared.spawn(self._validate_with_hooks(job, order))
        else:
            self._ask_tool(job, order)

    def _ask_tool(self, job: Job, order: Validate) -> None:
        try:
            question = job.invocation.should_confirm()
        except GO_ON as error:
            self._report(order, Failed(failure_of(error)))
            raise
        except BaseException as error:
            self._report(order, Failed(failure_of(error)))
            return
        if question is not None and hasattr(question, "__await__"):
            then = partial(self._answered, job, order)
            job.asking = self.shared.follow(question, then)
        else:
            self._report(order, self.verdict(job, question))

    def _answered(
        self, job: Job, order: Validate, question: Any, error: BaseException | None
    ) -> None:
        job.asking = None
        verdict = self.verdict(job, question) if error is None else Failed(failure_of(error))
        self._report(order, verdict)

    async def _validate_with_hooks(self, job: Job, order: Validate) -> None:
        refused = await run_before(self.shared.choices.hooks, job)
        if refused is not None:
            self._report(order, Failed(refused))
            return
        job.asking = None
        before = job.before
        if before is not None and before.args is not None:
            # The kernel is told by way of an edit: `approvals` answers this question for the hook.
            self._report(order, Ask(as_confirmation(before), "hook"))
        else:
            self._ask_tool(job, order)

    def _report(self, order: Validate, verdict: Verdict) -> None:
        kernel = self.shared.kernel
        kernel.put(
            CallValidated(
                call=order.call,
                revision=order.revision,
                epoch=order.epoch,
                verdict=verdict,
                at_ms=kernel.now_ms(),
            )
        )

    def withdraw(self, order: WithdrawValidation) -> None:
        """Nobody waits for the verdict any more."""
        job = self.shared.job(order.call)
        drop(job.asking)
        job.asking = None

    # --- reviews ----------------------------------------------------------------------------------

    def review(self, order: ReviewWaiting) -> None:
        """Ask again, in request order, whoever waits for a person."""
        batch = self.shared.kernel.state.batch
        if batch is None:
            return
        calls = batch.calls
        if order.call is not None:
            calls = calls[order.call - batch.outline.first :][:1]
        for call in [call for call in calls if is_open_question(call)]:
            job = self.shared.job(call.facts.serial)
            then = partial(self._reviewed, job, call.approval_id, order.epoch)  # type: ignore[union-attr]
            job.asking = self.shared.call(then, job.invocation.should_confirm)
            if job.asking is not None:
                self.shared.asked[job.serial] = job

    def _reviewed(
        self,
        job: Job,
        approval_id: int,
        epoch: int,
        question: Any,
        error: BaseException | None,
    ) -> None:
        verdict = (
            Failed(failure_of(error))
            if error is not None
            else self.verdict(job, question, is_review=True)
        )
        kernel = self.shared.kernel
        kernel.put(
            CallReviewed(
                call=job.serial,
                approval_id=approval_id,
                epoch=epoch,
                verdict=verdict,
                at_ms=kernel.now_ms(),
            )
        )

    # --- the verdict ------------------------------------------------------------------------------

    def verdict(self, job: Job, question: Any, *, is_review: bool = False) -> Verdict:
        """What the policy says to what the tool wants."""
        if question is not None and type(question) is not Question:
            text = f"should_confirm() gave a {type(question).__name__}; a Question or None was due"
            return Failed(Failure("unhandled_exception", text))
        before = job.before
        if before is not None:
            question = before.question or question
        if not is_review:
            job.question = question
        try:
            confirmation = None if question is None else self.confirmation(job, question)
        except GO_ON:
            raise
        except BaseException as error:
            return Failed(failure_of(error))
        return self.judge(job, confirmation)

    def judge(self, job: Job, confirmation: Confirmation | None) -> Verdict:
        """What the policy says to the call, and to what a person would be shown of it."""
        try:
            return self._decide(job, confirmation)
        except GO_ON:
            raise
        except BaseException as error:
            return Failed(failure_of(error))

    def _decide(self, job: Job, confirmation: Confirmation | None) -> Verdict:
        entry = job.entry
        call = ToolCall(entry.name, job.args, entry.server, entry.annotations, confirmation)
        decision = self.shared.policy.decide(call)
        if decision.effect is Effect.DENY:
            return Deny(_denial(decision), _name(decision.rule))
        is_forced = job.before is not None and job.before.question is not None
        if decision.effect is Effect.ALLOW and not is_forced:
            return _ALLOW if decision.rule is None else Allow(_name(decision.rule))
        if not self.shared.choices.interactive:
            text = f'Tool execution for "{entry.display_name}" requires user confirmation, '
            return Deny(f"{text}which is not supported in non-interactive mode.")
        if confirmation is None:
            confirmation = Confirmation("info", {"prompt": _describe(job), "why": decision.reason})
        return Ask(confirmation, _name(decision.rule))

    async def tail(self, entry: Entry, args: dict[str, Any]) -> tuple[str, Any]:
        """Whether a tail call may run unasked: why not, and else its invocation."""
        frozen = freeze_object(plain(args))
        job = Job(Request("", entry.name, frozen), entry, entry.build("", frozen))
        question = job.invocation.should_confirm()
        if hasattr(question, "__await__"):
            question = await question
        verdict = self.verdict(job, question)
        match verdict:
            case Allow():
                return "", job.invocation
            case Deny(message=message):
                return message, None
            case Failed(failure=failure):
                return failure.message, None
            case Ask():
                text = f'"{entry.name}" needs an approval, which a tail call cannot ask for.'
                return text, None

    def confirmation(self, job: Job, question: Question) -> Confirmation:
        """The question, as the kernel and the person see it."""
        details = question.details
        modifiable = job.entry.modifiable and question.kind == "edit"
        if modifiable and "newContent" not in details:
            details = shown_edit(job, details)
        return Confirmation(
            question.kind,
            details,
            modifiable,
            modifiable and self.shared.choices.editor is not None,
            question.told is not None,
        )


def _denial(decision: Decision) -> str:
    return f"{_DENIED} {decision.message}".rstrip()


def _name(rule: RuleRef | None) -> str:
    if rule is None:
        return ""
    place = f"{rule.file}:{rule.line}" if rule.file else ""
    return f"{rule.name} ({place})" if rule.name and place else rule.name or place


def _describe(job: Job) -> str:
    describe = getattr(job.invocation, "describe", None)
    return str(describe()) if callable(describe) else job.request.name
