"""The outlines of states, as SVG paths.

Rule 1: a final state has two lines, and its tone has a shape of its own: who sees no colour sees
the shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.diagrams.canvas import number, points
from callgate.diagrams.graph import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.diagrams.geometry import Box, Point

_INSET: Final = 3.6
_DOUBLE: Final = (Shape.DOUBLE, Shape.PILL, Shape.OCTAGON, Shape.HEXAGON)


def outline(shape: Shape, box: Box) -> Iterator[tuple[str, bool]]:
    """The outer line, and for a final state the inner one (True)."""
    yield _drawn(shape, box), False
    if shape in _DOUBLE:
        left, top, wide, high = box
        inner = (left + _INSET, top + _INSET, wide - 2 * _INSET, high - 2 * _INSET)
        yield _drawn(shape, inner), True


def _drawn(shape: Shape, box: Box) -> str:
    if shape is Shape.OCTAGON:
        return points(_cut(box, box[3] * 0.26, box[3] * 0.26))
    if shape is Shape.HEXAGON:
        return points(_cut(box, box[3] * 0.3, box[3] / 2))
    full = box[3] / 2
    return _rounded(box, full if shape in (Shape.PILL, Shape.CIRCLE) else min(9.0, full))


def _cut(box: Box, across: float, down: float) -> list[Point]:
    """A rectangle without its corners; cut to the middle it has six sides."""
    left, top, wide, high = box
    right, bottom = left + wide, top + high
    corners = [
        (left + across, top),
        (right - across, top),
        (right, top + down),
        (right, bottom - down),
        (right - across, bottom),
        (left + across, bottom),
        (left, bottom - down),
        (left, top + down),
    ]
    return list(dict.fromkeys(corners))


def _rounded(box: Box, radius: float) -> str:
    left, top, wide, high = box
    r, across, down = number(radius), number(wide - 2 * radius), number(high - 2 * radius)
    return (
        f"M{number(left + radius)} {number(top)}h{across}a{r} {r} 0 0 1 {r} {r}v{down}"
        f"a{r} {r} 0 0 1 -{r} {r}h-{across}a{r} {r} 0 0 1 -{r} -{r}v-{down}a{r} {r} 0 0 1 {r} -{r}Z"
    )
