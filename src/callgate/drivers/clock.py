"""Time, for those who may know it: the kernel is told, and says when it wants to be told again.

Rule 1: milliseconds, whole, from zero at the beginning of the run; never a wall clock, which jumps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable


class Alarm(Protocol):
    """A call that will be made; it can be taken back."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """What time it is, and somebody to wake the driver."""

    def now_ms(self) -> int: ...
    def call_at_ms(self, at_ms: int, callback: Callable[[], None]) -> Alarm: ...


@final
class LoopClock:
    """The time of the event loop: real in a real loop, virtual in a `VirtualLoop`."""

    __slots__ = ("_loop", "_start", "_time")

    def __init__(self, loop: AbstractEventLoop, started_ms: int = 0) -> None:
        self._loop = loop
        self._time = loop.time
        self._start = loop.time() - started_ms / 1000

    def now_ms(self) -> int:
        """Milliseconds since the run began."""
        return int((self._time() - self._start) * 1000)

    def call_at_ms(self, at_ms: int, callback: Callable[[], None]) -> Alarm:
        """Wake the driver, not before this time."""
        return self._loop.call_at(self._start + at_ms / 1000, callback)
