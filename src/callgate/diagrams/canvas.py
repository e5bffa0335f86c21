"""Drawing SVG: shapes and text by role, as bytes that never change.

Rule 1: every text is escaped here and nowhere else; what XML cannot carry becomes U+FFFD.
Rule 2: numbers have one decimal place, attributes one order: the same picture is the same bytes.
Rule 3: every line of text carries its `textLength`, so it is as wide as it was measured, whatever
font the reader has: what did not overlap here overlaps nowhere.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, final
from xml.sax.saxutils import escape

from attrs import frozen

from callgate.diagrams import fonts
from callgate.diagrams.themes import Theme, style

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]
Box = tuple[float, float, float, float]

# What XML 1.0 cannot carry, and lone surrogates, which no encoding can.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """The text as XML may carry it, escaped for element and attribute.

    >>> clean('<b a="1">\\x00')
    '&lt;b a=&quot;1&quot;&gt;\ufffd'
    """
    return escape(_FORBIDDEN.sub("\ufffd", text), {'"': "&quot;", "'": "&#39;"})


def number(value: float) -> str:
    """A coordinate: one decimal, no trailing zero, no minus zero.

    >>> number(2.0), number(-0.04), number(1.25)
    ('2', '0', '1.2')
    """
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def points(corners: Sequence[Point]) -> str:
    """Corners as an SVG path that closes."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"


@final
@frozen(kw_only=True)
class Pen:
    """How a shape is painted; `fill` and `line` are roles of the theme."""

    fill: str | None = None
    line: str | None = None
    thick: float = 1.4
    dashed: bool = False

    def attributes(self, mark: str = "") -> str:
        """As attributes; `mark` is a class of its own, for tests and styles."""
        classes = [mark] if mark else []
        classes += [f"cg-fill-{self.fill}"] if self.fill else []
        classes += [f"cg-line-{self.line}"] if self.line else []
        paint = f' class="{" ".join(classes)}"' if classes else ""
        paint += "" if self.fill else ' fill="none"'
        paint += f' stroke-width="{number(self.thick)}"' if self.line else ""
        return paint + (' stroke-dasharray="5 4"' if self.dashed else "")


@final
@frozen(kw_only=True)
class Ink:
    """How a line of text is set; `role` is a role of the theme."""

    role: str = "text"
    size: float = 13
    bold: bool = False
    anchor: Anchor = "start"

    def width(self, text: str) -> float:
        """How wide it will be."""
        return fonts.width(text, self.size, bold=self.bold)


PLAIN: Final = Ink()


@final
class Canvas:
    """One picture in the making: draw from back to front, then `render()`.

    >>> canvas = Canvas((100, 40), title="t")
    >>> canvas.rect((0, 0, 100, 40), Pen(fill="node", line="line"), radius=6)
    >>> canvas.text((50, 25), "a < b", Ink(anchor="middle"))
    >>> "a &lt; b" in canvas.render()
    True
    """

    def __init__(
        self,
        size: Point,
        *,
        title: str,
        description: str = "",
        theme: Theme = Theme.AUTO,
        data: Mapping[str, str] | None = None,
    ) -> None:
        """Begin a picture.

        Args:
            size: width and height in pixels, which is also the view box.
            title: read out by screen readers, as `description` is.
            description: what the picture shows, in words.
            theme: the palette.
            data: recorded as `data-*` attributes: digest of the graph, version of the engine.
        """
        self.size = size
        self._title = title
        self._description = description
        self._theme = theme
        self._data = dict(data or {})
        self._parts: list[str] = []

    def rect(self, box: Box, pen: Pen, *, radius: float = 0, mark: str = "") -> None:
        """A rectangle: x, y, width, height."""
        names = ("x", "y", "width", "height")
        place = " ".join(f'{n}="{number(v)}"' for n, v in zip(names, box, strict=True))
        corner = f' rx="{number(radius)}"' if radius else ""
        self._parts.append(f"<rect {place}{corner}{pen.attributes(mark)}/>")

    def circle(self, at: Point, radius: float, pen: Pen, *, mark: str = "") -> None:
        """A disc or a ring."""
        place = f'cx="{number(at[0])}" cy="{number(at[1])}" r="{number(radius)}"'
        self._parts.append(f"<circle {place}{pen.attributes(mark)}/>")

    def path(self, d: str, pen: Pen, *, mark: str = "", name: str = "") -> None:
        """A path in SVG's own language; `name` is kept as `data-name`."""
        named = f' data-name="{clean(name)}"' if name else ""
        self._parts.append(f'<path d="{d}"{named}{pen.attributes(mark)}/>')

    def text(self, at: Point, text: str, ink: Ink = PLAIN, *, name: str = "") -> None:
        """One line of text; `at` is on its base line; `name` is kept as `data-name`."""
        if not text:
            return
        place = f'x="{number(at[0])}" y="{number(at[1])}" font-size="{number(ink.size)}"'
        weight = f' font-weight="{fonts.BOLD}"' if ink.bold else ""
        turned = f' text-anchor="{ink.anchor}"' if ink.anchor != "start" else ""
        fit = f' textLength="{number(ink.width(text))}" lengthAdjust="spacingAndGlyphs"'
        kept = ' xml:space="preserve"' if "  " in text or text != text.strip() else ""
        named = f' data-name="{clean(name)}"' if name else ""
        look = f'{weight}{turned}{fit}{kept}{named} class="cg-fill-{ink.role}"'
        self._parts.append(f"<text {place}{look}>{clean(text)}</text>")

    @contextmanager
    def group(self, mark: str, name: str) -> Iterator[None]:
        """What is drawn inside belongs together: a state, an arrow, a label."""
        self._parts.append(f'<g class="{clean(mark)}" data-name="{clean(name)}">')
        yield
        self._parts.append("</g>")

    def tooltip(self, text: str) -> None:
        """What a browser shows when the pointer rests on the element drawn last."""
        last = self._parts.pop()
        head = last.removesuffix("/>")
        element = head[1 : head.index(" ")]
        self._parts.append(f"{head}><title>{clean(text)}</title></{element}>")

    def render(self) -> str:
        """The SVG document."""
        data = "".join(f' data-{name}="{clean(value)}"' for name, value in self._data.items())
        width, height = map(number, self.size)
        size = f'width="{width}" height="{height}"'
        box = f'viewBox="0 0 {width} {height}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} {size} role="img" '
            f'aria-label="{clean(self._title)}" font-family="{fonts.FAMILY}"{data}>'
        )
        described = f"<desc>{clean(self._description)}</desc>" if self._description else ""
        words = f"<title>{clean(self._title)}</title>{described}"
        page = f'<rect class="cg-fill-page" {size}/>'
        style_text = f"<style>{style(self._theme)}</style>"
        return "\n".join([head, words, style_text, page, *self._parts, "</svg>", ""])
