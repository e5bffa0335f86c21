"""Those who watch a run: told of everything, and able to stop nothing.

Rule 1: fed from the kernel's news alone, so that every status a call goes through is seen.
Rule 2: an observer that raises is reported, and nothing else changes.
Rule 3: what an async observer is told stays in order; the kernel waits only for the completion
observer.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import deque
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, final

from attrs import asdict, frozen
from pyrsistent import PVector, pvector

from callgate.drivers.chosen import check_functions
from callgate.drivers.failures import GO_ON
from callgate.kernel.calls import Call
from callgate.kernel.effects import Ignored

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from callgate.kernel.effects import BatchAdmitted
    from callgate.kernel.events import Event

_LOG = logging.getLogger("callgate")


@final
@frozen
class Snapshot:
    """All calls of the batch at work, in request order, as they were at one moment."""

    batch_id: str
    calls: PVector[Call]
    changed: Call | None = None
    "The call whose status changed; none: the batch was admitted."


@final
@frozen
class Watchers:
    """The functions of an embedder; any may be missing, sync or async."""

    on_update: Callable[[Snapshot], Any] | None = None
    on_output: Callable[[str, Any], Any] | None = None
    on_complete: Callable[[list[Any]], Any] | None = None
    on_ignored: Callable[[Ignored, Event], Any] | None = None
    on_error: Callable[[str, BaseException], Any] | None = None

    def __attrs_post_init__(self) -> None:
        check_functions(**asdict(self, recurse=False))


@final
class Stream:
    """Snapshots that somebody follows, and has not seen yet; none of them: the end."""

    def __init__(self) -> None:
        self._waiting: deque[Snapshot | None] = deque()
        self._waker = asyncio.Event()

    def put(self, snapshot: Snapshot | None) -> None:
        """One more."""
        self._waiting.append(snapshot)
        self._waker.set()

    async def follow(self) -> AsyncIterator[Snapshot]:
        """Each in turn, as it comes."""
        while True:
            while self._waiting:
                snapshot = self._waiting.popleft()
                if snapshot is None:
                    return
                yield snapshot
            self._waker.clear()
            await self._waker.wait()


@final
class Observers:
    """Tells the watchers."""

    def __init__(self, watchers: Watchers) -> None:
        self.watchers = watchers
        self.spawn: Callable[[Coroutine[Any, Any, None]], Any]
        self.streams: list[Stream] = []
        self._is_over = False
        self._batch_id = ""
        self._first = 0
        self._shown: PVector[Call] = pvector()
        self._late: deque[tuple[str, Awaitable[Any]]] = deque()
        self._is_draining = False

    @property
    def watches(self) -> bool:
        """Does anybody want updates?"""
        return self.watchers.on_update is not None or bool(self.streams)

    def admitted(self, news: BatchAdmitted) -> None:
        """All calls of a batch appeared together."""
        self._batch_id, self._shown = news.batch_id, news.calls
        self._first = news.calls[0].facts.serial
        if self.watches:
            self._show(Snapshot(self._batch_id, self._shown))

    def moved(self, record: Call) -> None:
        """A call changed its status."""
        self._shown = self._shown.set(record.facts.serial - self._first, record)
        self._show(Snapshot(self._batch_id, self._shown, record))

    def _show(self, snapshot: Snapshot) -> None:
        if self.watchers.on_update is not None:
            self.tell("update", self.watchers.on_update, snapshot)
        for stream in self.streams:
            stream.put(snapshot)

    def output(self, call_id: str, chunk: Any) -> None:
        """A running tool showed something."""
        if self.watchers.on_output is not None:
            self.tell("output", self.watchers.on_output, call_id, chunk)

    def ignored(self, news: Ignored, event: Event | None) -> None:
        """A fact changed nothing."""
        if self.watchers.on_ignored is not None and event is not None:
            self.tell("ignored", self.watchers.on_ignored, news, event)

    def tell(self, name: str, function: Callable[..., Any], *told: Any) -> None:
        """Call one watcher; what it gives to await is awaited in turn."""
        try:
            later = function(*told)
        except GO_ON:
            raise
        except BaseException as error:
            self.report(name, error)
        else:
            if later is not None and hasattr(later, "__await__"):
                self._late.append((name, later))
                if not self._is_draining:
                    self._is_draining = True
                    self.spawn(self._drain())

    async def _drain(self) -> None:
        try:
            while self._late:
                name, later = self._late.popleft()
                try:
                    await later
                except (*GO_ON, asyncio.CancelledError):
                    raise
                except BaseException as error:
                    self.report(name, error)
        except asyncio.CancelledError:
            for _, later in self._late:
                if isinstance(later, Coroutine):
                    later.close()
            raise
        finally:
            self._is_draining = False

    def report(self, name: str, error: BaseException) -> None:
        """Say that somebody else's code failed: to who wants to know, else to the log."""
        if self.watchers.on_error is None:
            _LOG.error("%s failed: %r", name, error, exc_info=error)
            return
        try:
            self.watchers.on_error(name, error)
        except Exception:
            _LOG.exception("on_error failed while it was told of %r", error)

    def updates(self) -> AsyncIterator[Snapshot]:
        """Snapshots from now on, until the scheduler is closed."""
        stream = Stream()
        following = stream.follow()
        if self._is_over:
            stream.put(None)
        else:
            self.streams.append(stream)
            weakref.finalize(following, self._drop, stream).atexit = False
        return following

    def _drop(self, stream: Stream) -> None:
        """Nobody follows this one any more."""
        self.streams = [known for known in self.streams if known is not stream]

    def close(self) -> None:
        """Nothing more will come."""
        self._is_over = True
        for stream in self.streams:
            stream.put(None)
