"""What a driver keeps of each call and batch, beside the kernel's records: tools, tasks, values.

Rule 1: nothing here decides. It lives from `schedule()` to the delivery of the batch.
"""

from __future__ import annotations

from contextvars import copy_context
from typing import TYPE_CHECKING, Any, final

from callgate.drivers.cancelling import CancelToken

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterator

    from callgate.drivers.handles import ScheduledBatch
    from callgate.drivers.hooks import Before
    from callgate.kernel.values import Confirmation, Request
    from callgate.tools.protocols import Invocation, Question
    from callgate.tools.registry import Entry, Registry


@final
class Job:
    """One call, as its driver sees it."""

    __slots__ = (
        "added",
        "args",
        "asking",
        "before",
        "begun",
        "confirmation",
        "entry",
        "exception",
        "ide",
        "invocation",
        "output_path",
        "pending",
        "question",
        "request",
        "serial",
        "task",
        "token",
        "value",
        "waiters",
        "work",
    )

    def __init__(
        self, request: Request, entry: Entry | None, invocation: Invocation | None
    ) -> None:
        self.request = request
        self.entry: Any = entry
        "None only for a call that is born final."
        self.invocation: Any = invocation
        self.args = request.args
        "The arguments that the invocation was built from."
        self.serial = 0
        self.work: Work | None = None
        self.question: Question | None = None
        "What the tool last wanted to be asked."
        self.confirmation: Confirmation | None = None
        "The same, as the kernel and the person see it."
        self.token: CancelToken | None = None
        self.task: asyncio.Task[None] | None = None
        "The execution that runs."
        self.begun = False
        "Has that task taken its first step?"
        self.asking: asyncio.Task[None] | None = None
        "Whatever is awaited for this call before it may run."
        self.pending: asyncio.Task[None] | None = None
        "The person who is being asked."
        self.ide: tuple[int, asyncio.Task[None]] | None = None
        self.value: Any = None
        self.exception: BaseException | None = None
        self.output_path: str | None = None
        self.before: Before | None = None
        "What the hooks want before it is put to the policy."
        self.added: list[str] | None = None
        "What the hooks add to its result."
        self.waiters: list[asyncio.Future[None]] | None = None

    def kill(self) -> None:
        """Cancel the task of its tool, which has been told to stop already.

        A task that was cancelled before its first step would end without a word. Such a one takes
        that step, finds that it was stopped, and says so.
        """
        if self.task is not None and self.begun:
            self.task.cancel()

    def tasks(self) -> Iterator[asyncio.Task[None]]:
        """Whatever runs for it now."""
        for task in (self.task, self.asking, self.pending, self.ide and self.ide[1]):
            if task is not None and not task.done():
                yield task


@final
class Work:
    """One batch, as its driver sees it."""

    __slots__ = ("batch_id", "context", "handle", "jobs", "registry", "token")

    def __init__(
        self,
        batch_id: str,
        jobs: list[Job],
        registry: Registry,
        handle: ScheduledBatch,
        token: CancelToken | None,
    ) -> None:
        self.batch_id = batch_id
        self.jobs = jobs
        self.registry = registry
        self.handle = handle
        self.token = token
        for job in jobs:
            job.work = self
        self.context = copy_context()
        "Tools run in the context of whoever scheduled them."
