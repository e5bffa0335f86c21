"""The README is true: its blocks are run, top to bottom, as a reader would.

A block of TOML or Python that begins with a file's name becomes that file; other Python is run;
a console block is typed, and prints what stands below it. Blocks with `>>>` are doctests.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# (\S+\.\w+)\n")


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    return tmp_path_factory.mktemp("readme")


def play(text, desk):
    """Run a console block; one line for each difference."""
    wrong = []
    for typed in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, wanted = typed.partition("\n")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        known = {**os.environ, "PATH": path, "COLUMNS": "100"}
        done = subprocess.run(
            shlex.split(command), cwd=desk, check=False, capture_output=True, text=True, env=known
        )
        told = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        wrong += [
            f"{command}: {line!r} is not in {told} {done.stderr}"
            for line in wanted.splitlines()
            if not any(line.strip() in each for each in told)
        ]
    return wrong


@pytest.mark.parametrize("number", range(len(BLOCKS)))
@pytest.mark.xdist_group("readme")
def test_block_is_true(number, desk):
    for earlier in range(number):  # files of the blocks before, wherever this test runs
        keep(BLOCKS[earlier], desk)
    kind, text = BLOCKS[number]
    if keep((kind, text), desk) or ">>>" in text:
        return
    if kind == "python":
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", text], check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    else:
        assert kind == "console", f"a block of {kind} is tested by nobody"
        assert play(text, desk) == []


def keep(block, desk):
    """Write the block's file, if it names one."""
    name = NAMED.match(block[1])
    if name is not None:
        (desk / name[1]).write_text(block[1], encoding="utf-8")
    return name is not None


def test_the_first_example_does_what_it_says(desk):
    example = next(text for kind, text in BLOCKS if kind == "python" and "def main" in text)
    done = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    assert first.startswith("c1 success")
    assert "deployed to staging" in first
    assert second.startswith("c2 cancelled")
    assert "not today" in second


def test_links_and_pictures_are_there():
    links = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'(?:src|srcset)="([^"]+)"', README)
    assert len(links) > 5
    for target in links:
        assert (ROOT / target).exists(), f"{target} is linked and is not there"


def test_commands_are_commands():
    for command in re.findall(r"^    callgate (\w+)", README, re.MULTILINE):
        done = subprocess.run(
            [Path(sys.executable).parent / "callgate", command, "--help"],
            check=False,
            capture_output=True,
        )
        assert done.returncode == 0, command
