"""SCXML: the machine for other engines, as the W3C writes machines.

Rule 1: guards become conditions of the same names, effects become `log` elements: what they do is
the business of whoever reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.diagrams.canvas import clean
from callgate.diagrams.graph import Kind
from callgate.diagrams.text.keys import keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from callgate.diagrams.graph import Edge, Graph, Node
    from callgate.diagrams.wording import Detail

_SPACE: Final = "http://www.w3.org/2005/07/scxml"


def scxml(graph: Graph, _detail: Detail | None = None) -> str:
    """The graph as SCXML, always in full."""
    names = keys(graph)
    first = next((names[node.name] for node in graph.roots if node.initial), "")
    start = f' initial="{first}"' if first else ""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<scxml xmlns="{_SPACE}" version="1.0" datamodel="ecmascript"{start}>',
        *_states(graph, None, names, "  "),
        "</scxml>",
    ]
    return "\n".join(lines) + "\n"


def _states(
    graph: Graph, parent: str | None, names: Mapping[str, str], indent: str
) -> Iterator[str]:
    for node in graph.children(parent):
        tag = _tag(node)
        first = next(
            (names[child.name] for child in graph.children(node.name) if child.initial), ""
        )
        start = f' initial="{first}"' if first and not node.parallel else ""
        inside = [
            *_states(graph, node.name, names, indent + "  "),
            *(
                line
                for edge in graph.edges
                if edge.source == node.name
                for line in _transition(edge, names, indent + "  ")
            ),
        ]
        kind = ' type="deep"' if node.deep else ""
        opening = f'{indent}<{tag} id="{names[node.name]}"{kind}{start}'
        if inside:
            yield f"{opening}>"
            yield from inside
            yield f"{indent}</{tag}>"
        else:
            yield f"{opening}/>"


def _tag(node: Node) -> str:
    if node.kind is Kind.FINAL:
        return "final"
    if node.kind is Kind.HISTORY:
        return "history"
    return "parallel" if node.parallel else "state"


def _transition(edge: Edge, names: Mapping[str, str], indent: str) -> Iterator[str]:
    guards = " && ".join(edge.guards)
    said = [f'event="{clean(edge.event)}"'] if edge.event else []
    said += [f'cond="{clean(guards)}"'] if guards else []
    said += [f'target="{names[edge.target]}"']
    opening = f"{indent}<transition {' '.join(said)}"
    if not edge.effects and not edge.rule:
        yield f"{opening}/>"
        return
    yield f"{opening}>"
    for label, value in (*(("effect", effect) for effect in edge.effects), ("rule", edge.rule)):
        if value:
            quoted = clean("'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'")
            yield f'{indent}  <log label="{label}" expr="{quoted}"/>'
    yield f"{indent}</transition>"
