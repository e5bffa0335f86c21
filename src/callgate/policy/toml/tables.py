"""One table of a file as a rule, and what becomes of one that is wrong.

Rule 1: a wrong rule never widens: an allow is dropped, anything else denies its tools (all tools if
they cannot be read; in all modes, and above all of its tier, if those cannot be read).
Rule 2: all that is wrong with a rule is said at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import define, field

from callgate.policy.decisions import Effect
from callgate.policy.errors import Kind, Problem
from callgate.policy.names import ALIASES, KNOWN, MCP, SHELL, canonical
from callgate.policy.patterns import is_glob
from callgate.policy.rules import ABOVE_ALL, Rule, Tier
from callgate.policy.toml.keys import (
    COMMAND_KEYS,
    EXAMPLES,
    RULE,
    SPELLINGS,
    Wrong,
    nearest,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from callgate.policy.toml.positions import Path, Positions

BROKEN: Final = "This rule of the policy could not be read, so that its tools are denied."


@define
class Reader:
    """Reads the tables of one file, and keeps what is wrong with them."""

    file: str
    tier: Tier
    positions: Positions
    known_tools: frozenset[str] = frozenset()
    problems: list[Problem] = field(factory=list)

    def report(self, path: Path, what: str, fix: str, kind: Kind = Kind.RULE) -> None:
        """Note one problem at the line of this value."""
        self.problems.append(Problem(self.file, self.positions.line(*path), what, fix, kind))

    def rule(self, table: Mapping[str, Any], at: Path, *, answer: bool = False) -> Rule | None:
        """The rule of a table; what it becomes if it is wrong; none if it is dropped."""
        before = len(self.problems)
        fields = self._fields(table, at)
        self._together(table, fields, at)
        if answer:
            fields.setdefault("effect", Effect.ALLOW)
            if fields["effect"] is not Effect.ALLOW:
                self.report((*at, "decision"), "an answer always allows", "leave 'decision' out")
        self._required(table, at, optional=("decision", "priority") if answer else ())
        if any(problem.kind is not Kind.WARNING for problem in self.problems[before:]):
            return self.broken(table, at, answer=answer)
        if fields["effect"] is Effect.ALLOW and self.tier is Tier.EXTENSION:
            self.report(at, "an extension may not allow", "its rule is dropped", Kind.DROPPED)
            return None
        if not answer:
            self._doubts(fields, table, at)
        return Rule(tier=self.tier, file=self.file, line=self.positions.line(*at), **fields)

    def broken(self, table: Mapping[str, Any], at: Path, *, answer: bool = False) -> Rule | None:
        """What a wrong rule becomes."""
        if answer or table.get("decision") == "allow":
            return None
        quiet = Reader(self.file, self.tier, self.positions)
        fields = quiet._fields({key: table[key] for key in _WHERE if key in table}, at)
        return Rule(
            tools=fields.get("tools") or ("*",),
            effect=Effect.DENY,
            is_broken=True,
            priority=fields.get("priority", ABOVE_ALL),
            modes=fields.get("modes", ()),
            tier=self.tier,
            name=fields.get("name", ""),
            message=fields.get("message", BROKEN),
            file=self.file,
            line=self.positions.line(*at),
        )

    def _fields(self, table: Mapping[str, Any], at: Path) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for given, value in table.items():
            key = SPELLINGS.get(given, given)
            if key in EXAMPLES:
                continue
            if key not in RULE:
                self._unknown(given, (*at, given), (*RULE, *EXAMPLES))
                continue
            name, read = RULE[key]
            if name in fields:
                self.report((*at, given), f"'{key}' is given twice", "keep one spelling of it")
            try:
                fields[name] = read(value)
            except Wrong as wrong:
                self.report((*at, given), f"'{given}' {wrong.what}", wrong.fix)
        return fields

    def _unknown(self, key: str, at: Path, known: Iterable[str]) -> None:
        listed = tuple(known)
        near = nearest(key, listed)
        fix = f"did you mean '{near}'?" if near else f"the keys are {', '.join(listed)}"
        self.report(at, f"unknown key {key!a}", fix)

    def _required(self, table: Mapping[str, Any], at: Path, optional: tuple[str, ...]) -> None:
        given = {SPELLINGS.get(key, key) for key in table}
        for key, fix in _REQUIRED.items():
            if key not in given and key not in optional:
                self.report(at, f"the rule has no '{key}'", fix)
        if "priority" not in given and "priority" not in optional:
            fix = "0 is assumed; write priority = 0 to 999"
            self.report(at, "the rule has no 'priority'", fix, Kind.WARNING)

    def _together(self, table: Mapping[str, Any], fields: dict[str, Any], at: Path) -> None:
        """Keys that exclude or need each other."""
        given = {SPELLINGS.get(key, key): key for key in table}
        about = [key for key in (*COMMAND_KEYS, "argsPattern", "argsExact") if key in given]
        if len(about) > 1:
            what = f"'{about[0]}' and '{about[1]}' stand in one rule"
            self.report((*at, given[about[1]]), what, "write one rule for each")
        others = [name for name in fields.get("tools", ()) if canonical(name) != SHELL]
        if others and about and about[0] in COMMAND_KEYS:
            what = f"'{about[0]}' stands in a rule for {others[0]!a}"
            self.report((*at, given[about[0]]), what, f"it needs toolName = '{SHELL}'")

    def _doubts(self, fields: dict[str, Any], table: Mapping[str, Any], at: Path) -> None:
        """What is allowed and still looks wrong."""
        if fields.get("server"):
            return
        key = "toolName" if "toolName" in table else "tool_name"
        known = (*KNOWN, *ALIASES, *sorted(self.known_tools))
        for name in fields["tools"]:
            if name in known or is_glob(name) or name.startswith(MCP):
                continue
            near = nearest(name, known)
            fix = f"did you mean '{near}'?" if near else f"callgate knows {', '.join(KNOWN)}"
            self.report((*at, key), f"unknown tool {name!a}", fix, Kind.WARNING)


_WHERE: Final = ("toolName", "tool_name", "priority", "modes", "name", "denyMessage")
"""What a broken rule keeps, where it can be read."""
_REQUIRED: Final = {
    "toolName": "name a tool, a list of them, or '*' for any",
    "decision": "write decision = 'allow', 'ask' or 'deny'",
}
