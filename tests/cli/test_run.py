"""`callgate run`: a model's answer in, results out, and the exit code says how it went."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from callgate.journal.record import read
from tests.processes import is_alive

CALLGATE = str(Path(sys.executable).parent / "callgate")
READ = ("read_file", {"file_path": "a.txt"})
SHELL = ("shell", {"command": "echo hello"})


def answer(shape, *calls):
    numbered = [(f"c{number}", name, args) for number, (name, args) in enumerate(calls, 1)]
    if shape == "gemini":
        parts = [{"functionCall": {"id": i, "name": n, "args": a}} for i, n, a in numbered]
        return {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    if shape == "openai_chat":
        made = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for i, n, a in numbered
        ]
        return {"choices": [{"message": {"role": "assistant", "tool_calls": made}}]}
    if shape == "anthropic":
        blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in numbered]
        return {"role": "assistant", "content": blocks}
    (call,) = numbered
    return {"method": "tools/call", "params": {"name": call[1], "arguments": call[2]}}


def run(folder, batch, *arguments):
    (folder / "batch.json").write_text(batch if isinstance(batch, str) else json.dumps(batch))
    words = [CALLGATE, "run", str(folder / "batch.json"), "--dir", str(folder), *arguments]
    return subprocess.run(
        words, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("hello from a file\n")
    return tmp_path


@pytest.mark.parametrize("shape", ["gemini", "openai_chat", "anthropic", "mcp"])
def test_results_come_in_the_shape_of_the_answer(folder, shape):
    done = run(folder, answer(shape, READ))
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["shape"] == shape
    assert "hello from a file" in json.dumps(said["results"])
    assert said["calls"][0]["status"] == "success"


def test_what_would_ask_is_refused_where_nobody_can_be_asked(folder):
    done = run(folder, answer("gemini", READ, SHELL))
    assert done.returncode == 1
    calls = json.loads(done.stdout)["calls"]
    assert [call["status"] for call in calls] == ["success", "error"]
    assert "needs a person's yes, and nobody can be asked" in calls[1]["error"]


@pytest.mark.parametrize("choice", [("--allow", "shell(echo)"), ("--mode", "yolo")])
def test_what_is_allowed_runs_unasked(folder, choice):
    done = run(folder, answer("gemini", SHELL), *choice)
    assert done.returncode == 0, done.stderr
    assert "hello" in json.dumps(json.loads(done.stdout)["results"])


def test_a_pattern_allows_no_more_than_it_names(folder):
    wide = ("shell", {"command": "echo hello && touch made"})
    assert run(folder, answer("gemini", wide), "--allow", "shell(echo)").returncode == 1
    assert not (folder / "made").exists()


def test_a_policy_decides_and_its_words_reach_the_model(folder):
    rule = '[[rule]]\ntoolName = "shell"\ncommandPrefix = "echo"\ndecision = "deny"\n'
    (folder / "policy.toml").write_text(f'{rule}denyMessage = "no echo here"\n')
    done = run(
        folder, answer("gemini", SHELL), "--policy", str(folder / "policy.toml"), "--mode", "yolo"
    )
    assert done.returncode == 1
    assert "no echo here" in json.loads(done.stdout)["calls"][0]["error"]


def test_what_a_model_wrote_does_not_act_on_whoever_reads_the_log(folder):
    batch = [
        {"id": "c\x1b[2J", "name": "sh\x1b[2Jell\nc9: forged done", "args": {"a\x1b": "\u202e"}}
    ]
    done = run(folder, batch)
    assert done.returncode == 1
    assert not set(done.stderr) & set("\x1b\u202e")
    assert "\nc9: forged" not in done.stderr


def test_a_tool_that_takes_too_long_is_stopped(folder):
    slow = ("shell", {"command": "sleep 600"})
    done = run(folder, answer("gemini", slow), "--mode", "yolo", "--timeout", "0.2")
    assert done.returncode == 1
    assert json.loads(done.stdout)["calls"][0]["error_type"] == "timeout"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_that_runs_and_its_results_are_told(folder, number):
    os.mkfifo(folder / "begun")
    slow = ("shell", {"command": "echo $$ > begun; exec sleep 1000"})
    (folder / "batch.json").write_text(json.dumps(answer("gemini", slow)))
    words = [CALLGATE, "run", str(folder / "batch.json"), "--dir", str(folder), "--mode", "yolo"]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as process:
        pid = int((folder / "begun").read_text())
        process.send_signal(number)
        said, log = process.communicate(timeout=30)
    assert process.returncode == 1, log
    assert [call["status"] for call in json.loads(said)["calls"]] == ["cancelled"]
    assert not is_alive(pid)


def test_the_run_is_recorded(folder):
    record = folder / "run.jsonl"
    assert run(folder, answer("gemini", READ), "--record", str(record)).returncode == 0
    assert [type(event).__name__ for event in read(record).events][:4] == [
        "BatchSubmitted",
        "CallValidated",
        "ExecutionFinished",
        "DeliveryAcknowledged",
    ]


@pytest.mark.parametrize(
    ("batch", "said"),
    [("{", "Expecting"), ('{"a": 1}', "shapes was expected"), ("[{}]", "expected")],
)
def test_what_is_no_answer_is_refused(folder, batch, said):
    done = run(folder, batch)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--timeout", "soon"), "seconds above 0"),
        (("--max-parallel", "0"), "1 or more"),
        (("--dir", "nowhere"), "no such folder"),
        (("--mode", "brave"), "invalid choice"),
        (("--allow", "read_file(a)"), "only the shell"),
        (("--allow", "shell("), "was expected"),
        (("--policy", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_what_cannot_be_meant_is_refused(folder, arguments, said):
    done = run(folder, answer("gemini", READ), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_record_is_never_written_over(folder):
    (folder / "run.jsonl").write_text("mine")
    done = run(folder, answer("gemini", READ), "--record", str(folder / "run.jsonl"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "run.jsonl: it exists already: name a new file" in done.stderr
    assert (folder / "run.jsonl").read_text() == "mine"


def test_an_answer_that_is_too_deep_is_refused(folder):
    done = run(folder, "[" * 100_000)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nested too deeply" in done.stderr


def test_an_empty_answer_is_an_empty_result(folder):
    done = run(folder, "[]")
    assert (done.returncode, json.loads(done.stdout)["calls"]) == (0, [])
