"""Every technique is true: a real bash, in a folder of its own, runs the command that it hides."""

import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings

from callgate.testing.commands import Command, commands, deliberate, is_simple, spell
from callgate.testing.techniques import LINES, WRAPPERS

WORDS = ["touch", "marker.txt"]
DELIBERATE = list(deliberate(WORDS, ["true"]))


def runs(text, folder):
    """Does bash, given this text, leave the marker?"""
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    words = ["bash", "--norc", "-c", text]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C"}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, timeout=20, stdin=-3, check=False
    )
    found = (folder / "marker.txt").exists()
    shutil.rmtree(folder)
    return found, done.stderr.decode()


def may_run(program):
    """Does it run something here without asking for a password?"""
    if shutil.which(program) is None:
        return False
    done = subprocess.run([program, "-n", "true"], capture_output=True, stdin=-3, check=False)
    return done.returncode == 0


@pytest.mark.parametrize("command", DELIBERATE, ids=lambda command: command.technique)
def test_bash_runs_what_a_technique_hides(command, tmp_path):
    program = command.text.partition(" ")[0]
    if program in ("sudo", "doas") and not may_run(program):
        pytest.skip(f"{program} is not there or wants a password: nobody can say what it runs")
    found, said = runs(command.text, tmp_path / "room")
    assert found, f"{command.text!r} did not run the command: {said}"


def test_every_technique_is_tried():
    tried = {command.technique for command in DELIBERATE}
    assert {technique.name for technique in (*WRAPPERS, *LINES)} <= tried
    assert len(tried) >= 70


@settings(
    max_examples=120, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(commands(WORDS, ["true", "ls"]))
def test_bash_runs_every_combination(tmp_path_factory, command):
    found, said = runs(command.text, tmp_path_factory.mktemp("bash") / "room")
    assert found, f"{command.technique}: {command.text!r} did not run the command: {said}"


def test_a_room_without_the_command_stays_empty(tmp_path):
    """The judge can say no: a command that is only printed does not run."""
    assert not runs("echo touch marker.txt", tmp_path / "room")[0]


def test_words_are_spelt_so_that_bash_reads_them_back():
    words = ["a b", "*.o", "it's", '"', "$HOME", "plain-1.txt", "", "\\"]
    said = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {spell(words)}"], capture_output=True, check=True
    )
    assert said.stdout.decode().splitlines() == words


def test_a_variable_set_before_is_no_simple_command():
    assert not is_simple(Command("name=rm; $name", "in a variable"))
    assert is_simple(Command("rm"))
