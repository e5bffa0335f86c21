"""Signs that a terminal cannot encode, as letters that it can.

Rule 1: no command dies of a locale: what `LANG=C` or a code page of Windows lacks is printed as the
nearest ASCII sign, one for one, so that columns stay columns; anything else as `?`.
"""

from __future__ import annotations

import codecs
import io
import sys
from typing import Final

_NAME: Final = "callgate-signs"
_NEAREST: Final = str.maketrans(
    {
        **dict.fromkeys("━═", "="),
        **dict.fromkeys("─–—‐‑", "-"),
        **dict.fromkeys("│┃", "|"),
        **dict.fromkeys("▶→›", ">"),
        **dict.fromkeys("◀←‹", "<"),
        **dict.fromkeys("●•·*", "*"),
        **dict.fromkeys("✗×", "x"),
        **dict.fromkeys("└├┌┐┘┤┬┴┼╭╮╰╯✓", "+"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("‘’", "'"),
        "…": ".",
    }
)


def bear() -> None:
    """Let standard output and error print every text, in whatever encoding they have."""
    codecs.register_error(_NAME, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def ascii_of(text: str) -> str:
    """The text in ASCII, letter for letter.

    >>> ascii_of("● ━▶ Success ✓, état")
    '* => Success +, ?tat'
    """
    return "".join(letter if letter.isascii() else "?" for letter in text.translate(_NEAREST))


def _spelled(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return ascii_of(error.object[error.start : error.end]), error.end
