"""SVG as it is drawn: escaped, exact, and the same in every font."""

from xml.etree import ElementTree as ET

import pytest

from callgate.diagrams.canvas import Canvas, Ink, Pen
from callgate.diagrams.errors import MissingLetters
from callgate.diagrams.raster import png
from callgate.diagrams.themes import Theme

NAME = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>&\x00\x1b[31m\ud800\"'"


def test_hostile_text_is_text():
    canvas = Canvas((300, 60), title=HOSTILE, description=HOSTILE, data={"digest": HOSTILE})
    canvas.text((10, 20), HOSTILE, name=HOSTILE)
    canvas.path("M0 0", Pen(line="edge"), name=HOSTILE)
    canvas.tooltip(HOSTILE)
    svg = canvas.render()
    root = ET.fromstring(svg.encode("utf-8"))  # noqa: S314 - written by the line above
    tags = {element.tag.removeprefix(NAME) for element in root.iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "text", "path"}
    assert (
        root.find(f"{NAME}text").text
        == "</text><script>alert(1)</script>&\ufffd\ufffd[31m\ufffd\"'"
    )


def test_every_text_is_as_wide_as_it_was_measured():
    canvas = Canvas((300, 60), title="t")
    ink = Ink(size=11, bold=True)
    canvas.text((10, 20), "awaiting approval", ink)
    assert f'textLength="{ink.width("awaiting approval"):.1f}"' in canvas.render()


@pytest.mark.parametrize("theme", Theme)
def test_png_shows_its_text(theme):
    def drawn(text):
        canvas = Canvas((200, 40), title="t", theme=theme)
        canvas.text((10, 25), text)
        return png(canvas.render())

    assert drawn("visible").startswith(b"\x89PNG")
    assert drawn("visible") != drawn("other")
    assert drawn("visible") != drawn("")


def test_png_refuses_letters_that_would_vanish():
    canvas = Canvas((200, 40), title="t")
    canvas.text((10, 25), "工具")
    with pytest.raises(MissingLetters, match=r"U\+5DE5, U\+5177.*write svg"):
        png(canvas.render())
