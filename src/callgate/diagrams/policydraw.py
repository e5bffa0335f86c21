"""A policy's chart in any format that can hold one.

Rule 1: a chart is no machine: the languages of machines (DOT, PlantUML, SCXML) are refused, by name
of what works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.diagrams import policytext
from callgate.diagrams.errors import DiagramError
from callgate.diagrams.policysvg import svg
from callgate.diagrams.raster import png
from callgate.diagrams.themes import Theme

if TYPE_CHECKING:
    from callgate.diagrams.policies import Chart

_TEXTS: Final = {
    "markdown": policytext.markdown,
    "mermaid": policytext.mermaid,
    "json": policytext.as_json,
}
FORMATS: Final = (*_TEXTS, "svg", "png")


def draw(chart: Chart, form: str, theme: Theme = Theme.AUTO) -> bytes:
    """The chart in one of its formats, as bytes."""
    if form == "svg":
        return svg(chart, theme=theme).encode("utf-8")
    if form == "png":
        return png(svg(chart, theme=Theme.LIGHT if theme is Theme.AUTO else theme))
    if form not in _TEXTS:
        raise DiagramError(f"a policy cannot be drawn as {form} (it can: {', '.join(FORMATS)})")
    return _TEXTS[form](chart).encode("utf-8")
