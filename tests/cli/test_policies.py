"""Policies as they are named on a command line: one way for every command."""

import pytest

from callgate.cli.main import main
from callgate.cli.policies import rule_of, source_of
from callgate.policy.errors import PolicyError


def test_a_file_whose_name_has_an_equals_sign_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.toml").write_text("")
    assert source_of("a=b.toml") == ("user", "a=b.toml")
    assert source_of("admin=a=b.toml") == ("admin", "a=b.toml")


@pytest.mark.parametrize("command", [["explain", "shell", "--policy"], ["check"]])
def test_a_tier_without_a_file_is_said_to_be_one(command, capsys):
    assert main([*command, "admin="]) == 2
    assert "'admin=' names no file: [TIER=]FILE was expected" in capsys.readouterr().err


@pytest.mark.parametrize("pattern", ["", "shell(", "shell()", "read_file(a)", "(ls)"])
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(PolicyError, match="--allow"):
        rule_of(pattern)
