"""`callgate diagram`: the call machine as text, and the check that files of it are fresh."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from callgate.diagrams.render import FILES, FORMATS

if TYPE_CHECKING:
    import argparse


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("machine", nargs="?", choices=["call"], default="call")
    parser.add_argument("--format", choices=sorted(FORMATS), default="markdown")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="exit 1 if a file of --dir is stale")
    mode.add_argument("--write", action="store_true", help="write the files of --dir")
    parser.add_argument("--dir", type=Path, default=Path("diagrams"))


def run(options: argparse.Namespace) -> int:
    """Draw, write or check."""
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
