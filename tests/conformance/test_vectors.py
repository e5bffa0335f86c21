"""Every vector of the law holds for this kernel, and together they take every edge."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from callgate.journal.codec import decode_event, encode
from callgate.kernel import workspace
from callgate.kernel.table import EDGES, EVENTS
from callgate.proof.vectors import run_vector

SPEC = Path(__file__).parents[2] / "statemachine_spec"
SCHEMA = Draft202012Validator(json.loads((SPEC / "vector.schema.json").read_text("utf-8")))
VECTORS = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted((SPEC / "vectors").glob("*.json"))
}
OUTSIDE = [event for event in EVENTS if event not in ("start", "time_out")]


@pytest.fixture
def decisions(monkeypatch):
    """Every decision of the table: the cell, and the edge that was taken, if one was."""
    made = []
    decide = workspace.decide

    def watched(call, event, fact, situation):
        edge, decision = decide(call, event, fact, situation)
        made.append((f"{call.status.value}.{event}", None if edge is None else edge.name))
        return edge, decision

    monkeypatch.setattr(workspace, "decide", watched)
    return made


def test_there_are_at_least_sixty():
    assert len(VECTORS) >= 60


@pytest.mark.parametrize("name", VECTORS)
def test_vector_is_well_formed(name):
    assert [error.message for error in SCHEMA.iter_errors(VECTORS[name])] == []


@pytest.mark.parametrize("name", VECTORS)
def test_kernel_conforms(name):
    assert run_vector(VECTORS[name]) == []


@pytest.mark.parametrize("name", VECTORS)
def test_vector_visits_the_cells_it_names(name, decisions):
    run_vector(VECTORS[name])
    named = {rule for rule in VECTORS[name]["rules"] if "." in rule}
    assert named <= {cell for cell, _ in decisions}


@pytest.mark.parametrize("name", VECTORS)
def test_events_survive_the_codec(name):
    for step in VECTORS[name]["steps"]:
        event = decode_event(step["event"])
        assert decode_event(json.loads(json.dumps(encode(event)))) == event


def test_every_edge_is_taken(decisions):
    for vector in VECTORS.values():
        run_vector(vector)
    assert {edge.name for edge in EDGES} - {name for _, name in decisions} == set()


def test_every_cell_that_a_driver_can_reach_is_visited(decisions):
    for vector in VECTORS.values():
        run_vector(vector)
    states = {edge.source.value for edge in EDGES} | {edge.target.value for edge in EDGES}
    cells = {f"{state}.{event}" for state in states for event in OUTSIDE}
    assert cells - {cell for cell, _ in decisions} == set()


def test_a_difference_is_told():
    vector = json.loads(json.dumps(VECTORS["cell-validating-validated"]))
    vector["steps"][0]["effects"].pop()
    vector["final"] = {}
    assert [line.split(":")[0] for line in run_vector(vector)] == ["step 0", "final"]


def test_a_taken_event_is_told_where_a_refusal_was_expected():
    steps = [{"event": {"TimePassed": {"at_ms": 1}}, "error": "IllegalEvent"}]
    vector = {"spec": "0.1", "config": {}, "steps": steps, "final": {}}
    assert run_vector(vector) == ["step 0: was taken, though IllegalEvent was expected"]


def test_another_spec_is_not_run():
    assert run_vector({"spec": "9"}) == ["spec is '9' (allowed: '0.1')"]
