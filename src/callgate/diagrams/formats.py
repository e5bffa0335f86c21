"""Which format is drawn by whom.

Rule 1: a format's module is imported when the format is asked for: text formats never import the
layout engine.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from callgate.diagrams.engine import Engine
from callgate.diagrams.errors import TEXT_FORMATS, DiagramError
from callgate.diagrams.text.dotsource import dot
from callgate.diagrams.text.mermaid import mermaid
from callgate.diagrams.text.plantuml import plantuml
from callgate.diagrams.text.scxml import scxml
from callgate.diagrams.text.table import markdown
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail

if TYPE_CHECKING:
    from callgate.diagrams.graph import Graph

FORMATS: Final = (*TEXT_FORMATS, "svg", "png")
_TEXTS: Final = {
    "mermaid": mermaid,
    "dot": dot,
    "plantuml": plantuml,
    "markdown": markdown,
    "scxml": scxml,
}


def as_json(graph: Graph) -> str:
    """The graph itself, with its digest."""
    data = {"digest": graph.digest, **graph.as_data()}
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def text(graph: Graph, name: str, detail: Detail = Detail.FULL) -> str:
    """The graph in one of the text formats."""
    if name == "json":
        return as_json(graph)
    if name not in _TEXTS:
        raise DiagramError(f"no text format {name!r} (there are: {', '.join(TEXT_FORMATS)})")
    return _TEXTS[name](graph, detail)


def draw(
    graph: Graph,
    name: str,
    *,
    detail: Detail = Detail.FULL,
    theme: Theme = Theme.AUTO,
    engine: Engine = Engine.WHEEL,
) -> bytes:
    """The graph in any format, as bytes; PNG has no reader to follow, so `auto` is light there."""
    if name not in ("svg", "png"):
        return text(graph, name, detail).encode("utf-8")
    from callgate.diagrams.svg import svg

    if name == "svg":
        return svg(graph, detail=detail, theme=theme, engine=engine).encode("utf-8")
    from callgate.diagrams.raster import png

    still = Theme.LIGHT if theme is Theme.AUTO else theme
    return png(svg(graph, detail=detail, theme=still, engine=engine))
