"""SVG to PNG, with the shipped font and no other.

Rule 1: `auto` has no reader to follow in a PNG: draw the SVG light or dark.
Rule 2: a letter that the shipped font lacks would vanish without a word, so it is an error.
"""

from __future__ import annotations

import re
from importlib.resources import as_file
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import unescape

from callgate.diagrams import fonts
from callgate.diagrams.errors import MissingEngine, MissingLetters

if TYPE_CHECKING:
    from types import ModuleType

_TEXT: Final = re.compile(r"<text [^>]*>([^<]*)</text>")


def png(svg: str, *, scale: float = 2) -> bytes:
    """The picture as PNG, `scale` pixels to each of its own."""
    resvg = _resvg()
    lacking = fonts.missing(unescape("".join(_TEXT.findall(svg)), {"&quot;": '"', "&#39;": "'"}))
    if lacking:
        raise MissingLetters(lacking)
    with as_file(fonts.FOLDER) as folder:
        drawn: bytes = resvg.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=True,
            font_files=[str(folder / name) for name in fonts.NAMES],
            font_family="Inter",
            sans_serif_family="Inter",
            dpi=96,
            zoom=scale,
        )
    return bytes(drawn)


def _resvg() -> ModuleType:
    try:
        import resvg_py
    except ImportError as error:
        raise MissingEngine("png", "resvg-py") from error
    return resvg_py
