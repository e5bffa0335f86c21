"""The view in a terminal: everything is there, and nothing is too wide."""

import pytest

from callgate.diagrams.batch import batch_graph
from callgate.diagrams.extract import call_graph, extract
from callgate.diagrams.terminal import cells, fold, longest, plain, view
from callgate.diagrams.wording import Detail

from . import machines

GRAPHS = (call_graph(), batch_graph(), *map(extract, machines.ALL))


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
@pytest.mark.parametrize("detail", Detail)
def test_no_line_is_wider_than_the_terminal(graph, detail):
    for width in (40, 41, 57, 66, 72, 80, 100, 120, 200):
        for line in plain(view(graph, width, detail)).splitlines():
            assert cells(line) <= width, line


@pytest.mark.parametrize("width", [40, 80, 120])
def test_every_transition_is_there(width):
    graph = call_graph()
    shown = plain(view(graph, width))
    assert shown.count("━▶") + shown.count("─▶") >= len(graph.edges)
    for edge in graph.edges:
        assert edge.rule in shown
        for effect in edge.effects:
            assert effect in shown.replace("\n", "").replace(" ", "") or width < 120


def test_the_happy_path_is_the_long_one_and_the_short_one_is_named():
    graph = call_graph()
    path = ("validating", "awaiting_approval", "scheduled", "executing", "success")
    assert longest(graph) == path
    shown = plain(view(graph, 120))
    assert "● ━▶ Validating ━▶ Awaiting approval ━▶ Scheduled ━▶ Executing ━▶ Success ✓" in shown
    assert "or at once Validating ━▶ Scheduled" in shown


def test_fold_loses_nothing():
    text = "answered [replaces_the_tool_and_a_very_long_word] 漢字漢字漢字"
    for width in range(6, 40):
        lines = fold(text, width)
        assert all(cells(line) <= width for line in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
