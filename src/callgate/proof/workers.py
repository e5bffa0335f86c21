"""One level of a search on several processors: the processes are forked, so that nothing is sent
to them, and what they found comes back in the order of the work.

Rule 1: with one process, little work, or a system that cannot fork, the same is done in place.
"""

from __future__ import annotations

from itertools import pairwise
from multiprocessing import get_all_start_methods, get_context
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Found = TypeVar("Found")
WORTH_IT: Final = 2_000
"""Below so many states a process costs more than it helps."""


def in_parallel(work: Callable[[Sequence[int]], Found], count: int, processes: int) -> list[Found]:
    """Call `work` on parts of `range(count)`; results in order of the parts.

    >>> in_parallel(sum, 4, processes=1)
    [6]
    """
    if processes < 2 or count < WORTH_IT or "fork" not in get_all_start_methods():
        return [work(range(count))]
    context = get_context("fork")
    ends = [count * part // processes for part in range(processes + 1)]
    helpers = []
    for start, end in pairwise(ends[1:]):
        ours, theirs = context.Pipe(duplex=False)
        helper = context.Process(target=_send, args=(theirs, work, range(start, end)))
        helper.start()
        theirs.close()
        helpers.append((helper, ours))
    found = [work(range(ends[1]))]
    for helper, ours in helpers:
        found.append(_receive(ours, helper))
        helper.join()
    return found


def _send(pipe: Any, work: Callable[[Sequence[int]], Found], part: Sequence[int]) -> None:
    pipe.send(work(part))
    pipe.close()


def _receive(pipe: Any, helper: Any) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        helper.join()
        raise RuntimeError(f"a process of the search ended with {helper.exitcode}") from None
