"""Transition coverage: of the vectors it is whole, of less it is said, drawn and refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from callgate.cli.main import main
from callgate.cli.runs import read_run
from callgate.cli.scenario.player import play
from callgate.diagrams.formats import draw
from callgate.diagrams.runs.coverage import cover, path
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.wording import Detail
from callgate.journal.record import Record, dumps, loads
from callgate.kernel.table import EDGES
from tests.diagrams.runs.acting import five
from tests.journal.histories import VECTORS, vector_records


def test_the_vectors_take_every_transition():
    found = cover(vector_records())
    assert found.never == ()
    assert found.percent == 100
    assert [name for name, _ in found.counts] == [edge.name for edge in EDGES]


def test_without_the_only_vector_that_takes_a_transition_it_is_missed():
    records = vector_records()
    alone = {}
    for record in records:
        for name, count in cover([record]).counts:
            if count:
                alone.setdefault(name, []).append(record)
    name, (only,) = next((n, rs) for n, rs in alone.items() if len(rs) == 1)
    rest = [record for record in records if record is not only]
    assert cover(rest).never == (name,)
    assert cover(rest).percent < 100


def test_what_was_never_taken_is_dashed_and_listed():
    found = cover([five()])
    graph = found.graph()
    never = [edge.name for edge in graph.edges if edge.dashed]
    assert tuple(never) == found.never
    assert "scheduled.cancel" in never
    assert f"never taken: {never[0]}" in found.told()
    assert "8 of 46 transitions taken by 1 run: 17.3 %" in found.told()
    drawn = draw(graph, "svg").decode("utf-8")
    assert "stroke-dasharray" in drawn
    assert "8 of 46 transitions taken by 1 run; never taken: dashed, or ×0" in drawn
    assert ">progressed ×0<" in drawn, "a loop stands in its state, where nothing can be dashed"
    whole = draw(cover(vector_records()).graph(), "svg").decode("utf-8")
    assert "stroke-dasharray" not in whole
    assert "never taken" not in whole


def test_the_path_counts_the_calls_that_took_it():
    graph = path(tell(five()))
    counts = {edge.name: edge.count for edge in graph.edges}
    assert counts["scheduled.start may_start"] == 4
    assert counts["executing.finished is_current_end may_retry"] == 1
    low = draw(graph, "svg", detail=Detail.LOW).decode("utf-8")
    assert ">answered ×1,<" in low, "and not the sum of the line behind its last word"
    assert ">told ×0<" in low
    states = {node.name: node.count for node in graph.nodes}
    assert states["validating"] == 4, "an unknown tool is born an error"
    assert states["error"] == 2


@pytest.fixture
def run_file(tmp_path):
    file = tmp_path / "run.jsonl"
    file.write_text(dumps(five()), encoding="ascii")
    return file


def test_the_command_counts_and_refuses(run_file, capfd):
    assert main(["diagram", "call", "--coverage", *map(str, VECTORS), "--fail-under", "100"]) == 0
    assert capfd.readouterr().out == (
        f"46 of 46 transitions taken by {len(VECTORS)} runs: 100.0 %\n"
    )
    assert main(["diagram", "call", "--coverage", str(run_file), "--fail-under", "17.4"]) == 1
    said = capfd.readouterr()
    assert said.out.count("never taken: ") == 38
    assert "less than 17.4 % of the transitions were taken" in said.err
    assert main(["diagram", "call", "--coverage", str(run_file), "--fail-under", "17.3"]) == 0


FORMATS = {
    "timeline": b"<svg",
    "png": b"\x89PNG",
    "sequence": b"sequenceDiagram",
    "perfetto": b"{",
    "path": b"<svg",
    "path-png": b"\x89PNG",
    "path-mermaid": b"stateDiagram-v2",
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_command_draws_a_run(name, run_file, tmp_path):
    drawn = tmp_path / "drawn"
    assert main(["diagram", "run", str(run_file), "--format", name, "-o", str(drawn)]) == 0
    assert drawn.read_bytes().startswith(FORMATS[name])


def test_a_vector_is_drawn_too_and_standard_input_is_read(tmp_path):
    command = [sys.executable, "-m", "callgate.cli.main", "diagram", "run", "-"]
    code = "import sys; from callgate.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "diagram", "run", "-", "--theme", "dark"]
    raw = VECTORS[0].read_bytes()
    done = subprocess.run(command, input=raw, capture_output=True, check=True)
    assert done.stdout.startswith(b"<svg")


@pytest.mark.parametrize("command", [["diagram", "run"], ["report"], ["diagram", "--coverage"]])
def test_what_tells_no_run_is_refused_with_its_line(command, tmp_path, capfd):
    bad = tmp_path / "bad.jsonl"
    text = dumps(five()).splitlines(keepends=True)
    bad.write_text("".join([*text[:2], "garbage\n", *text[2:]]), encoding="ascii")
    assert main([*command, str(bad)]) == 2
    assert f"callgate: {bad}:3: 'garbage' is no line of JSON" in capfd.readouterr().err
    assert main([*command, str(tmp_path / "none")]) == 2
    assert "No such file" in capfd.readouterr().err


def test_an_empty_run_covers_nothing():
    assert cover([Record()]).percent == 0


ENDED = ("success", "error", "cancelled")
SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.scenario.json"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.name.split(".")[0])
def test_a_scenario_is_played_and_drawn(scenario):
    record = read_run(str(scenario))
    assert loads(dumps(record)) == record, "what the scheduler recorded can be kept"
    story = tell(record)
    assert story.by_event
    final = play(json.loads(scenario.read_text(encoding="utf-8")))["final"]
    live = [life for life in story.lives if life.record and not life.ended]
    active = [[life.request.call_id, life.record.status.value] for life in live]
    assert [call for call in final["active"] if call[1] not in ENDED] == active


def test_what_is_no_scenario_is_refused_with_the_path_of_what_is_wrong(tmp_path, capfd):
    bad = tmp_path / "bad.json"
    bad.write_text('{"name": "x", "steps": [{"op": "confirm", "outcom": 1}]}', encoding="ascii")
    assert main(["diagram", "run", str(bad)]) == 2
    assert f"callgate: {bad}: steps[0]" in capfd.readouterr().err
