"""What stands at an arrow: the words of the transitions, at two levels of detail.

Rule 1: `full` says everything of every transition: `event [guards] / effects (rule)`.
Rule 2: `low` is to be read at a glance. Transitions between the same two states share an arrow; a
guard that all candidates of an event share does not tell them apart and is left out; so are the
guards of loops, the effects and the rules. What is left out is said in the picture.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias, final

from attrs import evolve, frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callgate.diagrams.graph import Edge, Graph


@final
class Detail(StrEnum):
    """How much is said."""

    LOW = "low"
    FULL = "full"

    __hash__ = str.__hash__


ELSE: Final = "else"
_LOOPS_MAX: Final = 2
"A loop of more transitions names only their events at `low`."
_LINE_MAX: Final = 15
"Letters in a line of events, where there is more than one."
Row: TypeAlias = tuple[tuple[str, bool], ...]
"A line in pieces, each with whether it is an event (bold)."


@final
@frozen(kw_only=True)
class Arrow:
    """Transitions between the same two states, drawn as one."""

    source: str
    target: str
    edges: tuple[Edge, ...]
    rows: tuple[Row, ...]

    @property
    def happy(self) -> bool:
        """Is a transition of the happy path among them?"""
        return any(edge.happy for edge in self.edges)

    @property
    def dashed(self) -> bool:
        """Is every one of them dashed?"""
        return all(edge.dashed for edge in self.edges)

    @property
    def taken(self) -> bool | None:
        """Was one of them taken? None: no run is drawn."""
        known = [edge.taken for edge in self.edges if edge.taken is not None]
        return any(known) if known else None

    @property
    def is_loop(self) -> bool:
        """It ends where it starts."""
        return self.source == self.target

    @property
    def name(self) -> str:
        """The two states."""
        return f"{self.source} {self.target}"


def arrows(graph: Graph, detail: Detail) -> tuple[Arrow, ...]:
    """One arrow for each two states, in order of declaration."""
    pairs: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        pairs.setdefault((edge.source, edge.target), []).append(edge)
    return tuple(
        Arrow(
            source=source,
            target=target,
            edges=tuple(edges),
            rows=tuple(_full(edges) if detail is Detail.FULL else _low(edges, graph)),
        )
        for (source, target), edges in pairs.items()
    )


def leveled(graph: Graph, detail: Detail) -> Graph:
    """The graph with a note of what this level leaves out, if it leaves out anything."""
    if detail is Detail.FULL:
        return graph
    bundles = arrows(graph, detail)
    left = [
        name
        for name, is_left in (
            ("shared guards", hides_guards(graph)),
            ("guards of loops", any(_is_terse(arrow.edges) for arrow in bundles)),
            ("effects", any(edge.effects for edge in graph.edges)),
            ("rules", any(edge.rule for edge in graph.edges)),
        )
        if is_left
    ]
    if not left:
        return graph
    what = " and ".join(filter(None, [", ".join(left[:-1]), *left[-1:]]))
    note = (
        f"{len(graph.edges)} transitions on {len(bundles)} arrows; left out: {what} (--detail full)"
    )
    return evolve(graph, notes=(*graph.notes, note))


def hides_guards(graph: Graph) -> bool:
    """Does `low` leave out a guard because all candidates of an event share it?"""
    return any(
        spoken(guard) not in phrase(edge, graph) for edge in graph.edges for guard in edge.guards
    )


def _is_terse(edges: Sequence[Edge]) -> bool:
    """Is it a loop of so many transitions that only their events are named?"""
    return edges[0].is_loop and len(edges) > _LOOPS_MAX and any(edge.guards for edge in edges)


def spoken(name: str) -> str:
    """A name as people say it.

    >>> spoken("!is_cancelling")
    'not cancelling'
    """
    bare = name.removeprefix("!")
    words = bare.removeprefix("is_").replace("_", " ")
    return words if bare == name else f"not {words}"


def sentence(edge: Edge) -> str:
    """Everything of one transition, in one line.

    >>> from callgate.diagrams.graph import Edge
    >>> sentence(Edge(source="a", target="b", event="go", guards=("ok",), effects=("Run",)))
    'go [ok] / Run'
    """
    guards = " and ".join(guard.replace("!", "not ") for guard in edge.guards)
    parts = (
        edge.event,
        f"[{guards}]" if guards else "",
        f"/ {', '.join(edge.effects)}" if edge.effects else "",
        f"({edge.rule})" if edge.rule else "",
    )
    return " ".join(filter(None, parts))


def phrase(edge: Edge, graph: Graph) -> str:
    """The guards that tell this transition from the other candidates of its event, as words."""
    rivals = [e for e in graph.edges if e.source == edge.source and e.event == edge.event]
    if len(rivals) == 1:
        return " and ".join(map(spoken, edge.guards))
    shared = [guard for guard in edge.guards if all(guard in rival.guards for rival in rivals)]
    own = [guard for guard in edge.guards if guard not in shared]
    return " and ".join(map(spoken, own)) or (ELSE if edge is rivals[-1] else "")


def _counted(edges: Iterable[Edge]) -> str:
    counts = [edge.count for edge in edges if edge.count is not None]
    return f" ×{sum(counts)}" if counts else ""


def _full(edges: list[Edge]) -> Iterator[Row]:
    for edge in edges:
        guards = " and ".join(map(spoken, edge.guards))
        name = (edge.event + _counted([edge])).strip()
        pieces = ((name, True), (f"[{guards}]" if guards else "", False))
        row = tuple(piece for piece in pieces if piece[0])
        if row:
            yield row
        caused = f"/ {', '.join(edge.effects)}" if edge.effects else ""
        rule = f"({edge.rule})" if edge.rule else ""
        if caused or rule:
            yield ((" ".join(filter(None, (caused, rule))), False),)


def inside(graph: Graph) -> dict[str, tuple[Row, ...]]:
    """The transitions that stay in their state, a line for each: they stand in its box."""
    found: dict[str, list[Row]] = {}
    for edge in graph.edges:
        if edge.is_loop:
            rows = [piece for row in _full([edge]) for piece in row]
            found.setdefault(edge.source, []).append(tuple(rows))
    return {name: tuple(rows) for name, rows in found.items()}


def _low(edges: list[Edge], graph: Graph) -> Iterator[Row]:
    if edges[0].is_loop and len(edges) > _LOOPS_MAX:
        names = list(dict.fromkeys(spoken(edge.event) for edge in edges if edge.event))
        yield from _listed(names, edges)
        return
    said: dict[str, list[str]] = {}
    for edge in edges:
        said.setdefault(spoken(edge.event), []).append(phrase(edge, graph))
    alike: dict[tuple[str, ...], list[str]] = {}
    for event, phrases in said.items():
        alike.setdefault(tuple(phrases), []).append(event)
    for choices, together in alike.items():
        joined = [edge for edge in edges if spoken(edge.event) in together]
        yield from _listed(together, joined)
        yield from _choices([text for text in choices if text])


def _listed(names: list[str], edges: Sequence[Edge]) -> Iterator[Row]:
    """Events, each with its own count, as many to a line as stay short."""
    line = ""
    for at, name in enumerate(names):
        count = _counted(edge for edge in edges if spoken(edge.event) == name)
        word = name + count + ("," if at + 1 < len(names) else "")
        if line and len(line) + len(word) >= _LINE_MAX:
            yield ((line, True),)
            line = word
        else:
            line = f"{line} {word}".strip()
    if line:
        yield ((line, True),)


def _choices(texts: list[str]) -> Iterator[Row]:
    for at, text in enumerate(texts):
        opening = "[" if at == 0 else "or "
        yield ((f"{opening}{text}{']' if at == len(texts) - 1 else ''}", False),)
