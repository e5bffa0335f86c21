"""Entry point: which command was meant, and its exit code."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from callgate.diagrams.render import FILES, FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="callgate", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    diagram = commands.add_parser("diagram", help="draw the call machine")
    diagram.add_argument("machine", nargs="?", choices=["call"], default="call")
    diagram.add_argument("--format", choices=sorted(FORMATS), default="markdown")
    mode = diagram.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="exit 1 if a file of --dir is stale")
    mode.add_argument("--write", action="store_true", help="write the files of --dir")
    diagram.add_argument("--dir", type=Path, default=Path("diagrams"))
    return _diagram(parser.parse_args(arguments))


def _diagram(options: argparse.Namespace) -> int:
    if options.write:
        for name, render in FILES.items():
            (options.dir / name).write_text(render(), encoding="utf-8")
        return 0
    if options.check:
        return _check(options.dir)
    sys.stdout.write(FORMATS[options.format]())
    return 0


def _check(folder: Path) -> int:
    stale = [
        name
        for name, render in FILES.items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != render()
    ]
    for name in stale:
        print(f"{folder / name} is stale: run callgate diagram --write", file=sys.stderr)
    return 1 if stale else 0
