"""Nothing lies over anything: measured on the SVG itself, not on what the layout believed."""

from itertools import combinations

import pytest

from callgate.diagrams.batch import batch_graph
from callgate.diagrams.extract import call_graph, extract
from callgate.diagrams.svg import svg
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail

from . import machines
from .picture import Picture, bounds, overlap, passes

GRAPHS = {"call": call_graph(), "batch": batch_graph()} | {
    machine.__name__: extract(machine) for machine in machines.ALL
}
CASES = [(name, detail) for name in GRAPHS for detail in Detail]


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def drawn(request):
    name, detail = request.param
    return Picture(svg(GRAPHS[name], detail=detail)), GRAPHS[name], detail


def test_every_state_and_every_transition_is_there(drawn):
    picture, graph, detail = drawn
    assert {*picture.nodes, *picture.groups} == {node.name for node in graph.nodes}
    ways = {
        f"{edge.source} {edge.target}"
        for edge in graph.edges
        if detail is Detail.LOW or not edge.is_loop
    }
    assert {name for name, _ in picture.ways} - {"start"} == ways
    inside = "".join(text.text for _, text in picture.texts)
    for edge in graph.edges:
        assert edge.rule in inside or detail is Detail.LOW


def test_no_label_lies_over_a_label_a_state_or_an_arrow(drawn):
    picture, _, _ = drawn
    for (one, first), (other, second) in combinations(picture.labels, 2):
        assert not overlap(first, second), f"{one} over {other}"
    for name, label in picture.labels:
        for node, area in picture.nodes.items():
            assert not overlap(label, area), f"{name} over {node}"
        for other, way in picture.ways:
            assert not passes(way, label), f"{other} through the words of {name}"


def test_no_arrow_passes_through_a_state_of_others(drawn):
    picture, _, _ = drawn
    for name, way in picture.ways:
        for node, (left, top, right, bottom) in picture.nodes.items():
            if name != "start" and node not in name.split():
                assert not passes(way, (left + 2, top + 2, right - 2, bottom - 2)), (name, node)


def test_nothing_is_outside(drawn):
    picture, _, _ = drawn
    _, _, wide, high = picture.view
    things = [area for area, _ in picture.texts] + [*picture.nodes.values()]
    things += [*picture.groups.values(), *(bounds(way) for _, way in picture.ways)]
    for left, top, right, bottom in things:
        assert 0 <= left < right + 1 <= wide + 1
        assert 0 <= top < bottom + 1 <= high + 1


def test_the_words_of_a_state_are_inside_it(drawn):
    picture, _, _ = drawn
    for area, text in picture.texts:
        for left, top, right, bottom in picture.nodes.values():
            if overlap(area, (left, top, right, bottom)):
                assert left + 3 < area[0], text.text
                assert area[2] < right - 3, text.text
                assert top < area[1], text.text
                assert area[3] < bottom, text.text


def test_a_loop_stands_out(drawn):
    picture, _, _ = drawn
    for name, way in picture.ways:
        source, _, target = name.partition(" ")
        if source == target:
            left, top, right, bottom = picture.nodes[source]
            out = bounds(way)
            # Out of a side, or of a corner, where it must show on both sides of it.
            up = max(top - out[1], out[3] - bottom)
            assert max(left - out[0], out[2] - right) >= 14
            assert up >= 14 or out[3] - out[1] >= 14


def test_no_arrow_passes_through_a_loop(drawn):
    picture, _, _ = drawn
    for name, way in picture.ways:
        source, _, target = name.partition(" ")
        if source == target:
            left, top, right, bottom = bounds(way)
            within = (left + 2, top + 2, right - 2, bottom - 2)
            for other, line in picture.ways:
                assert other == name or not passes(line, within), (other, name)


@pytest.mark.parametrize("name", ["call", "batch"])
def test_the_pictures_of_the_readme_are_legible_at_800_pixels(name):
    picture = Picture(svg(GRAPHS[name], detail=Detail.LOW))
    shrunk = min(1.0, 800 / picture.view[2])
    for _, text in picture.texts:
        if text.get("data-name") != "note":
            assert float(text.get("font-size")) * shrunk >= 11, text.text


def test_a_level_that_leaves_something_out_says_so():
    low = svg(GRAPHS["call"], detail=Detail.LOW)
    assert "46 transitions on 18 arrows; left out: shared guards" in low
    assert "left out" not in svg(GRAPHS["call"], detail=Detail.FULL)


def test_loops_inside_their_state_are_explained():
    words = "Inside a state: the transitions that stay in it."
    assert words in svg(GRAPHS["call"], detail=Detail.FULL)
    assert words not in svg(GRAPHS["Light"], detail=Detail.FULL), "it has none"
    assert words not in svg(GRAPHS["call"], detail=Detail.LOW)


def test_signs_are_explained_where_they_are():
    signs = {"Dashed frame: its parts run at once.": "War", "H: where it was": "Player"}
    signs["H*: where it was, in every part"] = "Session"
    for words, name in signs.items():
        assert words in svg(GRAPHS[name], detail=Detail.LOW)
        assert words not in svg(GRAPHS["Order"], detail=Detail.LOW)
    assert ">H*<" in svg(GRAPHS["Session"], detail=Detail.LOW)


def test_final_states_differ_by_outline_and_the_happy_path_by_width():
    picture = Picture(svg(GRAPHS["call"], detail=Detail.LOW, theme=Theme.LIGHT))
    groups = dict(picture.groups_of("cg-node"))
    outlines = {}
    for name in ("scheduled", "success", "error", "cancelled"):
        paths = [child.get("d") for child in groups[name] if child.tag.endswith("path")]
        outlines[name] = (len(paths), "".join(filter(str.isalpha, paths[0])), paths[0].count("a"))
    assert outlines["scheduled"][0] == 1
    assert {outlines[name][0] for name in ("success", "error", "cancelled")} == {2}
    assert outlines["error"] != outlines["cancelled"]
    assert outlines["success"][1:] != outlines["error"][1:]
    widths = {
        name: float(next(iter(group)).get("stroke-width"))
        for name, group in picture.groups_of("cg-edge")
    }
    assert widths["executing success"] > widths["executing error"] + 1
