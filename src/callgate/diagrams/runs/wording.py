"""Texts of strangers as one safe line: what a picture of a run may show of names and arguments.

Rule 1: what cannot be seen is spelled out (`\\x1b`, `\\u202e`), so that nothing hides, turns the
line around or breaks it. Escaping for a format is that format's business.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callgate.kernel.frozenjson import Json
    from callgate.kernel.values import Request

# Controls, bidirectional and invisible marks, line separators, lone surrogates, non-characters.
_HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufffe\uffff]"
)
_SHORT: Final = {"\n": " ", "\r": " ", "\t": " ", "\xa0": " "}
CUT: Final = "…"


def one_line(text: str, chars_max: int = 200) -> str:
    r"""The text on one line, with what is invisible spelled out, cut where it is long.

    >>> one_line("rm\n\x1b[31m")
    'rm \\x1b[31m'
    >>> one_line("abcdef", 4)
    'abc…'
    """
    shown = _HIDDEN.sub(_spell, text[: chars_max + 1])
    return shown if len(shown) <= chars_max else shown[: chars_max - 1] + CUT


def _spell(found: re.Match[str]) -> str:
    letter = found.group()
    code = ord(letter)
    return _SHORT.get(letter) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def summary(request: Request, chars_max: int = 60) -> str:
    """What a call is about: its tool, and the argument that says most.

    >>> from callgate import Request
    >>> summary(Request("c1", "shell", {"timeout": 5, "command": "rm -r build/"}))
    'shell: rm -r build/'
    """
    name = one_line(request.name, chars_max)
    told = _telling(request.args)
    return one_line(f"{name}: {told}", chars_max) if told else name


def _telling(args: Any) -> str:
    """The first text among the arguments; else the first number or truth, with its name."""
    for value in args.values():
        if isinstance(value, str) and value.strip():
            return value
    for name, value in args.items():
        if isinstance(value, (bool, int, float)):
            return f"{name} {brief(value)}"
    return ""


def brief(value: Json) -> str:
    """A scalar as JSON writes it.

    >>> brief(True), brief(None), brief(2.5)
    ('true', 'null', '2.5')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def duration(ms: int) -> str:
    """A span of time as people write it.

    >>> [duration(ms) for ms in (0, 40, 2300, 61_000, 4_000_000)]
    ['0 ms', '40 ms', '2.3 s', '1 min 1 s', '1 h 6 min']
    """
    if ms < 1_000:
        return f"{ms} ms"
    if ms < 60_000:
        return f"{ms / 1000:.1f}".removesuffix(".0") + " s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
