"""A hole is found with the policy's own words, wherever in its rules it stands."""

import time

import pytest

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Effect, ToolCall
from callgate.policy.defaults import DEFAULTS
from callgate.policy.engine import RulePolicy
from callgate.policy.loading import load_text
from callgate.testing import decided, examine, never_runs, no_wider_than
from callgate.testing.own_words import argument_examples, spelt
from callgate.testing.results import Counterexample, keep
from callgate.testing.situations import Answered, Probe, answer
from callgate.testing.vocabulary import vocabulary

CALL_MAX = 90


def rule(tool, decision="allow", **keys):
    lines = [f"toolName = {tool!r}", f"decision = {decision!r}", "priority = 100"]
    lines += [f"{key} = {value}" for key, value in keys.items()]
    return "[[rule]]\n" + "\n".join(lines) + "\n"


def policy(text):
    loaded = load_text(text)
    assert not loaded.errors, loaded.errors
    return loaded.policy


HOLES = {
    "the third alternative": (
        rule("shell", commandRegex="'ship (ci|test|publish)$'"),
        "shell:ship publish",
    ),
    "a class of characters": (rule("shell", commandRegex="'ship [a-z]+ .*'"), "shell:ship delete"),
    "a group that may be absent": (
        rule("shell", commandRegex="'ship( compose)? up.*'"),
        "shell:ship up",
    ),
    "an alternative in an alternative": (
        rule("shell", commandRegex="'ship (plan|(apply|destroy) --yes)$'"),
        "shell:ship destroy",
    ),
    "inside an exact command": (
        rule("shell", commandExact="'make test && git push'"),
        "shell:git push",
    ),
    "behind an assignment": (rule("shell", commandExact="'A=1 ship --prod'"), "shell:ship"),
    "behind options of git": (rule("shell", commandPrefix="'git -C sub push'"), "shell:git push"),
    "what bash starts": (rule("shell", commandPrefix="'ls'"), "shell:bash"),
    "what a tool says of itself": (
        rule("*", toolAnnotations="{ destructiveHint = false }"),
        "delete_repo",
    ),
    "what a tool says, by a word of one's own": (
        rule("*", toolAnnotations="{ team = 'core' }"),
        "delete_repo",
    ),
    "an argument": (rule("deploy", argsPattern='\'"env":"(dev|prod)"\''), "deploy"),
    "an argument without an end": (rule("deploy", argsPattern='\'"env":"dev\''), "deploy"),
    "an argument that is a number": (rule("deploy", argsPattern="'\"level\":[0-9]'"), "deploy"),
    "a sub-agent": (rule("shell", commandPrefix="'rm'", subagent="'cleaner'"), "shell:rm"),
    "a server in a name": (rule("mcp_github_*"), "delete_repo"),
}


@pytest.mark.parametrize("name", HOLES)
def test_the_hole_is_found_and_is_small(name):
    text, pattern = HOLES[name]
    started = time.process_time()
    (result,) = examine(policy(text), never_runs(pattern))
    assert not result.holds, result
    found = result.counterexample
    assert found.said.effect is Effect.ALLOW
    assert len(str(dict(found.probe.call.args))) < CALL_MAX
    assert time.process_time() - started < 10


NOTHING = rule("read_file")
WIDER = {
    "an alternative more": (
        rule("shell", commandRegex="'make (test|lint)$'"),
        rule("shell", commandRegex="'make (test|lint|deploy)$'"),
    ),
    "a letter more": (
        rule("shell", commandRegex="'make [a-c]$'"),
        rule("shell", commandRegex="'make [a-d]$'"),
    ),
    "a value more": (
        rule("deploy", argsPattern='\'"env":"dev"\''),
        rule("deploy", argsPattern='\'"env":"(dev|prod)"\''),
    ),
    "redirections": (
        rule("shell", commandPrefix="'ls'"),
        rule("shell", commandPrefix="'ls'", allowRedirection="true"),
    ),
    "a server": (NOTHING, rule("*", mcpName="'github'")),
    "a tool of a server": (NOTHING, rule("mcp_github_push")),
    "a hint": (NOTHING, rule("*", toolAnnotations="{ idempotentHint = true }")),
}


@pytest.mark.parametrize("name", WIDER)
def test_wider_is_found_and_narrower_is_not(name):
    old, new = map(policy, WIDER[name])
    modes = ["default"]
    assert not examine(new, no_wider_than(old), modes=modes)[0].holds
    assert examine(old, no_wider_than(new), modes=modes, examples=100)[0].holds


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        ("^git (log|diff)$", ("git log", "git diff")),
        (r"echo \(x\)", ("echo (x)",)),
        ("a|b", ("a", "b")),
        ("x(", ("x(",)),
        (r"v\d+\.\d+", ("v1.1",)),
        ("[^ ]+ y{2}", ("x y",)),
    ],
)
def test_an_expression_is_spelt_out(expression, texts):
    assert spelt(expression) == texts


def test_spelling_out_ends():
    assert len(spelt("(a|b|c|d|e|f)" * 12)) <= 24
    assert len(spelt("[a-z]" * 60)) <= 24


def test_arguments_are_read_out_of_expressions():
    words = vocabulary({"x": '"path":"src/', "y": '"n":[0-9]+'})
    assert argument_examples(words) == ({"n": 0}, {"n": 9}, {"path": "src/"})


def test_a_line_to_keep_names_the_server_of_an_earlier_answer():
    asked = ToolCall("push", {}, "github")
    always = Answered(asked, Outcome.PROCEED_ALWAYS_TOOL)
    probe = Probe(asked, history=(always,))
    given = RulePolicy(DEFAULTS)
    line = keep(Counterexample(probe, answer(given, probe), "", "== 'allow'"), "given")
    assert "'proceed_always_tool', 'github')" in line
    exec(line, {"given": given, "decided": decided})  # noqa: S102 - what a person pastes
