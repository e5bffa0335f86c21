"""Trying a policy: first what would break it if anything did, then at random, then shrunk.

Rule 1: the same policy, properties and seed give the same calls and the same result.
Rule 2: a result says how many calls stand behind it, and what the policy raised meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from attrs import define
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample, Unsatisfiable

from callgate.policy.decisions import Mode
from callgate.testing.loading import Subject, opened
from callgate.testing.properties import Scene
from callgate.testing.proving import prove_property
from callgate.testing.results import PropertyFailed, Result, Verdict
from callgate.testing.seeds import random_of
from callgate.testing.situations import Raised, answer
from callgate.testing.standing import STANDING
from callgate.testing.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from random import Random

    from callgate.policy.decisions import Policy
    from callgate.testing.properties import Property
    from callgate.testing.results import Counterexample
    from callgate.testing.situations import Probe

    Progress = Callable[[str, int], None]

EXAMPLES: Final = 1_000
REPORTED_EVERY: Final = 50


def check_policy(
    policy: Policy | str | Path,
    *properties: Property,
    modes: Iterable[Mode | str] | None = None,
    seed: int = 0,
    examples: int = EXAMPLES,
) -> tuple[Result, ...]:
    """Raise `PropertyFailed`, with the smallest call that was found, if a property does not hold.

    Args:
        policy: anything with `decide(call, context)`, or the path of a policy file.
        properties: what it is held to; none: that it always decides, and a denial is final.
        modes: the approval modes to try; none: those that each property is meant for.
        seed: of the random search.
        examples: how many random calls to try beside the deliberate ones.

    >>> from callgate.policy.decisions import Decision, Effect
    >>> class AskAll:
    ...     def decide(self, call, context):
    ...         return Decision(Effect.ASK if context.interactive else Effect.DENY)
    >>> from callgate.testing import never_runs
    >>> check_policy(AskAll(), never_runs("shell:rm *"), examples=10)[0].holds
    True
    """
    results = examine(policy, *properties, modes=modes, seed=seed, examples=examples)
    failed = tuple(result for result in results if not result.holds)
    if failed:
        raise PropertyFailed(failed)
    return results


def examine(
    policy: Policy | str | Path | Subject,
    *properties: Property,
    modes: Iterable[Mode | str] | None = None,
    seed: int = 0,
    examples: int = EXAMPLES,
    progress: Progress | None = None,
) -> tuple[Result, ...]:
    """The same without raising: one result for each property, in order."""
    subject = opened(policy)
    chosen = None if modes is None else tuple(Mode(mode) for mode in modes)
    return tuple(
        _examine(
            subject,
            one,
            chosen or one.modes,
            random_of(seed),
            seed,
            examples,
            progress,
        )
        for one in properties or STANDING
    )


def _examine(  # noqa: PLR0913, PLR0917 - the one place where all of it meets
    subject: Subject,
    one: Property,
    modes: tuple[Mode, ...],
    random: Random,
    seed: int,
    examples: int,
    progress: Progress | None,
) -> Result:
    scene = Scene(subject.policy, modes, vocabulary(subject.policy))
    hunt = Hunt(scene, one, progress)
    found = hunt.deliberately() or hunt.at_random(random, examples)
    proof = "" if found else prove_property(scene, one)
    verdict = Verdict.FAILS if found else Verdict.PROVED if proof else Verdict.HELD
    return Result(
        one.name,
        verdict,
        subject.label,
        hunt.calls,
        seed,
        found,
        proof or hunt.note,
        subject.given,
    )


@final
@define
class Hunt:
    """A search for one call that breaks one property; it counts as it goes."""

    scene: Scene
    aim: Property
    progress: Progress | None
    calls: int = 0

    def deliberately(self) -> Counterexample | None:
        """The first of the deliberate calls that breaks it."""
        for probe in self.aim.deliberate(self.scene):
            broken = self._broken(probe)
            if broken is not None:
                return broken
        return None

    def at_random(self, random: Random, examples: int) -> Counterexample | None:
        """The smallest call that a search comes to."""
        if examples < 1:
            return None
        chosen = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        strategy = self.aim.search(self.scene)
        try:
            probe = find(strategy, self._breaks, settings=chosen, random=random)
        except (NoSuchExample, Unsatisfiable):
            return None
        return self.aim.broken(self.scene.policy, probe)

    def _breaks(self, probe: Probe) -> bool:
        return self._broken(probe) is not None

    def _broken(self, probe: Probe) -> Counterexample | None:
        self.calls += 1
        if self.progress and self.calls % REPORTED_EVERY == 0:
            self.progress(self.aim.name, self.calls)
        return self.aim.broken(self.scene.policy, probe)

    @property
    def note(self) -> str:
        """What the policy raises when it is asked something simple: a silent pass would mislead."""
        probe = next(iter(self.aim.deliberate(self.scene)), None)
        said = None if probe is None else answer(self.scene.policy, probe)
        if not isinstance(said, Raised):
            return ""
        return f"careful: decide raised on the simplest call ({said.error}); raising is no allow"
