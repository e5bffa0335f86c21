"""`callgate report`: a run as one HTML page that works offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.cli.runs import REFUSALS, RUN_HELP, describe_output, put, read_run, refuse
from callgate.diagrams.report.page import report

if TYPE_CHECKING:
    import argparse


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--title", default="", help="what the page is called; else as the file")
    describe_output(parser)


def run(options: argparse.Namespace) -> int:
    """Write the page."""
    try:
        put(report(read_run(options.run), options.title).encode("utf-8"), options.output)
    except REFUSALS as refused:
        return refuse(refused)
    return 0
