"""The neutral graph: what is drawn, whatever it was read off and whatever draws it.

Rule 1: a graph is a value. Everything keeps the order in which it was declared, and nothing here
knows a format, a colour or a coordinate.
Rule 2: `digest` is of the meaning alone: two graphs that say the same have the same digest, on
every machine and with every version of a layout engine.
"""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, final

from attrs import asdict, evolve, frozen

from callgate.diagrams.errors import DiagramError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@final
class Kind(StrEnum):
    """What a state is to its machine."""

    LIVE = "live"
    FINAL = "final"
    GROUP = "group"
    "A compound state: others name it as their parent."
    HISTORY = "history"
    "Where a compound state was when it was left."

    __hash__ = str.__hash__


@final
class Tone(StrEnum):
    """How an end is to be taken; with it, a final state has a colour, a sign and a shape."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    CALM = "calm"
    "Neither good nor bad: cancelled."

    __hash__ = str.__hash__


@final
class Shape(StrEnum):
    """The outline of a state. Final ones are doubled, and differ from each other too."""

    ROUNDED = "rounded"
    DOUBLE = "double"
    PILL = "pill"
    OCTAGON = "octagon"
    HEXAGON = "hexagon"
    FRAME = "frame"
    CIRCLE = "circle"

    __hash__ = str.__hash__


_FINAL_SHAPES: Final = {
    Tone.PLAIN: Shape.DOUBLE,
    Tone.GOOD: Shape.PILL,
    Tone.BAD: Shape.OCTAGON,
    Tone.CALM: Shape.HEXAGON,
}


@final
@frozen(kw_only=True)
class Node:
    """One state."""

    name: str
    label: str
    "What people read: `awaiting approval`."
    kind: Kind = Kind.LIVE
    initial: bool = False
    "Does the machine, or the state around it, begin here?"
    tone: Tone = Tone.PLAIN
    parent: str | None = None
    "The compound state around it."
    parallel: bool = False
    "A group whose children are all active at once."
    deep: bool = False
    "A history that remembers the states within states too."
    notes: tuple[str, ...] = ()
    "What happens in it: `entry / ...`, `exit / ...`."
    taken: bool | None = None
    "Was it visited by the run that is drawn? None: no run is drawn."
    count: int | None = None
    "How often it was visited."

    @property
    def shape(self) -> Shape:
        """The outline, from what the state is."""
        if self.kind is Kind.FINAL:
            return _FINAL_SHAPES[self.tone]
        if self.kind is Kind.GROUP:
            return Shape.FRAME
        return Shape.CIRCLE if self.kind is Kind.HISTORY else Shape.ROUNDED


@final
@frozen(kw_only=True)
class Edge:
    """One transition."""

    source: str
    target: str
    event: str = ""
    "Empty: it is taken without one."
    guards: tuple[str, ...] = ()
    "Names of predicates; one that must not hold stands behind a `!`."
    effects: tuple[str, ...] = ()
    rule: str = ""
    "The numbered rule of the specification that it carries out."
    happy: bool = False
    "Is it on the path that a life takes when all goes well?"
    taken: bool | None = None
    "Was it taken by the run that is drawn? None: no run is drawn."
    count: int | None = None
    "How often it was taken."
    dashed: bool = False

    @property
    def name(self) -> str:
        """Its own name, as in the specification: state, event and guards."""
        return " ".join((f"{self.source}.{self.event}", *self.guards))

    @property
    def is_loop(self) -> bool:
        """It ends where it starts."""
        return self.source == self.target


@final
@frozen(kw_only=True)
class Graph:
    """One machine, in order of declaration."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    rest: tuple[tuple[str, str, str], ...] = ()
    "State, event, and what becomes of the event where no transition takes it."
    notes: tuple[str, ...] = ()
    "Said below the picture: what a level of detail leaves out, what a run did."

    def node(self, name: str) -> Node:
        """The node of this name."""
        for node in self.nodes:
            if node.name == name:
                return node
        known = ", ".join(node.name for node in self.nodes)
        raise DiagramError(f"no state {name!r} in {self.title} (there are: {known})")

    @property
    def roots(self) -> tuple[Node, ...]:
        """The states that stand in no other."""
        return self.children(None)

    def children(self, parent: str | None) -> tuple[Node, ...]:
        """The states that stand directly in this one."""
        return tuple(node for node in self.nodes if node.parent == parent)

    def entries(self) -> Iterator[Node]:
        """Where the machine, and each compound state, begins."""
        return (node for node in self.nodes if node.initial)

    @property
    def events(self) -> tuple[str, ...]:
        """Every event, in order of declaration."""
        known = dict.fromkeys(event for _, event, _ in self.rest)
        return tuple(known | dict.fromkeys(edge.event for edge in self.edges))

    def counted(self, counts: Mapping[str, int]) -> Graph:
        """With how often each edge was taken, by its name: those never taken are dashed.

        >>> a, b = Node(name="a", label="a"), Node(name="b", label="b")
        >>> there = Edge(source="a", target="b", event="go")
        >>> back = Edge(source="b", target="a", event="back")
        >>> graph = Graph(title="t", nodes=(a, b), edges=(there, back)).counted({"a.go": 2})
        >>> [(edge.count, edge.taken, edge.dashed) for edge in graph.edges]
        [(2, True, False), (0, False, True)]
        """
        unknown = [name for name in counts if name not in {edge.name for edge in self.edges}]
        if unknown:
            raise DiagramError(f"no transition {unknown[0]!r} in {self.title}")
        edges = tuple(_counted(edge, counts.get(edge.name, 0)) for edge in self.edges)
        visits: dict[str, int] = {}
        for edge in edges:
            visits[edge.target] = visits.get(edge.target, 0) + (edge.count or 0)
        begun = {edge.source for edge in edges if edge.taken}
        nodes = tuple(
            evolve(
                node,
                count=visits.get(node.name, 0),
                taken=node.name in begun or visits.get(node.name, 0) > 0,
            )
            for node in self.nodes
        )
        return evolve(self, nodes=nodes, edges=edges)

    def as_data(self) -> dict[str, Any]:
        """Plain data: the `json` format, and what the digest is of."""
        return asdict(self)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for the meaning of the graph."""
        text = json.dumps(self.as_data(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _counted(edge: Edge, count: int) -> Edge:
    return evolve(edge, count=count, taken=count > 0, dashed=count == 0)
