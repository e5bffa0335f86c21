"""The streams of a command, whoever reads them and whatever they can show.

Rule 1: what a terminal cannot show is shown by what it can, character for character: nothing
fails, and no row gets longer.
Rule 2: a reader may leave. That is no error, and nothing is said of it.
Rule 3: a stream that was closed before the start is an empty one.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import Final

_HANDLER: Final = "callgate_plain"
_PLAIN: Final = {
    **dict.fromkeys("─━═╌╴╶", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("·○", "."),
    **dict.fromkeys("●⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "*"),
    **{"✓": "+", "✗": "x", "⊘": "/", "…": "~", "→": ">", "▶": ">", "×": "x"},  # noqa: PIE800
}


def plain(text: str) -> str:
    """A text that is as long and can be shown anywhere.

    >>> plain("✓ │ ╭─╮ …")
    '+ | +-+ ~'
    """
    return "".join(map(_plain, text))


def _plain(character: str) -> str:
    if character.isascii():
        return character
    corner = "\u2500" <= character <= "\u257f"
    return _PLAIN.get(character, "+" if corner else "?")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


def prepare() -> None:
    """Make the streams such that printing never fails for what is printed."""
    codecs.register_error(_HANDLER, _replace)
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as we run
        elif name != "stdin" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def leave() -> None:
    """Nobody reads any more: what is still to be flushed at the exit goes nowhere."""
    with suppress(OSError, ValueError):  # a stream without a descriptor has nothing to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
