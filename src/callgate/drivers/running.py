"""Orders `Execute` and `StopExecution`: a tool runs, and whatever it does becomes a fact.

Rule 1: one task for each execution, in the context of whoever scheduled the batch.
Rule 2: total: a tool that raises, returns nonsense or ignores a stop ends its own call, at most.
"""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, final

from callgate.drivers.cancelling import CancelToken
from callgate.drivers.failures import GO_ON, failure_of
from callgate.drivers.finished import ok_of
from callgate.drivers.hooks import run_after, with_context
from callgate.kernel.calls import Executing
from callgate.kernel.events import ExecutionFinished, ExecutionProgressed
from callgate.kernel.values import Failed, Failure, Ok
from callgate.responses.plain import plain
from callgate.responses.truncation import truncate
from callgate.tools.protocols import ToolError, ToolResult

if TYPE_CHECKING:
    from callgate.drivers.asking import Asking
    from callgate.drivers.hooks import TailCall
    from callgate.drivers.jobs import Job
    from callgate.drivers.shared import Shared
    from callgate.kernel.effects import Execute, StopExecution
    from callgate.tools.registry import Entry

INSIDE: Final[ContextVar[tuple[Job, ...]]] = ContextVar("callgate_inside", default=())
"""The calls whose tools we are inside of, outermost first."""
_NOT_STARTED: Final = Failed(Failure("cancelled", "It was stopped before it started."))


@final
class Running:
    """Runs tools."""

    def __init__(self, shared: Shared, asking: Asking) -> None:
        self.shared = shared
        self.asking = asking
        self._plain = not shared.choices.hooks

    def execute(self, order: Execute) -> None:
        """Start a tool."""
        shared = self.shared
        job = shared.jobs[order.call - shared.first]
        job.token = CancelToken()
        job.begun = False
        context = job.work.context.copy()  # type: ignore[union-attr]
        task = shared.event_loop.create_task(self._run(job, order), context=context)
        job.task = task
        shared.tasks.add(task)

    def stop(self, order: StopExecution) -> None:
        """Tell it to stop."""
        job = self.shared.job(order.call)
        if job.token is not None:
            job.token.cancel()
        if not job.entry.takes_cancellation:
            job.kill()

    async def _run(self, job: Job, order: Execute) -> None:
        job.begun = True
        INSIDE.set((*INSIDE.get(), job))
        result: Ok | Failed
        try:
            result = await self._result(job, order)
        except GeneratorExit:
            raise
        except BaseException as error:
            job.exception = error
            result = Failed(self._failure(error))
            if isinstance(error, GO_ON):
                self._end(job, order, result)
                raise
        self._end(job, order, result)

    async def _result(self, job: Job, order: Execute) -> Ok | Failed:
        token: Any = job.token
        if token.is_cancelled:
            return _NOT_STARTED
        if self.shared.choices.around is not None:
            self.shared.choices.around(order.call)
        output = Output(self.shared, job, order.attempt)
        value = self._call(job.entry, job.invocation, token, output, order.key)
        if value is not None and hasattr(value, "__await__"):
            value = await value
        job.value = _untouched(value)
        if type(value) is str and self._plain and not job.entry.truncates:
            return ok_of(value, value)
        return await self._finish(job, order, value, output)

    def _call(self, entry: Entry, invocation: Any, token: Any, output: Output, key: str) -> Any:
        if entry.wants_key:
            return invocation.execute(token, output, key=f"{self.shared.choices.run_id}{key}")
        return invocation.execute(token, output)

    async def _finish(self, job: Job, order: Execute, value: Any, output: Output) -> Ok | Failed:
        result = value if isinstance(value, ToolResult) else ToolResult(value, _display(value))
        if not self._plain:
            result, tail = await run_after(self.shared.choices.hooks, job, result)
            if tail is not None:
                result = await self._tail(job, tail, order.key, output)
        if result.error is not None:
            error = result.error
            return Failed(Failure(error.type or "", error.message, error.retryable))
        return ok_of(self._cut(job, result.content), result.display)

    def _cut(self, job: Job, content: Any) -> Any:
        choices = self.shared.choices
        if not job.entry.truncates or not choices.truncation.applies_to(content):
            return content
        cut = truncate(content, job.request.call_id, choices.save, choices.truncation)
        job.output_path = cut.path
        return cut.content

    async def _tail(self, job: Job, tail: TailCall, key: str, output: Output) -> ToolResult:
        """Another tool in the place of this one: only if nobody need be asked."""
        entry = job.work.registry.get(tail.name)  # type: ignore[union-attr]
        if entry is None:
            raise LookupError(job.work.registry.unknown(tail.name))  # type: ignore[union-attr]
        refusal, invocation = await self.asking.tail(entry, dict(tail.args))
        if refusal:
            return ToolResult(error=ToolError(refusal, "policy_violation"))
        value = self._call(entry, invocation, job.token, output, f"{key}.tail")
        if value is not None and hasattr(value, "__await__"):
            value = await value
        result = value if isinstance(value, ToolResult) else ToolResult(value, _display(value))
        return with_context(result, job.added or ())

    def _failure(self, error: BaseException) -> Failure:
        retryable = self.shared.choices.retryable
        return failure_of(error, retryable=retryable is not None and bool(retryable(error)))

    def _end(self, job: Job, order: Execute, result: Ok | Failed) -> None:
        shared = self.shared
        task = asyncio.current_task()
        shared.tasks.discard(task)
        if job.task is task:
            job.task = None
        kernel = shared.kernel
        kernel.put(
            ExecutionFinished(
                call=order.call, attempt=order.attempt, result=result, at_ms=kernel.now_ms()
            )
        )


def _untouched(value: Any) -> Any:
    """What a function returned, where `@tool` wrapped it to say it in JSON."""
    wrapped = type(value) is ToolResult and value.value is not None
    return value.value if wrapped else value


def _display(value: Any) -> str | None:
    return value if isinstance(value, str) else None


@final
class Output:
    """Where one attempt of a tool shows what it does; from any thread."""

    __slots__ = ("_attempt", "_job", "_shared")

    def __init__(self, shared: Shared, job: Job, attempt: int) -> None:
        self._shared = shared
        self._job = job
        self._attempt = attempt

    def __call__(self, chunk: Any) -> None:
        """Live output; dropped if the tool does not say that it has any."""
        if not self._job.entry.can_update_output:
            return
        if chunk is None:
            self._show_null()
        else:
            self._report(output=plain(chunk))

    def _show_null(self) -> None:
        """Null is a chunk too; to the kernel it would be no output at all."""
        if threading.get_ident() != self._shared.thread:
            self._shared.event_loop.call_soon_threadsafe(self._show_null)
            return
        batch = self._shared.kernel.state.batch
        if batch is None or self._job not in self._shared.jobs:
            return
        record = batch.calls[self._job.serial - batch.outline.first]
        if type(record) is Executing and record.attempt == self._attempt:
            self._shared.observers.output(self._job.request.call_id, None)

    def pid(self, pid: int) -> None:
        """The process that does the work."""
        self._report(pid=pid)

    def progress(self, part: float) -> None:
        """How much is done, from 0 to 1."""
        self._report(progress=float(part))

    def _report(self, **news: Any) -> None:
        kernel, loop = self._shared.kernel, self._shared.event_loop
        event = ExecutionProgressed(
            call=self._job.serial, attempt=self._attempt, at_ms=kernel.now_ms(), **news
        )
        if threading.get_ident() == self._shared.thread:
            kernel.put(event)
        else:
            loop.call_soon_threadsafe(kernel.put, event)
