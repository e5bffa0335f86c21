"""How a batch is divided into waves: the plans `classic`, `waves`, `sequential`, and a user's own.

Rule 1: a plan is a pure function from requests to `Waves`; only its result, which is data, enters
an event. The barrier is applied to each wave, one after the other.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callgate.kernel.values import Request

PlanName: TypeAlias = Literal["classic", "waves", "sequential"]


def _whole(sizes: Iterable[int]) -> tuple[int, ...]:
    return tuple(sizes)


@final
@frozen
class Waves:
    """The sizes of the waves of a batch, in request order.

    >>> Waves((2, 1)).ends
    (2, 3)
    >>> Waves((2, 0))
    Traceback (most recent call last):
    ValueError: wave 1 has 0 calls; a whole number from 1 was expected
    """

    sizes: tuple[int, ...] = field(converter=_whole)
    together: bool = False
    "Ask all calls of a wave at once; else one after another."

    @sizes.validator
    def _whole_waves(self, _attribute: object, sizes: tuple[int, ...]) -> None:
        for position, size in enumerate(sizes):
            if type(size) is not int or size < 1:
                raise ValueError(
                    f"wave {position} has {size!r} calls; a whole number from 1 was expected"
                )

    @property
    def ends(self) -> tuple[int, ...]:
        """Where each wave ends, as a position in the batch."""
        return tuple(accumulate(self.sizes))


def classic(requests: Sequence[Request]) -> Waves:
    """The whole batch is one wave; its calls are asked one after another."""
    return Waves((len(requests),) if requests else ())


def waves(requests: Sequence[Request]) -> Waves:
    """Neighbours that may run in parallel share a wave; each other call has one of its own."""
    sizes: list[int] = []
    joins = False
    for request in requests:
        if joins and request.parallel:
            sizes[-1] += 1
        else:
            sizes.append(1)
        joins = request.parallel
    return Waves(sizes, together=True)


def sequential(requests: Sequence[Request]) -> Waves:
    """One call after another: asked, run and ended before the next is asked."""
    return Waves((1,) * len(requests))


PLANS: Final[dict[str, Callable[[Sequence[Request]], Waves]]] = {
    "classic": classic,
    "waves": waves,
    "sequential": sequential,
}
