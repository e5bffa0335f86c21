"""The streams of a command, whoever reads them.

Rule 1: a reader may leave. That is no error, and nothing is said of it.
Rule 2: a stream that was closed before the start is an empty one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from callgate.cli.signs import bear


def prepare() -> None:
    """Make the streams such that printing never fails for what is printed."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as we run
    bear()


def leave() -> None:
    """Nobody reads any more: what is still to be flushed at the exit goes nowhere."""
    with suppress(OSError, ValueError):  # a stream without a descriptor has nothing to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
