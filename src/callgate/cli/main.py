"""Entry point: which command was meant, and its exit code.

Rule 1: a command's module is imported only when it is meant, so that none waits for the libraries
of another. Each has `describe(parser)`, which adds its arguments, and `run(options) -> exit code`.
Rule 2: exit codes: 0 all is well, 1 what was asked does not hold, 2 the asking was wrong.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COMMANDS: Final = {
    "diagram": "draw the call machine",
    "bench": "measure callgate on this machine",
}
BENCHMARKS: Final = {
    "kernel": "what a call's life costs, and how that grows",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    about = "A deterministic scheduling kernel for the tool calls of language models."
    name, rest = _choose("callgate", about, COMMANDS, words)
    if name != "bench":
        return _run(f"callgate {name}", COMMANDS[name], f"callgate.cli.{name}", rest)
    what, rest = _choose("callgate bench", COMMANDS[name], BENCHMARKS, rest)
    return _run(f"callgate bench {what}", BENCHMARKS[what], f"callgate.cli.bench.{what}", rest)


def _choose(
    prog: str, about: str, known: Mapping[str, str], words: Sequence[str]
) -> tuple[str, list[str]]:
    """The first word, which must be known, and the rest, which is for whom it names."""
    width = max(map(len, known))
    listed = "\n".join(f"  {name:{width}}  {purpose}" for name, purpose in known.items())
    parser = argparse.ArgumentParser(
        prog=prog,
        description=about,
        epilog=f"commands:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=known, metavar="COMMAND", help="one of those below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    chosen = parser.parse_args(words)
    return chosen.command, chosen.arguments


def _run(prog: str, about: str, module: str, words: Sequence[str]) -> int:
    command = import_module(module)
    parser = argparse.ArgumentParser(prog=prog, description=about)
    command.describe(parser)
    code: int = command.run(parser.parse_args(words))
    return code
