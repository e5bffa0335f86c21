"""The demo in a real pseudo-terminal: what a newcomer sees and types."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

CALLGATE = str(Path(sys.executable).parent / "callgate")


def demo(*arguments, columns=80, **env):
    return Terminal([CALLGATE, "demo", *arguments], columns=columns, env={**os.environ, **env})


def test_a_person_says_yes_twice():
    terminal = demo()
    question = terminal.read_until("[n] no")
    assert "Change a file?" in question
    assert "+    return total(prices) * (100 - percent) / 100" in question
    terminal.type("y")
    assert "$ python3 -m unittest -v" in terminal.read_until("Run a command?")
    terminal.type("y")
    terminal.read_until("│ test_")  # live output of the tests, below the board
    assert terminal.finish() == 0
    assert "4 calls: 4 succeeded" in terminal.shown()


def test_a_no_has_a_reason_and_nothing_of_it_happens():
    terminal = demo()
    terminal.read_until("[n] no")
    terminal.type("n")
    terminal.read_until("Why not?")
    terminal.type("not today\r")
    terminal.read_until("Run a command?")
    terminal.type("y")
    assert terminal.finish() == 0
    shown = terminal.shown()
    assert "you said no" in shown
    assert "4 calls: 3 succeeded, 1 cancelled" in shown


def test_keys_that_were_not_offered_do_nothing():
    terminal = demo()
    terminal.read_until("[n] no")
    terminal.type("qx7 ")
    terminal.type("n")
    assert "4 succeeded" not in terminal.read_until("Why not?")
    terminal.type("\r")
    terminal.read_until("Run a command?")
    terminal.type("\x1b")  # Escape is a no
    assert terminal.finish() == 0
    assert "2 succeeded, 2 cancelled" in terminal.shown()


def test_an_edit_in_the_editor_is_shown_again_before_it_runs(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nfor file; do :; done\necho '# mine' >> \"$file\"\n")
    editor.chmod(0o755)
    terminal = demo(VISUAL=str(editor))
    terminal.read_until("[n] no")
    terminal.type("e")
    assert "edit it first" in terminal.read_until("+# mine")
    terminal.type("y")
    terminal.read_until("Run a command?")
    terminal.type("y")
    assert terminal.finish() == 0
    assert "4 succeeded" in terminal.shown()


def test_control_c_cancels_and_leaves_no_question_open():
    terminal = demo()
    terminal.read_until("[n] no")
    terminal.type("\x03")
    assert terminal.finish() == 0
    assert "cancelled" in terminal.shown()


@pytest.mark.parametrize("moment", ["A model asked", "Two of them", "Change a file?", "[e] edit"])
def test_control_c_at_any_moment_is_no_error(moment):
    terminal = demo()
    terminal.read_until(moment)
    terminal.type("\x03")
    assert terminal.finish() in (0, 130)
    assert "Traceback" not in terminal.shown()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_nothing_is_wider_than_the_terminal(columns):
    terminal = demo("--yes", columns=columns)
    assert terminal.finish() == 0
    assert "4 calls: 4 succeeded" in terminal.shown()
    table = [line for line in terminal.shown().split("\n") if line.startswith("✓")]
    assert len(table) == 4, "a row that was wrapped is no row"


def test_without_a_terminal_nobody_is_asked_and_it_is_said():
    done = subprocess.run(
        [CALLGATE, "demo"], check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0
    assert done.stdout == ""
    assert "Nobody can be asked here" in done.stderr
    assert "2 succeeded, 2 failed" in done.stderr
    assert "\x1b" not in done.stderr


def test_the_folder_is_removed(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([CALLGATE, "demo", "--yes"], capture_output=True, env=environment, check=True)
    assert list(tmp_path.iterdir()) == []
