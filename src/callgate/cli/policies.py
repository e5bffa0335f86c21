"""The policy of a command line: files with their tiers, and patterns of what may run unasked.

Rule 1: what is wrong with a file is said, with its line; it never widens what the others allow.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any, Final

from callgate.policy.decisions import Effect, RuleRef
from callgate.policy.engine import RulePolicy
from callgate.policy.errors import PolicyError
from callgate.policy.loading import load_policy
from callgate.policy.names import canonical
from callgate.policy.rules import PRIORITY_MAX, Rule, Tier
from callgate.policy.shell.prefix import split_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable

_PATTERN: Final = re.compile(r"([^()]+)(?:\((.*)\))?", re.DOTALL)


SEARCH: Final = Rule(
    tools=("search_text",),
    effect=Effect.ALLOW,
    priority=PRIORITY_MAX,
    tier=Tier.DEFAULT,
    name="a search is a read",
)
"""The built-in search reads; the policy's own rules know the reading tools of every agent only."""


def source_of(word: str) -> tuple[str, str]:
    """A file and its tier, as a person writes it.

    >>> source_of("admin=rules.toml")
    ('admin', 'rules.toml')
    >>> source_of("rules.toml")
    ('user', 'rules.toml')
    """
    tier, found, file = word.partition("=")
    if found and (tier in list(Tier) or not os.path.exists(word)):
        if not file:
            raise PolicyError(f"{word!r} names no file: [TIER=]FILE was expected")
        return tier, file
    return Tier.USER.value, word


def rule_of(pattern: str) -> Rule:
    """The rule behind `--allow PATTERN`.

    >>> rule_of("shell(git status)").prefixes
    ('git status',)
    >>> rule_of("read_file").tools
    ('read_file',)
    """
    found = _PATTERN.fullmatch(pattern.strip())
    if found is None:
        raise PolicyError(f"--allow {pattern!r}: TOOL, or `shell(words)`, was expected")
    name, words = found.groups()
    if words is not None and canonical(name) != "shell":
        raise PolicyError(f"--allow {pattern!r}: only the shell is allowed by words")
    if words is not None:
        try:
            split_prefix(words)
        except ValueError as error:
            raise PolicyError(f"--allow {pattern!r}: {error}") from None
    prefixes = () if words is None else (words,)
    return Rule(tools=(name,), effect=Effect.ALLOW, prefixes=prefixes, name=f"--allow {pattern}")


def policy_of(files: Iterable[str], allowed: Iterable[str] = ()) -> RulePolicy:
    """The built-in rules, those of the files, and what is allowed besides.

    Raises:
        PolicyError: a pattern is none, a tier is unknown, or no file could be read at all.
    """
    sources = [source_of(word) for word in files]
    loaded = load_policy(*sources)
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    if sources and not loaded.parsed:
        raise PolicyError("no policy could be loaded")
    return RulePolicy([SEARCH, *loaded.policy.rules, *map(rule_of, allowed)], loaded.policy.answers)


def rule_json(rule: RuleRef | None) -> dict[str, Any] | None:
    """The rule that decided, as every command prints it in JSON.

    >>> rule_json(RuleRef("p.toml", 3, "no rm", "user", 10))["line"]
    3
    """
    if rule is None:
        return None
    return {
        "file": rule.file,
        "line": rule.line,
        "name": rule.name,
        "tier": rule.tier,
        "priority": rule.priority,
    }
