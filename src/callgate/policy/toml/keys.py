"""What each key of a rule may hold, as data, and how it is read.

Rule 1: a key that is not listed is an error with the nearest name; nothing is ever ignored.
Rule 2: an empty list or a blank text is an error, never "no condition".
Rule 3: nothing here raises but `Wrong`, whatever the file holds.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from callgate.kernel.errors import KernelError
from callgate.kernel.frozenjson import freeze_object
from callgate.policy.arguments import compact
from callgate.policy.decisions import Effect, Mode
from callgate.policy.errors import ExtraMissing
from callgate.policy.patterns import Pattern, path_glob
from callgate.policy.rules import PRIORITY_MAX
from callgate.policy.shell import split_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DECISIONS: Final = {
    "allow": Effect.ALLOW,
    "deny": Effect.DENY,
    "ask_user": Effect.ASK,
    "ask": Effect.ASK,
}
NAME_LENGTH_MAX: Final = 500


class Wrong(ValueError):
    """A value that is not what it should be: what it is, and what would be right."""

    def __init__(self, what: str, fix: str) -> None:
        self.what, self.fix = what, fix
        super().__init__(f"{what}; {fix}")


def text(value: object) -> str:
    """A text that is not blank."""
    if not isinstance(value, str):
        raise Wrong(f"is {_shown(value)}", "write a text in quotes")
    if not value.strip():
        raise Wrong("is blank", "write a text that is not blank, or leave the key out")
    return value


def texts(value: object) -> tuple[str, ...]:
    """One such text, or a list of them that is not empty."""
    if isinstance(value, str):
        return (text(value),)
    if not isinstance(value, list):
        raise Wrong(f"is {_shown(value)}", "write a text, or a list of texts")
    if not value:
        raise Wrong("is an empty list", "list at least one text, or leave the key out")
    return tuple(map(text, value))


def names(value: object) -> tuple[str, ...]:
    """Names of tools."""
    found = texts(value)
    for name in found:
        if len(name) > NAME_LENGTH_MAX or name != name.strip():
            raise Wrong(f"is {_shown(name)}", "write the name of a tool without blanks around it")
        if any(sign in name for sign in "[]{}"):
            raise Wrong(f"is {_shown(name)}", "a name may hold the wildcards * and ? only")
    return found


def truth(value: object) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise Wrong(f"is {_shown(value)}", "write true or false")
    return value


def priority(value: object) -> int:
    """A whole number from 0 to 999."""
    if type(value) is not int or not 0 <= value <= PRIORITY_MAX:
        raise Wrong(f"is {_shown(value)}", f"write a whole number from 0 to {PRIORITY_MAX}")
    return value


def decision(value: object) -> Effect:
    """allow, deny or ask_user."""
    found = DECISIONS.get(value) if isinstance(value, str) else None
    if found is None:
        raise Wrong(f"is {_shown(value)}", _choices(value, DECISIONS))
    return found


def mode(value: object) -> Mode:
    """One mode."""
    try:
        return Mode(text(value))
    except ValueError:
        raise Wrong(f"is {_shown(value)}", _choices(value, [each.value for each in Mode])) from None


def modes(value: object) -> tuple[Mode, ...]:
    """One mode, or a list of them."""
    return tuple(map(mode, texts(value)))


def pattern(value: object) -> str:
    """A pattern of linear time."""
    found = text(value)
    try:
        Pattern(found)
    except ValueError as error:
        fix = "write a pattern of re2 (no lookaround, no backreference), at most 2,048 characters"
        raise Wrong(str(error), fix) from None
    return found


def patterns(value: object) -> tuple[str, ...]:
    """One such pattern, or a list of them."""
    return tuple(map(pattern, texts(value)))


def json_object(value: object) -> str:
    """All the arguments of a call, as JSON, in its compact form."""
    try:
        found = json.loads(text(value))
        if isinstance(found, dict):
            return compact(freeze_object(found))
    except (ValueError, TypeError, RecursionError, KernelError):
        found = None
    raise Wrong(f"is {_shown(value)}", """write JSON in quotes: '{"key":"value"}'""")


def prefixes(value: object) -> tuple[str, ...]:
    """One beginning of a command, or a list of them."""
    found = texts(value)
    for prefix in found:
        try:
            split_prefix(prefix)
        except ValueError as error:
            what, _, fix = str(error).partition("; ")
            raise Wrong(what, fix or "write the first words of a command") from None
    return found


def commands(value: object) -> tuple[str, ...]:
    """Whole command lines."""
    return tuple(each.strip() for each in texts(value))


def globs(value: object) -> tuple[str, ...]:
    """Globs of paths."""
    found = texts(value)
    for glob in found:
        if glob.startswith("~"):
            raise Wrong(f"is {_shown(glob)}", "write the folder itself: '~' is never expanded")
        try:
            path_glob(glob)
        except ValueError as error:
            raise Wrong(str(error), "write a glob such as 'src/**/*.py'") from None
    return found


def pairs(value: object) -> dict[str, Any]:
    """A table of annotations: texts, numbers and truths."""
    if not isinstance(value, dict) or not value:
        raise Wrong(f"is {_shown(value)}", "write a table such as { readOnlyHint = true }")
    for item in value.values():
        if not isinstance(item, (str, bool, int)):
            raise Wrong(f"holds {_shown(item)}", "compare with texts, whole numbers, true or false")
    return value


RULE: Final[dict[str, tuple[str, Callable[[object], Any]]]] = {
    "toolName": ("tools", names),
    "mcpName": ("server", text),
    "subagent": ("agent", text),
    "toolAnnotations": ("annotations", pairs),
    "modes": ("modes", modes),
    "interactive": ("interactive", truth),
    "argsPattern": ("args_pattern", pattern),
    "argsExact": ("args_exact", json_object),
    "commandPrefix": ("prefixes", prefixes),
    "commandExact": ("exacts", commands),
    "commandRegex": ("regexes", patterns),
    "paths": ("paths", globs),
    "outside": ("outside", truth),
    "contained": ("contained", truth),
    "allowRedirection": ("allow_redirection", truth),
    "workspace": ("workspace", text),
    "decision": ("effect", decision),
    "priority": ("priority", priority),
    "denyMessage": ("message", text),
    "name": ("name", text),
}
"""Each key of a rule: the field of `Rule` that it fills, and how it is read."""
SPELLINGS: Final = {
    "tool_name": "toolName",
    "mcp_name": "mcpName",
    "tool_annotations": "toolAnnotations",
    "args_pattern": "argsPattern",
    "args_exact": "argsExact",
    "command_prefix": "commandPrefix",
    "command_exact": "commandExact",
    "command_regex": "commandRegex",
    "allow_redirection": "allowRedirection",
    "deny_message": "denyMessage",
}
EXAMPLES: Final = ("match", "not_match")
COMMAND_KEYS: Final = ("commandPrefix", "commandExact", "commandRegex")


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that this one was meant to be, if one is near."""
    try:
        process = import_module("rapidfuzz.process")
        distance = import_module("rapidfuzz.distance")
    except ImportError as missing:
        raise ExtraMissing("rapidfuzz") from missing
    limit = max(2, len(word) // 3)
    scorer = distance.OSA.distance
    found = process.extractOne(
        word[:NAME_LENGTH_MAX], list(known), scorer=scorer, score_cutoff=limit
    )
    return str(found[0]) if found else ""


def _choices(value: object, known: Iterable[str]) -> str:
    near = nearest(value, known) if isinstance(value, str) else ""
    meant = f"did you mean '{near}'? " if near else ""
    return f"{meant}write one of {', '.join(known)}"


def _shown(value: object) -> str:
    if isinstance(value, (str, int, float)):
        shown = ascii(value)
        return shown if len(shown) <= 60 else f"{shown[:57]}..."
    return {"list": "a list", "dict": "a table"}.get(type(value).__name__, type(value).__name__)
