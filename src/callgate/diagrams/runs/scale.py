"""The time axis: where a moment stands, and where the ticks are.

Rule 1: ticks stand at round times, at least as far apart as their labels need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from callgate.diagrams.runs.wording import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

TICK_GAP: Final = 70.0
_ROUND: Final[tuple[int, ...]] = (
    *(digit * 10**power for power in range(4) for digit in (1, 2, 5)),
    *(10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000),
)


@final
@frozen
class Scale:
    """From milliseconds to pixels.

    >>> scale = Scale(1_000, 5_000, 100.0, 500.0)
    >>> scale.x(3_000), list(scale.ticks())[:2]
    (300.0, [(100.0, '0'), (200.0, '1 s')])
    """

    start_ms: int
    end_ms: int
    left: float
    right: float
    by_event: bool = False
    "Ticks are positions of events, not times."

    def x(self, at_ms: int) -> float:
        """Where a moment stands."""
        span_ms = max(1, self.end_ms - self.start_ms)
        return self.left + (self.right - self.left) * (at_ms - self.start_ms) / span_ms

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Where the axis is marked, and what is written there."""
        step_ms, at_ms = self._step_ms(), 0
        while at_ms <= self.end_ms - self.start_ms:
            label = str(at_ms) if self.by_event or not at_ms else duration(at_ms)
            yield self.x(self.start_ms + at_ms), label
            at_ms += step_ms

    def _step_ms(self) -> int:
        span_ms = max(1, self.end_ms - self.start_ms)
        least_ms = span_ms * TICK_GAP / (self.right - self.left)
        step_ms = next((ms for ms in _ROUND if ms >= least_ms), _ROUND[-1])
        while step_ms < least_ms:
            step_ms *= 2
        return step_ms
