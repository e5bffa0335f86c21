"""`callgate diagram call --coverage FILES...`: what these runs took, and what none did."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from callgate.cli.runs import REFUSALS, RUN_HELP, describe_output, put, read_run, refuse
from callgate.diagrams import formats
from callgate.diagrams.runs.coverage import cover
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail

if TYPE_CHECKING:
    import argparse


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("machine", nargs="?", choices=["call"], default="call")
    parser.add_argument("--coverage", nargs="+", required=True, metavar="FILE", help=RUN_HELP)
    parser.add_argument(
        "--fail-under", type=float, metavar="N", help="exit 1 if less than N percent were taken"
    )
    parser.add_argument("--format", choices=["text", *formats.FORMATS], default="text")
    parser.add_argument("--detail", choices=[d.value for d in Detail], default=Detail.FULL.value)
    parser.add_argument("--theme", choices=[theme.value for theme in Theme], default="auto")
    describe_output(parser)


def run(options: argparse.Namespace) -> int:
    """Count, draw, and compare with the threshold."""
    try:
        found = cover(read_run(name) for name in options.coverage)
        text = found.told()
        if options.format == "text":
            put(text.encode("utf-8"), options.output)
        else:
            detail, theme = Detail(options.detail), Theme(options.theme)
            drawn = formats.draw(found.graph(), options.format, detail=detail, theme=theme)
            put(drawn, options.output)
            print(text, end="", file=sys.stderr)
    except REFUSALS as refused:
        return refuse(refused)
    if options.fail_under is not None and found.percent < options.fail_under:
        wanted = f"{options.fail_under:g} %"
        print(f"callgate: less than {wanted} of the transitions were taken", file=sys.stderr)
        return 1
    return 0
