"""Mermaid: what GitHub, GitLab and many a wiki draw by themselves.

Rule 1: a state diagram in Mermaid has no style for arrows, so the happy path shows in the outlines
of its states; final states have their colour, and the arrow to the end that all tools draw.
Rule 2: colours are of both themes at once: outlines only, on whatever ground the reader has.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from callgate.diagrams.graph import Kind, Tone
from callgate.diagrams.text.keys import keys, one_line
from callgate.diagrams.wording import Detail, arrows, leveled, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from callgate.diagrams.graph import Graph

_CLASSES: Final = {
    "happy": "stroke:#218bff,stroke-width:3px",
    "good": "stroke:#2da44e,stroke-width:3px",
    "bad": "stroke:#cf222e,stroke-width:3px",
    "calm": "stroke:#818b98,stroke-width:3px,stroke-dasharray:6 3",
}
_ENTITIES: Final = {"#": "#35;", ";": "#59;", ":": "#58;", '"': "#quot;", "<": "#lt;", ">": "#gt;"}


def mermaid(graph: Graph, detail: Detail = Detail.FULL) -> str:
    """The graph as a Mermaid state diagram."""
    shown = leveled(graph, detail)
    names = keys(graph)
    lines = ["stateDiagram-v2", "    direction TB"]
    lines += [f"    %% {one_line(text)}" for text in (graph.title, *shown.notes)]
    lines += _states(graph, None, names, "    ")
    lines += _transitions(graph, names, detail)
    ends = [node for node in graph.roots if node.kind is Kind.FINAL]
    lines += [f"    {names[node.name]} --> [*]" for node in ends]
    lines += _styles(graph, names)
    return "\n".join(lines) + "\n"


def _states(
    graph: Graph, parent: str | None, names: Mapping[str, str], indent: str
) -> Iterator[str]:
    around = graph.node(parent) if parent else None
    for at, node in enumerate(graph.children(parent)):
        if at and around is not None and around.parallel:
            yield f"{indent}--"
        key = names[node.name]
        label = node.label if node.kind is not Kind.HISTORY else "H*" if node.deep else "H"
        yield f'{indent}state "{_escaped(label)}" as {key}'
        yield from (f"{indent}{key} : {_escaped(note)}" for note in _notes(node.kind, node.notes))
        if node.kind is Kind.GROUP:
            yield f"{indent}state {key} {{"
            yield from _states(graph, node.name, names, indent + "    ")
            yield f"{indent}}}"
        if node.initial:
            yield f"{indent}[*] --> {key}"
        if node.kind is Kind.FINAL and parent is not None:
            yield f"{indent}{key} --> [*]"


def _notes(kind: Kind, notes: tuple[str, ...]) -> tuple[str, ...]:
    # A compound state cannot have a description in Mermaid.
    return () if kind is Kind.GROUP else notes


def _transitions(graph: Graph, names: Mapping[str, str], detail: Detail) -> Iterator[str]:
    if detail is Detail.FULL:
        for edge in graph.edges:
            count = f" ×{edge.count}" if edge.count is not None else ""
            yield _arrow(names, edge.source, edge.target, _escaped(sentence(edge) + count))
        return
    for arrow in arrows(graph, detail):
        text = ""
        for row, is_event in chain.from_iterable(arrow.rows):
            text += ("<br/>" if is_event and text else " " if text else "") + _escaped(row)
        yield _arrow(names, arrow.source, arrow.target, text)


def _arrow(names: Mapping[str, str], source: str, target: str, text: str) -> str:
    return f"    {names[source]} --> {names[target]}" + (f" : {text}" if text else "")


def _styles(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    happy = {name for edge in graph.edges if edge.happy for name in (edge.source, edge.target)}
    classes: dict[str, list[str]] = {}
    for node in graph.nodes:
        if node.kind is Kind.FINAL and node.tone is not Tone.PLAIN:
            classes.setdefault(node.tone.value, []).append(names[node.name])
        elif node.name in happy and node.kind is not Kind.GROUP:
            classes.setdefault("happy", []).append(names[node.name])
    for name, style in _CLASSES.items():
        if name in classes:
            yield f"    classDef {name} {style}"
            yield f"    class {','.join(classes[name])} {name}"


def _escaped(text: str) -> str:
    return "".join(_ENTITIES.get(letter, letter) for letter in one_line(text))
