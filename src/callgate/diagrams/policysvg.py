"""A policy's chart as a picture: tools down, modes across, in each cell the rules in order.

Rule 1: what a cell comes to is its colour and the sign of its last line; no engine is needed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from callgate.diagrams.canvas import Canvas, Ink, Pen
from callgate.diagrams.policies import NOTE
from callgate.diagrams.policytext import SIGNS
from callgate.diagrams.themes import Theme
from callgate.policy.decisions import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callgate.diagrams.policies import Chart, Heard

_TONES: Final = {Effect.ALLOW: "good", Effect.ASK: "warn", Effect.DENY: "bad"}
_MARGIN, _PAD, _LINE, _GAP = 16.0, 12.0, 17.0, 6.0
_HEAD: Final = 34.0
_WIDEST: Final = 190.0
_TOOL: Final = Ink(size=13, bold=True)
_MODE: Final = Ink(size=13, bold=True, role="soft", anchor="middle")
_SMALL: Final = Ink(size=12)
_NOTE: Final = Ink(size=12, role="soft")

_Piece = tuple[str, Ink]


def svg(chart: Chart, *, theme: Theme = Theme.AUTO) -> str:
    """The chart as an SVG document."""
    names = [_names(row.tools) for row in chart.rows]
    cells = [[_lines(heard) for heard in row.cells] for row in chart.rows]
    first = max(_wide(lines) for lines in names) + 2 * _PAD
    columns = [
        max([_MODE.width(mode.value), *(_wide(row[at]) for row in cells)]) + 2 * _PAD
        for at, mode in enumerate(chart.modes)
    ]
    heights = [
        max(len(lines) for lines in (name, *row)) * _LINE + 2 * _PAD - 3
        for name, row in zip(names, cells, strict=True)
    ]
    width = first + sum(columns) + _GAP * len(columns) + 2 * _MARGIN
    notes = _wrapped(NOTE, _NOTE, width - 2 * _MARGIN)
    high = _MARGIN + _HEAD + sum(heights) + _GAP * len(heights) + _LINE * len(notes) + _MARGIN
    canvas = Canvas(
        (math.ceil(width), math.ceil(high)),
        title=chart.title,
        description=NOTE,
        theme=theme,
        data={"digest": chart.digest},
    )
    lefts = _starts(_MARGIN + first + _GAP, columns)
    for mode, left, column in zip(chart.modes, lefts, columns, strict=True):
        canvas.text((left + column / 2, _MARGIN + 18), mode.value, _MODE)
    tops = _starts(_MARGIN + _HEAD, heights)
    for at, (top, height) in enumerate(zip(tops, heights, strict=True)):
        _text(canvas, (_MARGIN, top + _PAD), names[at])
        for left, column, heard, lines in zip(
            lefts, columns, chart.rows[at].cells, cells[at], strict=True
        ):
            tone = _TONES[heard[-1].effect]
            pen = Pen(fill=tone, line=f"{tone}-line", thick=1)
            with canvas.group("cg-cell", ", ".join(chart.rows[at].tools)):
                canvas.rect((left, top, column, height), pen, radius=7)
                _text(canvas, (left + _PAD, top + _PAD), lines)
    for at, note in enumerate(notes):
        canvas.text((_MARGIN, high - _MARGIN - _LINE * (len(notes) - 1 - at)), note, _NOTE)
    return canvas.render()


def _starts(begin: float, sizes: Sequence[float]) -> list[float]:
    return [begin + sum(sizes[:at]) + _GAP * at for at in range(len(sizes))]


def _names(tools: Sequence[str]) -> list[_Piece]:
    return [(line, _TOOL) for tool in tools for line in _wrapped(tool, _TOOL, _WIDEST)]


def _lines(heard: Sequence[Heard]) -> list[_Piece]:
    return [piece for one in heard for piece in _rule(one)]


def _rule(one: Heard) -> Iterator[_Piece]:
    place = Ink(size=12, role=f"{_TONES[one.effect]}-line")
    yield f"{SIGNS[one.effect]} {one.effect.value}", Ink(size=13, bold=True)
    if one.when:
        yield from ((line, _SMALL) for line in _wrapped(f"if {one.when}", _SMALL, _WIDEST))
    if one.where:
        yield from ((line, place) for line in _wrapped(one.where, _SMALL, _WIDEST))


def _wrapped(text: str, ink: Ink, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".strip()
        if ink.width(joined) <= width:
            lines[-1] = joined
            continue
        lines += [""] if lines[-1] else []
        for letter in word:
            if ink.width(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return lines


def _wide(lines: Sequence[_Piece]) -> float:
    return max(ink.width(text) for text, ink in lines)


def _text(canvas: Canvas, at: tuple[float, float], lines: Sequence[_Piece]) -> None:
    for row, (text, ink) in enumerate(lines):
        canvas.text((at[0], at[1] + 11 + _LINE * row), text, ink)
