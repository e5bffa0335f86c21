"""A scheduler with a policy from a file."""

import pytest

from callgate.policy.errors import PolicyError
from tests.drivers.doubles import EXEC, Tool, ToolScheduler, asks, play


def run(file, text, answer="proceed_once"):
    file.write_text(text, encoding="utf-8")
    tool = Tool(does="ran", question=EXEC)

    async def scene():
        async with ToolScheduler([tool], policy=str(file), ask=lambda _: answer) as scheduler:
            return await scheduler.schedule(asks("a"))

    return play(scene), tool.started


def test_a_file_of_rules_decides(tmp_path):
    rule = '[[rule]]\ntoolName = "tool"\ndecision = "deny"\npriority = 100\n'
    (call,), started = run(tmp_path / "policy.toml", rule)
    assert call.response.error_type == "policy_violation"
    assert started == []


def test_what_no_rule_speaks_of_is_asked(tmp_path):
    (call,), _ = run(tmp_path / "policy.toml", "")
    assert (call.outcome, call.value) == ("proceed_once", "ran")


def test_a_bad_file_is_an_error_at_once(tmp_path):
    with pytest.raises(PolicyError):
        run(tmp_path / "policy.toml", '[[rule]]\ntoolName = "x"\ndecisoin = "allow"\n')
