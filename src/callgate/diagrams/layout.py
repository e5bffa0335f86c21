"""Where everything stands: boxes go to the engine, coordinates come back.

Rule 1: the engine computes coordinates only, from boxes of fixed size: no font of the machine has a
say, and the drawing is ours.
Rule 2: the engine is told several spacings, and the first layout in which nothing lies over
anything is taken; if none is perfect, the one with the fewest faults, then the smallest.
Rule 3: the engine is loaded when a layout is asked for, never by a text format.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from attrs import evolve, frozen

from callgate.diagrams import sizes
from callgate.diagrams.engine import Engine, run_engine
from callgate.diagrams.faults import faults_of
from callgate.diagrams.geometry import Box, Point, bounds, framed, union
from callgate.diagrams.graph import Kind
from callgate.diagrams.labels import Field, loop_cost, points_of, put_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from callgate.diagrams.graph import Graph, Node
    from callgate.diagrams.wording import Arrow, Row

_Sizes: TypeAlias = dict[str, tuple[float, float]]
START: Final = 8.0
"The radius of the disc where a machine begins."
_GAP: Final = 8.0
"Between an arrow and its label."
_RANKS: Final = (44, 54, 64)
_SPACES: Final = (
    (0.65, (40,), _RANKS),
    (0.75, (32,), (72, 64)),
    (0.6, (48, 60), _RANKS),
    (0.75, (60, 80), _RANKS),
    (0.9, (60, 80, 110), _RANKS),
    (1.0, (64, 130), _RANKS),
)
_TRIALS: Final = tuple(
    (share, gap, rank) for share, gaps, ranks in _SPACES for gap in gaps for rank in ranks
)
"""How much of a label's width the engine is told (words may stand in space that it leaves anyway),
and how far states are apart, across and down."""
_HAPPY: Final = 3
"How much straighter the happy path is."


@final
@frozen(kw_only=True)
class Line:
    """The way of an arrow."""

    arrow: Arrow | None
    "None: it leads from where the machine, or a group, begins."
    curve: tuple[Point, ...]
    "A start and three points for each piece of a Bézier curve, without the tip."
    tip: Point
    label: Box | None = None


@final
@frozen(kw_only=True)
class Layout:
    """Every box and every way, from the top left corner."""

    size: tuple[float, float]
    nodes: dict[str, Box]
    "Of states and of groups."
    lines: tuple[Line, ...]
    starts: tuple[Point, ...]
    engine: str


def place(
    graph: Graph,
    arrows: Sequence[Arrow],
    engine: Engine,
    stays: Mapping[str, Sequence[Row]] = MappingProxyType({}),
) -> Layout:
    """The best layout of some.

    Args:
        graph: what is drawn.
        arrows: between its states.
        engine: who computes.
        stays: what stands in the boxes of states, below their names.
    """
    boxes = {node.name: sizes.node_size(node, stays.get(node.name, ())) for node in graph.nodes}
    best: tuple[int, float, Layout] | None = None
    for spacing in _TRIALS:
        text, version = run_engine(_dot(graph, arrows, boxes, spacing), engine)
        layout = _read(graph, arrows, boxes, json.loads(text))
        found = (faults_of(layout, graph), layout.size[0] * layout.size[1], layout)
        if best is None or found[:2] < best[:2]:
            best = found
        if not found[0]:
            break
    if best is None:
        raise AssertionError  # pragma: no cover - there is at least one trial
    return evolve(best[2], engine=version)


def _dot(
    graph: Graph, arrows: Sequence[Arrow], boxes: _Sizes, spacing: tuple[float, float, float]
) -> str:
    share, gap, rank = spacing
    keys = {node.name: f"n{at}" for at, node in enumerate(graph.nodes)}
    lines = [
        "digraph {",
        f'graph [compound=true, nodesep="{gap / 72:.4f}", ranksep="{rank / 72:.4f}"]',
        'node [shape=box, fixedsize=true, label=""]',
        'edge [arrowsize="0.8"]',
        *_inside(graph, None, keys, boxes),
        *(_edge(graph, arrow, keys, (at, share)) for at, arrow in enumerate(arrows)),
        *_finals(graph, keys),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _inside(graph: Graph, parent: str | None, keys: dict[str, str], boxes: _Sizes) -> Iterator[str]:
    for node in graph.children(parent):
        key = keys[node.name]
        if node.initial:
            yield f'{key}s [shape=circle, width="{2 * START / 72:.4f}"]'
        if node.kind is Kind.GROUP:
            wide, high = sizes.TITLE.width(node.label) + 24, 24.0 + 17 * len(node.notes)
            yield f"subgraph cluster_{key} {{"
            yield f'graph [margin="16", label={_blank(wide, high)}]'
            yield from _inside(graph, node.name, keys, boxes)
            yield "}"
        else:
            wide, high = boxes[node.name]
            yield f'{key} [width="{wide / 72:.4f}", height="{high / 72:.4f}"]'
        if node.initial:
            to, head = _port(graph, node, keys)
            yield f'{key}s -> {to} [id="start {key}", weight=6{head and f", lhead={head}"}]'


def _port(graph: Graph, node: Node, keys: dict[str, str]) -> tuple[str, str]:
    """The state that stands for a node in the engine's edges, and its cluster if it is a group."""
    if node.kind is not Kind.GROUP:
        return keys[node.name], ""
    inner = node
    while inner.kind is Kind.GROUP:
        children = graph.children(inner.name)
        inner = next((child for child in children if child.initial), children[0])
    return keys[inner.name], f"cluster_{keys[node.name]}"


def _edge(graph: Graph, arrow: Arrow, keys: dict[str, str], told: tuple[int, float]) -> str:
    at, share = told
    tail, from_group = _port(graph, graph.node(arrow.source), keys)
    head, to_group = _port(graph, graph.node(arrow.target), keys)
    wide, high = sizes.label_size(arrow.rows)
    room = sizes.LOOP if arrow.is_loop else 0.0
    said = [f'id="{at}"', f"weight={_HAPPY if arrow.happy else 1}"]
    if arrow.rows or arrow.is_loop:
        said.append(f"label={_blank((wide + room + 2 * _GAP) * share, max(high, 28.0))}")
    said += [f"ltail={from_group}"] if from_group else []
    said += [f"lhead={to_group}"] if to_group else []
    return f"{tail} -> {head} [{', '.join(said)}]"


def _finals(graph: Graph, keys: dict[str, str]) -> Iterator[str]:
    ends = [keys[node.name] for node in graph.roots if node.kind is Kind.FINAL]
    if len(ends) > 1:
        yield f"{{rank=sink; {'; '.join(ends)}}}"


def _blank(wide: float, high: float) -> str:
    """An HTML label without a letter: its size is exact, and no font is asked."""
    size = f'width="{max(1, round(wide))}" height="{max(1, round(high))}"'
    table = (
        f'<table border="0" cellborder="0" cellspacing="0" cellpadding="0" fixedsize="true" {size}>'
    )
    return f"<{table}<tr><td></td></tr></table>>"


def _read(graph: Graph, arrows: Sequence[Arrow], boxes: _Sizes, data: dict[str, Any]) -> Layout:
    left, bottom, right, top = map(float, data["bb"].split(","))
    turn = _Turn(left, top)
    objects = {thing["name"]: thing for thing in data.get("objects", ())}
    nodes, starts = {}, []
    for at, node in enumerate(graph.nodes):
        if node.kind is Kind.GROUP:
            nodes[node.name] = turn.box(objects[f"cluster_n{at}"]["bb"])
        else:
            x, y = turn.point(objects[f"n{at}"]["pos"])
            wide, high = boxes[node.name]
            nodes[node.name] = (x - wide / 2, y - high / 2, wide, high)
        if node.initial:
            starts.append(turn.point(objects[f"n{at}s"]["pos"]))
    lines = tuple(_line(edge, arrows, turn) for edge in data.get("edges", ()))
    layout = Layout(
        size=(right - left, top - bottom),
        nodes=nodes,
        lines=tuple(_loops(nodes, lines)),
        starts=tuple(starts),
        engine="",
    )
    return _labelled(layout, graph)


@final
class _Turn:
    """The engine counts from the bottom left; we from the top left."""

    def __init__(self, left: float, top: float) -> None:
        self.left, self.top = left, top

    def point(self, text: str) -> Point:
        x, y = map(float, text.split(","))
        return x - self.left, self.top - y

    def box(self, text: str) -> Box:
        x0, y0, x1, y1 = map(float, text.split(","))
        return x0 - self.left, self.top - y1, x1 - x0, y1 - y0


def _line(edge: dict[str, Any], arrows: Sequence[Arrow], turn: _Turn) -> Line:
    words = edge["pos"].split()
    tip = next(turn.point(word[2:]) for word in words if word.startswith("e,"))
    curve = tuple(turn.point(word) for word in words if not word.startswith(("e,", "s,")))
    if edge["id"].startswith("start"):
        return Line(arrow=None, curve=curve, tip=tip)
    arrow = arrows[int(edge["id"])]
    return Line(arrow=arrow, curve=curve, tip=tip)


def _loops(nodes: dict[str, Box], lines: tuple[Line, ...]) -> Iterator[Line]:
    """Loops drawn by us, because the engine's collapse in little room: where most is free."""
    others = [points_of(line.curve, line.tip) for line in lines if not _is_loop(line)]
    solid = list(nodes.values())
    field = Field(others, union([*solid, *map(bounds, others)]))
    for line in lines:
        if line.arrow is None or not line.arrow.is_loop:
            yield line
            continue
        box, size = nodes[line.arrow.source], sizes.label_size(line.arrow.rows)
        choices = [_loop(box, side, over) for over in (-1, 1) for side in (1, -1)]
        choices += [_side_loop(box, side) for side in (1, -1)]
        curve, tip = min(
            choices, key=lambda way: loop_cost(points_of(*way), size, box, field, solid)
        )
        yield evolve(line, curve=curve, tip=tip)


def _is_loop(line: Line) -> bool:
    return line.arrow is not None and line.arrow.is_loop


def _loop(node: Box, side: int, over: int) -> tuple[tuple[Point, ...], Point]:
    """Out of a corner: to the right (1) or left (-1), above (-1) or below (1)."""
    left, top, wide, high = node
    x = left + wide if side > 0 else left
    y = top if over < 0 else top + high
    reach, along = sizes.LOOP, min(14.0, high / 2 - 4)
    curve = (
        (x - 18 * side, y),
        (x - 16 * side, y + reach * over),
        (x + (reach + 8) * side, y + (reach - 2) * over),
        (x + 9.5 * side, y - (along + 0.5) * over),
    )
    return curve, (x, y - along * over)


def _side_loop(node: Box, side: int) -> tuple[tuple[Point, ...], Point]:
    """Out of the right (1) or the left (-1) side, where every corner has an arrow."""
    left, top, wide, high = node
    x, y = left + wide if side > 0 else left, top + high / 2
    half, out = min(10.0, high / 4), (sizes.LOOP + 10) * side
    curve = ((x, y - half), (x + out, y - 26), (x + out, y + 26), (x + 9.2 * side, y + half + 2.4))
    return curve, (x, y + half)


def _labelled(layout: Layout, graph: Graph) -> Layout:
    ways = [points_of(line.curve, line.tip) for line in layout.lines]
    numbered = [(at, line.arrow) for at, line in enumerate(layout.lines) if line.arrow]
    measures = {at: sizes.label_size(arrow.rows) for at, arrow in numbered if arrow.rows}
    loops = {at: layout.nodes[arrow.source] for at, arrow in numbered if arrow.is_loop}
    solid = [layout.nodes[n.name] for n in graph.nodes if n.kind is not Kind.GROUP]
    solid += [_title(layout.nodes[n.name], n) for n in graph.nodes if n.kind is Kind.GROUP]
    borders = [framed(layout.nodes[n.name]) for n in graph.nodes if n.kind is Kind.GROUP]
    found = put_labels([*ways, *borders], measures, solid, loops)
    lines = tuple(evolve(line, label=found.get(at)) for at, line in enumerate(layout.lines))
    return _fitted(evolve(layout, lines=lines))


def _title(box: Box, node: Node) -> Box:
    wide = max(sizes.TITLE.width(node.label), *(sizes.NOTE.width(n) for n in node.notes), 0)
    return box[0] + 14, box[1] + 8, wide, 18 + 17 * len(node.notes)


def _fitted(layout: Layout) -> Layout:
    """Moved so that all of it begins at the top left corner and nothing is outside."""
    around = [*layout.nodes.values()]
    around += [bounds(points_of(line.curve, line.tip)) for line in layout.lines]
    around += [line.label for line in layout.lines if line.label]
    around += [(x - START, y - START, 2 * START, 2 * START) for x, y in layout.starts]
    left, top, wide, high = union(around)

    def moved(point: Point) -> Point:
        return point[0] - left, point[1] - top

    return evolve(
        layout,
        size=(wide, high),
        nodes={name: (*moved(box[:2]), *box[2:]) for name, box in layout.nodes.items()},
        starts=tuple(map(moved, layout.starts)),
        lines=tuple(
            evolve(
                line,
                curve=tuple(map(moved, line.curve)),
                tip=moved(line.tip),
                label=line.label and (*moved(line.label[:2]), *line.label[2:]),
            )
            for line in layout.lines
        ),
    )
