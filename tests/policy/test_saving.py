"""Answers in a file: none is lost by two writers, and none is half there after a kill."""

import signal
import subprocess
import sys
import tomllib

import pytest

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.defaults import DEFAULTS
from callgate.policy.engine import RulePolicy
from callgate.policy.errors import PolicyError
from callgate.policy.loading import load_policy
from callgate.policy.rules import Rule
from callgate.policy.saving import SavingPolicy, save_answers

WRITER = """
import sys
from pathlib import Path
from callgate.policy.decisions import Effect
from callgate.policy.rules import Rule
from callgate.policy.saving import save_answers
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    rule = Rule(tools=[f"{sys.argv[2]}_{number}"], effect=Effect.ALLOW)
    save_answers(Path(sys.argv[1]), [rule])
    print(number, flush=True)
"""


def writer(file, name, count):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def saved(file):
    return {name for rule in load_policy(file).policy.answers for name in rule.tools}


def test_two_processes_lose_nothing(tmp_path):
    file = tmp_path / "answers.toml"
    writers = [writer(file, name, 20) for name in ("left", "right")]
    for each in writers:
        assert each.stdout.readline() == "ready\n"
    for each in writers:
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in writers:
        assert len(each.communicate()[0].splitlines()) == 20
        assert each.returncode == 0
    assert saved(file) == {f"{name}_{n}" for name in ("left", "right") for n in range(20)}


def test_a_kill_in_between_leaves_a_whole_file_and_no_lock(tmp_path):
    file = tmp_path / "answers.toml"
    for round_number in range(4):
        before = saved(file) if file.exists() else set()
        name = f"round{round_number}"
        victim = writer(file, name, 10_000)
        victim.stdout.readline()
        victim.stdin.write("go\n")
        victim.stdin.flush()
        done = [int(victim.stdout.readline()) for _ in range(3 + round_number)]
        victim.send_signal(signal.SIGKILL)
        with victim:
            done += [int(line) for line in victim.stdout.read().splitlines()]
        tomllib.loads(file.read_text())
        after = saved(file)
        assert before | {f"{name}_{n}" for n in done} <= after
        assert after <= before | {f"{name}_{n}" for n in range(len(done) + 1)}
        save_answers(file, [Rule(tools=[f"next{round_number}"], effect=Effect.ALLOW)])
        assert f"next{round_number}" in saved(file)


def test_what_is_remembered_holds_in_the_next_session(tmp_path, workspace):
    file, context = tmp_path / "answers.toml", Context(workspace=str(workspace))
    calls = [
        ToolCall("own", {"a": ['"', "\\", "\u2028", None], "b.c": 1.5}),
        ToolCall("shell", {"command": 'git commit -m "a\nb"', "dir_path": "sub"}),
        ToolCall("write_file", {"file_path": "we[i]rd*.txt"}),
        ToolCall("search", {"q": 1}, "web"),
    ]
    policy = SavingPolicy(RulePolicy(DEFAULTS), file)
    for call in calls:
        policy, mode = policy.remember(call, Outcome.PROCEED_ALWAYS, context)
        assert mode is Mode.DEFAULT
        assert policy.decide(call, context).effect is Effect.ALLOW
    loaded = load_policy(file)
    assert loaded.errors == ()
    for call in calls:
        assert loaded.policy.decide(call, context).effect is Effect.ALLOW, call
    before = file.read_bytes()
    for call in calls:
        SavingPolicy(RulePolicy(DEFAULTS), file).remember(call, Outcome.PROCEED_ALWAYS, context)
    assert file.read_bytes() == before, "what is there is not written again"


def test_rules_and_comments_of_the_file_stay(tmp_path):
    file = tmp_path / "policy.toml"
    text = "# mine\n[[rule]]\ntoolName = 'x'\ndecision = 'deny'\npriority = 1"
    file.write_text(text)
    file.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    save_answers(link, [Rule(tools=["own"], effect=Effect.ALLOW, annotations={"a": True})])
    assert link.is_symlink()
    assert file.read_text().startswith(text)
    assert file.stat().st_mode & 0o777 == 0o640
    loaded = load_policy(file)
    assert loaded.errors == ()
    assert loaded.policy.answers[0].annotations == {"a": True}
    assert [rule.effect.value for rule in loaded.policy.rules[:1]] == ["deny"]


def test_a_file_that_is_broken_is_left_alone_and_the_session_goes_on(tmp_path, workspace):
    file, context = tmp_path / "broken.toml", Context(workspace=str(workspace))
    file.write_text("[[rule")
    with pytest.raises(PolicyError, match="was left as it is"):
        save_answers(file, [Rule(tools=["own"], effect=Effect.ALLOW)])
    call = ToolCall("own", {"a": 1})
    with pytest.warns(RuntimeWarning, match="for this session only"):
        policy, _ = SavingPolicy(RulePolicy(DEFAULTS), file).remember(
            call, Outcome.PROCEED_ALWAYS, context
        )
    assert policy.decide(call, context).effect is Effect.ALLOW
    assert file.read_text() == "[[rule"
    assert {each.name for each in tmp_path.iterdir()} <= {"ws", "broken.toml", "broken.toml.lock"}
