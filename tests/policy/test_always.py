""" "Always" means what the person was shown, and nothing beside it."""

import pytest

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Context, Effect, Mode, RememberingPolicy, ToolCall
from callgate.policy.defaults import DEFAULTS
from callgate.policy.engine import RulePolicy
from callgate.policy.loading import load_text
from callgate.policy.rules import Rule, Tier


@pytest.fixture
def answered(workspace):
    """The policy after an answer."""

    def answer(call, outcome=Outcome.PROCEED_ALWAYS, *, policy=None, mode=Mode.DEFAULT):
        context = Context(mode, workspace=str(workspace))
        wider, after = (policy or RulePolicy(DEFAULTS)).remember(call, outcome, context)
        assert after is mode, "an answer changes no mode"
        return wider

    return answer


def test_it_is_a_policy_that_remembers():
    assert isinstance(RulePolicy(), RememberingPolicy)


def test_a_command_line_and_no_other(answered, says):
    policy = answered(ToolCall("shell", {"command": "git push && ls"}))
    assert says(policy, "run_shell_command", {"command": " git push && ls "}) == "allow"
    for other in ("git push", "ls", "git push && ls x", "git push && ls && rm x", "git push; ls"):
        assert says(policy, "shell", {"command": other}) == "ask", other
    assert says(policy, "shell", {"command": "git push && ls", "dir_path": "a"}) == "allow"


def test_a_command_line_in_its_folder(answered, says, tmp_path):
    policy = answered(ToolCall("shell", {"command": "ls", "dir_path": "a"}))
    assert says(policy, "shell", {"command": "ls", "dir_path": "./a"}) == "allow"
    assert says(policy, "shell", {"command": "ls", "dir_path": "b"}) == "ask"
    elsewhere = policy.decide(ToolCall("shell", {"command": "ls"}), Context(workspace="/other"))
    assert elsewhere.effect is Effect.ASK


def test_what_is_not_understood_is_asked_again(answered, says):
    odd = {"command": "ls\x0b"}
    assert says(answered(ToolCall("shell", odd)), "shell", odd) == "ask"


def test_a_redirection_that_was_shown(answered, says):
    policy = answered(ToolCall("shell", {"command": "date > now"}))
    assert says(policy, "shell", {"command": "date > now"}) == "allow"
    assert says(policy, "shell", {"command": "date > then"}) == "ask"


def test_a_file_and_no_other(answered, says, workspace):
    policy = answered(ToolCall("write_file", {"file_path": "a", "content": "x"}))
    assert says(policy, "write_file", {"file_path": "./b/../a", "content": "y"}) == "allow"
    for other in ("b", "a/b", "A", "a*", "../a"):
        assert says(policy, "write_file", {"file_path": other}) == "ask", other
    assert says(policy, "replace", {"file_path": "a"}) == "ask"
    (workspace / "a").symlink_to("/etc/passwd")
    assert says(policy, "write_file", {"file_path": "a"}) == "ask", "it ends elsewhere now"


def test_a_file_outside_that_was_shown(answered, says):
    policy = answered(ToolCall("read_file", {"file_path": "/etc/hosts"}))
    assert says(policy, "read_file", {"file_path": "/etc/hosts"}) == "allow"
    assert says(policy, "read_file", {"file_path": "/etc/passwd"}) == "ask"


def test_a_glob_in_a_name_is_a_letter(answered, says):
    policy = answered(ToolCall("write_file", {"file_path": "[a]{b,c}*?"}))
    assert says(policy, "write_file", {"file_path": "[a]{b,c}*?"}) == "allow"
    assert says(policy, "write_file", {"file_path": "abx"}) == "ask"


def test_a_tool_if_the_tool_was_named(answered, says):
    policy = answered(ToolCall("own", {"a": 1}), Outcome.PROCEED_ALWAYS_TOOL)
    assert says(policy, "own", {"b": 2}) == "allow"
    assert says(policy, "own", {"file_path": "/etc"}) == "ask"
    assert says(policy, "own", server="evil") == "ask"
    assert says(policy, "other") == "ask"
    writes = answered(ToolCall("write_file", {"file_path": "a"}), Outcome.PROCEED_ALWAYS_TOOL)
    assert says(writes, "write_file", {"file_path": "b"}) == "allow"
    assert says(writes, "write_file", {"file_path": ".git/config"}) == "ask"


def test_a_server_if_the_server_was_named(answered, says):
    policy = answered(ToolCall("search", {}, "web"), Outcome.PROCEED_ALWAYS_SERVER)
    assert says(policy, "fetch", server="web") == "allow"
    assert says(policy, "fetch", server="webs") == "ask"
    assert says(policy, "fetch") == "ask"
    hosts = answered(ToolCall("own", {"a": 1}), Outcome.PROCEED_ALWAYS_SERVER)
    assert says(hosts, "own", {"a": 1}) == "allow"
    assert says(hosts, "own", {"a": 2}) == "ask", "it has no server: this call, no more"


def test_other_answers_are_forgotten(answered):
    for outcome in Outcome:
        policy = answered(ToolCall("own", {"a": 1}), outcome)
        assert bool(policy.answers) is outcome.is_always


def test_it_holds_in_this_mode_and_freer_ones(answered, says):
    policy = answered(ToolCall("own", {"a": 1}), mode=Mode.AUTO_EDIT)
    seen = [says(policy, "own", {"a": 1}, mode=mode) for mode in Mode]
    assert seen == ["deny", "ask", "allow", "allow"]


def test_no_deny_gives_way_nor_an_ask_of_an_admin(answered, says):
    deny = Rule(tools=["own"], effect=Effect.DENY, args_pattern='"a":2', priority=0)
    admin = Rule(tools=["own"], effect=Effect.ASK, args_pattern='"a":3', tier=Tier.ADMIN)
    policy = RulePolicy([deny, admin, *DEFAULTS])
    wider = answered(ToolCall("own", {"a": 1}), Outcome.PROCEED_ALWAYS_TOOL, policy=policy)
    assert [says(wider, "own", {"a": n}) for n in (1, 2, 3)] == ["allow", "deny", "ask"]


def test_the_same_answer_twice_is_one(answered):
    once = answered(ToolCall("own", {"a": 1}))
    assert answered(ToolCall("own", {"a": 1}), policy=once) is once


def test_answers_in_a_file(says):
    text = "[[always]]\ntoolName = 'own'\nargsExact = '{ \"b\": 2, \"a\": 1 }'\n"
    loaded = load_text(text)
    assert loaded.problems == ()
    assert says(loaded.policy, "own", {"a": 1, "b": 2}) == "allow"
    assert says(loaded.policy, "own", {"a": 1}) == "ask"
    assert load_text(text, Tier.EXTENSION).policy.answers == ()
    assert load_text(text + "decision = 'deny'\n").policy.answers == ()
