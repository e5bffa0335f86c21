"""One step's workbench: a state taken apart, worked on, and put together again.

Rule 1: nothing here outlives the step; what goes out is a new frozen state. If the step raises, the
workbench is dropped and nothing has happened.
Rule 2: every change of a call goes through `put`, which keeps the counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.kernel.alarms import NO_ALARMS, pop, push
from callgate.kernel.calls import (
    AwaitingApproval,
    Cancelled,
    Errored,
    Executing,
    Scheduled,
    Success,
    Validating,
    is_open_question,
)
from callgate.kernel.effects import Ignored, RememberAnswer, ReviewWaiting, new_moved
from callgate.kernel.errors import IllegalEvent, shown
from callgate.kernel.lifecycle import REJECT
from callgate.kernel.state import NOBODY, new_batch, new_state
from callgate.kernel.table import allowed_events, decide

if TYPE_CHECKING:
    from typing import Any

    from callgate.kernel.calls import Call
    from callgate.kernel.effects import Effect
    from callgate.kernel.state import Batch, KernelState, Outline
    from callgate.kernel.table import Edge

_UNDECIDED: Final = frozenset((Validating, AwaitingApproval))
_FINAL: Final = frozenset((Success, Errored, Cancelled))


class Workspace:
    """The mutable inside of `step`; it is a `Situation` for the guards."""

    __slots__ = (
        "alarms",
        "asking",
        "calls",
        "config",
        "cursor",
        "effects",
        "epoch",
        "is_delivering",
        "is_open",
        "next_serial",
        "now_ms",
        "order",
        "outline",
        "queued",
        "ready",
        "running",
        "taken",
        "undecided",
        "unfinished",
        "wave",
        "wave_unfinished",
    )

    outline: Outline | None

    def __init__(self, state: KernelState) -> None:
        self.effects: list[Effect] = []
        self.taken: list[Edge] = []
        self.config = state.config
        self.now_ms = state.now_ms
        self.epoch = state.epoch
        self.next_serial = state.next_serial
        self.queued = state.queued
        self.order = state.order
        batch = state.batch
        if batch is None:
            self.clear()
        else:
            self._load(batch)

    def _load(self, batch: Batch) -> None:
        self.outline = batch.outline
        self.calls: Any = batch.calls.evolver()
        self.wave = batch.wave
        self.is_open = batch.is_open
        self.cursor = batch.cursor
        self.undecided = batch.undecided
        self.wave_unfinished = batch.wave_unfinished
        self.unfinished = batch.unfinished
        self.running = batch.running
        self.asking = batch.asking
        self.ready = batch.ready
        self.alarms = batch.alarms
        self.is_delivering = batch.is_delivering

    def clear(self) -> None:
        """No batch is at work."""
        self.outline = None
        self.calls = ()
        self.wave = self.cursor = 0
        self.is_open = self.is_delivering = False
        self.undecided = self.wave_unfinished = self.unfinished = self.running = self.asking = 0
        self.ready = NOBODY
        self.alarms = NO_ALARMS

    def frozen(self) -> KernelState:
        """The state as it is now."""
        batch = None
        if self.outline is not None:
            batch = new_batch(
                self.outline,
                self.calls.persistent(),
                self.wave,
                self.is_open,
                self.cursor,
                self.undecided,
                self.wave_unfinished,
                self.unfinished,
                self.running,
                self.asking,
                self.ready,
                self.alarms,
                self.is_delivering,
            )
        return new_state(
            self.config,
            self.now_ms,
            self.epoch,
            self.next_serial,
            self.queued,
            self.order,
            batch,
        )

    # --- one call ---------------------------------------------------------------------------------

    def send(self, position: int, event: str, fact: Any) -> bool:
        """Give an event to a call's machine. False: it was absorbed."""
        call = self.calls[position]
        edge, decision = decide(call, event, fact, self)
        if edge is None:
            if decision is REJECT:
                raise IllegalEvent(
                    what=f"{event} {_numbers(fact)}".rstrip(),
                    where=call.facts.label,
                    value=f"in state {call.status.value}{_expected(call)}",
                    allowed=allowed_events(call.status),
                )
            return False
        self.taken.append(edge)
        moved, orders = edge.move(call, fact, self)
        self.put(position, call, moved)
        for order in orders:
            self.effects.append(order)
            if type(order) is RememberAnswer:
                self.review()
        if self.asking and is_open_question(moved) and moved.epoch < self.epoch:  # type: ignore[union-attr]
            self._review_one(moved)
        return True

    def put(self, position: int, old: Call, new: Call) -> None:
        """Replace a record, keep the counters, and tell a change of status."""
        self.calls[position] = new
        before, after = type(old), type(new)
        if before is not after:
            self._count(position, before, after)
            self.effects.append(new_moved(new))
        if before is AwaitingApproval or after is AwaitingApproval:
            self.asking += is_open_question(new) - is_open_question(old)
        if after not in _FINAL:
            until_ms = new.deadline_ms  # type: ignore[union-attr]
            if until_ms is not None and until_ms != old.deadline_ms:  # type: ignore[union-attr]
                self.alarms = push(self.alarms, (until_ms, position))
            elif until_ms is None and self.is_open and before is not after is Scheduled:
                self.line_up(position)

    def line_up(self, position: int) -> None:
        """Behind an open barrier a call waits for a slot only."""
        self.ready = self.ready.append(position)

    def _count(self, position: int, before: type, after: type) -> None:
        ended = after in _FINAL
        if ended:
            self.unfinished -= 1
        if before is Executing:
            self.running -= 1
        elif after is Executing:
            self.running += 1
        if position < self.outline.ends[self.wave]:  # type: ignore[union-attr]
            if ended:
                self.wave_unfinished -= 1
            if not self.is_open and before in _UNDECIDED and after not in _UNDECIDED:
                self.undecided -= 1

    def ignore(self, why: str, call: int | None = None) -> None:
        """Say that an event changed nothing."""
        self.effects.append(Ignored(why, call))

    # --- the policy -------------------------------------------------------------------------------

    def review(self) -> None:
        """Another policy is in force: whoever is asking is put to it, once."""
        self.epoch += 1
        if self.asking and self.outline is not None:
            self.effects.append(ReviewWaiting(self.outline.batch_id, self.epoch))

    def _review_one(self, call: Any) -> None:
        # BATCH-14: a question that comes back under a newer policy is reviewed by itself.
        batch_id = self.outline.batch_id  # type: ignore[union-attr]
        self.effects.append(ReviewWaiting(batch_id, self.epoch, call.facts.serial))

    # --- time -------------------------------------------------------------------------------------

    def drop_stale_alarms(self) -> None:
        """Keep a deadline that still counts at the top, so that `next_deadline` only looks."""
        while (first := self.alarms.first) is not None:
            call = self.calls[first[1]]
            if type(call) not in _FINAL and call.deadline_ms == first[0]:
                return
            self.alarms = pop(self.alarms)


def _numbers(fact: Any) -> str:
    """The numbers that a fact carries, for error texts."""
    names = ("approval_id", "attempt", "revision", "epoch")
    pairs = [f"{name} {shown(getattr(fact, name))}" for name in names if hasattr(fact, name)]
    return f"({', '.join(pairs)})" if pairs else ""


def _expected(call: Call) -> str:
    """Where a call stands, for error texts."""
    if isinstance(call, Validating):
        asked = "not asked yet" if call.asked_epoch is None else f"asked, epoch {call.asked_epoch}"
        return f" ({asked})"
    if isinstance(call, AwaitingApproval):
        return f" ({call.phase.value}, approval_id {call.approval_id})"
    if isinstance(call, Executing):
        return f" (attempt {call.attempt})"
    return ""
