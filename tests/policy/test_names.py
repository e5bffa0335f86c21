"""One server's tool is never taken for another's, nor for one of the host."""

import subprocess
import sys

import pytest

from callgate.policy.decisions import Effect
from callgate.policy.engine import RulePolicy
from callgate.policy.rules import Rule

CASES = [
    # rule's tool, rule's server, call's name, call's server, does an allow match, does a deny
    ("read_file", None, "read_file", None, True, True),
    ("read_file", None, "read_file", "evil", False, True),
    ("read_*", None, "read_file", None, True, True),
    ("read_*", None, "read_file", "evil", False, True),
    ("*", None, "anything", "any", True, True),
    ("mcp_*", None, "search", "web", True, True),
    ("mcp_*", None, "search", None, False, False),
    ("mcp_web_*", None, "search", "web", True, True),
    ("mcp_web_*", None, "mcp_web_search", "web", True, True),
    ("mcp_web_*", None, "mcp_web_search", None, True, True),
    ("mcp_web_*", None, "mcp_web_search", "evil", False, True),
    ("mcp_safe_server_*", None, "x", "safe_server_malicious", False, True),
    ("mcp_web_search", None, "search", "web", True, True),
    ("search", "web", "search", "web", True, True),
    ("search", "web", "mcp_web_search", "web", True, True),
    ("mcp_web_search", "web", "search", "web", True, True),
    ("search", "web", "search", "evil", False, False),
    ("search", "web", "search", None, False, False),
    ("search", "*", "search", "evil", True, True),
    ("search", "*", "search", None, False, False),
    ("*", "web", "search", "web", True, True),
    ("shell", None, "shell", "evil", False, True),
    ("run_shell_*", None, "shell", None, True, True),
    ("run_shell_*", None, "ShellTool", None, True, True),
    ("edit_*", None, "replace", None, True, True),
]


@pytest.mark.parametrize("case", CASES)
def test_which_calls_a_name_means(says, case):
    tool, of, name, server, allows, denies = case
    args = {"command": "ls"}
    for effect, matches in ((Effect.ALLOW, allows), (Effect.DENY, denies)):
        policy = RulePolicy([Rule(tools=[tool], server=of, effect=effect)])
        wanted = effect.value if matches else "ask"
        assert says(policy, name, args, server=server) == wanted


def test_annotations_must_all_be_there_and_equal(says):
    rule = Rule(tools=["*"], effect=Effect.ALLOW, annotations={"readOnlyHint": True, "n": 1})
    policy = RulePolicy([rule])
    assert says(policy, "x", annotations={"readOnlyHint": True, "n": 1, "o": 2}) == "allow"
    for other in ({}, {"readOnlyHint": True}, {"readOnlyHint": 1, "n": 1}, {"readOnlyHint": False}):
        assert says(policy, "x", annotations=other) == "ask"


def test_interactive_and_agent(says):
    policy = RulePolicy(
        [
            Rule(tools=["a"], effect=Effect.ALLOW, interactive=False),
            Rule(tools=["b"], effect=Effect.ALLOW, interactive=True),
            Rule(tools=["c"], effect=Effect.ALLOW, agent="helper"),
        ]
    )
    assert says(policy, "a") == "ask"
    assert says(policy, "a", interactive=False) == "allow"
    assert says(policy, "b") == "allow"
    assert says(policy, "b", interactive=False) == "deny"
    assert says(policy, "c") == "ask"


def test_a_server_s_tool_called_shell_is_read_as_a_command_line(says):
    deny = RulePolicy(
        [
            Rule(tools=["shell"], effect=Effect.DENY, prefixes=["rm"], priority=1),
            Rule(tools=["*"], server="box", effect=Effect.ALLOW),
        ]
    )
    assert says(deny, "shell", {"command": "rm x"}, server="box") == "deny"
    assert says(deny, "shell", {"command": "ls"}, server="box") == "allow"
    assert says(deny, "shell", {"script": 1}, server="box") == "allow"


def test_the_built_in_rules_need_no_extra():
    code = """
import sys
sys.modules.update(dict.fromkeys(("re2", "tree_sitter_toml", "rapidfuzz", "tomli_w", "filelock")))
from callgate.policy.decisions import Context, ToolCall
from callgate.policy.errors import ExtraMissing
from callgate.policy.loading import load_policy, load_text
policy = load_policy().policy
print(policy.decide(ToolCall("read_file", {"file_path": "a"}), Context()).effect.value)
print(policy.decide(ToolCall("own", server="web"), Context()).effect.value)
try:
    load_text("[[rule]]")
except ExtraMissing as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert said[:2] == ["allow", "ask"]
    assert said[2] == "rules with patterns need 'tree_sitter_toml': pip install 'callgate[policy]'"
