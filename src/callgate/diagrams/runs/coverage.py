"""Which transitions of the call machine were taken: by one run, by many, by a whole suite.

Rule 1: what counts is what the kernel took on replay (`trace`), not what a record seems to say.
Rule 2: every transition of the machine is counted, those never taken too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from attrs import evolve, frozen

from callgate.diagrams.extract import call_graph
from callgate.journal.record import replay
from callgate.kernel.table import EDGES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callgate.diagrams.graph import Graph
    from callgate.diagrams.runs.story import Story
    from callgate.journal.record import Record


@final
@frozen
class Coverage:
    """How often each transition was taken, in order of declaration."""

    counts: tuple[tuple[str, int], ...]
    runs: int

    @property
    def never(self) -> tuple[str, ...]:
        """The transitions that nobody took."""
        return tuple(name for name, count in self.counts if not count)

    @property
    def percent(self) -> float:
        """How many of the transitions were taken, of a hundred."""
        return 100 * (len(self.counts) - len(self.never)) / len(self.counts)

    def told(self) -> str:
        """What a person reads in a terminal.

        >>> cover([]).told().splitlines()[0]
        '0 of 46 transitions taken by 0 runs: 0.0 %'
        """
        taken = len(self.counts) - len(self.never)
        head = f"{taken} of {len(self.counts)} transitions taken"
        lines = [f"{head} by {_runs(self.runs)}: {_floor(self.percent)} %"]
        return "\n".join([*lines, *(f"never taken: {name}" for name in self.never)]) + "\n"

    def graph(self) -> Graph:
        """The machine, with what was never taken dashed."""
        graph = call_graph().counted(dict(self.counts))
        taken = len(self.counts) - len(self.never)
        note = f"{taken} of {len(self.counts)} transitions taken by {_runs(self.runs)}"
        note += "; never taken: dashed, or ×0" if self.never else ""
        nodes = tuple(evolve(node, count=None) for node in graph.nodes)
        title = "Transition coverage of a tool call"
        return evolve(graph, title=title, nodes=nodes, notes=(note,))


def cover(records: Iterable[Record]) -> Coverage:
    """Replay runs and count.

    >>> from callgate import TimePassed
    >>> from callgate.journal.record import Record
    >>> cover([Record(events=[TimePassed(at_ms=1)])]).percent
    0.0
    """
    counts = {edge.name: 0 for edge in EDGES}
    runs = 0
    for record in records:
        runs += 1
        for moment in replay(record):
            for edge in moment.edges:
                counts[edge.name] += 1
    return Coverage(tuple(counts.items()), runs)


def path(story: Story) -> Graph:
    """The machine with the path that the calls of a run took."""
    graph = call_graph().counted(dict(story.edges))
    calls = len(story.lives)
    note = f"the path of {calls} call{'' if calls == 1 else 's'}; dashed: not taken"
    visits = dict(story.visits)
    nodes = tuple(
        evolve(node, count=visits.get(node.name, 0), taken=node.name in visits)
        for node in graph.nodes
    )
    return evolve(graph, title="The path taken by a run", nodes=nodes, notes=(note,))


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"


def _floor(percent: float) -> str:
    """One decimal, never rounded up to what was not reached."""
    return f"{int(percent * 10) / 10:.1f}"
