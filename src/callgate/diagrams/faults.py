"""What is wrong with a layout: what lies over what.

Rule 1: a label lies over nothing but the page: no other label, no state, no arrow of others.
Rule 2: no arrow passes through a loop, which would look like a part of it.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from callgate.diagrams.geometry import bounds, enters, framed, overlaps, sampled, shrunk
from callgate.diagrams.graph import Kind

if TYPE_CHECKING:
    from callgate.diagrams.graph import Graph
    from callgate.diagrams.layout import Layout


_NEAR: Final = 5.0
"A label that is nearer than that to an arrow seems to belong to it."


def faults_of(layout: Layout, graph: Graph) -> int:
    """How many things lie over another."""
    groups = [node.name for node in graph.nodes if node.kind is Kind.GROUP]
    labels = [line.label for line in layout.lines if line.label is not None]
    boxes = [box for name, box in layout.nodes.items() if name not in groups]
    count = sum(overlaps(one, other) for one, other in combinations(labels, 2))
    count += sum(overlaps(label, box) for label in labels for box in boxes)
    borders = [framed(layout.nodes[name]) for name in groups]
    count += sum(enters(border, label) for border in borders for label in labels)
    for line in layout.lines:
        way = [*sampled(line.curve), line.tip]
        for other in layout.lines:
            if other.label is not None:
                near = other.label if other is line else shrunk(other.label, -_NEAR)
                count += enters(way, near)
        ends = (line.arrow.source, line.arrow.target) if line.arrow else ()
        count += sum(
            enters(way, shrunk(box, 2))
            for name, box in layout.nodes.items()
            if name not in groups and name not in ends and line.arrow
        )
        if line.arrow and line.arrow.is_loop:
            within = shrunk(bounds(way), 2)
            count += sum(
                enters([*sampled(other.curve), other.tip], within)
                for other in layout.lines
                if other is not line
            )
    return count
