"""What finished calls add up to: how many, how well, how long, and what people said.

Rule 1: adding a call costs the same however many came before; the summary is plain JSON data.
Rule 2: a cancelled call is neither a success nor a failure: rates are of calls that ran to an end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from callgate.kernel.values import Status
from callgate.responses.records import final_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callgate.kernel.calls import FinalCall
    from callgate.responses.records import HasRecord


@final
class Tally:
    """Counts of one tool, or of all."""

    __slots__ = ("counts", "decisions", "duration_ms", "longest_ms", "shortest_ms")

    def __init__(self) -> None:
        self.counts = {status: 0 for status in Status if status.is_final}
        self.decisions: dict[str, int] = {}
        self.duration_ms = 0
        self.longest_ms = 0
        self.shortest_ms: int | None = None

    def add(self, call: FinalCall) -> None:
        """Count one call."""
        self.counts[call.status] += 1
        said = "none" if call.outcome is None else call.outcome.value
        self.decisions[said] = self.decisions.get(said, 0) + 1
        duration_ms = call.duration_ms
        self.duration_ms += duration_ms
        self.longest_ms = max(self.longest_ms, duration_ms)
        shortest_ms = self.shortest_ms
        self.shortest_ms = duration_ms if shortest_ms is None else min(shortest_ms, duration_ms)

    @property
    def calls(self) -> int:
        """All of them."""
        return sum(self.counts.values())

    @property
    def success_rate(self) -> float | None:
        """Of the calls that were not cancelled, the part that succeeded; none: there were none."""
        succeeded = self.counts[Status.SUCCESS]
        ended = succeeded + self.counts[Status.ERROR]
        return succeeded / ended if ended else None

    def summary(self) -> dict[str, Any]:
        """As plain data, decisions in the order of their names."""
        calls = self.calls
        return {
            "calls": calls,
            **{status.value: count for status, count in self.counts.items()},
            "success_rate": self.success_rate,
            "duration_ms": {
                "total": self.duration_ms,
                "mean": self.duration_ms / calls if calls else None,
                "min": self.shortest_ms,
                "max": self.longest_ms,
            },
            "decisions": dict(sorted(self.decisions.items())),
        }


@final
class Metrics:
    """Counts calls as they finish; give `add_all` to a scheduler as `on_complete`.

    >>> Metrics().summary()["calls"]
    0
    """

    def __init__(self) -> None:
        self.total = Tally()
        self.by_tool: dict[str, Tally] = {}

    def add(self, finished: HasRecord | FinalCall) -> None:
        """Count one finished call."""
        call = final_of(finished)
        self.total.add(call)
        self.by_tool.setdefault(call.facts.request.name, Tally()).add(call)

    def add_all(self, finished: Iterable[HasRecord | FinalCall]) -> None:
        """Count a finished batch."""
        for call in finished:
            self.add(call)

    def summary(self) -> dict[str, Any]:
        """All of it, tools in the order of their names."""
        tools = {name: tally.summary() for name, tally in sorted(self.by_tool.items())}
        return {**self.total.summary(), "tools": tools}
