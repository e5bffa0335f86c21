"""The font that callgate ships: how wide a text is, on every machine the same.

Rule 1: nothing asks the system for a font. Widths come from `fonts/widths.json`, taken from the
shipped files (a test compares them); PNGs are drawn with just those files.
Rule 2: what the font lacks is measured as one em, which is no narrower than it will be.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final

FOLDER: Final = files("callgate.diagrams") / "fonts"
NAMES: Final = ("Inter-Regular.otf", "Inter-SemiBold.otf")
FAMILY: Final = "Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif"
BOLD: Final = 600


@cache
def _widths() -> tuple[dict[str, int], dict[str, int], int]:
    data = json.loads((FOLDER / "widths.json").read_text(encoding="utf-8"))
    return data["regular"], data["semibold"], data["units_per_em"]


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a line of text is, in the units of `size`.

    >>> width("mm", 10) > width("il", 10)
    True
    """
    regular, semibold, units = _widths()
    table = semibold if bold else regular
    return sum(table.get(letter, units) for letter in text) * size / units


def missing(text: str) -> str:
    """The letters that the shipped font cannot draw, each once.

    >>> missing("a → b ✓")
    ''
    """
    regular, _, _ = _widths()
    return "".join(dict.fromkeys(letter for letter in text if letter not in regular))
