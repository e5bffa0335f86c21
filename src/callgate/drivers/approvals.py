"""Orders about a person's approval: ask them, take the question back, tell the tool, remember.

Rule 1: whoever answers, answers by number; the kernel decides whether it counts.
Rule 2: a question that is used up or taken back leaves no task behind: who still asks it is told.
"""

from __future__ import annotations

import asyncio
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, final

from attrs import frozen

from callgate.drivers.failures import failure_of, text_of_error
from callgate.drivers.finished import ok_of
from callgate.drivers.hooks import HOOK
from callgate.drivers.shared import drop
from callgate.kernel.calls import AwaitingApproval
from callgate.kernel.events import AnswerTold, ApprovalAnswered
from callgate.kernel.values import Outcome, Status
from callgate.policy.decisions import ToolCall
from callgate.responses.plain import plain

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from callgate.drivers.jobs import Job
    from callgate.drivers.shared import Shared
    from callgate.kernel.calls import Call
    from callgate.kernel.effects import (
        AskApproval,
        RememberAnswer,
        TellTool,
        WithdrawApproval,
    )


@final
@frozen
class Reply:
    """What a person answered.

    >>> Reply("cancel", "not on Fridays").reason
    'not on Fridays'
    """

    outcome: Outcome | str
    reason: str = ""
    edit: Any = None
    "The content as they edited it."
    result: Any = None
    "With `answer_instead`: their own result."


Ask: TypeAlias = (
    "Callable[[AwaitingApproval], Reply | Outcome | str | Awaitable[Reply | Outcome | str]]"
)


@final
class Approvals:
    """Asks people, and carries their answers."""

    def __init__(self, shared: Shared, policy_changed: Callable[[], None]) -> None:
        self.shared = shared
        self._policy_changed = policy_changed
        self._one_at_a_time = asyncio.Lock()
        self._asks_at_once = not inspect.iscoroutinefunction(shared.choices.ask)

    # --- asking -----------------------------------------------------------------------------------

    def ask(self, order: AskApproval) -> None:
        """Put the question to the IDE and to the person."""
        job = self.shared.job(order.call)
        job.confirmation = order.confirmation
        if order.confirmation.kind == HOOK:
            self._answer_for_hook(order)
            return
        if job.ide is not None and job.ide[0] != order.approval_id:
            drop(job.ide[1])  # it was not shown what would run now
            job.ide = None
        question = job.question
        if question is not None and question.ide is not None and order.approval_id == 1:
            self._ask_ide(job, order, question.ide)
        if self.shared.choices.ask is not None:
            self._ask_person(job, order)

    def _answer_for_hook(self, order: AskApproval) -> None:
        changes = "args" in order.confirmation.details
        outcome = Outcome.MODIFY_WITH_EDITOR if changes else Outcome.PROCEED_ONCE
        self.answer(order.call, order.approval_id, Reply(outcome))

    def _ask_ide(self, job: Job, order: AskApproval, ide: Awaitable[Any]) -> None:
        if job.ide is None:
            then = partial(self._ide_answered, order)
            job.ide = (order.approval_id, self.shared.follow(ide, then))
            self.shared.asked[job.serial] = job

    def _ide_answered(self, order: AskApproval, answer: Any, error: BaseException | None) -> None:
        if error is not None:
            self.shared.observers.report("ide", error)  # the person can still answer
            return
        if getattr(answer, "accepted", False) is True:
            self.answer(
                order.call, order.approval_id, Reply(Outcome.PROCEED_ONCE, "", answer.content)
            )
        else:
            self.answer(order.call, order.approval_id, Reply(Outcome.CANCEL))

    def _ask_person(self, job: Job, order: AskApproval) -> None:
        record = _record(self.shared, order.call)
        if record is None or record.approval_id != order.approval_id:
            return
        ask: Any = self.shared.choices.ask
        then = partial(self._person_answered, order)
        if self._asks_at_once:
            job.pending = self.shared.call(then, ask, record)
        else:
            job.pending = self.shared.follow(self._in_turn(record), then)
        if job.pending is not None:
            self.shared.asked[job.serial] = job

    async def _in_turn(self, record: AwaitingApproval) -> Any:
        """One question at a time: a terminal has one cursor."""
        async with self._one_at_a_time:
            return await self.shared.choices.ask(record)  # type: ignore[misc]

    def _person_answered(self, order: AskApproval, given: Any, error: BaseException | None) -> None:
        self.shared.job(order.call).pending = None
        if error is not None:
            self.shared.observers.report("ask", error)
            given = Reply(
                Outcome.CANCEL, f"the question could not be asked: {text_of_error(error)}"
            )
        elif not isinstance(given, (Reply, str)):
            self.shared.observers.report("ask", TypeError(f"no answer: {type(given).__name__}"))
            given = Reply(Outcome.CANCEL, "the answer could not be read")
        reply = given if isinstance(given, Reply) else Reply(given)
        self.answer(order.call, order.approval_id, reply)

    def answer(self, serial: int, approval_id: int, reply: Reply) -> ApprovalAnswered:
        """Report an answer."""
        kernel = self.shared.kernel
        event = ApprovalAnswered(
            call=serial,
            approval_id=approval_id,
            outcome=reply.outcome,
            reason=reply.reason,
            edit=None if reply.edit is None else plain(reply.edit),
            result=None if reply.result is None else ok_of(reply.result, _display(reply.result)),
            at_ms=kernel.now_ms(),
        )
        kernel.put(event)
        return event

    # --- used up ----------------------------------------------------------------------------------

    def withdraw(self, order: WithdrawApproval) -> None:
        """The question is taken back, with all that its answer set going."""
        self.used_up(self.shared.job(order.call))

    def used_up(self, job: Job) -> None:
        """Nobody's answer counts any more."""
        self.shared.asked.pop(job.serial, None)
        for task in (job.pending, job.asking, job.ide and job.ide[1]):
            drop(task)
        job.pending = job.asking = job.ide = None

    def moved(self, record: Call) -> None:
        """A call that has left the person is asked nothing any more."""
        if record.status is not Status.AWAITING_APPROVAL:
            job = self.shared.asked.get(record.facts.serial)
            if job is not None:
                self.used_up(job)

    # --- after an answer --------------------------------------------------------------------------

    def tell(self, order: TellTool) -> None:
        """Tell the tool."""
        job = self.shared.job(order.call)
        drop(job.pending)
        job.pending = None
        question, answer = job.question, order.answer
        if question is None or question.told is None:
            self._told(order, None, None)
            return
        then = partial(self._told, order)
        task = self.shared.call(then, question.told, answer.outcome, answer.edit)
        if task is not None:
            job.asking = task
            self.shared.asked[job.serial] = job

    def _told(self, order: TellTool, _value: Any, error: BaseException | None) -> None:
        kernel = self.shared.kernel
        kernel.put(
            AnswerTold(
                call=order.call,
                approval_id=order.approval_id,
                failure=None if error is None else failure_of(error),
                at_ms=kernel.now_ms(),
            )
        )

    def remember(self, order: RememberAnswer) -> None:
        """Keep an always."""
        job = self.shared.job(order.call)
        entry = job.entry
        call = ToolCall(entry.name, job.args, entry.server, entry.annotations, job.confirmation)
        try:
            self.shared.policy.remember(call, order.outcome, self._policy_changed)
        except Exception as error:  # the answer counts for this call all the same
            self.shared.observers.report("policy", error)


def _display(result: Any) -> str | None:
    return result if isinstance(result, str) else None


def _record(shared: Shared, serial: int) -> AwaitingApproval | None:
    batch = shared.kernel.state.batch
    if batch is None:
        return None
    record = batch.calls[serial - batch.outline.first]
    return record if type(record) is AwaitingApproval else None
