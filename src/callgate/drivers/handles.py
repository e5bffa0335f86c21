"""What `schedule()` gives: a batch that can be awaited, as a whole and call by call.

Rule 1: nobody waits for what would wait for them: that is an error, at once, and never a wait.
Rule 2: when all who wait for a batch, or for one call of it, have been cancelled, it is too.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, final

from callgate.drivers.errors import BatchRejected, WouldWaitForItself
from callgate.drivers.finished import FinishedCall
from callgate.drivers.running import INSIDE
from callgate.drivers.shared import OBSERVER
from callgate.kernel.calls import Cancelled, Errored, Success

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from callgate.drivers.jobs import Job, Work
    from callgate.drivers.shared import Shared
    from callgate.kernel.calls import Call


@final
class ScheduledBatch:
    """`await` it for its finished calls, in request order; `call(id)` for one of them."""

    __slots__ = ("_callbacks", "_error", "_results", "_shared", "_waiters", "_work", "batch_id")

    def __init__(self, batch_id: str, shared: Shared) -> None:
        self.batch_id = batch_id
        self._shared = shared
        self._work: Work | None = None
        self._results: list[FinishedCall] | None = None
        self._error: Exception | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self._callbacks: list[Callable[[ScheduledBatch], object]] = []

    def bind(self, work: Work) -> None:
        """The driver's own memory of the batch."""
        self._work = work

    @property
    def is_done(self) -> bool:
        """Is it delivered, or rejected?"""
        return self._results is not None or self._error is not None

    def result(self) -> list[FinishedCall]:
        """The finished calls; raises if it was rejected, or is not done."""
        if self._error is not None:
            raise self._error
        if self._results is None:
            raise asyncio.InvalidStateError(f"batch {self.batch_id!r} is not done: await it")
        return self._results

    def add_done_callback(self, callback: Callable[[ScheduledBatch], object]) -> None:
        """Call this when the batch is delivered or rejected; at once if it has been."""
        if self.is_done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def cancel(self, reason: str = "") -> None:
        """Cancel the batch, queued or at work."""
        if not self.is_done:
            self._shared.cancel_batch(self.batch_id, reason)

    def call(self, call_id: str) -> ScheduledCall:
        """One of its calls, to be awaited alone."""
        for position, job in enumerate(self._work.jobs if self._work else ()):
            if job.request.call_id == call_id:
                return ScheduledCall(self, job, position)
        raise LookupError(f"batch {self.batch_id!r} has no call {call_id!r}")

    def __await__(self) -> Generator[Any, None, list[FinishedCall]]:
        if not self.is_done:
            self._refuse_to_wait_for_itself()
            waiter = self._shared.event_loop.create_future()
            self._waiters.append(waiter)
            try:
                yield from waiter
            except asyncio.CancelledError:
                if waiter in self._waiters:
                    self._waiters.remove(waiter)
                if not self._waiters:  # nobody else wants it
                    yield from self._shared.abandon(self.batch_id).__await__()
                raise
        return self.result()

    # --- for the driver ---------------------------------------------------------------------------

    def deliver(self, results: list[FinishedCall]) -> None:
        """It is done."""
        self._results = results
        self._wake()

    def reject(self, reason: str) -> None:
        """Nothing of it ran."""
        if self._error is None:
            self._error = BatchRejected(self.batch_id, reason)
        self._wake()

    def _wake(self) -> None:
        for waiter in self._waiters:
            wake(waiter)
        self._waiters.clear()
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)
        for job in self._work.jobs if self._work else ():
            wake_all(job)

    def finished(self, job: Job, position: int) -> FinishedCall | None:
        """One call, if it has ended."""
        if self.is_done:
            return self.result()[position]
        shared = self._shared
        if shared.work is not self._work:
            return None
        batch = shared.kernel.state.batch
        record: Call | None = None if batch is None else batch.calls[position]
        if isinstance(record, (Success, Errored, Cancelled)):
            return finished_call(record, job, self.batch_id)
        return None

    def _refuse_to_wait_for_itself(self) -> None:
        shared = self._shared
        who = ""
        if shared.observer_task is not None and (
            shared.observer_task is asyncio.current_task()
            or (shared.observer_task is OBSERVER.get() and _waits_for_somebody())
        ):
            who = "the completion observer"
        for job in INSIDE.get():
            if job.task is not None and not job.task.done() and job in shared.jobs:
                who = f"the tool of call {job.request.call_id!r}"
        if who:
            error = WouldWaitForItself(self.batch_id, who)
            if self._work is not shared.work:  # queued: it is taken back
                self._error = error
                shared.cancel_batch(self.batch_id)
            raise error


def _waits_for_somebody() -> bool:
    """Did asyncio make this task (in `gather`, `wait_for`, `shield`) only to await the batch?

    A task of the observer's own, with a coroutine of its own, may wait as long as it likes.
    """
    task = asyncio.current_task()
    return task is not None and getattr(task.get_coro(), "__name__", "") == "_wrap_awaitable"


@final
class ScheduledCall:
    """One call of a scheduled batch: `await` it until it is final."""

    __slots__ = ("_batch", "_job", "_position")

    def __init__(self, batch: ScheduledBatch, job: Job, position: int) -> None:
        self._batch = batch
        self._job = job
        self._position = position

    def __await__(self) -> Generator[Any, None, FinishedCall]:
        batch, job = self._batch, self._job
        while (finished := batch.finished(job, self._position)) is None:
            batch._refuse_to_wait_for_itself()
            waiter = batch._shared.event_loop.create_future()
            job.waiters = [*(job.waiters or ()), waiter]
            try:
                yield from waiter
            except asyncio.CancelledError:
                is_last = job.waiters == [waiter]
                job.waiters = [other for other in job.waiters or () if other is not waiter]
                if is_last and not batch._waiters:  # nobody else wants it
                    yield from batch._shared.abandon_call(job).__await__()
                raise
        return finished


def finished_call(record: Success | Errored | Cancelled, job: Job, batch_id: str) -> FinishedCall:
    """The call with what only its driver knows."""
    return FinishedCall(record, batch_id, job.value, job.exception, job.output_path)


def wake(waiter: asyncio.Future[None]) -> None:
    """Let somebody go on who may have been cancelled meanwhile."""
    if not waiter.done():
        waiter.set_result(None)


def wake_all(job: Job) -> None:
    """Let everybody go on who waits for this call."""
    for waiter in job.waiters or ():
        wake(waiter)
    job.waiters = None
