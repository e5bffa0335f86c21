"""An event loop in which time is a number and nothing is ever waited for.

Rule 1: deterministic: what can go on goes on, in order; time moves only when nothing else can.
Rule 2: it knows when it is idle. No guess, no sleep: nothing is ready, so nothing will happen.
Rule 3: no files, sockets or threads in here: what comes from outside of the loop is not seen.
"""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@final
class _NoFiles(selectors.BaseSelector):
    """Where a loop would wait for the world, it learns that it is idle."""

    def __init__(self) -> None:
        self.keys: dict[Any, selectors.SelectorKey] = {}
        self.on_idle: Callable[[float | None], None] = lambda _timeout: None

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        number = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        key = selectors.SelectorKey(fileobj, number, events, data)
        self.keys[fileobj] = key
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self.keys.pop(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self.keys

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout > 0:
            self.on_idle(timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """`run_until_complete` lets time fly; `run_until_idle` and `advance` move it by hand.

    >>> loop = VirtualLoop()
    >>> loop.run_until_complete(asyncio.sleep(3600))
    >>> loop.time()
    3600.0
    >>> loop.close()
    """

    def __init__(self) -> None:
        files = _NoFiles()
        files.on_idle = self._is_idle
        super().__init__(files)
        self._now_s = 0.0
        self._until_s: float | None = None
        "How far time may fly; none: as far as it likes."

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._now_s

    def run_until_idle(self) -> None:
        """Let go on what can; time stands still."""
        self.advance(0)

    def advance(self, seconds: float) -> None:
        """Let time pass, and go on whatever can meanwhile."""
        self._until_s = self._now_s + seconds
        try:
            self.run_forever()
        finally:
            self._until_s = None

    def _is_idle(self, timeout_s: float | None) -> None:
        """Nothing is ready; the next timer, if there is one, is so far away."""
        until_s = self._until_s
        if timeout_s is not None and (until_s is None or self._now_s + timeout_s <= until_s):
            self._now_s += timeout_s
            return
        if until_s is not None:
            self._now_s = until_s
        self.stop()
