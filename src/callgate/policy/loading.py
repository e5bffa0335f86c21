"""From files to a policy: each file on its own, no file able to disable or to widen another.

Rule 1: loading never raises for what a file holds; it says what is wrong, line by line.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, final

from attrs import frozen

from callgate.policy.defaults import DEFAULTS
from callgate.policy.engine import RulePolicy
from callgate.policy.errors import Kind, PolicyError, Problem
from callgate.policy.rules import Rule, Tier
from callgate.policy.toml.examples import FileTest
from callgate.policy.toml.files import FileContent, read_text, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable

Source: TypeAlias = "str | Path | tuple[str, str | Path]"


@final
@frozen
class Loaded:
    """A policy, and what was wrong with its files."""

    policy: RulePolicy
    problems: tuple[Problem, ...] = ()
    tests: tuple[FileTest, ...] = ()
    parsed: tuple[str, ...] = ()
    "The files that are TOML, whatever they hold."

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that are no warnings."""
        return tuple(each for each in self.problems if each.kind is not Kind.WARNING)


def load_policy(*files: Source, defaults: bool = True, tools: Iterable[str] = ()) -> Loaded:
    """The policy of these files.

    Args:
        files: paths of TOML files, of tier user, or pairs of a tier and a path.
        defaults: are the built-in rules there too?
        tools: names of your own tools, which a rule may name without a warning.

    Returns:
        The policy, and every problem. A file that does not parse denies every tool at its tier.

    Raises:
        PolicyError: a tier is none of the five.

    >>> load_policy().policy.rules[0].name
    'yolo allows everything'
    """
    known = frozenset(tools)
    contents = [(file, _load(file, tier, known)) for tier, file in map(_source, files)]
    rules = [rule for _, content in contents for rule in content.rules]
    answers = [rule for _, content in contents for rule in content.answers]
    tests = [test for _, content in contents for test in content.tests]
    policy = RulePolicy([*rules, *(DEFAULTS if defaults else ())], answers).prepare()
    failed = [test.problem(policy) for test in tests]
    problems = [problem for _, content in contents for problem in content.problems]
    problems += [problem for problem in failed if problem is not None]
    parsed = tuple(file for file, content in contents if content.is_parsed)
    return Loaded(policy, tuple(problems), tuple(tests), parsed)


def load_text(text: str, tier: Tier = Tier.USER, *, defaults: bool = True) -> Loaded:
    """The policy of one text, as if a file of the name `<text>` held it.

    >>> load_text("[[rule]]\\ntoolName = '*'\\ndecision = 'deny'").policy.rules[0].effect.value
    'deny'
    """
    content = read_text("<text>", text.encode("utf-8", "replace"), tier)
    policy = RulePolicy(
        [*content.rules, *(DEFAULTS if defaults else ())], content.answers
    ).prepare()
    failed = [test.problem(policy) for test in content.tests]
    problems = (*content.problems, *(each for each in failed if each is not None))
    parsed = ("<text>",) if content.is_parsed else ()
    return Loaded(policy, problems, content.tests, parsed)


def _source(source: Source) -> tuple[Tier, str]:
    tier, file = source if isinstance(source, tuple) else (Tier.USER, source)
    try:
        return Tier(tier), str(file)
    except ValueError:
        known = ", ".join(each.value for each in Tier)
        raise PolicyError(f"{file}: the tier {tier!r} is unknown (allowed: {known})") from None


def _load(file: str, tier: Tier, known: frozenset[str]) -> FileContent:
    try:
        content = Path(file).read_bytes()
    except (OSError, ValueError) as error:
        words = (isinstance(error, OSError) and error.strerror) or str(error)
        return unreadable(file, tier, f"cannot be read ({words})", "name a file that can be read")
    return read_text(file, content, tier, known)


__all__ = ["FileTest", "Loaded", "Rule", "load_policy", "load_text"]
