"""States from which the goal cannot be reached: found backwards, from the goal.

Rule 1: the goal is positive (the kernel is idle, all that was submitted is delivered), and the ways
counted are only those of a driver that reports and a person who answers.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def without_way_out(ways: Sequence[Sequence[int]], goals: Sequence[int]) -> list[int]:
    """The nodes from which no goal can be reached, in order.

    >>> without_way_out([(1,), (), (0, 3), (3,)], goals=[1])
    [3]
    """
    into: list[array[int]] = [array("I") for _ in ways]
    for source, targets in enumerate(ways):
        for target in targets:
            into[target].append(source)
    reached = bytearray(len(ways))
    found = list(goals)
    for goal in goals:
        reached[goal] = 1
    while found:
        for source in into[found.pop()]:
            if not reached[source]:
                reached[source] = 1
                found.append(source)
    return [node for node, is_reached in enumerate(reached) if not is_reached]
