"""What the keyboard and the screen do around a question, in a real pseudo-terminal."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

CALLGATE = str(Path(sys.executable).parent / "callgate")


def run(folder, *calls, **env):
    asked = [
        {"id": f"c{number}", "name": name, "args": args}
        for number, (name, args) in enumerate(calls, 1)
    ]
    (folder / "batch.json").write_text(json.dumps(asked))
    words = [CALLGATE, "run", str(folder / "batch.json"), "--dir", str(folder), "--plan", "waves"]
    return Terminal(words, rows=40, env={**os.environ, **env})


def shell(command):
    return "shell", {"command": command}


def write(folder):
    return "write_file", {"file_path": "new.txt", "content": "proposed\n"}


def test_what_was_typed_before_a_question_was_shown_does_not_answer_it(tmp_path):
    held = "touch begun; until test -e go; do sleep 0.02; done"
    terminal = run(tmp_path, shell(held), shell("touch made"))
    terminal.read_until("[n] no")
    terminal.type("y")
    terminal.read_until("runs")
    terminal.type("yyy")
    assert "yyy" not in terminal.shown(), "what is typed is not written into the board"
    (tmp_path / "go").touch()
    terminal.read_until("$ touch made")
    terminal.type("\x1b[A")  # an arrow is no Escape
    terminal.type("n")
    terminal.read_until("Why not?")
    terminal.type("seen\r")
    assert terminal.finish() == 1
    assert not (tmp_path / "made").exists()
    assert "you said no" in terminal.shown()


def test_control_c_at_a_question_leaves_a_clean_screen(tmp_path):
    terminal = run(tmp_path, shell("touch made"))
    terminal.read_until("[n] no")
    terminal.type("\x03")
    assert terminal.finish() == 1
    lines = terminal.shown().split("\n")
    (menu,) = [line for line in lines if "[n] no" in line]
    assert menu.endswith("[n] no")
    assert "cancelled" in terminal.shown()


def test_control_c_twice_ends_a_tool_that_will_not_stop(tmp_path):
    terminal = run(tmp_path, shell("trap '' TERM; echo $$; while :; do sleep 0.1; done"))
    terminal.read_until("[n] no")
    terminal.type("y")
    terminal.read_until("│ ")
    terminal.type("\x03")
    terminal.read_until("is being stopped")
    terminal.type("\x03")
    assert terminal.finish() == 130
    assert "Traceback" not in terminal.shown()


def test_a_command_is_shown_in_full_however_long(tmp_path):
    lines = [f"echo line {number}" for number in range(60)]
    terminal = run(tmp_path, shell("\n".join(lines)))
    shown = terminal.read_until("[n] no")
    assert [line for line in lines if f"$ {line} " not in shown] == []
    terminal.type("n")
    terminal.read_until("Why not?")
    terminal.type("\r")
    assert terminal.finish() == 1


EDITOR = """#!/bin/sh
for file; do :; done
trap : INT
printf 'the editor is open'
read line
printf '%s\\n' "$line" > "$file"
"""


def test_an_editor_has_the_terminal_and_control_c_to_itself(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    terminal = run(tmp_path, write(tmp_path), VISUAL=str(editor))
    terminal.read_until("[n] no")
    terminal.type("e")
    shown = terminal.read_until("the editor is open")
    assert "in the editor" not in shown, "no board is drawn over it"
    terminal.type("mine\r")
    terminal.read_until("+mine")
    terminal.type("y")
    assert terminal.finish() == 0
    assert (tmp_path / "new.txt").read_text() == "mine\n"
    assert "the editor is openmine" in terminal.shown(), "what is typed there is seen"


@pytest.mark.parametrize("said", ["ed 'itor", '"'])
def test_an_editor_that_is_no_command_is_named(tmp_path, said):
    terminal = run(tmp_path, shell("true"), VISUAL=said)
    terminal.read_until("[n] no")
    terminal.type("y")
    assert terminal.finish() == 0
    assert "VISUAL=" in terminal.shown()
