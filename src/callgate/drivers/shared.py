"""What the parts of a driver share: the kernel's loop, the batch at work, the tasks, the choices.

Rule 1: every task that is started here is known here, until it has ended.
Rule 2: a call into somebody else's code goes through `call`: it may answer at once or later, and
whatever it raises comes back as a value.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from callgate.drivers.failures import GO_ON
from callgate.kernel.events import Batches, CancelRequested, OneCall
from callgate.kernel.state import find_call
from callgate.responses.truncation import Truncation

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from callgate.drivers.approvals import Ask
    from callgate.drivers.editor import Editor
    from callgate.drivers.hooks import Hook
    from callgate.drivers.jobs import Job, Work
    from callgate.drivers.loop import KernelLoop
    from callgate.drivers.observers import Observers
    from callgate.drivers.policy_in_force import PolicyInForce

    Then = Callable[[Any, BaseException | None], None]


OBSERVER: Final[ContextVar[asyncio.Task[None] | None]] = ContextVar(
    "callgate_observer", default=None
)
"""The completion observer that we are inside of, in whatever task."""


@final
@frozen(eq=False)
class Choices:
    """What an embedder chose once."""

    ask: Ask | None
    interactive: bool
    editor: Editor | None
    hooks: tuple[Hook, ...]
    truncation: Truncation
    save: Callable[[str, str], str]
    retryable: Callable[[BaseException], bool] | None
    run_id: str
    "Stands before the idempotency keys that tools are given."
    around: Callable[[int], object] | None
    "Prepares the context that a tool runs in."


@final
class Shared:
    """One scheduler's memory."""

    def __init__(
        self,
        kernel: KernelLoop,
        event_loop: asyncio.AbstractEventLoop,
        choices: Choices,
        policy: PolicyInForce,
        observers: Observers,
    ) -> None:
        self.kernel = kernel
        self.event_loop = event_loop
        self.choices = choices
        self.policy = policy
        self.observers = observers
        self.works: dict[str, Work] = {}
        "Batches that are queued or at work."
        self.jobs: list[Job] = []
        "Those of the batch at work; a call's place is its serial less the first."
        self.first = 0
        self.work: Work | None = None
        self.asked: dict[int, Job] = {}
        "Calls with something open: a person, an IDE, an asking."
        self.tasks: set[asyncio.Task[None]] = set()
        self.thread = threading.get_ident()
        self.ended = asyncio.Event()
        "Nothing is left of the scheduler."
        self.observer_task: asyncio.Task[None] | None = None
        "The completion observer, while it has not returned."

    def job(self, serial: int) -> Job:
        """The job of a call of the batch at work."""
        return self.jobs[serial - self.first]

    def serial_of(self, call_id: str) -> int | None:
        """The serial number of a call by the model's id, at work or queued."""
        state = self.kernel.state
        call = find_call(state, call_id)
        if call is not None:
            return call.facts.serial
        for batch_id in self.works:  # in order of arrival
            queued = state.queued.get(batch_id)
            for place, request in enumerate(queued.requests if queued is not None else ()):
                if request.call_id == call_id:
                    return queued.first + place  # type: ignore[union-attr]
        return None

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that is waited for when the scheduler is closed."""
        task = self.event_loop.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def call(
        self, then: Then, function: Callable[..., Any], *arguments: Any
    ) -> asyncio.Task[None] | None:
        """Call somebody else's code; `then` gets what it gave or raised, now or later."""
        try:
            value = function(*arguments)
        except GO_ON as error:
            then(None, error)
            raise
        except BaseException as error:
            then(None, error)
            return None
        if value is not None and hasattr(value, "__await__"):
            return self.follow(value, then)
        then(value, None)
        return None

    def follow(self, awaited: Awaitable[Any], then: Then) -> asyncio.Task[None]:
        """Wait for somebody else's promise; `then` gets what it gave or raised."""
        task = self.spawn(self._follow(awaited, then))
        if isinstance(awaited, Coroutine):  # dropped before its first step it would complain
            task.add_done_callback(lambda _task: awaited.close())
        return task

    async def _follow(self, awaited: Awaitable[Any], then: Then) -> None:
        """Await somebody else's promise. Cancelled by us, it is dropped; else it is a failure."""
        try:
            value = await awaited
        except GO_ON:
            raise
        except asyncio.CancelledError as error:
            if _is_being_cancelled():
                raise
            then(None, error)
        except BaseException as error:
            then(None, error)
        else:
            then(value, None)

    # --- the end of things ------------------------------------------------------------------------

    def cancel_batch(self, batch_id: str, reason: str = "") -> None:
        """Cancel a batch, queued or at work."""
        scope = Batches((batch_id,))
        at_ms = self.kernel.now_ms()
        self.kernel.put(CancelRequested(scope=scope, reason=reason, at_ms=at_ms))

    async def abandon(self, batch_id: str) -> None:
        """Whoever waited for this batch was cancelled: end it, tasks and all, and wait for that."""
        work = self.works.get(batch_id)
        if work is not None:
            self.cancel_batch(batch_id, "its owner was cancelled")
            await _end(work.jobs)

    async def abandon_call(self, job: Job) -> None:
        """The same, for one call."""
        at_ms, reason = self.kernel.now_ms(), "its owner was cancelled"
        if job.serial:
            scope = OneCall(job.serial)
            self.kernel.put(CancelRequested(scope=scope, reason=reason, at_ms=at_ms))
            await _end([job])

    async def end_all(self, grace_s: float) -> None:
        """Wait for every task, which has been told to end; cancel those that are late.

        Who ignores that too is left behind, and said to be.
        """
        for seconds in (grace_s, grace_s, 0):  # what ends may start an observer: it has a chance
            await self._all_ended(seconds)
            for task in (late := self._alive()):
                task.cancel()
            if not late:
                return
        for task in late:
            text = f"{task.get_coro()!r} ignores that it was cancelled"
            self.observers.report("close", TimeoutError(text))

    async def _all_ended(self, seconds: float) -> None:
        end = self.event_loop.time() + seconds
        while tasks := self._alive():
            await asyncio.wait(tasks, timeout=max(0, end - self.event_loop.time()))
            if self.event_loop.time() >= end:
                return

    def _alive(self) -> list[asyncio.Task[None]]:
        current = asyncio.current_task()
        return [task for task in self.tasks if task is not current and not task.done()]


async def _end(jobs: list[Job]) -> None:
    tasks = []
    for job in jobs:
        for task in job.tasks():
            tasks.append(task)
            if task is not job.task:
                task.cancel()
        job.kill()
    if tasks:
        await asyncio.wait(tasks)


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def drop(task: asyncio.Task[None] | None) -> None:
    """End a task that nobody waits for any more, unless it is the one that says so."""
    if task is None or task.done():
        return
    try:
        current = asyncio.current_task()
    except RuntimeError:  # called from outside of the loop
        current = None
    if task is not current:
        task.cancel()
