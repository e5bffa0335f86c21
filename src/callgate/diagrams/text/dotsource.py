"""DOT: for people who have Graphviz and want to change the picture.

Rule 1: the source is ours from end to end, so it is the same bytes in every run (that of
python-statemachine contains the addresses of objects).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.diagrams.graph import Kind, Shape, Tone
from callgate.diagrams.text.keys import keys, one_line
from callgate.diagrams.themes import LIGHT
from callgate.diagrams.wording import Detail, arrows, leveled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from callgate.diagrams.graph import Graph, Node
    from callgate.diagrams.wording import Arrow

_SHAPES: Final = {
    Shape.ROUNDED: 'shape=box, style="rounded,filled"',
    Shape.DOUBLE: 'shape=box, peripheries=2, style="rounded,filled"',
    Shape.PILL: 'shape=ellipse, peripheries=2, style="filled"',
    Shape.OCTAGON: 'shape=octagon, peripheries=2, style="filled"',
    Shape.HEXAGON: 'shape=hexagon, peripheries=2, style="filled"',
    Shape.CIRCLE: 'shape=circle, style="filled"',
}


def dot(graph: Graph, detail: Detail = Detail.FULL) -> str:
    """The graph as DOT."""
    names = keys(graph)
    notes = "\\l".join(_escaped(note) for note in leveled(graph, detail).notes)
    lines = [
        "digraph {",
        f'  graph [label="{notes}", labeljust=l, compound=true, fontname="Inter,Arial"]',
        '  node [fontname="Inter,Arial", fontsize=13]',
        '  edge [fontname="Inter,Arial", fontsize=11]',
        *_states(graph, None, names, "  "),
        *(_transition(graph, arrow, names) for arrow in arrows(graph, detail)),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _states(
    graph: Graph, parent: str | None, names: Mapping[str, str], indent: str
) -> Iterator[str]:
    for node in graph.children(parent):
        key = names[node.name]
        if node.kind is Kind.GROUP:
            yield f"{indent}subgraph cluster_{key} {{"
            yield f'{indent}  graph [label="{_escaped(node.label)}", style=rounded]'
            yield from _states(graph, node.name, names, indent + "  ")
            yield f"{indent}}}"
        else:
            yield f"{indent}{key} [{_looks(node)}]"
        if node.initial:
            start, head = _end(graph, node, names)
            lhead = f" [lhead={head}]" if head else ""
            yield f"{indent}{key}_start [shape=point, width=0.15]"
            yield f"{indent}{key}_start -> {start}{lhead}"


def _looks(node: Node) -> str:
    is_final = node.kind is Kind.FINAL and node.tone is not Tone.PLAIN
    fill = LIGHT[node.tone.value] if is_final else LIGHT["node"]
    line = LIGHT[f"{node.tone.value}-line"] if is_final else LIGHT["line"]
    label = "\\n".join(map(_escaped, (node.label, *node.notes)))
    return f'label="{label}", {_SHAPES[node.shape]}, fillcolor="{fill}", color="{line}"'


def _end(graph: Graph, node: Node, names: Mapping[str, str]) -> tuple[str, str]:
    """DOT has no arrows to clusters: they lead to a state inside and are cut at the border."""
    if node.kind is not Kind.GROUP:
        return names[node.name], ""
    inner = node
    while inner.kind is Kind.GROUP:
        inner = graph.children(inner.name)[0]
    return names[inner.name], f"cluster_{names[node.name]}"


def _transition(graph: Graph, arrow: Arrow, names: Mapping[str, str]) -> str:
    tail, from_group = _end(graph, graph.node(arrow.source), names)
    head, to_group = _end(graph, graph.node(arrow.target), names)
    text = "".join(f"{_escaped(' '.join(t for t, _ in row))}\\l" for row in arrow.rows)
    looks = [f'label="{text}"']
    looks += [f'color="{LIGHT["happy"]}", penwidth=2.4, weight=8'] if arrow.happy else []
    looks += ["style=dashed"] if arrow.dashed else []
    looks += [f"ltail={from_group}"] if from_group else []
    looks += [f"lhead={to_group}"] if to_group else []
    return f"  {tail} -> {head} [{', '.join(looks)}]"


def _escaped(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')
