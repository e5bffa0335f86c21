"""How big everything is before it has a place: the measures of a picture.

Rule 1: measured with the shipped font and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.diagrams.canvas import Ink
from callgate.diagrams.graph import Kind, Shape, Tone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callgate.diagrams.graph import Node
    from callgate.diagrams.wording import Row

LINE: Final = 15.6
"The height of a line of an arrow's label."
NAME: Final = Ink(size=13.5, bold=True, anchor="middle")
EVENT: Final = Ink(size=12.5, bold=True)
GUARD: Final = Ink(size=12.5)
NOTE: Final = Ink(role="soft", size=12)
TITLE: Final = Ink(size=12.5, bold=True, role="soft")
SIGNS: Final = {Tone.PLAIN: "", Tone.GOOD: "✓", Tone.BAD: "✗", Tone.CALM: "–"}
SPACE: Final = 4.0
"Between two pieces of a line."
LOOP: Final = 26.0
"How far a loop stands out."
_ROOM: Final = {Shape.PILL: 40.0, Shape.OCTAGON: 40.0, Shape.HEXAGON: 46.0}


def name_of(node: Node) -> str:
    """The label with its sign, and how often it was visited."""
    sign = SIGNS[node.tone] if node.kind is Kind.FINAL else ""
    count = f"×{node.count}" if node.count is not None else ""
    return " ".join(filter(None, (node.label, sign, count)))


def node_size(node: Node, inside: Sequence[Row] = ()) -> tuple[float, float]:
    """Width and height of a state's box, with what stands in it below its name."""
    if node.kind is Kind.HISTORY:
        return 26.0, 26.0
    wide = NAME.width(name_of(node)) + _ROOM.get(node.shape, 28.0)
    if not node.notes and not inside:
        return max(wide, 72.0), 36.0
    lines = [*(NOTE.width(note) for note in node.notes), *map(row_width, inside)]
    return max(wide, max(lines) + 28.0, 72.0), 46.0 + LINE * len(lines)


def row_ink(*, is_event: bool, happy: bool) -> Ink:
    """How a piece of a line at an arrow is set."""
    ink = EVENT if is_event else GUARD
    return Ink(size=ink.size, bold=ink.bold, role="text" if happy else "soft")


def row_width(row: Row) -> float:
    """How wide a line is, pieces and the spaces between them."""
    pieces = (row_ink(is_event=is_event, happy=False).width(text) for text, is_event in row)
    return sum(pieces) + SPACE * (len(row) - 1)


def label_size(rows: Sequence[Row]) -> tuple[float, float]:
    """Width and height of an arrow's label."""
    return (max(map(row_width, rows)), LINE * len(rows)) if rows else (0.0, 0.0)
