"""The words and signs of a call's state, the same on the board, in plain lines and in the summary.

Rule 1: a state is told by its sign and its word; colour only repeats it.
Rule 2: text from a model or a tool is data: control characters never reach the terminal.
"""

from __future__ import annotations

from typing import Final

from callgate.kernel.calls import (
    AwaitingApproval,
    Call,
    Cancelled,
    Errored,
    Executing,
    Scheduled,
)
from callgate.kernel.frozenjson import Json, JsonObject
from callgate.kernel.values import CancelCause, Phase, Status, Stop

SIGNS: Final = {
    Status.VALIDATING: "·",
    Status.AWAITING_APPROVAL: "?",
    Status.SCHEDULED: "○",
    Status.EXECUTING: "●",
    Status.SUCCESS: "✓",
    Status.ERROR: "✗",
    Status.CANCELLED: "⊘",
}
STYLES: Final = {
    Status.VALIDATING: "dim",
    Status.AWAITING_APPROVAL: "bold yellow",
    Status.SCHEDULED: "cyan",
    Status.EXECUTING: "bold blue",
    Status.SUCCESS: "green",
    Status.ERROR: "bold red",
    Status.CANCELLED: "magenta",
}
_PHASES: Final = {
    Phase.ASKING: "waits for you",
    Phase.TELLING: "tells the tool",
    Phase.EDITING: "in the editor",
    Phase.RECHECKING: "checks the edit",
}
_CAUSES: Final = {
    CancelCause.DECLINED: "you said no",
    CancelCause.EXPIRED: "nobody answered",
    CancelCause.CANCELLED: "cancelled",
    CancelCause.STOPPED: "stopped",
}
_LEADING: Final = ("command", "file_path", "path", "dir_path", "pattern", "query", "url")


def clean(text: str) -> str:
    """One line that is safe to print: control characters are shown, not obeyed.

    >>> clean("a\\x1b[2Jb\\nc")
    'a␛[2Jb c'
    """
    shown = []
    for character in text:
        code = ord(character)
        if character in "\n\t\r":
            shown.append(" ")
        elif code < 0x20:
            shown.append(chr(0x2400 + code))
        elif character.isprintable():
            shown.append(character)
        else:
            shown.append("\ufffd")
    return "".join(shown)


def subject(args: JsonObject) -> str:
    """What a call is about, from its arguments: the telling one first.

    >>> subject(JsonObject({"file_path": "a.py", "content": "..."}))
    'a.py'
    """
    for name in _LEADING:
        value = args.get(name)
        if isinstance(value, str):
            return clean(value)
    return clean(", ".join(f"{name}={_short(args[name])}" for name in sorted(args)))


def _short(value: Json) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def state_of(call: Call) -> str:
    """What a call is doing, or how it ended.

    >>> from callgate import Request, begin
    >>> state_of(begin(Request("c1", "ls")))
    'is checked'
    """
    if isinstance(call, AwaitingApproval):
        return _PHASES[call.phase]
    if isinstance(call, Executing):
        return _running(call)
    if isinstance(call, Scheduled):
        return "waits to try again" if call.deadline_ms is not None else "waits for the others"
    if isinstance(call, Cancelled):
        return _CAUSES[call.cause]
    if isinstance(call, Errored):
        return clean(call.failure.message)
    return "done" if call.status is Status.SUCCESS else "is checked"


def _running(call: Executing) -> str:
    if call.stop is Stop.BY_CANCEL:
        return "is being stopped"
    if call.stop is Stop.BY_TIME:
        return "ran out of time, is being stopped"
    if call.live is not None and call.live.progress is not None:
        return f"runs, {call.live.progress:.0%}"
    return "runs" if call.attempt == 1 else f"runs, attempt {call.attempt}"


def seconds(milliseconds: int) -> str:
    """A duration for people.

    >>> [seconds(ms) for ms in (5, 1_250, 75_000)]
    ['5 ms', '1.2 s', '1 min 15 s']
    """
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1_000:.1f} s"
    return f"{milliseconds // 60_000} min {milliseconds % 60_000 // 1_000} s"
