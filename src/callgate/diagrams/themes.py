"""The colours: a role has one colour in each palette, and readable ones are tested.

Rule 1: who draws names a role, never a colour.
Rule 2: text stands at 4.5:1 or better on everything it may stand on, lines that carry meaning at
3:1; a test computes both for every palette.
Rule 3: a theme is style sheet text. `auto` carries both palettes, and the reader's system chooses.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, final

if TYPE_CHECKING:
    from collections.abc import Mapping


@final
class Theme(StrEnum):
    """Which palette; `auto` follows the reader."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"

    __hash__ = str.__hash__


Palette: TypeAlias = "Mapping[str, str]"

LIGHT: Final[Palette] = MappingProxyType(
    {
        "page": "#ffffff",
        "text": "#1f2328",
        "soft": "#59636e",  # labels off the happy path, notes
        "node": "#f6f8fa",
        "line": "#59636e",  # outlines of states
        "edge": "#868f99",
        "happy": "#0969da",
        "frame": "#fafbfc",
        "good": "#dafbe1",
        "good-line": "#187532",
        "bad": "#ffebe9",
        "bad-line": "#cf222e",
        "calm": "#eaeef2",
        "calm-line": "#59636e",
        "warn": "#fff8c5",
        "warn-line": "#8f5f00",
        "grid": "#d1d9e0",
        "validating": "#a475f9",
        "person": "#b88200",
        "barrier": "#c8d1da",
        "executing": "#1f6feb",
    }
)
DARK: Final[Palette] = MappingProxyType(
    {
        "page": "#0d1117",
        "text": "#f0f6fc",
        "soft": "#9ea7b3",
        "node": "#1c2128",
        "line": "#8b949e",
        "edge": "#6e7681",
        "happy": "#58a6ff",
        "frame": "#11161d",
        "good": "#0f2817",
        "good-line": "#3fb950",
        "bad": "#3c1618",
        "bad-line": "#f85149",
        "calm": "#21262d",
        "calm-line": "#8b949e",
        "warn": "#2a220d",
        "warn-line": "#d29922",
        "grid": "#30363d",
        "validating": "#b087f5",
        "person": "#d9a23b",
        "barrier": "#4b535d",
        "executing": "#388bfd",
    }
)
PALETTES: Final = MappingProxyType({Theme.LIGHT: LIGHT, Theme.DARK: DARK})
TEXT_ROLES: Final = ("text", "soft", "happy", "good-line", "bad-line", "calm-line", "warn-line")
GROUNDS: Final = ("page", "node", "frame")


def style(theme: Theme) -> str:
    """The style sheet: `.cg-fill-ROLE` and `.cg-line-ROLE` for each role.

    >>> style(Theme.LIGHT)[:30]
    '.cg-fill-page{fill:#ffffff}.cg'
    """
    if theme is Theme.AUTO:
        return f"{_rules(LIGHT)}@media (prefers-color-scheme:dark){{{_rules(DARK)}}}"
    return _rules(PALETTES[theme])


def _rules(palette: Palette) -> str:
    return "".join(
        f".cg-fill-{role}{{fill:{colour}}}.cg-line-{role}{{stroke:{colour}}}"
        for role, colour in palette.items()
    )


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 counts it, from 1 to 21.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
