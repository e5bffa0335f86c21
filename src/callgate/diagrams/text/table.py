"""Markdown: the machine as tables, for people and for search.

Rule 1: the first table has a cell for every state and event; the second a line for every
transition, with all that is known of it. At `low` the second is left out, and the text says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.diagrams.graph import Kind
from callgate.diagrams.text.keys import one_line
from callgate.diagrams.wording import Detail

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callgate.diagrams.graph import Edge, Graph


def markdown(graph: Graph, detail: Detail = Detail.FULL) -> str:
    """The graph as Markdown tables."""
    if detail is Detail.LOW:
        left = f"The {len(graph.edges)} transitions one by one: `--detail full`."
        return f"{_matrix(graph)}\n{left}\n"
    return f"{_matrix(graph)}\n{_transitions(graph)}"


def _matrix(graph: Graph) -> str:
    states = [node for node in graph.nodes if node.kind is not Kind.HISTORY]
    rows = [["event", *(_cell(node.name) for node in states)]]
    rows += [
        [_cell(event), *(_cell(decided(graph, node.name, event)) for node in states)]
        for event in graph.events
    ]
    return _table(rows)


def decided(graph: Graph, state: str, event: str) -> str:
    """Where the event leads from this state, and what becomes of it else."""
    taken = [e.target for e in graph.edges if e.source == state and e.event == event]
    left = [what for source, name, what in graph.rest if source == state and name == event]
    return ", ".join(dict.fromkeys([*taken, *left])) or "–"


def _transitions(graph: Graph) -> str:
    head = ["from", "event", "guards", "to", "effects", "rule"]
    return _table([head, *(_line(edge) for edge in graph.edges)])


def _line(edge: Edge) -> list[str]:
    guards = " and ".join(guard.replace("!", "not ") for guard in edge.guards)
    target = f"**{_cell(edge.target)}**" if edge.happy else _cell(edge.target)
    cells = (edge.source, edge.event, guards)
    return [*map(_cell, cells), target, _cell(", ".join(edge.effects)), _cell(edge.rule)]


def _table(rows: Iterable[list[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    plain = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`")
