"""`callgate scenario`: the worked examples, what is refused, and that plays share nothing."""

import copy
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from callgate.cli.main import main
from callgate.cli.scenario.checking import NotAScenario, check
from callgate.cli.scenario.player import play
from tests.cli.trace_digest import digest

FOLDER = Path(__file__).parent.parent / "scenarios"
NAMES = sorted(file.name.split(".")[0] for file in FOLDER.glob("*.scenario.json"))


def load(name, kind="scenario"):
    return json.loads((FOLDER / f"{name}.{kind}.json").read_text(encoding="utf-8"))


def plain(trace):
    return json.loads(json.dumps(trace))


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_agree(name):
    scenario = load(name)
    check(scenario)
    assert digest(scenario, plain(play(scenario))) == digest(scenario, load(name, "expected"))


def test_the_comparer_sees_a_difference():
    scenario, expected = load("answers"), load("answers", "expected")
    for place, event in enumerate(expected["events"]):
        if event["ev"] == "step":
            continue
        other = copy.deepcopy(expected)
        del other["events"][place]
        if event["ev"] != "update":
            assert digest(scenario, other) != digest(scenario, expected), event


# --- the command ----------------------------------------------------------------------------------


def feed(monkeypatch, text):
    source = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", source)


def test_one_scenario_from_a_file(capsys):
    assert main(["scenario", str(FOLDER / "01_happy_single.scenario.json")]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "happy_single"


def test_one_scenario_from_standard_input(capsys, monkeypatch):
    feed(monkeypatch, b'{"name": "empty", "steps": []}')
    assert main(["scenario", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "name": "empty",
        "events": [],
        "final": {"active": [], "queued": 0},
    }


def test_lines_in_lines_out_and_a_bad_one_stops_nobody(capsys, monkeypatch):
    lines = [b'{"name": "one", "steps": []}', b"{", b'{"name": "bad", "stepz": []}', b'"text"']
    feed(monkeypatch, b"\n".join([*lines, b'{"name": "two", "steps": []}']))
    assert main(["scenario", "--jsonl", "-"]) == 2
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["name"] for answer in answers] == ["one", None, "bad", None, "two"]
    assert ["error" in answer for answer in answers] == [False, True, True, True, False]
    assert answers[2]["error"].startswith("stepz: unknown key")


def test_a_refusal_is_on_standard_error(capsys, monkeypatch):
    feed(monkeypatch, b'{"name": "x", "steps": [{"op": "dance"}]}')
    assert main(["scenario", "-"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("steps[0].op: one of schedule, ")


ONE_CALL = b"""{"name": "x", "tools": [{"name": "t"}], "steps": [{"op": "schedule", "batch": "b",
"requests": [{"call_id": "c", "name": "t", "args": {"x": DATA}}]}]}"""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"[" * 60 + b"]" * 60, "steps[0].requests[0].args: at most 60 levels of nesting"),
        (b'{"a":' * 60 + b"1" + b"}" * 60, "steps[0].requests[0].args: at most 60 levels"),
        (b"[" * 9999 + b"]" * 9999, "no JSON: "),
        (b"1e999", "no JSON: 1e999 is no number that JSON can hold"),
        (b"-1e999", "no JSON: -1e999 is no number that JSON can hold"),
        (b"NaN", "no JSON: NaN is no number that JSON can hold"),
        (b"9" * 5000, "no JSON: "),
        (b'"\xff"', "no JSON: "),
    ],
)
def test_data_that_cannot_be_carried_is_refused(data, text, capsys, monkeypatch):
    feed(monkeypatch, ONE_CALL.replace(b"DATA", data))
    assert main(["scenario", "-"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(text)


@pytest.mark.parametrize("depth", [1, 30, 58])
def test_data_is_carried_unchanged(depth):
    data = "deep"
    for _ in range(depth):
        data = [data]
    steps = [
        {"op": "schedule", "batch": "b", "requests": [{"call_id": "c", "name": "t", "args": {}}]},
        {"op": "emit", "call_id": "c", "chunk": data},
        {
            "op": "finish",
            "call_id": "c",
            "result": {"llmContent": [1, data], "returnDisplay": data},
        },
    ]
    steps[0]["requests"][0]["args"] = {"x": data}
    tools = [{"name": "t", "can_update_output": True}]
    scenario = {"name": "x", "tools": tools, "steps": steps}
    check(scenario)
    events = {event["ev"]: event for event in plain(play(scenario))["events"]}
    assert events["execute"]["args"] == {"x": data}
    assert events["output"]["chunk"] == data
    response = events["complete"]["calls"][0]["response"]
    assert response["parts"][2] == data
    assert response["display"] == data


def test_a_name_that_is_none_is_not_repeated(capsys, monkeypatch):
    name = b"[" * 900 + b"]" * 900
    feed(monkeypatch, b'{"name": %s, "steps": []}\n{"name": "next", "steps": []}' % name)
    assert main(["scenario", "--jsonl", "-"]) == 2
    refused, played = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert refused == {"name": None, "error": "name: a string was expected, not list"}
    assert played["name"] == "next"


def test_a_file_that_is_not_there(capsys, tmp_path):
    assert main(["scenario", str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_each_trace_is_written_before_the_next_line_is_read():
    code = "import sys; from callgate.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "scenario", "--jsonl", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for name in ("one", "two"):
            process.stdin.write(f'{{"name": "{name}", "steps": []}}\n'.encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["name"] == name
        process.stdin.close()
        assert process.wait() == 0


def test_the_same_bytes_whatever_the_hash_seed():
    code = "import sys; from callgate.cli.main import main; sys.exit(main())"
    lines = "".join(f"{json.dumps(load(name))}\n" for name in NAMES).encode()
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, "scenario", "--jsonl", "-"],
            input=lines,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "17")
    }
    assert len(outputs) == 1


def test_plays_share_nothing():
    first = {name: play(load(name)) for name in NAMES}
    again = {name: play(load(name)) for name in reversed(NAMES)}
    assert first == again


# --- what is refused ------------------------------------------------------------------------------

SCHEDULE = {"op": "schedule", "batch": "b", "requests": []}


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        ([], "scenario: an object was expected, not list"),
        ({"steps": []}, "name: is missing"),
        ({"name": 5, "steps": []}, "name: a string was expected, not 5"),
        ({"name": "x"}, "steps: is missing"),
        ({"name": "x", "steps": {}}, "steps: a list was expected, not dict"),
        ({"name": "x", "steps": [], "extra": 1}, "extra: unknown key"),
        ({"name": "x", "steps": [3]}, "steps[0]: an object was expected, not 3"),
        ({"name": "x", "steps": [{}]}, "steps[0].op: is missing"),
        ({"name": "x", "steps": [{"op": "dance"}]}, "steps[0].op: one of"),
        ({"name": "x", "steps": [{"op": ["a"]}]}, "steps[0].op: one of"),
        (
            {"name": "x", "steps": [{"op": "confirm", "call_id": "c", "outcom": "x"}]},
            "steps[0].outcom: unknown key",
        ),
        (
            {"name": "x", "steps": [{"op": "confirm", "call_id": "c"}]},
            "steps[0].outcome: is missing",
        ),
        ({"name": "x", "steps": [{**SCHEDULE, "drain": 1}]}, "steps[0].drain: true or false"),
        ({"name": "x", "steps": [{**SCHEDULE, "requests": [{}]}]}, "steps[0].requests[0].call_id"),
        ({"name": "x", "steps": [{**SCHEDULE, "single": True}]}, "steps[0].single: just one"),
        (
            {"name": "x", "steps": [{"op": "schedule", "batch": "b"}]},
            "steps[0].requests: either",
        ),
        (
            {"name": "x", "steps": [{"op": "schedule", "batch": "b", "same_object_as": "a"}]},
            "steps[0].same_object_as: no batch 'a'",
        ),
        ({"name": "x", "steps": [{"op": "set_mode", "mode": "plan"}]}, "steps[0].mode: one of"),
        ({"name": "x", "steps": [], "config": {"mode": 1}}, "config.mode: unknown key"),
        (
            {"name": "x", "steps": [], "config": {"truncation": {"threshold": True}}},
            "config.truncation.threshold: a whole number",
        ),
        (
            {"name": "x", "steps": [], "config": {"on_update": {"raise_at": [0, "1"]}}},
            "config.on_update.raise_at[1]: a whole number",
        ),
        (
            {"name": "x", "steps": [], "config": {"on_update": {"schedule_at": {"x": {}}}}},
            "config.on_update.schedule_at.x: a number from 0",
        ),
        (
            {"name": "x", "steps": [], "config": {"on_complete": [{"schedule": {"op": "x"}}]}},
            "config.on_complete[0].schedule.op: unknown key",
        ),
        ({"name": "x", "steps": [], "tools": [{}]}, "tools[0].name: is missing"),
        (
            {"name": "x", "steps": [], "tools": [{"name": "a"}, {"name": "a"}]},
            "tools[1].name: 'a' is a tool already",
        ),
        (
            {"name": "x", "steps": [], "tools": [{"name": "a", "execute": "fly"}]},
            "tools[0].execute: a mode",
        ),
        (
            {"name": "x", "steps": [], "tools": [{"name": "a", "execute": {"mode": "fly"}}]},
            "tools[0].execute.mode: one of",
        ),
        (
            {"name": "x", "steps": [], "tools": [{"name": "a", "confirm": "maybe"}]},
            "tools[0].confirm: one of",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_path(scenario, text):
    with pytest.raises(NotAScenario) as refused:
        check(scenario)
    assert str(refused.value).startswith(text)
