"""Which rules could matter for a tool, so that ten thousand of them cost what a few do.

Rule 1: an index leaves out only what cannot match; the order stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.matching import Matcher
from callgate.policy.names import KNOWN, canonical, names
from callgate.policy.patterns import is_glob

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callgate.policy.rules import Rule
    from callgate.policy.shell import Command

REMEMBERED_MAX: Final = 1_024
"""How many kinds of call keep their list of rules; then all are forgotten at once."""


@final
class Candidates:
    """The rules that could match one kind of call, in order."""

    __slots__ = ("_by_word", "_rest", "all", "guards_commands", "guards_paths")

    def __init__(self, matchers: Iterable[Matcher]) -> None:
        self.all = tuple(matchers)
        self.guards_commands = any(
            each.rule.effect is not Effect.ALLOW
            and (each.rule.is_about_commands or each.rule.is_broken)
            for each in self.all
        )
        "Does a deny or an ask mean some commands only?"
        self.guards_paths = any(
            each.rule.effect is not Effect.ALLOW and each.rule.paths for each in self.all
        )
        "Does a deny or an ask mean some paths only?"
        self._rest: list[int] = []
        self._by_word: dict[str, list[int]] = {}
        for number, matcher in enumerate(self.all):
            if matcher.prefixes and not (matcher.rule.exacts or matcher.rule.regexes):
                for word in {_program(prefix[0]): None for prefix in matcher.prefixes}:
                    self._by_word.setdefault(word, []).append(number)
            else:
                self._rest.append(number)

    def of(self, command: Command) -> tuple[Matcher, ...]:
        """Those that could match this command."""
        words = [layer.words[0] for layer in command.layers if layer.words]
        if not self._by_word or not all(isinstance(word, str) for word in words):
            return self.all
        numbers = set(self._rest)
        for word in words:
            if isinstance(word, str):
                numbers.update(self._by_word.get(_program(word), ()))
        return tuple(self.all[number] for number in sorted(numbers))


def _program(word: str) -> str:
    return word.rsplit("/", 1)[-1]


def _beginning(glob: str) -> str:
    """What a name that a glob means must begin with."""
    return glob[: min(glob.find(sign) for sign in "*?[{" if sign in glob)]


@final
class Index:
    """Rules in order, found by the names of tools."""

    __slots__ = ("_exact", "_globs", "_longest", "_matchers", "_seen")

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._matchers = tuple(map(Matcher, rules))
        self._exact: dict[str, list[int]] = {}
        self._globs: dict[str, list[int]] = {}
        self._seen: dict[tuple[str, str | None, Mode, bool], Candidates] = {}
        for number, matcher in enumerate(self._matchers):
            for name in dict.fromkeys(matcher.rule.tools):
                if is_glob(name):
                    self._globs.setdefault(_beginning(name), []).append(number)
                else:
                    self._exact.setdefault(name, []).append(number)

        self._longest = max(map(len, self._globs), default=0)

    def prepare(self) -> None:
        """Find the rules for the known tools now: a first decision is as fast as any."""
        for name in KNOWN:
            for mode in Mode:
                for interactive in (True, False):
                    self.candidates(ToolCall(name), Context(mode, interactive))

    def candidates(self, call: ToolCall, context: Context) -> Candidates:
        """The rules that could match this call."""
        name = canonical(call.name) if call.server is None else call.name
        key = (name, call.server, context.mode, context.interactive)
        known = self._seen.get(key)
        if known is None:
            if len(self._seen) >= REMEMBERED_MAX:
                self._seen.clear()
            known = self._seen[key] = self._find(call, context)
        return known

    def _find(self, call: ToolCall, context: Context) -> Candidates:
        numbers: set[int] = set()
        for name in names(call):
            numbers.update(self._exact.get(name, ()))
            for length in range(min(len(name), self._longest) + 1):
                numbers.update(self._globs.get(name[:length], ()))
        ordered = (self._matchers[number] for number in sorted(numbers))
        return Candidates(
            each
            for each in ordered
            if each.may_concern(call, context.mode, interactive=context.interactive)
        )
