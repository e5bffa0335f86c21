"""Whoever reads a command, and whatever their terminal can show."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CALLGATE = str(Path(sys.executable).parent / "callgate")
POLICY = '[[rule]]\nname = "gît"\ntoolName = "shell"\ncommandPrefix = "git"\ndecision = "allow"\n'


def callgate(*words, **how):
    how = {"capture_output": True, "stdin": subprocess.DEVNULL, **how}
    return subprocess.run([CALLGATE, *words], check=False, **how)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("hello\n")
    call = {"id": "c1", "name": "read_file", "args": {"file_path": "a.txt"}}
    (tmp_path / "batch.json").write_text(json.dumps([call]))
    (tmp_path / "p.toml").write_text(f"{POLICY}priority = 100\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["explain", "--policy", "p.toml", "shell", '{"command": "git log && ls"}'], b"+- allow"),
        (["explain", "--policy", "p.toml", "shell", '{"command": "git log"}'], b"'g?t'"),
        (["diagram", "call"], b"Executing"),
        (["diagram", "policy", "p.toml"], b"allow"),
        (["explore", "--calls", "1"], b"+"),
    ],
)
def test_what_a_terminal_cannot_show_is_no_error(folder, words, said):
    done = callgate(*words, cwd=folder, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert said in done.stdout
    assert b"\\u" not in done.stdout


def left():
    """The end of a pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "wb")


@pytest.mark.parametrize(
    "words", [["diagram", "call"], ["explore", "--calls", "1"], ["run", "batch.json"]]
)
def test_a_reader_that_leaves_ends_a_command_quietly(folder, words):
    with left() as out:
        done = callgate(
            *words, cwd=folder, capture_output=False, stdout=out, stderr=subprocess.PIPE
        )
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr
    assert b"Broken pipe" not in done.stderr


def test_results_are_given_though_nobody_watches_the_board(folder):
    with left() as nobody:
        words = ["run", "batch.json"]
        done = callgate(
            *words, cwd=folder, capture_output=False, stdout=subprocess.PIPE, stderr=nobody
        )
    assert done.returncode == 0
    assert json.loads(done.stdout)["calls"][0]["status"] == "success"


def test_a_full_disk_is_said(folder):
    with Path("/dev/full").open("wb") as full:
        done = callgate(
            "run",
            "batch.json",
            cwd=folder,
            capture_output=False,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(("closed", "code"), [("<&-", 2), (">&-", 0), ("2>&-", 0)])
def test_a_stream_that_was_closed_before_the_start_is_empty(folder, closed, code):
    batch = "-" if closed == "<&-" else "batch.json"
    line = f'"$0" run {batch} {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", line, CALLGATE], check=False, cwd=folder, capture_output=True
    )
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_without_a_command_all_are_named():
    done = callgate(text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "explore" in done.stderr


def test_the_version():
    assert callgate("--version", text=True).stdout.startswith("callgate 0.")
