"""What looks wrong in a file of rules, whatever it was meant to do.

Rule 1: a lint is about rules that somebody wrote; what the built-in rules do is nobody's mistake.
Rule 2: each says where, what, and what would be right. Only `--strict` makes it a failure.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, final

from attrs import evolve, frozen

from callgate.policy.decisions import Effect, Mode, ToolCall
from callgate.policy.matching import Matcher
from callgate.policy.patterns import is_glob
from callgate.policy.rules import Tier
from callgate.policy.shell import split_prefix
from callgate.testing.properties import Scene
from callgate.testing.results import place, written
from callgate.testing.standing import modes_are_monotone
from callgate.testing.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.policy.engine import RulePolicy
    from callgate.policy.rules import Rule

_OPERATORS: Final = ("&&", "||", ";", "|", "&", ">", "<")


@final
@frozen
class Lint:
    """One thing to look at."""

    kind: str
    file: str
    line: int
    what: str
    fix: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: {self.what}; {self.fix}"


def lint(policy: RulePolicy) -> tuple[Lint, ...]:
    """Everything that looks wrong, in the order of the files.

    >>> from callgate.policy.loading import load_text
    >>> text = "[[rule]]\\ntoolName='shell'\\ndecision='deny'\\ncommandPrefix='ls && rm'"
    >>> [found.kind for found in lint(load_text(text).policy)]
    ['never-matches']
    """
    rules = [rule for rule in policy.rules if rule.tier is not Tier.DEFAULT]
    found = [
        *(one for rule in rules for one in _never_matches(rule)),
        *_shadowed(policy.rules),
        *(one for rule in rules for one in _open_patterns(rule)),
        *_no_catch_all(policy),
        *_stricter_allows_more(policy),
    ]
    return tuple(sorted(found, key=lambda one: (one.file, one.line)))


def _at(rule: Rule, kind: str, what: str, fix: str) -> Lint:
    return Lint(kind, rule.file, rule.line, what, fix)


# --- one rule -------------------------------------------------------------------------------------


def _never_matches(rule: Rule) -> Iterator[Lint]:
    """No call of any of its tools could meet it; or its words are no words of one command."""
    modes = rule.modes or tuple(Mode)
    server = "any" if rule.server == "*" else rule.server
    names = [name.replace("*", "x").replace("?", "x") or "x" for name in rule.tools]
    matcher = Matcher(rule)
    if not any(
        matcher.may_concern(ToolCall(name, {}, known), mode, interactive=interactive)
        for name, known, mode, interactive in product(names, {server, None}, modes, (True, False))
    ):
        what = f"no call can be of {', '.join(rule.tools)} and of the server {rule.server!r}"
        yield _at(rule, "never-matches", what, "correct the name or the server")
    for prefix in rule.prefixes:
        odd = [word for word in split_prefix(prefix) if word in _OPERATORS]
        if odd:
            what = f"the prefix {prefix!r} holds {odd[0]!r}, and each command is matched alone"
            yield _at(rule, "never-matches", what, "write one prefix for each command")


def _open_patterns(rule: Rule) -> Iterator[Lint]:
    """An allow by expression that says how a command begins, and not how it ends."""
    if rule.effect is not Effect.ALLOW:
        return
    for expression in rule.regexes:
        if not expression.endswith(("$", "\\z")) or ".*" in expression:
            what = f"the expression {expression!r} lets anything follow"
            yield _at(rule, "unsafe-regex", what, "end it with $, and list what may follow")
    expression = rule.args_pattern or ""
    if expression and not expression.startswith(("^", "\\A")):
        what = f"the expression {expression!r} is found anywhere in the arguments"
        yield _at(rule, "unsafe-regex", what, 'name the key: "path":"...", closing quote too')


# --- rules beside each other ----------------------------------------------------------------------


def _shadowed(rules: tuple[Rule, ...]) -> Iterator[Lint]:
    for number, rule in enumerate(rules):
        if rule.tier is Tier.DEFAULT:
            continue
        above = next((one for one in rules[:number] if _covers(one, rule)), None)
        if above is None:
            continue
        where = place(above.ref)
        if above.effect is Effect.ALLOW and rule.effect is Effect.DENY:
            what = f"the allow at {where} is heard first for all that this denies"
            yield _at(rule, "allow-above-deny", what, "give the deny the higher priority")
        elif above.effect is not Effect.ALLOW or rule.effect is Effect.ALLOW:
            what = f"everything it matches is decided at {where} first"
            yield _at(rule, "shadowed", what, "remove it, or give it a higher priority")
        else:
            what = f"the allow at {where} is heard first for all that this asks about"
            yield _at(rule, "allow-above-ask", what, "give the ask the higher priority")


def _covers(above: Rule, below: Rule) -> bool:
    """Does the upper rule match whatever the lower one matches?"""
    if not set(above.modes or Mode) >= set(below.modes or Mode):
        return False
    if above.interactive is not None and above.interactive is not below.interactive:
        return False
    if not all(_names_cover(above, name) for name in below.tools):
        return False
    same = ("server", "agent", "workspace", "args_pattern")
    if any(getattr(above, key) not in (None, getattr(below, key)) for key in same):
        return False
    if above.contained or (above.paths and above.paths != below.paths):
        return False
    if any(below.annotations.get(key) != value for key, value in above.annotations.items()):
        return False
    return _commands_cover(above, below)


def _names_cover(above: Rule, name: str) -> bool:
    if "*" in above.tools or name in above.tools:
        return True
    if is_glob(name):
        return False
    plain = evolve(above, server=None, modes=(), interactive=None)
    return Matcher(plain).may_concern(ToolCall(name), Mode.DEFAULT, interactive=True)


def _commands_cover(above: Rule, below: Rule) -> bool:
    if not (above.prefixes or above.exacts or above.regexes):
        return True
    if below.args_pattern is not None or not (below.prefixes or below.exacts or below.regexes):
        return False
    if not set(below.regexes) <= set(above.regexes):
        return False
    wide = [split_prefix(prefix) for prefix in above.prefixes]
    narrow = [split_prefix(prefix) for prefix in below.prefixes]
    if not all(any(words[: len(one)] == one for one in wide) for words in narrow):
        return False
    return set(below.exacts) <= set(above.exacts)


# --- the whole ------------------------------------------------------------------------------------


def _no_catch_all(policy: RulePolicy) -> Iterator[Lint]:
    """Some mode in which a call could meet no rule at all."""
    caught = {
        mode
        for rule in policy.rules
        if "*" in rule.tools and rule.is_unconditional and rule.interactive is None
        for mode in rule.modes or Mode
    }
    missing = [mode.value for mode in Mode if mode not in caught]
    if missing:
        file = policy.rules[0].file if policy.rules else "the policy"
        what = f"no rule is for every tool in the mode {', '.join(missing)}"
        fix = "add a rule with toolName = '*' and the lowest priority"
        yield Lint("no-catch-all", file, 1, what, fix)


def _stricter_allows_more(policy: RulePolicy) -> Iterator[Lint]:
    aim = modes_are_monotone
    scene = Scene(policy, aim.modes, vocabulary(policy))
    for probe in aim.deliberate(scene):
        found = aim.broken(policy, probe)
        if found is not None:
            rule = found.rule
            file, line = (rule.file, rule.line) if rule else ("the policy", 1)
            what = f"{probe.context.mode.value} allows {written(probe.call)}, {found.why}"
            yield Lint("stricter-allows-more", file, line, what, "list the laxer modes too")
            return
