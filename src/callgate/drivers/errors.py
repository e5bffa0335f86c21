"""What a driver says to the one who drives it.

Rule 1: each says what was wrong and what would be right; none of them is for the model.
"""

from __future__ import annotations


class DriverError(Exception):
    """Base of the errors of a driver."""


class BatchRejected(DriverError):
    """Nothing of this batch ran, and nothing of it will."""

    def __init__(self, batch_id: str, reason: str) -> None:
        self.batch_id, self.reason = batch_id, reason
        super().__init__(reason)


class WouldWaitForItself(DriverError):
    """A batch was awaited by somebody it would have to wait for. It was taken back."""

    def __init__(self, batch_id: str, who: str) -> None:
        self.batch_id = batch_id
        super().__init__(
            f"batch {batch_id!r} is awaited by {who}, which the batch waits for itself: schedule it"
            " there without awaiting it, and await it afterwards (the completion observer may also"
            " do both in a task of its own, by asyncio.create_task)"
        )


class SchedulerClosed(DriverError):
    """The scheduler takes no batches any more."""

    def __init__(self) -> None:
        super().__init__("the scheduler is closed: schedule within `async with`, before aclose()")


class WrongThread(DriverError):
    """A scheduler was spoken to from another thread than that of its event loop."""

    def __init__(self) -> None:
        super().__init__(
            "the scheduler belongs to another thread: from here, call"
            " loop.call_soon_threadsafe(scheduler.approve, call_id, outcome), or whatever is meant"
            " (a CancelToken and a tool's output may be used in any thread)"
        )


class EditorFailed(DriverError):
    """The editor could not be opened, or ended badly; nothing that it did counts."""
