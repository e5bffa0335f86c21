"""A policy under whole batches: the kernel runs them, people answer, and what ran is written down.

Rule 1: what counts is what was started: an invariant reads the orders `Execute` that the kernel
gave, and the answers that people gave, never what a policy says that it would do.
Rule 2: every step is one that can happen: answers, edits, changes of mode, cancellations, late and
repeated news, in any order, over several batches.
"""

from __future__ import annotations

import shlex
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from callgate.kernel.values import Failure, Outcome
from callgate.policy.decisions import Mode, Policy, ToolCall
from callgate.testing import calls
from callgate.testing.commands import HARMLESS
from callgate.testing.desk import Desk
from callgate.testing.loading import opened
from callgate.testing.pattern import ALIASES, Pattern
from callgate.testing.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.testing.desk import Ran
    from callgate.testing.situations import Probe

CALLS_MAX: Final = 8
BATCHES_MAX: Final = 5
POOL_MAX: Final = 40
SAME_MAX: Final = 4
ANSWERS: Final = (
    Outcome.CANCEL,
    Outcome.PROCEED_ONCE,
    Outcome.PROCEED_ALWAYS,
    Outcome.PROCEED_ALWAYS_TOOL,
    Outcome.PROCEED_ALWAYS_SERVER,
    Outcome.MODIFY_WITH_EDITOR,
    Outcome.ANSWER_INSTEAD,
)


class PolicyMachine(RuleBasedStateMachine):
    """Give it a policy and what it speaks of, add an `@invariant`, and run its `TestCase`.

    class NoRm(PolicyMachine):
        policy = "policy.toml"
        speaks_of = ("shell:rm *",)

        @invariant()
        def no_rm_without_a_yes(self):
            assert not self.ran_unasked("shell:rm *")

    TestNoRm = NoRm.TestCase
    """

    policy: ClassVar[Policy | str | Path]
    "The policy, or the path of its file."
    speaks_of: ClassVar[tuple[str, ...]] = ()
    "`TOOL` or `TOOL:WORDS`: half of the calls are of these, in every disguise."
    modes: ClassVar[tuple[Mode, ...]] = (Mode.DEFAULT, Mode.AUTO_EDIT)
    interactive: ClassVar[bool] = True
    plan: ClassVar[Any] = "classic"

    def __init__(self) -> None:
        super().__init__()
        given = _given(self.policy)
        self.desk = Desk(given, self.modes[0], self.interactive)
        self._pool = _pool(given, self.speaks_of)

    # --- what an invariant reads ------------------------------------------------------------------

    @property
    def ran(self) -> list[Ran]:
        """Every tool that was started, in order."""
        return self.desk.ran

    def ran_unasked(self, pattern: str | Pattern) -> list[ToolCall]:
        """The calls of this pattern that were started though nobody ever said yes to them.

        A yes is one to this call, or an "always" that named the pattern: to a call of it, to its
        whole tool, or to its server.
        """
        wanted = pattern if isinstance(pattern, Pattern) else Pattern.parse(pattern)
        if any(self._covers(call, outcome, wanted) for call, outcome in self.desk.always):
            return []
        return [one.call for one in self.ran if not one.said_yes and self._is_of(one.call, wanted)]

    def _covers(self, call: ToolCall, outcome: Outcome, wanted: Pattern) -> bool:
        if outcome is Outcome.PROCEED_ALWAYS_SERVER and call.server is not None:
            return True
        whole_tool = outcome is Outcome.PROCEED_ALWAYS_TOOL and call.name in wanted.names
        return whole_tool or self._is_of(call, wanted)

    def _is_of(self, call: ToolCall, wanted: Pattern) -> bool:
        if call.name not in wanted.names:
            return False
        if not wanted.words:
            return True
        command = call.args.get("command")
        if not isinstance(command, str):
            return False
        return (command, wanted.words) in self._pool.runs or _begins(command, wanted.words)

    def _is_spoken_of(self, call: ToolCall) -> bool:
        return any(self._is_of(call, Pattern.parse(text)) for text in self.speaks_of)

    # --- what happens -----------------------------------------------------------------------------

    @precondition(lambda self: len(self.desk.submitted) < BATCHES_MAX)
    @rule(data=st.data())
    def submit(self, data: st.DataObject) -> None:
        """A model answers with a few calls."""
        batch = data.draw(self._pool.batches, label="calls")
        self.desk.submit(batch, self.plan)

    @precondition(lambda self: self.desk.owed)
    @rule(most=st.sampled_from((100, 1, 2)), newest_first=st.booleans())
    def carry_out(self, most: int, newest_first: bool) -> None:
        """The driver does what it owes: all of it, or the next orders."""
        for _ in range(most):
            if self.desk.owed:
                self.desk.carry_out(-1 if newest_first else 0)

    @precondition(lambda self: self.desk.questions)
    @rule(number=st.integers(0, 3), outcome=st.sampled_from(ANSWERS))
    def answer(self, number: int, outcome: Outcome) -> None:
        """A person answers one of the open questions."""
        serials = sorted(self.desk.questions)
        serial = serials[number % len(serials)]
        if outcome.is_always and number and self._is_spoken_of(self.desk.calls[serial]):
            outcome = Outcome.PROCEED_ONCE  # an always to what is forbidden would excuse all of it
        self.desk.answer(serial, outcome)

    @precondition(lambda self: self.desk.questions)
    @rule()
    def say_always_to_the_rest(self) -> None:
        """A person trusts whatever is asked about that is not spoken of."""
        for serial in sorted(self.desk.questions):
            asked = self.desk.calls[serial]
            if serial in self.desk.questions and not self._is_spoken_of(asked):
                self.desk.answer(serial, Outcome.PROCEED_ALWAYS)

    @rule()
    def let_all_end(self) -> None:
        """What is owed is done, whoever is asked says no, and every tool ends."""
        self.desk.drain()

    @precondition(lambda self: self.desk.questions)
    @rule(number=st.integers(0, 3), command=st.sampled_from(HARMLESS))
    def edit(self, number: int, command: str) -> None:
        """A person writes other arguments, and says yes to those."""
        serials = sorted(self.desk.questions)
        serial = serials[number % len(serials)]
        if self.desk.calls[serial].name in ALIASES[0]:
            self.desk.answer(serial, Outcome.PROCEED_ONCE, {"command": command})

    @precondition(lambda self: self.desk.running)
    @rule(number=st.integers(0, 3), fails=st.booleans())
    def finish(self, number: int, fails: bool) -> None:
        """A tool ends."""
        serials = sorted(self.desk.running)
        failure = Failure("io", "no such file", retryable=True) if fails else None
        self.desk.finish(serials[number % len(serials)], failure)

    @rule(number=st.integers(0, 3))
    def change_mode(self, number: int) -> None:
        """A person chooses one of the modes."""
        self.desk.change_mode(self.modes[number % len(self.modes)])

    @precondition(lambda self: self.desk.calls)
    @rule(number=st.integers(0, 9))
    def cancel(self, number: int) -> None:
        """Somebody cancels one call."""
        self.desk.cancel(1 + number % len(self.desk.calls))

    @precondition(lambda self: self.desk.reported)
    @rule(number=st.integers(0, 30))
    def hear_old_news(self, number: int) -> None:
        """News that was heard before arrives again: it must change nothing."""
        self.desk.repeat(number)

    def teardown(self) -> None:
        """Everything ends, each batch delivered exactly once and in order."""
        self.desk.drain()


def _begins(command: str, words: tuple[str, ...]) -> bool:
    try:
        return tuple(shlex.split(command)[: len(words)]) == words
    except ValueError:
        return False


@final
@frozen
class Pool:
    """The calls that batches are made of, and what each command line of them runs."""

    policy: Policy
    speaks_of: tuple[str, ...]
    batches: st.SearchStrategy[list[ToolCall]]
    runs: frozenset[tuple[str, tuple[str, ...]]]


def _varied(probes: Iterator[Probe]) -> Iterator[ToolCall]:
    """Each call once, and of each technique a few: none crowds the others out."""
    seen: set[ToolCall] = set()
    of_technique: dict[str, int] = {}
    for probe in probes:
        count = of_technique[probe.technique] = of_technique.get(probe.technique, 0) + 1
        if probe.call not in seen and (count <= SAME_MAX or not probe.technique):
            seen.add(probe.call)
            yield probe.call


_READ: Final[dict[tuple[str, int], Policy]] = {}


def _given(policy: Policy | str | Path) -> Policy:
    """The policy; a file is read once, as long as nobody writes it."""
    if not isinstance(policy, (str, Path)):
        return opened(policy).policy
    key = (str(policy), Path(policy).stat().st_mtime_ns)
    if key not in _READ:
        _READ.clear()
        _READ[key] = opened(policy).policy
    return _READ[key]


_LAST: Final[list[Pool]] = []


def _pool(policy: Policy, speaks_of: tuple[str, ...]) -> Pool:
    """Made once for each policy: a machine is built anew for every example."""
    for pool in _LAST:
        if pool.policy is policy and pool.speaks_of == speaks_of:
            return pool
    words = vocabulary(policy)
    usual = tuple(calls.any_calls(words))[:POOL_MAX]
    entries, runs = list(usual), []
    for text in speaks_of:
        pattern = Pattern.parse(text)
        probes = calls.pattern_probes(pattern, (Mode.DEFAULT,), words)
        made = tuple(_varied(probes))
        runs += [(str(call.args.get("command")), pattern.words) for call in made]
        entries = [call for pair in zip_longest(entries, made) for call in pair if call is not None]
    batches = st.lists(st.sampled_from(entries), min_size=1, max_size=CALLS_MAX)
    _LAST[:] = [Pool(policy, speaks_of, batches, frozenset(runs))]
    return _LAST[0]
