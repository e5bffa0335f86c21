"""A persistent heap of deadlines, so that `next_deadline` costs nothing and a push O(log n).

Rule 1: an alarm is never removed when its call moves on; it is stale then, and dropped when it
comes to the top. Whether one still counts is asked of the call, never stored twice.
Rule 2: the vector never shrinks (that would cost its length): `size` says how much of it counts.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from attrs import frozen
from pyrsistent import PVector, pvector

Alarm: TypeAlias = tuple[int, int]
"""When, and the position of the call in its batch."""


@final
@frozen
class Alarms:
    """A binary heap: the earliest alarm is at place 0."""

    heap: PVector[Alarm]
    size: int

    @property
    def first(self) -> Alarm | None:
        """The earliest alarm, stale or not."""
        return self.heap[0] if self.size else None


NO_ALARMS: Final = Alarms(pvector(), 0)


def push(alarms: Alarms, alarm: Alarm) -> Alarms:
    """Add an alarm."""
    heap, place = alarms.heap, alarms.size
    heap = heap.set(place, alarm) if place < len(heap) else heap.append(alarm)
    while place:
        parent = (place - 1) // 2
        above = heap[parent]
        if above <= alarm:
            break
        heap = heap.set(place, above).set(parent, alarm)
        place = parent
    return Alarms(heap, alarms.size + 1)


def pop(alarms: Alarms) -> Alarms:
    """Drop the first alarm."""
    size = alarms.size - 1
    if size == 0:
        return NO_ALARMS
    last = alarms.heap[size]
    heap, place = alarms.heap.set(0, last), 0
    while (child := 2 * place + 1) < size:
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        below = heap[child]
        if last <= below:
            break
        heap = heap.set(place, below).set(child, last)
        place = child
    return Alarms(heap, size)
