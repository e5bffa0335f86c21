"""A question to a person at the keyboard: what is shown, which keys answer, what they answered.

Rule 1: what is shown is what would run: the command in full, the diff in full if it fits, and else
with the number of lines that were left out.
Rule 2: only a key that was offered answers; the end of the input, and Escape, are a no.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from rich.panel import Panel
from rich.text import Text

from callgate.cli.terminal.keyboard import END, ESCAPE
from callgate.cli.terminal.words import clean
from callgate.drivers.approvals import Reply
from callgate.kernel.values import Outcome

if TYPE_CHECKING:
    from rich.console import Console

    from callgate.kernel.calls import AwaitingApproval
    from callgate.kernel.values import Confirmation

_ROOM: Final = 12
"""Lines of the terminal that a diff leaves free."""
_TITLES: Final = {
    "edit": "Change a file?",
    "exec": "Run a command?",
    "mcp": "Use a tool of another server?",
    "info": "Go on?",
}


class Keys(Protocol):
    """Where answers are typed."""

    def forget(self) -> None: ...
    async def key(self) -> str: ...
    async def line(self) -> str: ...


async def ask(call: AwaitingApproval, console: Console, keys: Keys) -> Reply:
    """Show the question, and wait for the answer."""
    shown = call.confirmation
    keys.forget()  # a key for what was shown before is no answer to this
    console.print(_panel(call, console))
    offered = _offered(shown)
    console.print(_menu(offered), end="")
    try:
        return await _answer(offered, console, keys)
    finally:
        console.print()


async def _answer(offered: dict[str, tuple[Outcome, str]], console: Console, keys: Keys) -> Reply:
    while (key := (await keys.key()).lower()) not in offered and key not in (END, ESCAPE):
        console.bell()
    outcome = offered.get(key, (Outcome.CANCEL, "no"))[0]
    console.print(Text(_SAID[outcome], style=_STYLES[outcome]))
    reason = ""
    if outcome is Outcome.CANCEL and key not in (END, ESCAPE):
        console.print(Text(" Why not? (Enter: no reason) ", style="dim"), end="")
        reason = await keys.line()
    return Reply(outcome, reason)


_STYLES: Final = {
    Outcome.PROCEED_ONCE: "bold green",
    Outcome.PROCEED_ALWAYS: "bold green",
    Outcome.PROCEED_ALWAYS_TOOL: "bold green",
    Outcome.PROCEED_ALWAYS_SERVER: "bold green",
    Outcome.MODIFY_WITH_EDITOR: "bold cyan",
    Outcome.CANCEL: "bold magenta",
}
_SAID: Final = {
    Outcome.PROCEED_ONCE: "yes",
    Outcome.PROCEED_ALWAYS: "always",
    Outcome.PROCEED_ALWAYS_TOOL: "always, this tool",
    Outcome.PROCEED_ALWAYS_SERVER: "always, this server",
    Outcome.MODIFY_WITH_EDITOR: "edit it first",
    Outcome.CANCEL: "no",
}


def _offered(shown: Confirmation) -> dict[str, tuple[Outcome, str]]:
    """The keys, with what each means here."""
    offered = {"y": (Outcome.PROCEED_ONCE, "yes"), "a": (Outcome.PROCEED_ALWAYS, "always")}
    if shown.kind == "mcp":
        offered["a"] = (Outcome.PROCEED_ALWAYS_TOOL, "always, this tool")
        offered["s"] = (Outcome.PROCEED_ALWAYS_SERVER, "always, this server")
    if shown.modifiable and shown.has_editor:
        offered["e"] = (Outcome.MODIFY_WITH_EDITOR, "edit")
    offered["n"] = (Outcome.CANCEL, "no")
    return offered


def _menu(offered: dict[str, tuple[Outcome, str]]) -> Text:
    menu = Text(" ")
    for key, (_, meaning) in offered.items():
        menu.append(f"[{key}]", style="bold")
        menu.append(f" {meaning}   ")
    return menu


def _panel(call: AwaitingApproval, console: Console) -> Panel:
    shown = call.confirmation
    title = _TITLES.get(shown.kind, "Go on?")
    body = _body(call, max(5, console.height - _ROOM))
    name = clean(call.facts.request.name)
    return Panel(
        body,
        title=Text(f" {title} "),
        subtitle=Text(f" {name} "),
        title_align="left",
        subtitle_align="right",
        border_style="yellow",
        padding=(0, 1),
    )


def _body(call: AwaitingApproval, room: int) -> Text:
    kind, details = call.confirmation.kind, call.confirmation.details
    if kind == "edit":
        return _edit(call, room)
    if kind == "exec":
        lines = str(details.get("command", "")).split("\n")
        return Text("\n").join([Text(f"$ {clean(line)}", style="bold") for line in lines])
    said = [f"{name}: {details[name]}" for name in sorted(details)]
    return _join([Text(clean(line)) for line in said] or [Text("(no details)")], room)


def _edit(call: AwaitingApproval, room: int) -> Text:
    details = call.confirmation.details
    path = call.facts.args.get("file_path") or details.get("fileName") or ""
    lines = str(details.get("fileDiff", "")).split("\n")
    shown = [line for line in lines if not line.startswith(("--- ", "+++ "))]
    while shown and not shown[-1].strip():
        shown.pop()
    return _join([Text(clean(str(path)), style="bold"), *map(_diff_line, shown)], room)


def _diff_line(line: str) -> Text:
    style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
    return Text(clean(line), style=style)


def _join(lines: list[Text], room: int) -> Text:
    if len(lines) > room:
        left = len(lines) - room + 1
        lines = [*lines[: room - 1], Text(f"... and {left} more lines", style="dim")]
    return Text("\n").join(lines)
