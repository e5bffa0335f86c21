"""`callgate diagram`: machines and policies as pictures, and the check that pictures are fresh.

Rule 1: without a format it is for people: the happy path and every transition, in the terminal.
Rule 2: what a file holds does not depend on the terminal, the locale or the system's fonts.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from callgate.diagrams import gallery, policies, policydraw, policytext
from callgate.diagrams.engine import Engine
from callgate.diagrams.errors import DiagramError
from callgate.diagrams.formats import FORMATS, draw, text
from callgate.diagrams.inject import injected
from callgate.diagrams.machines import graph_of
from callgate.diagrams.terminal import plain, view
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail
from callgate.policy.errors import ExtraMissing, PolicyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callgate.diagrams.graph import Graph
    from callgate.diagrams.terminal import Line

_Choice = TypeVar("_Choice", bound=StrEnum)
_EXAMPLES = """examples:
  callgate diagram call                                  in the terminal
  callgate diagram call --format svg -o call.svg
  callgate diagram shop.orders:OrderMachine --format mermaid --detail low
  callgate diagram policy policy.toml -o policy.svg      which rule decides, for which tools
  callgate diagram run run.jsonl -o run.svg              what happened in a run
  callgate diagram call --coverage *.jsonl               which transitions runs took
  callgate diagram --inject README.md [--check]          blocks between markers
  callgate diagram --write, callgate diagram --check     the pictures of --dir
"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "machine",
        nargs="?",
        default="call",
        help="call, batch, MODULE:CLASS, or policy with its files",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="POLICY.toml")
    _describe_looks(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="instead of the screen")
    parser.add_argument("--check", action="store_true", help="exit 1 if what is written is stale")
    parser.add_argument("--write", action="store_true", help="write the pictures of --dir")
    parser.add_argument("--dir", type=Path, default=Path("diagrams"))
    parser.add_argument(
        "--inject", type=Path, metavar="FILE", help="renew the blocks of a document"
    )


def _describe_looks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=FORMATS, help="without: for the terminal")
    parser.add_argument("--detail", type=_one_of(Detail), choices=list(Detail), default=Detail.LOW)
    parser.add_argument("--theme", type=_one_of(Theme), choices=list(Theme), default=Theme.AUTO)
    parser.add_argument(
        "--engine",
        type=_one_of(Engine),
        choices=list(Engine),
        default=Engine.WHEEL,
        help="dot: the program of that name on this machine",
    )
    parser.add_argument("--happy", metavar="STATE,STATE", help="the happy path of MODULE:CLASS")


def _one_of(kind: type[_Choice]) -> Callable[[str], _Choice]:
    """A reader of one of these, that says which there are."""

    def read(text: str) -> _Choice:
        try:
            return kind(text)
        except ValueError as error:
            known = ", ".join(kind)
            raise argparse.ArgumentTypeError(f"{text!r} is none of {known}") from error

    return read


def run(options: argparse.Namespace) -> int:
    """Draw, write, inject or check."""
    try:
        if options.inject:
            return _inject(options.inject, check=options.check)
        if options.write:
            gallery.write(options.dir)
            return 0
        if options.check:
            return _check(options.dir)
        if options.machine == "policy":
            return _policy(options)
        if options.files:
            raise DiagramError(f"{options.files[0]}: only policy is followed by files")
        _show(options, _graph(options))
    except BrokenPipeError:  # whoever reads has left: that is not the asking's fault
        raise
    except (DiagramError, PolicyError, ExtraMissing, OSError) as error:
        print(f"callgate diagram: {error}", file=sys.stderr)
        return 2
    return 0


def _graph(options: argparse.Namespace) -> Graph:
    happy = options.happy.split(",") if options.happy else None
    return graph_of(options.machine, happy)


def _policy(options: argparse.Namespace) -> int:
    if not options.files:
        raise DiagramError("which policy? (callgate diagram policy POLICY.toml)")
    chart, problems = policies.policy_chart(options.files)
    for problem in problems:
        print(f"callgate diagram: {problem}", file=sys.stderr)
    if options.format is None and options.output is None:
        width = shutil.get_terminal_size().columns
        _print(policytext.view(chart, width), width)
        return 0
    form = options.format or _format_of(options.output)
    _put(options, form, policydraw.draw(chart, form, options.theme))
    return 0


def _show(options: argparse.Namespace, graph: Graph) -> None:
    if options.format is None and options.output is None:
        width = shutil.get_terminal_size().columns
        _print(view(graph, width, options.detail), width)
        return
    form = options.format or _format_of(options.output)
    looks = {"detail": options.detail, "theme": options.theme, "engine": options.engine}
    _put(options, form, draw(graph, form, **looks))


def _put(options: argparse.Namespace, form: str, drawn: bytes) -> None:
    if options.output:
        options.output.write_bytes(drawn)
    elif form == "png" and sys.stdout.isatty():
        raise DiagramError("a PNG is not for the terminal: give -o FILE")
    else:
        sys.stdout.buffer.write(drawn)


def _format_of(path: Path) -> str:
    endings = {"mmd": "mermaid", "md": "markdown", "gv": "dot", "puml": "plantuml"}
    ending = path.suffix.removeprefix(".")
    form = endings.get(ending, ending)
    if form not in FORMATS:
        raise DiagramError(f"{path}: which format? (--format {', '.join(FORMATS)})")
    return form


def _print(lines: Iterator[Line], width: int) -> None:
    """In colour where rich is there and somebody looks; else plain."""
    if sys.stdout.isatty():
        try:
            from rich.console import Console
            from rich.text import Text
        except ImportError:
            pass
        else:
            console = Console(width=width, highlight=False)
            for line in lines:
                console.print(Text.assemble(*line), no_wrap=True, crop=False, soft_wrap=True)
            return
    sys.stdout.write(plain(lines))


def _check(folder: Path) -> int:
    names = list(gallery.stale(folder))
    for name in names:
        print(f"{folder / name} is stale: run callgate diagram --write", file=sys.stderr)
    return 1 if names else 0


def _inject(path: Path, *, check: bool) -> int:
    try:
        before = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise DiagramError(f"{path} is not UTF-8: {error}") from error
    after = injected(before, _block)
    if after == before:
        return 0
    if check:
        print(f"{path} is stale: run callgate diagram --inject {path}", file=sys.stderr)
        return 1
    path.write_bytes(after.encode("utf-8"))
    return 0


class _MarkerParser(argparse.ArgumentParser):
    """Reads a marker: what is wrong with it is the document's fault, and ends no process."""

    def error(self, message: str) -> NoReturn:
        raise DiagramError(f"a marker: {message}")


def _block(words: list[str]) -> tuple[str, str]:
    parser = _MarkerParser(prog="<!-- callgate diagram", add_help=False)
    parser.add_argument("machine")
    _describe_looks(parser)
    options, unknown = parser.parse_known_args(words)
    if unknown:
        raise DiagramError(f"a marker's words {words}: unknown {' '.join(unknown)}")
    form = options.format or "mermaid"
    if form in ("svg", "png"):
        return form, ""
    return form, text(_graph(options), form, options.detail)
