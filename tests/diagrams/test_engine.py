"""Who computes coordinates: the wheel, or the `dot` of the machine where it is asked for."""

import shutil

import pytest

from callgate.cli.main import main
from tests import programs

from .picture import Picture


@pytest.fixture
def dot():
    path = programs.find(["dot"], "graphviz")
    if path is None:
        pytest.skip("no `dot` on the PATH here: apt-get install graphviz")
    return path


@pytest.mark.parametrize("machine", ["call", "batch", "tests.diagrams.machines:Player"])
def test_the_dot_of_the_machine_draws_the_same_graph(dot, machine, tmp_path):
    pictures = {}
    for engine in ("dot", "wheel"):
        path = tmp_path / f"{engine}.svg"
        assert main(["diagram", machine, "--engine", engine, "-o", str(path)]) == 0
        pictures[engine] = Picture(path.read_text("utf-8"))
    one, other = pictures["dot"], pictures["wheel"]
    assert one.root.get("data-engine").startswith("graphviz ")
    assert other.root.get("data-engine").startswith("pygraphviz ")
    assert one.root.get("data-digest") == other.root.get("data-digest")
    assert list(one.nodes) == list(other.nodes)
    assert sorted(name for name, _ in one.ways) == sorted(name for name, _ in other.ways)
    assert sorted(t.text for _, t in one.texts) == sorted(t.text for _, t in other.texts)


def test_without_dot_it_is_said_what_lacks(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["diagram", "call", "--engine", "dot", "--format", "svg"]) == 2
    said = capsys.readouterr().err
    assert "--engine dot: there is no program `dot` on the PATH (install Graphviz" in said
    assert "pip" not in said


def test_a_dot_that_fails_is_quoted(tmp_path, monkeypatch, capsys):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho 'Format: \"json\" not recognized' >&2\nexit 1\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert main(["diagram", "call", "--engine", "dot", "--format", "svg"]) == 2
    assert 'dot failed: Format: "json" not recognized' in capsys.readouterr().err
