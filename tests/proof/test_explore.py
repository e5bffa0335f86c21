"""The search finds everything in small scopes, finds nothing wrong, and is not blind."""

import json

import pytest

from callgate import DeliveryAcknowledged
from callgate.cli.main import main
from callgate.kernel import step as step_module
from callgate.kernel import workspace
from callgate.proof.deadends import without_way_out
from callgate.proof.explore import Scope, explore
from callgate.proof.vectors import run_vector

SCOPES = [
    Scope(calls=1),
    Scope(calls=1, full=True),
    Scope(calls=1, queued=1),
    Scope(calls=2),
    Scope(calls=2, plan="waves"),
    Scope(calls=2, plan="sequential"),
    Scope(calls=2, max_parallel=1),
]


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_nothing_is_wrong(scope):
    report = explore(scope)
    assert (report.violations, report.dead_ends, report.never_taken) == ((), (), ())
    assert report.states > 100


def test_merged_and_full_agree_where_there_is_nothing_to_merge():
    merged, full = explore(Scope(calls=1)), explore(Scope(calls=1, full=True))
    # One call has no symmetry; full keeps the three ends of a call apart.
    assert 0 < full.states - merged.states <= 2 * 2


def test_several_processes_find_the_same(monkeypatch):
    monkeypatch.setattr("callgate.proof.workers.WORTH_IT", 1)
    alone, helped = explore(Scope(calls=1, queued=1)), explore(Scope(calls=1, queued=1), 3)
    assert (alone.states, alone.transitions) == (helped.states, helped.transitions)


def test_a_node_without_a_way_is_found():
    assert without_way_out([(1, 2), (), (2,)], goals=[1]) == [2]


@pytest.fixture
def deaf(monkeypatch):
    """A kernel that takes no acknowledgement: nothing is ever idle again."""

    def ignored(desk, event):
        desk.ignore("deaf")

    monkeypatch.setitem(step_module._HANDLERS, DeliveryAcknowledged, ignored)


def test_a_dead_end_is_found(deaf):
    report = explore(Scope(calls=1))
    assert [finding.what for finding in report.dead_ends] == ["DEAD-END"]
    assert len(report.dead_ends[0].events) == 1, "the first state already has no way out"


def test_a_violation_is_found_shown_and_saved(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(workspace.Workspace, "_count", lambda *_: None)
    saved = tmp_path / "trace.json"
    assert main(["explore", "--calls", "1", "--json", "--save", str(saved)]) == 1
    report = json.loads(capsys.readouterr().out)
    vector = json.loads(saved.read_text("utf-8"))
    assert report["violations"][0]["trace"] == vector
    assert len(vector["steps"]) == 2, "the shortest way: submitted, and any verdict that moves it"
    assert run_vector(vector) == []
    assert main(["explore", "--calls", "1"]) == 1
    assert "INV-" in capsys.readouterr().out


def test_the_report_has_just_these_keys(capsys):
    assert main(["explore", "--calls", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    keys = "calls queued plan states transitions seconds violations dead_ends never_taken"
    assert list(report) == keys.split()
    assert report["violations"] == report["dead_ends"] == report["never_taken"] == []


def test_the_text_names_the_bounds(capsys):
    assert main(["explore", "--calls", "1", "--max-parallel", "1"]) == 0
    text = capsys.readouterr().out
    assert "bounds   1 change of policy, 2 questions" in text
    assert "merged   no calls" in text


def test_help_says_what_is_left_out(capsys):
    with pytest.raises(SystemExit):
        main(["explore", "--help"])
    text = capsys.readouterr().out
    assert all(word in text for word in ("symmetry", "time", "output", "bounded"))


def test_a_count_must_be_one(capsys):
    with pytest.raises(SystemExit):
        main(["explore", "--calls", "0"])
    assert "'0': a whole number from 1 is expected" in capsys.readouterr().err
