"""Proofs, where there are few enough kinds of calls to try them all.

A rule policy sees a call by its tool, server, mode and whether somebody can be asked; and a command
by its first words. The names that no rule mentions are all alike, so these classes are finite: each
is walked down the rules, in the order in which they are heard, and every rule that could match any
call of the class is taken to match it.

Rule 1: too much is assumed, never too little: a rule with a condition that is not about first words
could match, and if it allows there is no proof. What is not proved may still be true.
Rule 2: a command that runs another is read as callgate's shell reader reads it; that reader has its
own proof, in its hostile corpus. What a program does once it runs is nobody's rule.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, final

from attrs import evolve, frozen

from callgate.policy.decisions import Effect, Mode, ToolCall
from callgate.policy.engine import RulePolicy
from callgate.policy.matching import Matcher
from callgate.policy.names import SHELL, canonical
from callgate.policy.patterns import is_glob
from callgate.policy.shell import split_prefix
from callgate.policy.shell.codetext import SHELLS
from callgate.policy.shell.wrappers import WRAPPERS
from callgate.testing.launchers import KEYWORDS, LAUNCHERS, TAME_GIT
from callgate.testing.properties import AlwaysAsks, NeverAsks, NeverRuns, NoWiderThan
from callgate.testing.vocabulary import servers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callgate.policy.rules import Rule
    from callgate.testing.pattern import Pattern
    from callgate.testing.properties import Property, Scene

_FRESH: Final = "a_name_that_no_rule_mentions"
_NOT_PLAIN: Final = frozenset("'\"\\$`{}*?[]~!\n\t\r")
_FREE: Final = Mode.YOLO


@final
@frozen
class Class:
    """Calls that differ in nothing that picks the rules."""

    name: str
    server: str | None
    mode: Mode
    interactive: bool


def prove_property(scene: Scene, aim: Property) -> str:
    """What was shown, if the property holds for every call; empty: it is not known."""
    policy = scene.policy
    if type(policy) is not RulePolicy:  # a class made of it may decide otherwise
        return ""
    if isinstance(aim, NoWiderThan):
        return _prove_no_wider(policy, aim, scene.modes)
    if not isinstance(aim, (NeverRuns, AlwaysAsks, NeverAsks)):
        return ""
    kinds = list(_classes(policy.rules, aim.pattern.names, scene.modes))
    if isinstance(aim, NeverRuns):
        held = all(_never_allows(policy, kind, aim.pattern) for kind in kinds)
    elif isinstance(aim, AlwaysAsks):
        held = all(_only_asks(policy, kind, aim.pattern) for kind in kinds)
    else:
        held = all(_only_denies(policy, kind, aim.pattern) for kind in kinds)
    return f"every class of tool, server, mode and prefix was tried: {len(kinds)}" if held else ""


def _classes(rules: Iterable[Rule], names: Iterable[str], modes: Iterable[Mode]) -> Iterator[Class]:
    known = (None, *servers_of(rules), _FRESH)
    for name, server, mode, interactive in product(names, known, modes, (True, False)):
        yield Class(name, server, mode, interactive)


def _heard(rules: Sequence[Rule], kind: Class) -> Iterator[Rule]:
    """The rules that could match a call of this class, in order."""
    call = ToolCall(kind.name, {}, kind.server)
    for rule in rules:
        if Matcher(rule).may_concern(call, kind.mode, interactive=kind.interactive):
            yield rule


def _walk(policy: RulePolicy, kind: Class, pattern: Pattern) -> Iterator[tuple[Effect, bool]]:
    """Each effect that a call of the pattern could meet, and whether nothing gets past it.

    The last one is certain: where no rule matches, a person is asked.
    """
    for rule in _heard(policy.rules, kind):
        if not _could_match(rule, kind, pattern):
            continue
        certain = _surely_matches(rule, kind, pattern)
        yield rule.effect, certain
        if certain:
            return
    yield Effect.ASK, True


def _never_allows(policy: RulePolicy, kind: Class, pattern: Pattern) -> bool:
    """No call of the class is allowed: nothing that could match allows, before what surely does."""
    if pattern.words and kind.mode is _FREE:
        return False  # there even a command that is not understood may be allowed
    return all(effect is not Effect.ALLOW for effect, _ in _walk(policy, kind, pattern)) and not (
        _answers(policy, kind, pattern)
    )


def _only_asks(policy: RulePolicy, kind: Class, pattern: Pattern) -> bool:
    if not _never_allows(policy, kind, pattern):
        return False
    return all(effect is Effect.ASK for effect, _ in _walk(policy, kind, pattern))


def _only_denies(policy: RulePolicy, kind: Class, pattern: Pattern) -> bool:
    """Every call is denied before anything could ask; an allow may be hindered, and then ask."""
    return all(effect is Effect.DENY for effect, _ in _walk(policy, kind, pattern))


def _answers(policy: RulePolicy, kind: Class, pattern: Pattern) -> bool:
    """Could an "always" that was saved before allow it?"""
    return any(_could_match(rule, kind, pattern) for rule in _heard(policy.answers, kind))


# --- one rule, one class of commands --------------------------------------------------------------


def _could_match(rule: Rule, kind: Class, pattern: Pattern) -> bool:
    """Could the rule match a command of the pattern? Of other calls: yes, in doubt."""
    if not pattern.words or canonical(kind.name) != SHELL:
        return True
    if rule.args_pattern is not None or rule.regexes or not (rule.prefixes or rule.exacts):
        return True
    if _starts_others(pattern.words[0]):
        return True  # `bash -c ls` is allowed where `ls` is
    if any(_could_run(text, pattern.words[0]) for text in rule.exacts):
        return True
    return any(_near(split_prefix(prefix), pattern.words) for prefix in rule.prefixes)


def _starts_others(word: str) -> bool:
    """Does an allow look through it, to what stands behind it?"""
    name = _base(word)
    return name in SHELLS or name in KEYWORDS or (name in WRAPPERS and WRAPPERS[name].is_open)


def _near(prefix: Sequence[str], words: Sequence[str]) -> bool:
    """Could one command begin with both, or could what the prefix grants run the words?"""
    shared = min(len(prefix), len(words))
    if _bases(prefix[:shared]) == _bases(words[:shared]):
        return True
    if _base(prefix[0]) == _base(words[0]) and any(word.startswith("-") for word in prefix):
        return True  # an option may stand before the sub-command
    if prefix[0] == "git" and prefix[1:2] and prefix[1] in TAME_GIT:
        return False
    if _base(prefix[0]).rstrip("0123456789.") in LAUNCHERS or set("".join(prefix)) & _NOT_PLAIN:
        return True
    return any(_base(word) == _base(words[0]) for word in prefix[1:])


def _bases(words: Sequence[str]) -> tuple[str, ...]:
    return (_base(words[0]), *words[1:]) if words else ()


def _base(word: str) -> str:
    return word.rsplit("/", 1)[-1]


def _could_run(text: str, program: str) -> bool:
    return _base(program) in text or bool(set(text) & _NOT_PLAIN)


def _surely_matches(rule: Rule, kind: Class, pattern: Pattern) -> bool:
    """Does nothing of the class get past this rule?"""
    if rule.is_unconditional:
        return True
    if rule.effect is Effect.ALLOW or canonical(kind.name) != SHELL or not pattern.words:
        return False
    others = evolve(rule, prefixes=(), exacts=(), regexes=())
    if not others.is_unconditional or kind.server is not None:
        return False
    return any(_covers(split_prefix(prefix), pattern.words) for prefix in rule.prefixes)


def _covers(prefix: Sequence[str], words: Sequence[str]) -> bool:
    """Does every command that begins with the words begin with the prefix?"""
    return _bases(words[: len(prefix)]) == _bases(prefix)


# --- two policies ---------------------------------------------------------------------------------


def _prove_no_wider(new: RulePolicy, aim: NoWiderThan, modes: Iterable[Mode]) -> str:
    """In every class the new policy is the old one with allows taken away and refusals added."""
    old = aim.old
    if type(old) is not RulePolicy or new.answers:
        return ""
    rules = (*new.rules, *old.rules)
    named = sorted({name for rule in rules for name in rule.tools if not is_glob(name)})
    globs = sorted({name for rule in rules for name in rule.tools if is_glob(name)} - {"*"})
    if globs:
        return ""  # which names a glob means is no finite question
    kinds = list(_classes(rules, (*named, _FRESH), modes))
    for kind in kinds:
        if not _narrower([*_heard(new.rules, kind)], [*_heard(old.rules, kind)]):
            return ""
    return f"every class of tool, server and mode was tried: {len(kinds)}"


def _narrower(new: Sequence[Rule], old: Sequence[Rule]) -> bool:
    now, before = [_bare(rule) for rule in new], [_bare(rule) for rule in old]
    if all(rule.effect is not Effect.ALLOW for rule in _up_to_a_wall(now)):
        return True
    kept = [rule for rule in now if rule in before]
    needed = [rule for rule in before if rule in now or rule.effect is not Effect.ALLOW]
    return kept == needed and all(
        rule.effect is not Effect.ALLOW for rule in now if rule not in before
    )


def _up_to_a_wall(rules: Sequence[Rule]) -> Iterator[Rule]:
    for rule in rules:
        yield rule
        if rule.is_unconditional:
            return


def _bare(rule: Rule) -> Rule:
    """The rule without what says only where it stands; its place is its place in the list."""
    return evolve(rule, file="", line=0, name="", message="", priority=0)
