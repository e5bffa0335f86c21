"""Where the words stand: beside their own arrow, over nothing.

Rule 1: a label is put where it touches no state, no other label and no arrow, and as near to the
middle of its own arrow as that allows.
Rule 2: wide labels choose first, because they have the least choice; ties by declaration.
"""

from __future__ import annotations

from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING, Final, final

from callgate.diagrams.geometry import Box, Point, bounds, dense, overlaps, sampled, union

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_CELL: Final = 6.0
_GAP: Final = 7.0
_CLEAR: Final = 5.0
"How near a label may come to what is not its own."
_FOREIGN: Final = ((5.0, 400.0), (11.0, 14.0), (18.0, 3.0), (26.0, 1.0))
"What it costs to come as near as that to an arrow of others."


@final
class Field:
    """How many arrows pass where: the plane in small squares, summed so that asking is cheap."""

    def __init__(self, ways: Sequence[Sequence[Point]], around: Box) -> None:
        """Count what passes each square of a plane."""
        self._left, self._top = around[0] - 4 * _CELL, around[1] - 4 * _CELL
        self._columns = int(around[2] // _CELL) + 10
        self._rows = int(around[3] // _CELL) + 10
        counts = [[0] * (self._columns + 1) for _ in range(self._rows + 1)]
        for column, row in (cell for way in ways for cell in self._cells(way)):
            counts[row + 1][column + 1] += 1
        for row in range(1, self._rows + 1):
            counts[row] = list(map(add, counts[row - 1], accumulate(counts[row])))
        self._sums = counts

    def _cells(self, way: Sequence[Point]) -> set[tuple[int, int]]:
        return {(self._column(x), self._row(y)) for x, y in dense(way, _CELL / 2)}

    def _column(self, x: float) -> int:
        return min(max(int((x - self._left) // _CELL), 0), self._columns - 1)

    def _row(self, y: float) -> int:
        return min(max(int((y - self._top) // _CELL), 0), self._rows - 1)

    def passed(self, box: Box, margin: float) -> int:
        """How many squares of a box, made wider by a margin, are passed."""
        left, right = self._column(box[0] - margin), self._column(box[0] + box[2] + margin) + 1
        top, bottom = self._row(box[1] - margin), self._row(box[1] + box[3] + margin) + 1
        sums = self._sums
        return sums[bottom][right] - sums[top][right] - sums[bottom][left] + sums[top][left]


def put_labels(
    ways: Sequence[Sequence[Point]],
    sizes: Mapping[int, tuple[float, float]],
    boxes: Sequence[Box],
    loops: Mapping[int, Box],
) -> dict[int, Box]:
    """A box for each label.

    Args:
        ways: every arrow as points.
        sizes: the label of the arrow at this position: width and height.
        boxes: what stands already: states, titles of groups.
        loops: the state of each arrow that is a loop.
    """
    around = union([*boxes, *map(bounds, ways)])
    field = Field(ways, around)
    taken: list[Box] = list(boxes)
    found: dict[int, Box] = {}
    order = sorted(sizes, key=lambda at: (at not in loops, -sizes[at][0] * sizes[at][1], at))
    for at in order:
        if at in loops:
            places = _beside_loop(ways[at], sizes[at], loops[at])
        else:
            places = _beside(ways[at], sizes[at])
        own = Field([ways[at]], around)
        costs = (
            (_cost(box, field, own, taken) + away, rank, box)
            for rank, (box, away) in enumerate(places)
        )
        found[at] = min(costs)[2]
        taken.append(found[at])
    return found


def loop_cost(
    way: Sequence[Point], size: tuple[float, float], node: Box, field: Field, taken: Sequence[Box]
) -> float:
    """What it costs to have a loop, and its label, just there."""
    nothing = Field([], node)
    best = min(
        _cost(box, field, nothing, taken) + away for box, away in _beside_loop(way, size, node)
    )
    return best + 800.0 * field.passed(bounds(way), 7.0) + 4e3 * field.passed(bounds(way), 0.0)


def _cost(box: Box, field: Field, own: Field, taken: Sequence[Box]) -> float:
    covered = sum(overlaps(box, other, _CLEAR) for other in taken)
    if covered:
        return 1e6 * covered
    cost = 4e3 * field.passed(box, 1.0)
    for margin, weight in _FOREIGN:
        cost += weight * (field.passed(box, margin) - own.passed(box, margin))
    return cost


def _beside(way: Sequence[Point], size: tuple[float, float]) -> Iterator[tuple[Box, float]]:
    """Along the arrow: right of it, left of it, above, below."""
    wide, high = size
    for at, (x, y) in enumerate(way):
        part = at / max(1, len(way) - 1)
        if not 0.05 < part < 0.93:
            continue
        away = abs(part - 0.45) * 40
        for down in (0.0, -high / 3, high / 3):
            top = y - high / 2 + down
            near = [px for px, py in way if top - 4 <= py <= top + high + 4]
            right, left = max([x, *near]) + _GAP, min([x, *near]) - _GAP - wide
            yield (right, top, wide, high), away + (right - x - _GAP) * 1.5
            yield (left, top, wide, high), away + 2 + (x - left - _GAP - wide) * 1.5
        yield (x - wide / 2, y + _GAP, wide, high), away + 8
        yield (x - wide / 2, y - _GAP - high, wide, high), away + 8


def _beside_loop(
    way: Sequence[Point], size: tuple[float, float], node: Box
) -> Iterator[tuple[Box, float]]:
    """Beside the loop, which stands out of a corner."""
    wide, high = size
    left, top, across, down = bounds(way)
    is_right = left + across > node[0] + node[2]
    x = left + across + 5 if is_right else left - 5 - wide
    middle = top + down / 2
    for lift in range(-6, 7):
        yield (x, middle - high / 2 + lift * 6, wide, high), abs(lift) * 3.0
    above, below = top - high - 4, top + down + 4
    for start in (left + across - wide, left, left + across / 2):
        yield (start, above, wide, high), 24.0
        yield (start, below, wide, high), 24.0


def points_of(curve: Sequence[Point], tip: Point) -> list[Point]:
    """The whole way of an arrow."""
    return [*sampled(curve), tip]
