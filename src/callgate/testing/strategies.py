"""Strategies of what the kernel is told: requests, batches, confirmations, histories of events.

Rule 1: what is drawn is valid: a driver could have reported just this, in just this order.
Rule 2: a history is chosen by numbers, so that it shrinks to the shortest one that still does it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, final

from attrs import frozen
from hypothesis import strategies as st

from callgate.kernel.values import Confirmation, Failure, Invalid, Outcome, Request, Unknown
from callgate.policy.decisions import Context, Decision, Effect, ToolCall
from callgate.testing.calls import arguments, hostile_arguments
from callgate.testing.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callgate.kernel.events import Event
    from callgate.kernel.plans import PlanName, Waves

NAMES: Final = ("read_file", "shell", "write_file", "web_fetch")
KINDS: Final = ("info", "edit", "exec", "mcp")
ANSWERS: Final = (Outcome.PROCEED_ONCE, Outcome.CANCEL, Outcome.PROCEED_ALWAYS)
_SAYS: Final = {"read_file": Effect.ALLOW, "write_file": Effect.ASK, "web_fetch": Effect.DENY}


@final
@frozen
class ByName:
    """The plainest policy that says all three: by the tool's name."""

    def decide(self, call: ToolCall, _context: Context) -> Decision:
        """Reads are allowed, the web is denied, the rest asks."""
        return Decision(_SAYS.get(call.name, Effect.ASK), reason=f"{call.name} is by name")


def requests(call_id: str = "c1") -> st.SearchStrategy[Request]:
    """One call as a model asks for it: mostly sound, sometimes of no tool or of odd arguments.

    >>> from hypothesis import find, settings
    >>> find(requests(), lambda request: True, settings=settings(database=None)).name
    'read_file'
    """
    problems = st.sampled_from((None, None, None, Unknown("no such tool"), Invalid("no path")))
    usual = st.one_of(arguments(), hostile_arguments())
    return st.builds(
        Request,
        st.just(call_id),
        st.sampled_from(NAMES),
        usual,
        problems,
        st.booleans(),
        st.sampled_from((None, 1, 1_000)),
    )


def batches(most: int = 6) -> st.SearchStrategy[tuple[Request, ...]]:
    """A batch of calls, each with an id of its own."""
    one = st.lists(requests(), max_size=most)
    return one.map(
        lambda batch: tuple(
            Request(f"c{at}", it.name, it.args, it.problem, it.parallel, it.timeout_ms)
            for at, it in enumerate(batch, 1)
        )
    )


def confirmations() -> st.SearchStrategy[Confirmation]:
    """What a person is asked, with and without an editor, told or not."""
    flags = (st.booleans(), st.booleans(), st.booleans())
    return st.builds(Confirmation, st.sampled_from(KINDS), arguments(), *flags)


def histories(most: int = 40) -> st.SearchStrategy[tuple[Event, ...]]:
    """What a driver could report of up to three batches, early, late and repeated news among it."""
    plans: st.SearchStrategy[PlanName] = st.sampled_from(("classic", "waves", "sequential"))
    numbers = st.lists(st.integers(0, 10_000), max_size=most)
    drawn = st.tuples(st.lists(batches(4), min_size=1, max_size=3), plans, numbers)
    return drawn.map(lambda parts: played(*parts).told)


def played(
    submitted: Sequence[Sequence[Request]], plan: PlanName | Waves, numbers: Sequence[int]
) -> Desk:
    """A desk after these batches, and as many things as there are numbers to choose them."""
    desk = Desk(ByName())
    for batch in submitted:
        desk.submit_requests(batch, plan)
    for number in numbers:
        possible = moves(desk)
        if not possible:
            break
        possible[number % len(possible)]()
    return desk


def moves(desk: Desk) -> list[Callable[[], None]]:
    """All that could happen next: each order carried out, each question answered, and so on."""
    failure = Failure("io", "no answer", retryable=True)
    found: list[Callable[[], None]] = [
        *(partial(desk.carry_out, at) for at in range(len(desk.owed))),
        *(partial(desk.finish, call) for call in sorted(desk.running)),
        *(partial(desk.finish, call, failure) for call in sorted(desk.running)),
        *(
            partial(desk.answer, call, outcome)
            for call in sorted(desk.questions)
            for outcome in ANSWERS
        ),
    ]
    if found:  # nothing below brings a batch to its end
        found.append(partial(desk.cancel, max(desk.calls)))
        found += [partial(desk.repeat, at) for at in (0, -1) if desk.reported]
    return found
