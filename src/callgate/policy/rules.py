"""Rules: frozen values that say what they are about and what they decide.

Rule 1: a rule is data; it compares, hashes and prints. What a rule means is `matching`.
Rule 2: rules stand in one order: tier, then priority, then as written; the first that matches wins.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, final

from attrs import field, frozen

from callgate.kernel.frozenjson import EMPTY, JsonObject, freeze_object
from callgate.policy.decisions import Effect, Mode, RuleRef
from callgate.policy.names import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

PRIORITY_MAX: Final = 999
ABOVE_ALL: Final = PRIORITY_MAX + 1
"""The priority, within a tier, of what replaces a rule or a file that could not be read."""


@final
class Tier(StrEnum):
    """Whose rule it is; a later one is heard before an earlier one.

    >>> Tier.ADMIN.rank > Tier.USER.rank
    True
    """

    DEFAULT = "default"
    EXTENSION = "extension"
    WORKSPACE = "workspace"
    USER = "user"
    ADMIN = "admin"

    __hash__ = str.__hash__

    @property
    def rank(self) -> int:
        """Its place in the order."""
        return _RANKS[self]


_RANKS: Final = {tier: rank for rank, tier in enumerate(Tier)}


def _texts(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(items)


def _modes(items: Iterable[Mode]) -> tuple[Mode, ...]:
    return tuple(items)


def _canonical(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(canonical, names))


@final
@frozen(kw_only=True)
class Rule:
    """One rule.

    >>> Rule(tools=["run_shell_command"], effect=Effect.DENY, prefixes=["rm"]).tools
    ('shell',)
    """

    tools: tuple[str, ...] = field(converter=_canonical)
    "Names or globs; any of them."
    effect: Effect
    priority: int = 0
    tier: Tier = Tier.USER
    name: str = ""
    server: str | None = None
    "Only tools of this server; `*`: of any server."
    agent: str | None = None
    "Only calls of this sub-agent."
    annotations: JsonObject = field(default=EMPTY, converter=freeze_object)
    "Each must be there, and equal."
    modes: tuple[Mode, ...] = field(default=(), converter=_modes)
    "Only in these; none given: in all."
    interactive: bool | None = None
    "Only where somebody can be asked, or only where nobody can."
    args_pattern: str | None = None
    "A pattern, searched in the arguments as compact JSON."
    args_exact: str | None = None
    "The arguments, all of them, as compact JSON."
    prefixes: tuple[str, ...] = field(default=(), converter=_texts)
    "Shell words that a command starts with."
    exacts: tuple[str, ...] = field(default=(), converter=_texts)
    "Whole command lines, to the letter."
    regexes: tuple[str, ...] = field(default=(), converter=_texts)
    "Patterns that each command starts with."
    paths: tuple[str, ...] = field(default=(), converter=_texts)
    "Globs: an allow needs every path of the call to match one, a deny or an ask any."
    contained: bool = False
    "An allow for calls that name a path, all of them in the workspace and none in `.git`."
    outside: bool = False
    "An allow that holds outside the workspace too."
    workspace: str | None = None
    "Only in this workspace: absolute, links resolved."
    allow_redirection: bool = False
    is_broken: bool = False
    "It stands for something that could not be read, and might have meant some commands only."
    message: str = ""
    file: str = ""
    line: int = 0

    @property
    def ref(self) -> RuleRef:
        """Where a person finds it."""
        return RuleRef(self.file, self.line, self.name, self.tier.value, self.priority)

    @property
    def is_about_commands(self) -> bool:
        """Does it say which commands it means?"""
        commands = self.prefixes or self.exacts or self.regexes
        return bool(commands or self.args_pattern or self.args_exact)

    @property
    def is_unconditional(self) -> bool:
        """Does it hold for every call of its tools in its modes?"""
        narrow = self.is_about_commands or self.paths or self.contained or self.annotations
        pinned = self.server is not None or self.agent is not None or self.workspace is not None
        return not (narrow or pinned)

    @property
    def rank(self) -> tuple[int, int]:
        """What it is sorted by; the first has the greatest."""
        return (self.tier.rank, self.priority)


def in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """As they are heard. Sorting is stable: of equals, the one written first is heard first."""
    return tuple(sorted(rules, key=lambda rule: rule.rank, reverse=True))
