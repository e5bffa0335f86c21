"""A user's own plan: is it a plan, and does every batch still end under it?

Rule 1: a plan is a pure function from requests to `Waves`; the barrier is the kernel's. What can be
wrong is the plan's arithmetic, its moods, and what it makes of an empty batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from callgate.kernel.plans import Waves
from callgate.testing.desk import Broken
from callgate.testing.seeds import random_of
from callgate.testing.strategies import batches, played

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callgate.kernel.values import Request

    Plan = Callable[[Sequence[Request]], Waves]

EXAMPLES: Final = 200


class PlanFailed(AssertionError):
    """A plan is none: the smallest batch for which it is not."""

    def __init__(self, requests: tuple[Request, ...], why: str, seed: int) -> None:
        self.requests, self.why, self.seed = requests, why, seed
        shown = ", ".join(
            f"{request.name}{'' if request.parallel else ' (alone)'}" for request in requests
        )
        super().__init__(f"for [{shown}]: {why} (seed {seed})")


def check_plan(plan: Plan, *, seed: int = 0, examples: int = EXAMPLES) -> None:
    """Raise `PlanFailed`, with the smallest batch, if the function is no plan.

    >>> from callgate import Waves
    >>> check_plan(lambda requests: Waves((1,) * len(requests)), examples=20)
    >>> check_plan(lambda requests: Waves((2,)), examples=20)
    Traceback (most recent call last):
    callgate.testing.plans.PlanFailed: for []: its waves hold 2 calls, the batch has 0 (seed 0)
    """
    chosen = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    numbers = st.lists(st.integers(0, 10_000), max_size=30)
    drawn = st.tuples(batches(), numbers)
    wrong = _wrong(plan, (), [])
    if wrong:
        raise PlanFailed((), wrong, seed)
    said: list[str] = []  # what was wrong when it was: a plan with moods may be right the next time

    def is_wrong(it: tuple[tuple[Request, ...], list[int]]) -> bool:
        found = _wrong(plan, *it)
        said.extend([found] if found else [])
        return bool(found)

    try:
        requests, _ = find(drawn, is_wrong, settings=chosen, random=random_of(seed))
    except NoSuchExample:
        return
    raise PlanFailed(requests, said[-1], seed)


def _wrong(plan: Plan, requests: tuple[Request, ...], choices: list[int]) -> str:
    """What is wrong with the plan for this batch; empty: nothing."""
    try:
        made, again = plan(requests), plan(requests)
    except Exception as error:
        return f"it raised {type(error).__name__}: {error}"
    if not isinstance(made, Waves):
        return f"it gave a {type(made).__name__}; Waves was expected"
    if made != again:
        return f"it gave {made.sizes} and then {again.sizes}; a plan is a pure function"
    if sum(made.sizes) != len(requests):
        return f"its waves hold {sum(made.sizes)} calls, the batch has {len(requests)}"
    try:
        played([requests], made, choices).drain()
    except Broken as error:
        return str(error)
    return ""
