"""The committed pictures: complete, fresh, and stale when they should be."""

from pathlib import Path

import pytest

from callgate.diagrams import gallery
from callgate.diagrams.machines import graph_of
from callgate.diagrams.wording import Detail

FOLDER = Path(__file__).parents[2] / "diagrams"
PICTURE = next(picture for picture in gallery.GALLERY if picture.name == "batch-low.svg")


@pytest.fixture(scope="module")
def written():
    return PICTURE.drawn()


def test_the_folder_is_fresh_and_holds_nothing_else():
    assert list(gallery.stale(FOLDER)) == []
    own = {path.name for path in FOLDER.iterdir() if path.is_file()}
    assert {picture.name for picture in gallery.GALLERY} <= own


def test_another_engine_makes_nothing_stale(written):
    old = written.replace(b'data-engine="pygraphviz 2', b'data-engine="pygraphviz 1')
    assert old != written
    assert PICTURE.is_fresh(old.replace(b"M", b"M1 1M", 1))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda svg: svg.replace(b"Queued", b"Queueing"),
        lambda svg: svg.replace(b'data-digest="', b'data-digest="0'),
        lambda svg: svg.replace(b'data-engine="pygraphviz', b'data-engine="x', 1).replace(
            b'data-digest="', b'data-digest="0'
        ),
        lambda svg: svg.replace(b'data-detail="low"', b'data-detail="full"'),
        lambda _: b"",
    ],
)
def test_what_says_something_old_is_stale(written, spoil):
    assert PICTURE.is_fresh(written)
    assert not PICTURE.is_fresh(spoil(written))


def test_a_missing_file_is_stale(tmp_path):
    names = list(gallery.stale(tmp_path))
    assert names == [*(picture.name for picture in gallery.GALLERY), *gallery.RUNS]


def test_levels_are_told_apart():
    assert {picture.detail for picture in gallery.GALLERY} == {"", *Detail}


def test_the_index_explains_every_word_of_the_call_picture():
    graph = graph_of("call")
    for event in {edge.event for edge in graph.edges}:
        assert f"| `{event}` | " in gallery.INDEX
    for node in graph.nodes:
        assert f"*{node.label.lower()}*" in gallery.INDEX.replace("\n", " ")


def test_the_index_shows_every_picture():
    for picture in gallery.GALLERY:
        assert picture.name == "README.md" or f"({picture.name})" in gallery.INDEX
