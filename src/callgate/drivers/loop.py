"""The kernel at work: facts wait in an inbox, one is stepped, its orders are obeyed, the next.

Rule 1: `step` is never re-entered. A fact that is put while orders are obeyed waits for its turn.
Rule 2: the orders of a step are obeyed, in order, before the next fact is stepped.
Rule 3: each fact is recorded as stepped, before any of its orders is obeyed.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any, final

from callgate.drivers.errors import WrongThread
from callgate.kernel.events import TimePassed
from callgate.kernel.state import initial, next_deadline
from callgate.kernel.step import step

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Mapping

    from callgate.drivers.clock import Alarm, Clock
    from callgate.kernel.config import Config
    from callgate.kernel.effects import Effect
    from callgate.kernel.events import Event


@final
class KernelLoop:
    """Steps facts, and has their orders obeyed."""

    def __init__(
        self,
        config: Config | None,
        clock: Clock,
        event_loop: asyncio.AbstractEventLoop,
        record: Callable[[Event], object] | None,
    ) -> None:
        self.state = initial(config)
        self.clock = clock
        self.now_ms = clock.now_ms
        self.stepped: Event | None = None
        "The fact whose orders are being obeyed."
        self.handlers: Mapping[type[Any], Callable[[Any], None]] = {}
        self._event_loop = event_loop
        self._thread = threading.get_ident()
        self._record = record
        self._inbox: deque[Event] = deque()
        self._orders: Iterator[Effect] = iter(())
        self._is_obeying = False
        self._alarm: Alarm | None = None
        self._alarm_ms: int | None = None

    def put(self, event: Event) -> None:
        """Step a fact now, or, while orders are obeyed, right after those."""
        self.refuse_other_threads()
        self._inbox.append(event)
        if not self._is_obeying:
            self.run()

    def refuse_other_threads(self) -> None:
        """Raise, if this is not the thread of the event loop."""
        if threading.get_ident() != self._thread:
            raise WrongThread

    def from_anywhere(self, act: Callable[[], None]) -> None:
        """Do this: now, or, called from another thread, as soon as the loop can."""
        if threading.get_ident() == self._thread:
            act()
        else:
            self._event_loop.call_soon_threadsafe(act)

    def put_together(self, *events: Event) -> None:
        """Step facts with nothing between them but their own orders."""
        self._inbox.extend(events)
        if not self._is_obeying:
            self.run()

    def run(self) -> None:
        """Step and obey until the inbox is empty."""
        inbox, handlers, record = self._inbox, self.handlers, self._record
        self._is_obeying = True
        try:
            for order in self._orders:  # what was left when somebody ended the process
                handlers[type(order)](order)
            while inbox:
                event = inbox.popleft()
                self.state, effects = step(self.state, event)
                self.stepped = event
                self._orders = iter(effects)
                if record is not None:
                    record(event)
                for order in self._orders:
                    handlers[type(order)](order)
        except BaseException:
            # One order has failed; the others, and the facts that wait, are owed all the same.
            self._event_loop.call_soon(self.run)
            raise
        finally:
            self._is_obeying = False
        batch = self.state.batch
        if self._alarm_ms is not None or (batch is not None and batch.alarms.size):
            self._arm()

    def _arm(self) -> None:
        deadline_ms = next_deadline(self.state)
        if deadline_ms == self._alarm_ms:
            return
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        self._alarm_ms = deadline_ms
        if deadline_ms is not None:
            self._alarm = self.clock.call_at_ms(deadline_ms, self._ring)

    def _ring(self) -> None:
        due_ms = self._alarm_ms
        self._alarm = self._alarm_ms = None
        if due_ms is not None:
            self.put(TimePassed(at_ms=max(due_ms, self.now_ms())))

    def close(self) -> None:
        """Nobody is to be woken any more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self._alarm_ms = None
