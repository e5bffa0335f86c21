"""Entry point: which command was meant, and its exit code."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from callgate.cli import bench, diagram

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final = (bench, diagram)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(
        prog="callgate",
        description="A deterministic scheduling kernel for the tool calls of language models.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command in COMMANDS:
        command.add(commands)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code
