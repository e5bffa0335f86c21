"""A switch that is turned off once, and tells whoever wants to know.

Rule 1: telling is immediate: when `cancel` returns, everybody has been told (in the thread of an
event loop; from another thread it is told as soon as it can listen).
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from collections.abc import Callable


@final
class CancelToken:
    """Give one to `schedule(cancel=...)` and turn it off from wherever you like, threads too.

    >>> token = CancelToken()
    >>> token.cancel("enough")
    >>> token.is_cancelled, token.reason
    (True, 'enough')
    """

    __slots__ = ("_callbacks", "_is_cancelled", "reason")

    def __init__(self) -> None:
        self._is_cancelled = False
        self._callbacks: list[Callable[[], object]] | None = None
        self.reason = ""

    @property
    def is_cancelled(self) -> bool:
        """Has it been turned off?"""
        return self._is_cancelled

    def cancel(self, reason: str = "") -> None:
        """Turn it off, for ever; a second time changes nothing."""
        if self._is_cancelled:
            return
        self._is_cancelled = True
        self.reason = reason
        callbacks, self._callbacks = self._callbacks, None
        for callback in callbacks or ():
            callback()

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Call this when it is turned off; at once if it has been."""
        if self._is_cancelled:
            callback()
        elif self._callbacks is None:
            self._callbacks = [callback]
        else:
            self._callbacks.append(callback)

    def forget(self, callback: Callable[[], object]) -> None:
        """Do not call this any more."""
        if self._callbacks is not None and callback in self._callbacks:
            self._callbacks.remove(callback)

    async def wait(self) -> None:
        """Return when it is turned off."""
        if self._is_cancelled:
            return
        loop, thread = asyncio.get_running_loop(), threading.get_ident()
        told: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            if threading.get_ident() != thread:
                loop.call_soon_threadsafe(tell)
            elif not told.done():
                told.set_result(None)

        self.on_cancel(tell)
        try:
            await told
        finally:
            self.forget(tell)
