"""Which switches belong to which batches.

Rule 1: a switch that is turned off cancels all of its batches by one fact, so that none of them is
admitted in between.
Rule 2: a batch whose switch is off already is submitted and cancelled before anything else happens.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, final

from callgate.kernel.events import Batches, BatchSubmitted, CancelRequested

if TYPE_CHECKING:
    from collections.abc import Callable

    from callgate.drivers.cancelling import CancelToken
    from callgate.drivers.loop import KernelLoop


@final
class Switches:
    """The switches of the batches that are queued or at work."""

    def __init__(self, kernel: KernelLoop) -> None:
        self._kernel = kernel
        self._batches: dict[CancelToken, dict[str, None]] = {}
        self._callbacks: dict[CancelToken, Callable[[], None]] = {}
        self._tokens: dict[str, CancelToken] = {}

    def submit(self, event: BatchSubmitted, token: CancelToken | None) -> None:
        """Submit a batch under its switch."""
        if token is None:
            self._kernel.put(event)
            return
        if token.is_cancelled:
            cancelled = CancelRequested(
                scope=Batches((event.batch_id,)), reason=token.reason, at_ms=event.at_ms
            )
            self._kernel.put_together(event, cancelled)
            return
        self._tokens[event.batch_id] = token
        if token not in self._batches:
            self._batches[token] = {}
            callback = self._callbacks[token] = partial(self._turned_off, token)
            token.on_cancel(callback)
        self._batches[token][event.batch_id] = None
        self._kernel.put(event)

    def _turned_off(self, token: CancelToken) -> None:
        self._kernel.from_anywhere(partial(self._cancel, token))

    def _cancel(self, token: CancelToken) -> None:
        scope = Batches(tuple(self._batches.get(token, ())))
        if scope.batch_ids:
            at_ms = self._kernel.now_ms()
            self._kernel.put(CancelRequested(scope=scope, reason=token.reason, at_ms=at_ms))

    def forget(self, batch_id: str) -> None:
        """This batch is over."""
        token = self._tokens.pop(batch_id, None)
        if token is None:
            return
        batches = self._batches[token]
        batches.pop(batch_id, None)
        if not batches:
            del self._batches[token]
            token.forget(self._callbacks.pop(token))
