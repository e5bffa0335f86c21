"""The formats that are text: whole, escaped, and the same bytes in every process."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pygraphviz
import pytest
from statemachine.io import load as load_machine

from callgate.diagrams.batch import batch_graph
from callgate.diagrams.errors import TEXT_FORMATS
from callgate.diagrams.extract import call_graph, extract
from callgate.diagrams.formats import text
from callgate.diagrams.wording import Detail, sentence

from . import machines

GRAPHS = (call_graph(), batch_graph(), *map(extract, machines.ALL))
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
def test_mermaid_says_every_transition(graph):
    drawn = text(graph, "mermaid")
    arrows = [line for line in drawn.splitlines() if "-->" in line and "[*]" not in line]
    assert len(arrows) == len(graph.edges)
    assert drawn.startswith("stateDiagram-v2\n")
    for edge in graph.edges:
        if edge.guards and ":" not in sentence(edge):
            assert any(sentence(edge) in line for line in arrows)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
def test_dot_is_read_by_graphviz(graph):
    read = pygraphviz.AGraph(string=text(graph, "dot"))
    drawn = {f"{arrow.source} {arrow.target}" for arrow in graph.edges}
    begun = [edge for edge in read.edges() if edge[0].endswith("_start")]
    assert len(read.edges()) - len(begun) == len(drawn)
    assert len(begun) == len(list(graph.entries()))


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
def test_scxml_has_every_state_and_transition(graph):
    root = ET.fromstring(text(graph, "scxml"))  # noqa: S314 - drawn by the line itself
    space = "{http://www.w3.org/2005/07/scxml}"
    states = [e for e in root.iter() if e.get("id")]
    assert len(states) == len(graph.nodes)
    transitions = list(root.iter(f"{space}transition"))
    assert len(transitions) == len(graph.edges)
    named = {state.get("id") for state in states}
    assert {transition.get("target") for transition in transitions} <= named


def test_a_deep_history_stays_deep():
    deep, shallow = extract(machines.Session), extract(machines.Player)
    assert '<history id="last" type="deep"/>' in text(deep, "scxml")
    assert '<history id="last"/>' in text(shallow, "scxml")
    assert "state last <<history*>>" in text(deep, "plantuml")
    assert '"H*"' in text(deep, "mermaid")
    assert '"H*"' not in text(shallow, "mermaid")


def test_scxml_is_a_machine_that_runs(tmp_path):
    path = tmp_path / "light.scxml"
    path.write_text(text(extract(machines.Light), "scxml"), encoding="utf-8")
    machine = load_machine(path)()
    seen = []
    for _ in range(4):
        seen += [state.id for state in machine.configuration]
        machine.send("cycle")
    assert seen == ["green", "yellow", "red", "green"]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
def test_json_holds_the_graph_and_its_digest(graph):
    data = json.loads(text(graph, "json"))
    assert data["digest"] == graph.digest
    assert [node["name"] for node in data["nodes"]] == [node.name for node in graph.nodes]
    assert len(data["edges"]) == len(graph.edges)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
def test_markdown_has_a_cell_for_every_state_and_event(graph):
    matrix, _, lines = text(graph, "markdown").partition("\n\n")
    rows = matrix.splitlines()
    assert len(rows) == 2 + len(graph.events)
    assert {row.count(" | ") for row in rows if "\\|" not in row} == {rows[0].count(" | ")}
    assert len(lines.splitlines()) == 2 + len(graph.edges)


def test_plantuml_tells_the_happy_path_and_what_was_never_taken():
    graph = extract(machines.Order)
    assert "draft -[#0969da,thickness=3]-> placed" in text(graph, "plantuml")
    walked = graph.counted({"draft.place has_items": 2})
    assert "placed -[#0969da,thickness=3,dashed]-> paid" in text(walked, "plantuml")


# The subset of PlantUML that is written: no line may be anything else, whatever names are like.
KEY, TEXT = r"[A-Za-z][A-Za-z0-9_]*", r'[^<>"\\~*\n]|<U\+[0-9A-F]{4,}>'
LABEL = rf"(?:{TEXT}|<b>(?:{TEXT})*</b>|\\n)+"
PLANTUML = re.compile(
    r"@startuml|@enduml|hide empty description|--|\}"
    rf"|(?:title|caption) (?:{TEXT})+"
    rf'|state "(?:{TEXT})*" as {KEY}(?: #[0-9a-f]{{6}};line:[0-9a-f]{{6}})?(?: \{{)?'
    rf"|state {KEY} <<history\*?>>"
    rf"|{KEY} : (?:{TEXT})+"
    rf"|\[\*\] --> {KEY}|{KEY} --> \[\*\]"
    rf"|{KEY} (?:-->|-\[[#a-z0-9,=]+\]->) {KEY}(?: : {LABEL})?"
)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
@pytest.mark.parametrize("detail", Detail)
def test_plantuml_is_of_a_small_grammar(graph, detail):
    depth = 0
    for line in text(graph, "plantuml", detail).splitlines():
        assert PLANTUML.fullmatch(line.strip()), line
        depth += line.endswith("{") - (line.strip() == "}")
        assert depth >= 0
    assert depth == 0
    assert not PLANTUML.fullmatch('state "a"b" as c')
    assert not PLANTUML.fullmatch("a --> b : <script>")


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.title)
def test_plantuml_reads_it(graph):
    program = shutil.which("plantuml")
    if program is None:
        pytest.skip("no `plantuml` on the PATH here (it brings a Java): see the grammar above")
    done = subprocess.run(
        [program, "-headless", "-syntax"],
        input=text(graph, "plantuml"),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines()[0] == "STATE", done.stdout


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_hostile_names_stay_names(name):
    drawn = text(extract(machines.Awkward), name)
    if name not in ("json", "dot"):  # a string in quotes there, which nothing reads as markup
        assert "<script>" not in drawn
    for line in drawn.splitlines():
        assert not line.strip().startswith("--> x")


@pytest.mark.parametrize("name", ["mermaid", "plantuml", "dot", "markdown"])
def test_a_level_that_leaves_something_out_says_so(name):
    drawn = text(call_graph(), name, Detail.LOW)
    assert "--detail full" in drawn
    assert "--detail full" not in text(call_graph(), name)


DRAW_ALL = """
import sys
sys.path.insert(0, {root!r})
from tests.diagrams import machines
from callgate.diagrams.batch import batch_graph
from callgate.diagrams.extract import call_graph, extract
from callgate.diagrams.errors import TEXT_FORMATS
from callgate.diagrams.formats import draw
from callgate.diagrams.raster import png
from callgate.diagrams.svg import svg
from callgate.diagrams.themes import Theme
from callgate.diagrams.wording import Detail
graphs = (call_graph(), batch_graph(), extract(machines.Order), extract(machines.War))
for graph in graphs:
    for detail in Detail:
        for name in TEXT_FORMATS:
            sys.stdout.buffer.write(draw(graph, name, detail=detail))
        sys.stdout.buffer.write(draw(graph, "svg", detail=detail))
    picture = svg(graph, detail=Detail.LOW, theme=Theme.DARK)
    sys.stdout.buffer.write(picture.encode() + png(picture))
"""


def in_process(script, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
    )
    return done.stdout


def test_same_bytes_for_every_hash_seed_and_without_system_fonts(tmp_path):
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>", encoding="utf-8")
    script = DRAW_ALL.format(root=str(ROOT))
    plain = in_process(script, PYTHONHASHSEED="0")
    assert in_process(script, PYTHONHASHSEED="1") == plain
    bare = {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf"), "HOME": str(tmp_path)}
    assert in_process(script, PYTHONHASHSEED="2", PATH="", **bare) == plain


def test_text_formats_do_not_load_the_engine():
    script = (
        "import sys\n"
        "sys.modules['pygraphviz'] = sys.modules['resvg_py'] = None\n"
        "from callgate.diagrams.extract import call_graph\n"
        "from callgate.diagrams.errors import MissingEngine, TEXT_FORMATS\n"
        "from callgate.diagrams.formats import draw\n"
        "for name in TEXT_FORMATS:\n"
        "    draw(call_graph(), name)\n"
        "try:\n"
        "    draw(call_graph(), 'svg')\n"
        "except MissingEngine as error:\n"
        "    print(error)\n"
    )
    said = in_process(script).decode()
    assert "pip install 'callgate[diagrams]'" in said
    assert all(name in said for name in TEXT_FORMATS)
