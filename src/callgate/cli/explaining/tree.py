"""One decision for a person: a tree of its commands, each with the rule that decided it.

Rule 1: what a call holds is shown so that it cannot act on the terminal, nor hide in it.
"""

from __future__ import annotations

import json
import sys
import textwrap
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.policy.decisions import Context, Decision, Effect, Part, RuleRef, ToolCall

WIDTH: Final = 80
LINES_MAX: Final = 6
"""How many lines one text may take."""
STYLES: Final = {
    "allow": "bold green",
    "ask": "bold yellow",
    "deny": "bold red",
    "": "",
    "-": "dim",
}
Segment: TypeAlias = tuple[str, str]
"""A text, and which of the styles it has."""


def show(call: ToolCall, context: Context, decision: Decision) -> None:
    """Print the tree, in colour where there is rich and a terminal."""
    lines = list(tree(call, context, decision))
    if find_spec("rich") is None:
        sys.stdout.writelines("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
        return
    console = import_module("rich.console").Console(soft_wrap=True, highlight=False)
    for line in lines:
        styled = import_module("rich.text").Text()
        for text, style in line:
            styled.append(text, style=STYLES[style])
        styled.rstrip()
        console.print(styled)


def tree(call: ToolCall, context: Context, decision: Decision) -> Iterator[list[Segment]]:
    """The lines of the tree."""
    head = f"{decision.effect.value.upper()}  "
    yield from _wrapped([(head, decision.effect.value)], f"{call.name}  {_about(call)}", " " * 6)
    if decision.parts:
        for number, part in enumerate(decision.parts, 1):
            is_last = number == len(decision.parts)
            yield from _part(part, decision.message, is_last=is_last)
    else:
        yield from _why("└─ ", "   ", decision.rule, decision.reason, decision.message)
    if decision.message:
        yield []
        yield from _wrapped([("the model is told: ", "-")], decision.message, "  ")
    yield []
    asked = "somebody can be asked" if context.interactive else "nobody can be asked"
    place = f"mode {context.mode.value}, {asked}, workspace {context.workspace}"
    yield from _wrapped([], place, "", "-")


def _part(part: Part, message: str, *, is_last: bool) -> Iterator[list[Segment]]:
    branch, stem = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
    effect = part.effect.value
    first = [(branch, "-"), (f"{effect:<5}  ", effect)]
    yield from _wrapped(first, part.command, f"{stem}       ")
    yield from _why(f"{stem}       ", f"{stem}       ", part.rule, part.reason, message)


def _why(
    first: str, rest: str, rule: RuleRef | None, reason: str, message: str
) -> Iterator[list[Segment]]:
    """The rule, and the reason where it says more than the rule and the message do."""
    if rule is not None:
        yield from _wrapped([(first, "-")], _rule(rule), rest, "-")
        first = rest
    if rule is None or not _is_bare(rule, reason, message):
        yield from _wrapped([(first, "-")], reason, rest)


def _is_bare(rule: RuleRef, reason: str, message: str) -> bool:
    where = (f"{rule.file}:{rule.line}", f"the built-in rule '{rule.name}'")
    bare = [f"{place} {verb} it" for place in where for verb in ("allows", "asks for", "denies")]
    return reason in (*bare, message)


def _rule(rule: RuleRef) -> str:
    name = f" '{rule.name}'" if rule.name else ""
    if rule.tier == "default":
        return f"built-in rule{name}, priority {rule.priority}"
    return f"{rule.file}:{rule.line}{name}, {rule.tier}, priority {rule.priority}"


def _about(call: ToolCall) -> str:
    command = call.args.get("command")
    if isinstance(command, str) and len(call.args) == 1:
        return command
    return json.dumps(call.args, sort_keys=True)


def _wrapped(
    first: list[Segment], text: str, indent: str, style: Effect | str = ""
) -> Iterator[list[Segment]]:
    used = sum(len(part) for part, _ in first)
    filled = textwrap.wrap(
        _visible(text),
        WIDTH,
        initial_indent=" " * used,
        subsequent_indent=indent,
        break_on_hyphens=False,
    ) or [" " * used]
    if len(filled) > LINES_MAX:
        filled = [*filled[: LINES_MAX - 1], f"{indent}... ({len(text):,} characters)"]
    yield [*first, (filled[0][used:], str(style))]
    for line in filled[1:]:
        yield [(indent, "-"), (line[len(indent) :], str(style))]


def _visible(text: str) -> str:
    """Every character that would not be seen as itself, spelt out."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )
