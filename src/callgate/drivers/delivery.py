"""News, and the orders that end a batch: everybody who waits or watches is told.

Rule 1: a finished batch is handed over once; the next is admitted when the completion observer has
returned or raised.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, final

from callgate.drivers.failures import GO_ON
from callgate.drivers.handles import finished_call, wake_all
from callgate.drivers.shared import OBSERVER
from callgate.kernel.calls import Cancelled, Errored, Success
from callgate.kernel.events import ApprovalAnswered, DeliveryAcknowledged

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from callgate.drivers.approvals import Approvals
    from callgate.drivers.finished import FinishedCall
    from callgate.drivers.shared import Shared
    from callgate.kernel.effects import (
        BatchAdmitted,
        Deliver,
        Ignored,
        Moved,
        OutputShown,
        RejectBatch,
    )
    from callgate.kernel.events import Event

_FINAL = frozenset((Success, Errored, Cancelled))


@final
class Delivery:
    """Tells of what has happened."""

    def __init__(self, shared: Shared, approvals: Approvals, forget: Callable[[str], None]) -> None:
        self.shared = shared
        self.approvals = approvals
        self._forget = forget
        self.ignored_answer: Event | None = None

    def admitted(self, news: BatchAdmitted) -> None:
        """A batch is at work now."""
        shared = self.shared
        work = shared.works[news.batch_id]
        shared.work, shared.jobs = work, work.jobs
        shared.first = first = news.calls[0].facts.serial
        for serial, job in enumerate(work.jobs, first):
            job.serial = serial
            if job.waiters and type(news.calls[serial - first]) in _FINAL:
                wake_all(job)
        shared.observers.admitted(news)

    def moved(self, news: Moved) -> None:
        """A call changed its status."""
        shared = self.shared
        record = news.record
        if shared.observers.watches:
            shared.observers.moved(record)
        if shared.asked:
            self.approvals.moved(record)
        if type(record) in _FINAL:
            job = shared.jobs[record.facts.serial - shared.first]
            if job.task is not None:  # its grace is over, and nobody waits for it any more
                job.kill()
            if job.waiters:
                wake_all(job)

    def output(self, news: OutputShown) -> None:
        """A running tool showed something."""
        shared = self.shared
        shared.observers.output(shared.job(news.call).request.call_id, news.chunk)

    def ignored(self, news: Ignored) -> None:
        """A fact changed nothing; whoever answered is told so."""
        event = self.shared.kernel.stepped
        if type(event) is ApprovalAnswered:
            self.ignored_answer = event
        self.shared.observers.ignored(news, event)

    def reject(self, order: RejectBatch) -> None:
        """Nothing of this batch will run."""
        work = self.shared.works.pop(order.batch_id)
        self._forget(order.batch_id)
        work.handle.reject(order.reason)

    def deliver(self, order: Deliver) -> None:
        """Hand the finished batch over."""
        shared = self.shared
        work = shared.works.pop(order.batch_id)
        self._forget(order.batch_id)
        finished: list[FinishedCall] = [
            finished_call(record, job, order.batch_id)  # type: ignore[arg-type]
            for record, job in zip(order.calls, work.jobs, strict=True)
        ]
        if not finished:
            work.handle.deliver(finished)
            return
        shared.work, shared.jobs = None, []
        on_complete = shared.observers.watchers.on_complete
        ok: bool | None = True
        if on_complete is not None:
            ok = self._complete(on_complete, order.batch_id, finished)
        work.handle.deliver(finished)
        if ok is not None:
            self._acknowledge(order.batch_id, ok)

    def _complete(
        self, on_complete: Callable[[Any], Any], batch_id: str, finished: list[FinishedCall]
    ) -> bool | None:
        """Call the completion observer; none: it has not returned yet."""
        try:
            later = on_complete(finished)
        except GO_ON:
            self._acknowledge(batch_id, False)
            raise
        except BaseException as error:
            self.shared.observers.report("complete", error)
            return False
        if later is None or not hasattr(later, "__await__"):
            return True
        self.shared.observer_task = self.shared.spawn(self._await_observer(later, batch_id))
        return None

    async def _await_observer(self, later: Awaitable[Any], batch_id: str) -> None:
        ok = False
        OBSERVER.set(asyncio.current_task())
        try:
            await later
            ok = True
        except GO_ON:
            raise
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            self.shared.observers.report("complete", error)
        except BaseException as error:
            self.shared.observers.report("complete", error)
        finally:
            self.shared.observer_task = None
            self._acknowledge(batch_id, ok)

    def _acknowledge(self, batch_id: str, ok: bool) -> None:
        kernel = self.shared.kernel
        kernel.put(DeliveryAcknowledged(batch_id=batch_id, ok=ok, at_ms=kernel.now_ms()))
