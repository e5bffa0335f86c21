"""Plane geometry of pictures: curves as points, and what lies over what.

Rule 1: a curve is judged by points so near to each other that nothing fits between them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"Left, top, width, height."
_STEPS: Final = 10


def sampled(curve: Sequence[Point]) -> list[Point]:
    """Points on a chain of cubic Bézier curves: a start, then three points for each piece."""
    found = [curve[0]]
    for at in range(0, len(curve) - 3, 3):
        piece = curve[at : at + 4]
        found += [_on(piece, step / _STEPS) for step in range(1, _STEPS + 1)]
    return found


def _on(piece: Sequence[Point], t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return (
        sum(w * p[0] for w, p in zip(weights, piece, strict=True)),
        sum(w * p[1] for w, p in zip(weights, piece, strict=True)),
    )


def overlaps(one: Box, other: Box, margin: float = 0) -> bool:
    """Do two boxes share more than an edge, or come nearer than the margin?"""
    return (
        one[0] < other[0] + other[2] + margin
        and other[0] < one[0] + one[2] + margin
        and one[1] < other[1] + other[3] + margin
        and other[1] < one[1] + one[3] + margin
    )


def enters(line: Sequence[Point], box: Box) -> bool:
    """Does a line of many points come into a box?"""
    left, top, width, height = box
    return any(left < x < left + width and top < y < top + height for x, y in dense(line, 3))


def dense(line: Sequence[Point], step: float) -> Iterator[Point]:
    """The same line with points no further apart than a step."""
    for (x0, y0), (x1, y1) in pairwise(line):
        count = max(1, int(max(abs(x1 - x0), abs(y1 - y0)) / step))
        for at in range(count):
            yield x0 + (x1 - x0) * at / count, y0 + (y1 - y0) * at / count
    yield from line[-1:]


def shrunk(box: Box, by: float) -> Box:
    """The box without its rim."""
    left, top, width, height = box
    return left + by, top + by, max(0.0, width - 2 * by), max(0.0, height - 2 * by)


def union(boxes: Sequence[Box]) -> Box:
    """The smallest box around them all."""
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right = max(box[0] + box[2] for box in boxes)
    bottom = max(box[1] + box[3] for box in boxes)
    return left, top, right - left, bottom - top


def bounds(line: Sequence[Point]) -> Box:
    """The smallest box around a line."""
    xs, ys = [x for x, _ in line], [y for _, y in line]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


def framed(box: Box) -> list[Point]:
    """The border of a box as a line."""
    left, top, wide, high = box
    right, bottom = left + wide, top + high
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
