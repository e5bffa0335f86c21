"""The directive, in real builds, on a machine without `dot`."""

import io
import shutil

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from .picture import Picture

INDEX = """
Machines
========

.. callgate-diagram:: call

.. callgate-diagram:: tests.diagrams.machines:Order
   :detail: full
   :theme: dark
   :happy: draft, placed, failed
   :caption: The life of an *order*
   :alt: "orders" <b>
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("dot") is None
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text("extensions = ['callgate.diagrams.sphinx_ext']\n", "utf-8")

    def run(index, builder="html"):
        (source / "index.rst").write_text(index, encoding="utf-8")
        out, warnings = tmp_path / builder, io.StringIO()
        with patch_docutils(source), docutils_namespace():
            app = Sphinx(
                str(source),
                str(source),
                str(out),
                str(tmp_path / "doctrees"),
                builder,
                status=None,
                warning=warnings,
                freshenv=True,
            )
            app.build()
        return out, warnings.getvalue()

    return run


def test_html_shows_the_pictures(build):
    out, warnings = build(INDEX)
    assert warnings == ""
    page = (out / "index.html").read_text("utf-8")
    pictures = sorted((out / "_images").glob("callgate-*.svg"))
    assert len(pictures) == 2
    for picture in pictures:
        assert f'src="_images/{picture.name}"' in page
    assert 'alt="&quot;orders&quot; &lt;b&gt;"' in page
    assert "<em>order</em>" in page
    dark = next(picture for picture in pictures if picture.name.endswith("full-dark.svg"))
    assert "failed" in Picture(dark.read_text("utf-8")).nodes


def test_latex_gets_png_and_text_gets_words(build):
    out, warnings = build(INDEX, "latex")
    assert warnings == ""
    assert len(list(out.glob("callgate-*.png"))) == 2
    out, warnings = build(INDEX, "text")
    assert warnings == ""
    assert "| event | validating |" in (out / "index.txt").read_text("utf-8")


def test_a_machine_that_is_none_is_an_error_with_its_line(build):
    out, warnings = build("T\n=\n\n.. callgate-diagram:: no.such:Machine\n")
    assert "index.rst:4: ERROR" in warnings
    assert "cannot be loaded: No module named 'no'" in warnings
    assert (out / "index.html").exists()
