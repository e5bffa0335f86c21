"""`callgate diagram run`: what really happened in a run, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.cli.runs import REFUSALS, RUN_HELP, describe_output, put, read_run, refuse
from callgate.diagrams import formats
from callgate.diagrams.raster import png
from callgate.diagrams.runs.coverage import path
from callgate.diagrams.runs.perfetto import perfetto
from callgate.diagrams.runs.sequence import sequence
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.runs.timeline import ROWS_MAX, timeline
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail

if TYPE_CHECKING:
    import argparse

    from callgate.journal.record import Record

FORMATS: Final = {
    "timeline": "SVG: one row a call",
    "png": "the timeline as PNG",
    "sequence": "Mermaid: who said what to whom",
    "perfetto": "a Chrome trace for ui.perfetto.dev",
    "path": "SVG: the call machine with the path taken",
    "path-png": "the same as PNG",
    "path-mermaid": "the same as Mermaid",
}


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("run", metavar="FILE", help=RUN_HELP)
    about = "; ".join(f"{name}: {what}" for name, what in FORMATS.items())
    parser.add_argument("--format", choices=list(FORMATS), default="timeline", help=about)
    parser.add_argument("--theme", choices=[theme.value for theme in Theme], default="auto")
    parser.add_argument(
        "--rows", type=int, default=ROWS_MAX, metavar="N", help="calls in a timeline at most"
    )
    describe_output(parser)


def run(options: argparse.Namespace) -> int:
    """Draw the run."""
    try:
        put(_draw(read_run(options.run), options), options.output)
    except REFUSALS as refused:
        return refuse(refused)
    return 0


def _draw(record: Record, options: argparse.Namespace) -> bytes:
    theme = Theme(options.theme)
    if options.format == "sequence":
        return sequence(record).encode("utf-8")
    story = tell(record)
    if options.format == "perfetto":
        return perfetto(story).encode("utf-8")
    if options.format == "timeline":
        return timeline(story, theme=theme, rows_max=options.rows).encode("utf-8")
    if options.format == "png":
        still = Theme.LIGHT if theme is Theme.AUTO else theme
        return png(timeline(story, theme=still, rows_max=options.rows))
    _, _, drawn = options.format.partition("-")
    return formats.draw(path(story), drawn or "svg", detail=Detail.LOW, theme=theme)
