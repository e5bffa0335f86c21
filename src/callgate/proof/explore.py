"""The exhaustive search: every state that a few calls can reach, and what is wrong with any.

Rule 1: breadth first, so that the first trace to a fault is a shortest one.
Rule 2: the same scope gives the same report, whatever the hash seed and however many processes
help: they only find, and what they found is taken over in order.
Rule 3: nothing is believed of an abstracted state that was not seen on a real one: each transition
is a real `step` from a real state.
"""

from __future__ import annotations

import gc
from marshal import dumps
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeAlias, final

from attrs import field, frozen

from callgate.kernel.config import Config, Retry
from callgate.kernel.errors import InvariantViolation, KernelError
from callgate.kernel.events import (
    BatchSubmitted,
    CancelRequested,
    Event,
    ExecutionLost,
    PolicyChanged,
    TimePassed,
)
from callgate.kernel.invariants import check
from callgate.kernel.outstanding import outstanding
from callgate.kernel.state import KernelState, initial
from callgate.kernel.step import Step, step, trace
from callgate.kernel.table import EDGES
from callgate.proof.abstraction import key_of, representatives
from callgate.proof.deadends import without_way_out
from callgate.proof.histories import broken_by, is_ignored
from callgate.proof.moves import Bounds, enabled, submission
from callgate.proof.workers import in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callgate.kernel.effects import Order
    from callgate.kernel.plans import PlanName

MARSHAL: Final = 2
"""A version of the format that writes equal values as equal bytes."""
STATES_MAX: Final = 5_000_000

Node: TypeAlias = tuple[KernelState, int]
"""A state, and how many batches are still to be submitted."""
Progress: TypeAlias = "Callable[[int, int, int], None]"
"""Told after each level: its number, the states and the transitions so far."""


@final
@frozen(kw_only=True)
class Scope:
    """What is explored.

    >>> Scope(calls=2).config.retry.attempts_max
    2
    """

    calls: int
    queued: int = 0
    "Batches of one call each that may be submitted at any time behind the first."
    plan: PlanName = "classic"
    max_parallel: int | None = None
    full: bool = False
    "No symmetry, and final states apart."
    bounds: Bounds = field(factory=Bounds)

    @property
    def config(self) -> Config:
        """Everything is timed and may be retried once; durations are 1 and 2 ms."""
        long_ms = 2 if self.calls * (1 + self.queued) <= 3 else 1
        return Config(
            max_parallel=self.max_parallel,
            validation_timeout_ms=1,
            approval_timeout_ms=long_ms,
            timeout_ms=long_ms,
            cancel_grace_ms=1,
            retry=Retry(attempts_max=self.bounds.attempts, backoff_ms=1),
        )


@final
@frozen
class Finding:
    """Something that is wrong, with the shortest way there."""

    what: str
    detail: str
    events: tuple[Event, ...]


@final
@frozen
class Report:
    """What a search found."""

    scope: Scope
    states: int
    transitions: int
    seconds: float
    violations: tuple[Finding, ...]
    dead_ends: tuple[Finding, ...]
    never_taken: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        """Nothing is wrong."""
        return not (self.violations or self.dead_ends or self.never_taken)


@frozen
class Level:
    """What a part of one level of the search gave. Places are (node, event) by number."""

    transitions: int
    taken: tuple[str, ...]
    violations: tuple[tuple[int, int, str, str], ...]
    fresh: tuple[tuple[int, int, bytes], ...]
    ways: tuple[tuple[int, tuple[bytes, ...]], ...]
    "Where each node leads by news that a driver owes, without a cancel, a loss or a time-out."


@final
class Search:
    """A search over one scope, level by level."""

    def __init__(self, scope: Scope, processes: int = 1) -> None:
        self.scope = scope
        self.processes = processes
        self.ids: dict[bytes, int] = {}
        self.came_from: list[tuple[int, Event]] = []
        self.ways: list[tuple[int, ...]] = []
        self.goals: list[int] = []
        self.taken: set[str] = set()
        self.transitions = 0
        self.violations: list[Finding] = []

    def run(self, progress: Progress | None = None) -> Report:
        """Search until nothing new is found, or something is wrong."""
        began = monotonic()
        first = submission(initial(self.scope.config), self.scope.calls, self.scope.plan)
        state = step(initial(self.scope.config), first).state
        self._meet(-1, first, self._key(state, self.scope.queued), state)
        level, depth = [(state, self.scope.queued)], 0
        while level and not self.violations:
            level = self._next(level, len(self.ids) - len(level))
            depth += 1
            if progress is not None:
                progress(depth, len(self.ids), self.transitions)
        return self._report(monotonic() - began)

    def _report(self, seconds: float) -> Report:
        # A search that stopped early has not seen enough to judge what is missing.
        ended = not self.violations
        dead = without_way_out(self.ways, self.goals)[:1] if ended else []
        never = [edge.name for edge in EDGES if edge.name not in self.taken] if ended else []
        detail = "from here the kernel can no longer become idle, whatever is answered"
        return Report(
            self.scope,
            len(self.ids),
            self.transitions,
            seconds,
            tuple(self.violations),
            tuple(Finding("DEAD-END", detail, self._way_to(node)) for node in dead),
            tuple(never),
        )

    def _key(self, state: KernelState, unsent: int) -> bytes:
        return dumps(key_of(state, self.scope.bounds, unsent, full=self.scope.full), MARSHAL)

    def _meet(self, source: int, event: Event, key: bytes, state: KernelState) -> None:
        if state.is_idle:
            self.goals.append(len(self.ids))
        self.ids[key] = len(self.ids)
        self.came_from.append((source, event))

    def _way_to(self, node: int) -> tuple[Event, ...]:
        events = []
        while node >= 0:
            node, event = self.came_from[node]
            events.append(event)
        return tuple(reversed(events))

    def enabled(self, node: Node) -> list[Event]:
        """Everything that may happen in a state."""
        state, unsent = node
        calls = representatives(state, full=self.scope.full)
        return list(enabled(state, self.scope.bounds, unsent, calls))

    # --- one level --------------------------------------------------------------------------------

    def _next(self, level: list[Node], first: int) -> list[Node]:
        """Expand all states of a level; `first` is the number of its first state."""

        def expand(part: Sequence[int]) -> Level:
            return self.expand(level, part)

        found: list[Node] = []
        ways: list[tuple[int, tuple[bytes, ...]]] = []
        for part in in_parallel(expand, len(level), self.processes):
            self.transitions += part.transitions
            self.taken.update(part.taken)
            ways += part.ways
            for at, place, what, detail in part.violations:
                event = self.enabled(level[at])[place]
                self._note(what, detail, (*self._way_to(first + at), event))
            for at, place, key in part.fresh:
                if key not in self.ids:
                    self._take_over(level[at], first + at, place, key, found)
        if not self.violations:
            self.ways += [tuple({self.ids[key]: None for key in keys}) for _, keys in ways]
        if len(self.ids) > STATES_MAX:
            raise MemoryError(f"more than {STATES_MAX:,} states: explore fewer calls")
        return found

    def _take_over(
        self, node: Node, number: int, place: int, key: bytes, found: list[Node]
    ) -> None:
        event = self.enabled(node)[place]
        state = step(node[0], event).state
        self._meet(number, event, key, state)
        found.append((state, node[1] - (type(event) is BatchSubmitted)))

    def _note(self, what: str, detail: str, events: tuple[Event, ...]) -> None:
        if what not in [finding.what for finding in self.violations]:
            self.violations.append(Finding(what, detail, events))

    def expand(self, level: Sequence[Node], part: Sequence[int]) -> Level:
        """Take every event in each of these states; nothing of the search is changed."""
        transitions, taken = 0, dict[str, None]()
        violations: list[tuple[int, int, str, str]] = []
        fresh: dict[bytes, tuple[int, int]] = {}
        ways: list[tuple[int, tuple[bytes, ...]]] = []
        for at in part:
            state, unsent = level[at]
            ahead: dict[bytes, None] = {}
            here, owed = self._key(state, unsent), outstanding(state)
            for place, event in enumerate(self.enabled(level[at])):
                transitions += 1
                try:
                    result, edges = trace(state, event)
                    after = result.state
                    key = self._key(after, unsent - (type(event) is BatchSubmitted))
                    is_new = key not in self.ids and key not in fresh
                    if is_new or not _same_alarms(state, after):
                        check(after)
                    wrong = _wrong(state, event, result, owed, here == key)
                except Exception as error:  # whatever a broken kernel raises is a finding
                    violations.append((at, place, *_named(error)))
                    continue
                violations += [(at, place, what, detail) for what, detail in wrong]
                for edge in edges:
                    taken[edge.name] = None
                if is_new:
                    fresh[key] = (at, place)
                if type(event) not in _NO_HELP and not _runs_late(event, edges):
                    ahead[key] = None
            ways.append((at, tuple(ahead)))
        found = tuple((at, place, key) for key, (at, place) in fresh.items())
        return Level(transitions, tuple(taken), tuple(violations), found, tuple(ways))


def _wrong(
    before: KernelState, event: Event, result: Step, owed: tuple[Order, ...], is_same: bool
) -> list[tuple[str, str]]:
    """The invariants of histories that a step breaks."""
    if not is_ignored(result.effects):
        return list(broken_by(before, event, result.state, result.effects, owed))
    if is_same:
        return []
    return [("INV-18", f"{type(event).__name__} is ignored, and changed the state")]


def _same_alarms(before: KernelState, after: KernelState) -> bool:
    """The alarms are not in the key, so a change of them is looked at, whatever the key says."""
    if before.batch is None or after.batch is None:
        return before.batch is after.batch
    return before.batch.alarms is after.batch.alarms


_NO_HELP: Final = (CancelRequested, ExecutionLost, PolicyChanged, BatchSubmitted)


def _runs_late(event: Event, edges: Sequence[object]) -> bool:
    """Does time help by ending something? That a backoff ends is no help."""
    return type(event) is TimePassed and any(e.event == "time_out" for e in edges)  # type: ignore[attr-defined]


def _named(error: Exception) -> tuple[str, str]:
    if isinstance(error, InvariantViolation):
        return error.invariant, str(error)
    # CALL-7: what may happen is taken or absorbed, never refused.
    return ("CALL-7" if isinstance(error, KernelError) else "STEP-RAISES"), repr(error)


def explore(scope: Scope, processes: int = 1, progress: Progress | None = None) -> Report:
    """Search a whole scope.

    >>> explore(Scope(calls=1)).is_clean
    True
    """
    was_enabled = gc.isenabled()
    gc.disable()  # states are acyclic and kept: there is nothing to find, and much to look through
    try:
        return Search(scope, processes).run(progress)
    finally:
        if was_enabled:
            gc.enable()
