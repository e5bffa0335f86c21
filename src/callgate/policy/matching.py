"""What a rule means: does it match this call, and would its allow hold?

Rule 1: an allow matches what is certain; a deny or an ask what could be.
Rule 2: an allow that is hindered (an option that executes, a path outside) does not match: the next
rule is heard. So an allow never takes a permission away, and never shields from a lower deny.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, final

from callgate.kernel.frozenjson import JsonObject
from callgate.policy.arguments import ArgsPattern
from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.names import allow_names, server_of, touch_names
from callgate.policy.patterns import Pattern, path_glob
from callgate.policy.shell import (
    Command,
    allow_reason,
    deny_could_match,
    deny_matches,
    judge,
    split_prefix,
)

if TYPE_CHECKING:
    from callgate.policy.facts import Facts
    from callgate.policy.paths import Place
    from callgate.policy.rules import Rule

MATCH: Final = ""
"""It matches, and its decision holds. `None`: it does not match. Else: why an allow is hindered."""
DOUBT: Final = "could be what it forbids"


@final
class Matcher:
    """A rule, made ready."""

    __slots__ = ("_args", "_paths", "_regexes", "is_allow", "prefixes", "rule")

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.is_allow = rule.effect is Effect.ALLOW
        self.prefixes = tuple(map(split_prefix, rule.prefixes))
        self._args = None if rule.args_pattern is None else ArgsPattern.of(rule.args_pattern)
        self._regexes = tuple(map(Pattern, rule.regexes))
        self._paths = tuple((glob, path_glob(glob)) for glob in rule.paths)

    def may_concern(self, call: ToolCall, mode: Mode, *, interactive: bool) -> bool:
        """Could it match any call of this tool in such a context?"""
        rule = self.rule
        if rule.modes and mode not in rule.modes:
            return False
        if rule.interactive is not None and rule.interactive is not interactive:
            return False
        server = server_of(call)
        if rule.server is not None and (server is None or rule.server not in ("*", server)):
            return False
        if not self.is_allow:
            return any(touch_names(name, call) for name in rule.tools)
        named = rule.server is not None
        return any(allow_names(name, call, server_named=named) for name in rule.tools)

    def match(self, facts: Facts, command: Command | None = None) -> str | None:
        """Match a call, or one command of a command line."""
        rule, call = self.rule, facts.call
        if rule.agent is not None and rule.agent != facts.context.agent:
            return None
        if rule.workspace is not None and rule.workspace != facts.root:
            return None
        if rule.annotations and not _annotated(rule.annotations, call.annotations):
            return None
        if self._args is not None and not self._args_match(facts, command):
            return None
        if rule.args_exact is not None and rule.args_exact != facts.arguments:
            return None
        if self._paths and not self._paths_match(facts):
            return None
        if not self.is_allow:
            return self._deny_command(facts, command)
        hindered = self._allow_command(facts, command)
        return hindered or (hindered if hindered is None else self._border(facts))

    def _args_match(self, facts: Facts, command: Command | None) -> bool:
        args = facts.call.args
        pattern = self._args
        if pattern is None:
            return True
        if self.is_allow:
            if command is None:
                return not facts.is_shell and pattern.allows(args)
            return pattern.allows(_with(args, command.text))
        return pattern.touches(args) or (
            command is not None and pattern.touches(_with(args, command.text))
        )

    def _paths_match(self, facts: Facts) -> bool:
        places = facts.places
        if self.is_allow:
            return bool(places) and all(self._is_granted(each) for each in places)
        return any(self._is_touched(each, facts.context) for each in places)

    def _is_granted(self, place: Place) -> bool:
        return any(
            pattern.surely(place.end if glob.startswith("/") else place.relative)
            for glob, pattern in self._paths
            if place.end and (place.relative or glob.startswith("/"))
        )

    def _is_touched(self, place: Place, context: Context) -> bool:
        if not place.end:
            return True
        spelt = place.lexical
        root = os.path.normpath(context.workspace) + "/"
        ways = (place.end, place.relative, spelt, spelt.removeprefix(root))
        return any(
            pattern.maybe(name)
            for way in ways
            if way
            for name in _with_folders(way)
            for _, pattern in self._paths
        )

    def _deny_command(self, facts: Facts, command: Command | None) -> str | None:
        rule = self.rule
        if not (self.prefixes or rule.exacts or self._regexes):
            return MATCH
        whole = (facts.command or "").strip()
        texts = (whole,) if command is None else (whole, command.text, _plain(command))
        if any(text in rule.exacts for text in texts):
            return MATCH
        if any(pattern.may_start(text) for pattern in self._regexes for text in texts):
            return MATCH
        if command is None:
            is_hidden = rule.effect is Effect.DENY and facts.understanding.is_cut
            return MATCH if is_hidden else None
        if any(deny_matches(prefix, command) for prefix in self.prefixes):
            return MATCH
        readings = [_joined(layer.words) for layer in command.layers]
        if any(pattern.may_start(text) for pattern in self._regexes for text in readings):
            return MATCH
        if any(deny_could_match(prefix, command) for prefix in self.prefixes):
            return DOUBT
        return None

    def _allow_command(self, facts: Facts, command: Command | None) -> str | None:
        rule = self.rule
        about = self.prefixes or rule.exacts or self._regexes
        if command is None:
            starts_none = facts.understanding.is_understood and not facts.understanding.commands
            held = about and not (starts_none and (self.prefixes or self._regexes))
            return None if held else MATCH
        if (facts.command or "").strip() in rule.exacts:
            return MATCH
        if not about:
            return unsure(command) if rule.is_about_commands else MATCH
        reasons = [allow_reason(prefix, command) for prefix in self.prefixes]
        if not command.obstacle and command.name is not None:
            reasons += [judge(command, 1) for each in self._regexes if each.starts(command.text)]
        if command.obstacle and any(deny_matches(prefix, command) for prefix in self.prefixes):
            return command.obstacle
        found = [reason for reason in reasons if reason is not None]
        return min(found, key=bool) if found else None

    def _border(self, facts: Facts) -> str:
        """Why this allow does not reach where the call does; nothing: it does."""
        rule = self.rule
        if facts.is_free:
            return MATCH
        if facts.astray and not rule.outside:
            return facts.astray
        if rule.contained and not facts.argument_places:
            return "it names no path"
        if rule.contained and any(place.is_guarded for place in facts.argument_places):
            return "what is in .git may run by itself"
        for redirection, place in facts.redirections:
            reason = self._redirected(facts, redirection.operator, place)
            if reason:
                return reason
        return MATCH

    def _redirected(self, facts: Facts, operator: str, place: Place | None) -> str:
        if not (self.rule.allow_redirection or facts.context.mode is Mode.AUTO_EDIT):
            to = f" {place.text!r}" if place is not None and place.text else ""
            return f"the redirection {operator}{to} is not granted"
        if place is None:
            return ""
        if not place.is_inside:
            return place.why
        return "what is in .git may run by itself" if place.is_guarded else ""


def unsure(command: Command) -> str:
    """Why an allow of everything does not cover this command where some are forbidden."""
    if command.words and command.name is None:
        return "only bash will know which command this is"
    return command.obstacle or (judge(command, 1) if command.words else "")


def _annotated(wanted: JsonObject, given: JsonObject) -> bool:
    return all(key in given and _same(given[key], value) for key, value in wanted.items())


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other  # True is not 1


def _with(args: JsonObject, command: str) -> JsonObject:
    return JsonObject({**args, "command": command})


def _with_folders(path: str) -> list[str]:
    """A path and every folder above it: what denies a folder denies what is in it."""
    parts = path.rstrip("/").split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts)) if parts[count]]


def _plain(command: Command) -> str:
    return _joined(command.words)


def _joined(words: tuple[object, ...]) -> str:
    """The words with the quotes gone and the folder of the first: what a deny reads."""
    texts = [word if isinstance(word, str) else str(getattr(word, "text", "")) for word in words]
    return " ".join([texts[0].rsplit("/", 1)[-1], *texts[1:]]) if texts else ""
