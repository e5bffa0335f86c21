"""The Sphinx directive: a diagram of any machine, drawn while the documentation is built.

Put `callgate.diagrams.sphinx_ext` into `extensions`, then:

    .. callgate-diagram:: shop.orders:OrderMachine
       :detail: low
       :theme: auto
       :happy: draft, placed, paid, shipped
       :caption: The life of an order

Rule 1: no program is needed: the layout comes from the wheel, the drawing is callgate's own.
Rule 2: a machine that cannot be drawn fails the directive with its line, never the whole build.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from callgate.diagrams.canvas import clean
from callgate.diagrams.errors import DiagramError
from callgate.diagrams.formats import draw, text
from callgate.diagrams.machines import graph_of
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

_STILL: Final = {Theme.AUTO: Theme.LIGHT}


class callgate_diagram(nodes.General, nodes.Element):  # noqa: N801 - docutils names visitors after it
    """A machine on its way to whatever builder writes it."""


def _choice(kind: Any) -> Callable[[str], Any]:
    return lambda argument: kind(directives.choice(argument, tuple(kind)))


class DiagramDirective(SphinxDirective):
    """`.. callgate-diagram:: call`, `batch` or `MODULE:CLASS`."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = {
        "detail": _choice(Detail),
        "theme": _choice(Theme),
        "happy": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "alt": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Read the machine now, so that an error has a line; it is drawn when it is written."""
        happy = self.options.get("happy")
        path = [name.strip() for name in happy.split(",")] if happy else None
        try:
            graph = graph_of(self.arguments[0], path)
        except DiagramError as error:
            raise self.error(str(error)) from error
        diagram = callgate_diagram()
        diagram["graph"] = graph
        diagram["detail"] = self.options.get("detail", Detail.LOW)
        diagram["theme"] = self.options.get("theme", Theme.AUTO)
        diagram["alt"] = self.options.get("alt", graph.title)
        if "caption" not in self.options:
            return [diagram]
        words, messages = self.parse_inline(self.options["caption"])
        figure = nodes.figure("", diagram, nodes.caption("", "", *words))
        return [figure, *messages]


def _written(node: callgate_diagram, form: str, folder: Path) -> str:
    """Draw the node into a folder, under a name that its content gives it."""
    theme = node["theme"] if form == "svg" else _STILL.get(node["theme"], node["theme"])
    name = f"callgate-{node['graph'].digest}-{node['detail']}-{theme}.{form}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if not path.exists():
        path.write_bytes(draw(node["graph"], form, detail=node["detail"], theme=theme))
    return name


def _html(writer: Any, node: callgate_diagram) -> None:
    builder = writer.builder
    name = _written(node, "svg", Path(builder.outdir) / builder.imagedir)
    link = posixpath.join(builder.imgpath, name)
    writer.body.append(
        f'<img class="callgate-diagram" src="{clean(link)}" alt="{clean(node["alt"])}"/>\n'
    )
    raise nodes.SkipNode


def _latex(writer: Any, node: callgate_diagram) -> None:
    name = _written(node, "png", Path(writer.builder.outdir))
    writer.body.append(f"\\sphinxincludegraphics[width=\\linewidth]{{{name}}}\n")
    raise nodes.SkipNode


def _plain(writer: Any, node: callgate_diagram) -> None:
    """Builders of text get the machine as text."""
    writer.add_text(text(node["graph"], "markdown", node["detail"]))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx calls."""
    app.add_node(
        callgate_diagram,
        html=(_html, None),
        latex=(_latex, None),
        text=(_plain, None),
        man=(_man, None),
    )
    app.add_directive("callgate-diagram", DiagramDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _man(writer: Any, node: callgate_diagram) -> None:
    writer.body.append(node["alt"])
    raise nodes.SkipNode
