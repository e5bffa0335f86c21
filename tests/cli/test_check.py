"""`callgate check` as a newcomer meets it: outcomes, lints, exit codes, and a finding to keep."""

import io
import json
import subprocess
import sys

import pytest

from callgate.cli.checking.progress import progress_line
from callgate.cli.main import main

WIDE = """[[rule]]
toolName = "shell"
decision = "allow"
priority = 100
"""
NARROW = """[[rule]]
toolName = "shell"
commandPrefix = ["git status", "git log"]
decision = "allow"
priority = 100
"""
DENY = """
[[rule]]
name = "no rm"
toolName = "shell"
commandPrefix = "rm"
decision = "deny"
priority = 10
"""


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(text, *words, **files):
        (tmp_path / "policy.toml").write_text(text)
        for name, content in files.items():
            (tmp_path / f"{name}.toml").write_text(content)
        try:
            code = main(["check", "policy.toml", *words])
        except SystemExit as left:
            code = left.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_hole_is_shown_with_its_rule_its_mode_and_a_line_to_keep(check):
    code, out, _ = check(WIDE, "--never-runs", "shell:rm *")
    assert code == 1
    assert "never-runs shell:rm *: FAILS" in out
    assert 'shell {"command": "rm"}' in out
    assert "policy.toml:1" in out
    assert "mode     default" in out
    assert "assert decided('policy.toml', 'shell', {'command': 'rm'}) != 'allow'" in out


def test_the_same_policy_repaired_is_proved(check):
    code, out, _ = check(NARROW, "--never-runs", "shell:rm *", "--always-asks", "shell:git push")
    assert code == 0
    assert "never-runs shell:rm *: proved" in out
    assert "always-asks shell:git push: proved" in out


def test_what_is_not_proved_says_how_far_the_search_went(check):
    words = ("--never-asks", "shell:git status", "--examples", "50", "--seed", "7")
    code, out, _ = check(NARROW, *words)
    assert code == 0
    assert "never-asks shell:git status: no counterexample in " in out
    assert "(seed 7)" in out


def test_lines_fit_the_terminal_but_the_one_to_paste(check):
    _, out, _ = check(WIDE, "--never-runs", "shell:rm *", "--never-runs", "write_file")
    assert all(len(line) <= 80 or "keep" in line for line in out.splitlines())


def test_a_mode_is_tried_when_it_is_asked_for(check):
    assert check(NARROW, "--never-runs", "shell:rm", "--mode", "default")[0] == 0
    code, out, _ = check(NARROW, "--never-runs", "shell:rm", "--mode", "default", "yolo")
    assert code == 1
    assert "mode     yolo" in out


def test_no_wider_than_refuses_one_rule_more(check):
    code, out, _ = check(WIDE, "--no-wider-than", "old.toml", old=NARROW)
    assert code == 1
    assert "old.toml said ask" in out
    assert check(NARROW + DENY, "--no-wider-than", "old.toml", old=NARROW)[0] == 0


def test_properties_come_from_a_file_too(check):
    table = '[[property]]\nnever_runs = ["shell:rm *", "web_fetch"]\nmodes = ["default"]\n'
    code, out, _ = check(NARROW, "--properties", "wanted.toml", wanted=table)
    assert code == 0
    assert out.count("proved") == 2


def test_without_a_property_what_all_should_have_is_checked(check):
    code, out, _ = check(NARROW, "--examples", "20")
    assert code == 0
    assert [line.partition(":")[0] for line in out.splitlines()][:3] == [
        "always-decides",
        "deny-is-final",
        "always-is-narrow",
    ]


def test_json_is_one_object_and_the_same_every_time(check):
    found = [check(WIDE, "--never-runs", "shell:rm *", "--json") for _ in range(2)]
    assert found[0] == found[1]
    code, out, _ = found[0]
    report = json.loads(out)
    assert code == 1
    assert report["holds"] is False
    (one,) = report["properties"]
    assert (one["property"], one["of"], one["outcome"]) == ("never-runs", "shell:rm *", "FAILS")
    assert one["counterexample"]["rule"]["file"] == "policy.toml"
    assert one["counterexample"]["rule"]["line"] == 1
    assert one["counterexample"]["mode"] == "default"
    assert one["counterexample"]["args"] == {"command": "rm"}


def test_a_failing_example_or_test_is_1(check):
    wrong = NARROW + '\n[[test]]\ncommand = "git log"\nexpect = "deny"\n'
    code, out, err = check(wrong, "--never-runs", "shell:rm")
    assert code == 1
    assert "policy.toml:7" in err
    assert "1 examples or tests fail" in out
    assert json.loads(check(wrong, "--never-runs", "shell:rm", "--json")[1])["holds"] is False


def test_a_misspelt_tool_is_said_before_it_is_proved(check):
    words = ("--never-runs", "shel:rm", "--examples", "5")
    code, out, _ = check(NARROW, *words)
    assert code == 0
    assert "did you mean 'shell'?" in out
    assert check(NARROW, *words, "--strict")[0] == 1


LINTS = {
    "allow-above-deny": WIDE + DENY,
    "shadowed": DENY.replace("10", "500").replace('commandPrefix = "rm"\n', "") + DENY,
    "never-matches": NARROW.replace('["git status", "git log"]', '"git log | less"'),
    "unsafe-regex": NARROW.replace("commandPrefix", "commandRegex").replace(
        '["git status", "git log"]', '"git .*"'
    ),
    "stricter-allows-more": WIDE + 'modes = ["plan"]\n',
    "warning": NARROW + '\n[[rule]]\ntoolName = "shel"\ndecision = "deny"\npriority = 5\n',
}


@pytest.mark.parametrize("kind", LINTS)
def test_a_lint_is_0_and_with_strict_1(check, kind):
    words = ("--never-runs", "web_fetch", "--examples", "5")
    code, out, _ = check(LINTS[kind], *words)
    assert code == 0
    assert f"{kind}: " in out
    assert check(LINTS[kind], *words, "--strict")[0] == 1


def test_no_catch_all_is_said_where_no_built_in_rule_catches(check):
    words = ("--never-runs", "web_fetch", "--examples", "5")
    assert "no-catch-all" not in check(NARROW, *words)[1]
    assert "no-catch-all" in check(NARROW, *words, "--no-defaults")[1]


def test_a_clean_policy_is_0_with_strict(check):
    code, out, _ = check(NARROW, "--never-runs", "shell:rm *", "--strict")
    assert code == 0
    assert "0 lints" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--never-runs", "write_file:rm"), "write_file takes no command"),
        (("--never-runs", "rm x"), "TOOL or TOOL:WORDS was expected"),
        (("--never-runs", "shell:rm*"), "a * stands alone and last"),
        (("--never-runs", "shell:git * push"), "a * stands alone and last"),
        (("--mode", "careless"), "the mode 'careless' is unknown"),
        (("--properties", "none.toml"), "none.toml"),
        (("--no-wider-than", "none.toml"), "the old policy has errors"),
        (("--examples", "-1"), "a number from 0 was expected"),
    ],
)
def test_wrong_asking_is_2_and_says_what_would_be_right(check, words, says):
    code, out, err = check(NARROW, *words)
    assert code == 2
    assert says in err
    assert out == ""


def test_a_misspelt_property_is_never_passed_over(check):
    table = '[[property]]\nnever_run = "shell:rm *"\n'
    code, _, err = check(NARROW, "--properties", "wanted.toml", wanted=table)
    assert code == 2
    assert "unknown key 'never_run'" in err


@pytest.mark.parametrize("text", ["[[rule]\n", NARROW.replace("commandPrefix", "commandPrefx")])
def test_a_policy_with_errors_is_2(check, text):
    code, out, err = check(text, "--never-runs", "shell:rm *")
    assert code == 2
    assert "policy.toml:" in err
    assert out == ""


def test_control_characters_of_a_policy_never_reach_the_terminal(check):
    _, out, _ = check(WIDE.replace('"shell"', '"sh\\u001bell"'), "--never-runs", "shell:rm")
    assert "\x1b" not in out


def test_nothing_of_the_kit_is_loaded_by_the_pytest_plugin():
    code = "import sys, callgate_pytest; print('callgate' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"


def test_the_plugin_makes_tests_of_a_policy(tmp_path):
    (tmp_path / "policy.toml").write_text(WIDE)
    wanted = '[[property]]\nnever_runs = "shell:rm *"\n[[property]]\nnever_asks = "read_file"\n'
    (tmp_path / "wanted.toml").write_text(wanted)
    words = ["-q", "-p", "no:cacheprovider", "--callgate-policy", "policy.toml"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "--callgate-properties", "wanted.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "policy.toml::never-runs shell:rm *" in done.stdout
    assert "1 failed, 5 passed" in done.stdout


class Terminal(io.StringIO):
    """What a terminal is to the progress line."""

    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_and_wiped_away():
    terminal = Terminal()
    with progress_line(terminal) as progress:
        progress.begin(1, 2)
        progress.tried("never-runs shell:rm", 50)
    assert "1 of 2  never-runs shell:rm: 50 calls" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")
    pipe = io.StringIO()
    with progress_line(pipe) as progress:
        progress.tried("never-runs shell:rm", 50)
    assert pipe.getvalue() == ""
