"""The picture of a machine as SVG.

Rule 1: back to front: groups, arrows, states, labels; so that no line crosses a word.
Rule 2: the happy path is told by width and by colour, final states by outline, sign and colour.
Rule 3: the picture records what it was drawn from (`data-digest`) and by which engine
(`data-engine`); freshness is judged by the first alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from attrs import evolve

from callgate.diagrams import sizes
from callgate.diagrams.canvas import Canvas, Pen, number
from callgate.diagrams.engine import Engine
from callgate.diagrams.graph import Kind
from callgate.diagrams.layout import START, Layout, Line, place
from callgate.diagrams.outlines import outline
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail, arrows, inside, leveled, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from callgate.diagrams.geometry import Point
    from callgate.diagrams.graph import Graph, Node
    from callgate.diagrams.wording import Arrow, Row

_MARGIN: Final = 12.0
_FOOT: Final = 20.0
_TIP: Final = 4.2


def svg(
    graph: Graph,
    *,
    detail: Detail = Detail.FULL,
    theme: Theme = Theme.AUTO,
    engine: Engine = Engine.WHEEL,
) -> str:
    """The graph as an SVG document."""
    shown = leveled(graph, detail)
    drawn = arrows(graph, detail)
    stays = inside(graph) if detail is Detail.FULL else {}
    if stays:
        drawn = tuple(arrow for arrow in drawn if not arrow.is_loop)
    legend = (text for is_there, text in _legend(graph, stays=bool(stays)) if is_there)
    shown = evolve(shown, notes=(*shown.notes, *legend))
    layout = place(shown, drawn, engine, stays)
    notes = len(shown.notes)
    width = max([layout.size[0], *(sizes.NOTE.width(note) for note in shown.notes)])
    high = layout.size[1] + 2 * _MARGIN + _FOOT * notes
    size = (math.ceil(width + 2 * _MARGIN), math.ceil(high))
    canvas = Canvas(
        size,
        title=graph.title,
        description=_description(graph),
        theme=theme,
        data={"digest": graph.digest, "detail": detail.value, "engine": layout.engine},
    )
    _Drawing(canvas, shown, layout, stays).draw()
    return canvas.render()


def _legend(graph: Graph, *, stays: bool) -> Iterator[tuple[bool, str]]:
    """What a reader could not guess, where the picture has it."""
    histories = [node for node in graph.nodes if node.kind is Kind.HISTORY]
    yield stays, "Inside a state: the transitions that stay in it."
    yield any(node.parallel for node in graph.nodes), "Dashed frame: its parts run at once."
    yield any(not node.deep for node in histories), "H: where it was when it was left."
    yield any(node.deep for node in histories), "H*: where it was, in every part, when it was left."


def _description(graph: Graph) -> str:
    lines = [f"{edge.source} to {edge.target}: {sentence(edge)}" for edge in graph.edges]
    return "; ".join(lines)


class _Drawing:
    """One graph with its layout, on one canvas."""

    def __init__(
        self, canvas: Canvas, graph: Graph, layout: Layout, stays: Mapping[str, Sequence[Row]]
    ) -> None:
        self.canvas = canvas
        self.graph = graph
        self.layout = layout
        self.stays = stays

    def draw(self) -> None:
        for node in self.graph.nodes:
            if node.kind is Kind.GROUP:
                self._group(node)
        for line in sorted(self.layout.lines, key=lambda line: _is_bright(line.arrow)):
            self._line(line)
        for x, y in self.layout.starts:
            self.canvas.circle(_moved((x, y)), START - 1, Pen(fill="text"), mark="cg-start")
        for node in self.graph.nodes:
            if node.kind is not Kind.GROUP:
                self._node(node)
        for line in self.layout.lines:
            self._label(line)
        for at, note in enumerate(reversed(self.graph.notes)):
            y = self.canvas.size[1] - _MARGIN + 4 - at * _FOOT
            self.canvas.text((_MARGIN, y), note, sizes.NOTE, name="note")

    def _group(self, node: Node) -> None:
        left, top, wide, high = self.layout.nodes[node.name]
        x, y = _moved((left, top))
        with self.canvas.group("cg-group", node.name):
            pen = Pen(fill="frame", line="edge", thick=1.4, dashed=node.parallel)
            self.canvas.rect((x, y, wide, high), pen, radius=12)
            self.canvas.text((x + 14, y + 22), node.label, sizes.TITLE)
            for at, note in enumerate(node.notes):
                self.canvas.text((x + 14, y + 39 + 17 * at), note, sizes.NOTE)

    def _node(self, node: Node) -> None:
        left, top, wide, high = self.layout.nodes[node.name]
        x, y = _moved((left, top))
        faded = node.taken is False
        with self.canvas.group("cg-node", node.name):
            fill, line = _colours(node)
            pen = Pen(fill=fill, line=line, thick=2.2 if node.taken else 1.6, dashed=faded)
            for shape, inset in outline(node.shape, (x, y, wide, high)):
                self.canvas.path(shape, pen if not inset else Pen(line=line, thick=1.1))
            if node.kind is Kind.HISTORY:
                sign = "H*" if node.deep else "H"
                self.canvas.text((x + wide / 2, y + high / 2 + 4.5), sign, sizes.NAME)
                return
            rows = self.stays.get(node.name, ())
            is_open = bool(node.notes or rows)
            base = y + 22 if is_open else y + high / 2 + 5
            self.canvas.text((x + wide / 2, base), sizes.name_of(node), sizes.NAME)
            if is_open:
                rule = f"M{number(x)} {number(y + 33)}h{number(wide)}"
                self.canvas.path(rule, Pen(line="grid", thick=1))
            for at, note in enumerate(node.notes):
                self.canvas.text((x + 14, y + 50 + sizes.LINE * at), note, sizes.NOTE)
            below = y + 38 + sizes.LINE * len(node.notes)
            for at, row in enumerate(rows):
                self._row((x + 14, below + sizes.LINE * at), row, happy=False)

    def _row(self, at: Point, row: Row, *, happy: bool) -> None:
        x, y = at
        for text, is_event in row:
            ink = sizes.row_ink(is_event=is_event, happy=happy)
            self.canvas.text((x, y + 12.2), text, ink)
            x += ink.width(text) + sizes.SPACE

    def _line(self, line: Line) -> None:
        arrow = line.arrow
        bright = _is_bright(arrow)
        role = "happy" if bright else "edge"
        dashed = arrow is not None and arrow.dashed
        curve = [_moved(point) for point in line.curve]
        tip = _moved(line.tip)
        with self.canvas.group("cg-edge", arrow.name if arrow else "start"):
            thick = 2.6 if bright else 1.4
            self.canvas.path(_bezier(curve), Pen(line=role, thick=thick, dashed=dashed))
            if arrow:
                self.canvas.tooltip("\n".join(map(sentence, arrow.edges)))
            self.canvas.path(_head(curve[-1], tip), Pen(fill=role))

    def _label(self, line: Line) -> None:
        if line.label is None or line.arrow is None:
            return
        x, y = _moved(line.label[:2])
        with self.canvas.group("cg-label", line.arrow.name):
            for at, row in enumerate(line.arrow.rows):
                self._row((x, y + sizes.LINE * at), row, happy=_is_bright(line.arrow))


def _is_bright(arrow: Arrow | None) -> bool:
    """Where a run is drawn its path stands out, else the happy one."""
    if arrow is None:
        return True
    return arrow.happy if arrow.taken is None else arrow.taken


def _colours(node: Node) -> tuple[str, str]:
    if node.kind is not Kind.FINAL:
        return ("node", "happy" if node.taken else "line")
    return {"plain": ("node", "line")}.get(node.tone, (node.tone.value, f"{node.tone.value}-line"))


def _moved(point: Point) -> Point:
    return point[0] + _MARGIN, point[1] + _MARGIN


def _bezier(curve: list[Point]) -> str:
    start, *rest = (f"{number(x)} {number(y)}" for x, y in curve)
    return f"M{start}C{' '.join(rest)}"


def _head(base: Point, tip: Point) -> str:
    """A triangle from where the curve ends to its tip."""
    dx, dy = tip[0] - base[0], tip[1] - base[1]
    long = math.hypot(dx, dy) or 1.0
    across = (-dy / long * _TIP, dx / long * _TIP)
    corners = (
        (base[0] + across[0], base[1] + across[1]),
        tip,
        (base[0] - across[0], base[1] - across[1]),
    )
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"
