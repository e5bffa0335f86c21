"""Reading the runs that commands are given, and putting what they draw where it belongs.

Rule 1: a file that cannot be read is the asking's fault: exit code 2, with FILE:LINE and what would
be right.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callgate.diagrams.errors import DiagramError
from callgate.journal.loading import document, is_record, load_bytes
from callgate.journal.record import Record, RecordError

if TYPE_CHECKING:
    import argparse

    from callgate.kernel.events import Event

REFUSALS: Final = (RecordError, DiagramError, OSError)
RUN_HELP: Final = "a record of a run, a conformance vector, or a scenario; - is standard input"


def read_run(name: str) -> Record:
    """The run in a file, or on standard input."""
    if name == "-":
        return _read(sys.stdin.buffer.read(), "standard input")
    return _read(Path(name).read_bytes(), name)


def _read(raw: bytes, source: str) -> Record:
    if not is_record(raw):
        found = document(raw, source)
        if isinstance(found, dict) and "steps" in found and "spec" not in found:
            return _played(found, source)
    return load_bytes(raw, source)


def _played(scenario: dict[str, Any], source: str) -> Record:
    """What the real scheduler did when it played a scenario."""
    from callgate.cli.scenario.checking import (
        NotAScenario,
        check,
    )
    from callgate.cli.scenario.player import CONFIG, play

    events: list[Event] = []
    try:
        check(scenario)
        play(scenario, events.append)
    except NotAScenario as refused:
        raise RecordError(f"{source}: {refused}") from refused
    return Record(CONFIG, events, source)


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
    """Say what was wrong with the asking; a reader that has left is not its fault."""
    if isinstance(why, BrokenPipeError):
        raise why
    print(f"callgate: {why}", file=sys.stderr)
    return 2
