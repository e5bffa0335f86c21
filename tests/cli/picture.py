"""Makes the picture of the demo: a real run in a pseudo-terminal, drawn as it was on the screen.

Run `python -m tests.cli.picture diagrams` to write `demo-dark.svg` and `demo-light.svg` there.
"""

import sys
from pathlib import Path

import pyte
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.cli.terminal import Terminal

DARK = TerminalTheme(
    (13, 17, 23),
    (230, 237, 243),
    [
        (72, 79, 88),
        (255, 123, 114),
        (63, 185, 80),
        (210, 153, 34),
        (88, 166, 255),
        (188, 140, 255),
        (57, 197, 207),
        (177, 186, 196),
    ],
)
LIGHT = TerminalTheme(
    (255, 255, 255),
    (31, 35, 40),
    [
        (36, 41, 47),
        (207, 34, 46),
        (17, 99, 41),
        (125, 78, 0),
        (9, 105, 218),
        (130, 80, 223),
        (27, 124, 131),
        (110, 119, 129),
    ],
)
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
  aria-label="A run of callgate demo in a terminal">
<style>
.{unique_id}-matrix {{ font: {char_height}px "DejaVu Sans Mono", Menlo, Consolas, monospace;
  line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""


def capture():
    """The screen at the best moment: both questions answered, the tests running."""
    terminal = Terminal([str(Path(sys.executable).parent / "callgate"), "demo"], rows=27)
    terminal.read_until("[n] no")
    terminal.type("y")
    terminal.read_until("Run a command?")
    terminal.type("y")
    terminal.read_until("test_prices_add_up")
    rows = [_row(terminal.screen, number) for number in range(terminal.screen.lines)]
    terminal.finish()
    return Text("\n").join(rows).rstrip() or Text("\n").join(rows)


def _row(screen, number):
    row = Text()
    for column in range(screen.columns):
        cell = screen.buffer[number][column]
        row.append(cell.data, _style(cell))
    row.rstrip()
    return row


_COLOURS = {"brown": "yellow"}


def _style(cell: pyte.screens.Char):
    colour = None if cell.fg == "default" else _COLOURS.get(cell.fg, cell.fg)
    return Style(color=colour, bold=cell.bold, italic=cell.italics)


def main(folder):
    screen = capture()
    for name, theme in (("dark", DARK), ("light", LIGHT)):
        console = Console(record=True, width=80, file=Path("/dev/null").open("w"))  # noqa: SIM115
        console.print(screen)
        svg = console.export_svg(
            title="callgate demo", theme=theme, code_format=FRAME, unique_id="demo"
        )
        Path(folder, f"demo-{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
