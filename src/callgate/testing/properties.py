"""What a policy can be held to: ready-made properties, and a way to write one's own.

Rule 1: a property says which calls could break it, deliberately and at random, and when one has.
Rule 2: "without a person's yes" is what an allow is: a call that is asked about may run after a
yes, so `never_runs` refuses allow and not ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Protocol, final, runtime_checkable

from attrs import field, frozen
from hypothesis import strategies as st

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Decision, Effect, Mode, Policy, ToolCall
from callgate.testing import calls
from callgate.testing.commands import spell
from callgate.testing.pattern import Pattern
from callgate.testing.results import Counterexample
from callgate.testing.situations import Answered, Probe, Raised, answer
from callgate.testing.vocabulary import Vocabulary, vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hypothesis.strategies import SearchStrategy

USUAL: Final = (Mode.DEFAULT, Mode.AUTO_EDIT)
ALWAYS_ASKED: Final = (Outcome.PROCEED_ALWAYS, Outcome.PROCEED_ALWAYS_TOOL)


@final
@frozen
class Scene:
    """The policy that is checked, and the modes."""

    policy: Policy
    modes: tuple[Mode, ...]
    words: Vocabulary


@runtime_checkable
class Property(Protocol):
    """Something that is to hold for every call."""

    @property
    def name(self) -> str:
        """As it is printed, and as the command takes it."""
        ...

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes in which it is to hold, unless the user says otherwise."""
        ...

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Calls that break it if anything does, smallest first."""
        ...

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Any calls that it speaks of."""
        ...

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """Does this call break it?"""
        ...


def never_runs(pattern: str | Pattern) -> Property:
    """Never allowed without a person's yes, in any sub-command, after any answer to other calls.

    >>> never_runs("shell:rm *").name
    'never-runs shell:rm *'
    """
    return NeverRuns(_pattern(pattern))


def always_asks(pattern: str | Pattern) -> Property:
    """Never allowed, and not denied either where somebody can be asked."""
    return AlwaysAsks(_pattern(pattern))


def never_asks(pattern: str | Pattern) -> Property:
    """Nobody is asked about a plain call of it: it is allowed or denied.

    Without a trailing `*` operands may follow the words; with it any words, options too.
    """
    return NeverAsks(_pattern(pattern))


def no_wider_than(old: Policy) -> Property:
    """Nothing is allowed that the old policy did not allow."""
    return NoWiderThan(old)


def _pattern(pattern: str | Pattern) -> Pattern:
    return pattern if isinstance(pattern, Pattern) else Pattern.parse(pattern)


@final
@frozen
class NeverRuns:
    """See `never_runs`."""

    pattern: Pattern
    modes: ClassVar[tuple[Mode, ...]] = USUAL

    @property
    def name(self) -> str:
        """As the command takes it."""
        return f"never-runs {self.pattern}"

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Each technique; then the plain calls after an always to something else."""
        yield from calls.pattern_probes(self.pattern, scene.modes, scene.words)
        plain = list(calls.plain_calls(self.pattern))[:2]
        for answered in _other_answers(self.pattern, scene):
            for call in plain:
                yield from (
                    Probe(call, context, (answered,))
                    for context in calls.contexts(scene.modes)[: len(scene.modes)]
                )

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Calls of the pattern in any disguise."""
        return calls.pattern_search(self.pattern, scene.modes, scene.words)

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """An allow breaks it."""
        said = answer(policy, probe)
        if isinstance(said, Decision) and said.effect is Effect.ALLOW:
            why = f"it runs {self.pattern}, and nobody is asked"
            return Counterexample(probe, said, why, "!= 'allow'")
        return None


def _other_answers(pattern: Pattern, scene: Scene) -> Iterator[Answered]:
    """An always to each call that is not one of the pattern, and does not name its tool whole."""
    for call in calls.any_calls(scene.words):
        same_tool = call.name in pattern.names
        if same_tool and (not pattern.words or _mentions(call, pattern)):
            continue
        kinds = ALWAYS_ASKED[:1] if same_tool else ALWAYS_ASKED
        yield from (Answered(call, outcome) for outcome in kinds)


def _mentions(call: ToolCall, pattern: Pattern) -> bool:
    return pattern.words[0] in str(call.args.get("command"))


@final
@frozen
class AlwaysAsks:
    """See `always_asks`."""

    pattern: Pattern
    modes: ClassVar[tuple[Mode, ...]] = USUAL

    @property
    def name(self) -> str:
        """As the command takes it."""
        return f"always-asks {self.pattern}"

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Each technique."""
        return calls.pattern_probes(self.pattern, scene.modes, scene.words)

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Calls of the pattern in any disguise."""
        return calls.pattern_search(self.pattern, scene.modes, scene.words)

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """An allow breaks it; a denial of the plain call does too, where somebody can be asked."""
        said = answer(policy, probe)
        if not isinstance(said, Decision) or said.effect is Effect.ASK:
            return None
        if said.effect is Effect.ALLOW:
            must = "== 'ask'" if probe.context.interactive else "!= 'allow'"
            return Counterexample(probe, said, "it is allowed, and nobody is asked", must)
        if probe.exact and probe.context.interactive:
            return Counterexample(probe, said, "it is denied, and nobody is asked", "== 'ask'")
        return None


@final
@frozen
class NeverAsks:
    """See `never_asks`."""

    pattern: Pattern
    modes: ClassVar[tuple[Mode, ...]] = USUAL

    @property
    def name(self) -> str:
        """As the command takes it."""
        return f"never-asks {self.pattern}"

    def _calls(self) -> tuple[ToolCall, ...]:
        closed = not self.pattern.open_ended
        return tuple(calls.plain_calls(self.pattern, operands_only=closed))

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """The plain calls."""
        for call in self._calls():
            yield from (Probe(call, context) for context in calls.contexts(scene.modes))

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """The plain calls: what is odd may well be asked about."""
        contexts = st.sampled_from(calls.contexts(scene.modes))
        if self.pattern.words:
            return st.builds(Probe, _operands(self.pattern), contexts)
        return st.builds(Probe, st.sampled_from(self._calls()), contexts)

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """An ask breaks it."""
        said = answer(policy, probe)
        if isinstance(said, Decision) and said.effect is Effect.ASK:
            return Counterexample(probe, said, "somebody is asked", "!= 'ask'")
        return None


def _operands(pattern: Pattern) -> SearchStrategy[ToolCall]:
    """Calls of the pattern with plain words after it."""
    letters = st.sampled_from("abcxyz019._")
    word = st.text(letters, min_size=1, max_size=8)
    return st.lists(word, max_size=4).map(
        lambda further: ToolCall(pattern.tool, {"command": spell([*pattern.words, *further])})
    )


@final
@frozen
class NoWiderThan:
    """See `no_wider_than`."""

    old: Policy
    label: str = "the old policy"
    modes: ClassVar[tuple[Mode, ...]] = (*USUAL, Mode.PLAN, Mode.YOLO)

    @property
    def name(self) -> str:
        """As the command takes it."""
        return f"no-wider-than {self.label}"

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Calls that either policy speaks of."""
        return calls.any_probes(scene.modes, vocabulary(scene.policy, self.old))

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Any calls."""
        return calls.any_search(scene.modes, vocabulary(scene.policy, self.old))

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """Allowed now and not before breaks it."""
        said = answer(policy, probe)
        if not isinstance(said, Decision) or said.effect is not Effect.ALLOW:
            return None
        before = answer(self.old, probe)
        if isinstance(before, Decision) and before.effect is Effect.ALLOW:
            return None
        was = before.effect.value if isinstance(before, Decision) else _raised(before)
        return Counterexample(probe, said, f"{self.label} said {was}", "!= 'allow'")


def _raised(said: Raised | None) -> str:
    return "nothing" if said is None else f"nothing: it raised {said.error}"


@final
@frozen
class Holds:
    """A property of a user's own: a predicate of the call, the context and the decision."""

    name: str
    predicate: Callable[[ToolCall, object, Decision], bool] = field(eq=False)
    modes: tuple[Mode, ...] = tuple(Mode)

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Calls of every tool."""
        return calls.any_probes(scene.modes, scene.words)

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Any calls."""
        return calls.any_search(scene.modes, scene.words)

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """A false predicate breaks it."""
        said = answer(policy, probe)
        if not isinstance(said, Decision) or self.predicate(probe.call, probe.context, said):
            return None
        why = f"{self.name} does not hold"
        return Counterexample(probe, said, why, f"!= {said.effect.value!r}")


def holds(name: str, predicate: Callable[[ToolCall, object, Decision], bool]) -> Property:
    """A property of your own, asked of every call that is tried.

    >>> says_why = holds("says why", lambda call, context, decision: bool(decision.reason))
    >>> says_why.name
    'says why'
    """
    return Holds(name, predicate)
