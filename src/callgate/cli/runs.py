"""Reading the runs that commands are given, and putting what they draw where it belongs.

Rule 1: a file that cannot be read is the asking's fault: exit code 2, with FILE:LINE and what would
be right.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callgate.diagrams.errors import DiagramError
from callgate.journal.loading import load_bytes
from callgate.journal.record import RecordError

if TYPE_CHECKING:
    import argparse

    from callgate.journal.record import Record

REFUSALS: Final = (RecordError, DiagramError, OSError)
RUN_HELP: Final = "a record of a run, or a conformance vector; - is standard input"


def read_run(name: str) -> Record:
    """The run in a file, or on standard input."""
    if name == "-":
        return load_bytes(sys.stdin.buffer.read(), "standard input")
    return load_bytes(Path(name).read_bytes(), name)


def describe_output(parser: argparse.ArgumentParser) -> None:
    """Add the argument that says where the result goes."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write here, not to the terminal")


def put(content: bytes, output: str | None) -> None:
    """Write a result to a file, or to standard output."""
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        Path(output).write_bytes(content)


def refuse(why: BaseException) -> int:
    """Say what was wrong with the asking."""
    print(f"callgate: {why}", file=sys.stderr)
    return 2
