"""The classic policy: patterns, command lines, modes, and what an always widens."""

import pytest

from callgate import Confirmation
from callgate.kernel.values import Outcome
from callgate.policy.classic import SHELL, ClassicPolicy, Pattern
from callgate.policy.commands import commands_of, first_words
from callgate.policy.decisions import Context, Effect, Mode, ToolCall


def ask(policy, name, kind, mode="default", server=None, **args):
    question = None if kind is None else Confirmation(kind)
    call = ToolCall(name, args, server, question=question)
    return policy.decide(call, Context(Mode(mode))).effect


def allowed(policy, name, kind="exec", **more):
    return ask(policy, name, kind, **more) is Effect.ALLOW


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("git status", ("git status",)),
        ("  git   status  ", ("git status",)),
        ("a && b || c; d | e & f", ("a", "b", "c", "d", "e", "f")),
        ("a\nb\n\nc", ("a", "b", "c")),
        ("a |& b", ("a", "b")),
        ("sleep 5 &", ("sleep 5",)),
        ("a;", ("a",)),
        ("echo 'a && b' \"c; d\"", ("echo 'a && b' \"c; d\"",)),
        ("echo a\\;b", ("echo a\\;b",)),
        ("echo '$(rm x)'", ("echo '$(rm x)'",)),
        ("echo \\$(x)", ("echo \\$(x)",)),
        ("cmd 2>&1 | less", ("cmd 2>&1", "less")),
        ("cmd &> file", ("cmd &> file",)),
        ("cmd >| file", ("cmd >| file",)),
        ("a &&", ()),
        ("a | ", ()),
        ("&& a", ()),
        ("a ; ; b", ()),
        ("echo $(rm x)", ()),
        ("echo `rm x`", ()),
        ('echo "$(rm x)"', ()),
        ('echo "`rm x`"', ()),
        ("diff <(a) b", ()),
        ("tee >(a)", ()),
        ("a # b", ("a # b",)),
        ("a \\\n b", ("a b",)),
        ("a #'\nrm x #'", ()),
        ("a \\\n#'\nrm x #'", ()),
        ("a ${x:-b #'\na '} ; rm x #'", ()),
        ("a $'\\'' ; rm x #'", ()),
        ("a \\>& rm x", ("a \\>", "rm x")),
        ("a \\>| rm x", ("a \\>", "rm x")),
        ("a () (rm x) && a", ()),
        ("echo '(a)'", ("echo '(a)'",)),
        ("echo 'open", ()),
        ('echo "open', ()),
        ("echo \\", ()),
        ("", ()),
        (" \n ", ()),
    ],
)
def test_a_line_is_taken_apart(line, commands):
    assert commands_of(line) == commands


def test_a_first_word_keeps_its_quotes():
    assert first_words(["'my tool' x", '"a b"c d', "plain"]) == ("'my tool'", '"a b"c', "plain")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("web", Pattern("web")),
        ("ShellTool", Pattern(SHELL)),
        ("ShellTool(git)", Pattern(SHELL, "git")),
        ("run_shell_command(git status)", Pattern(SHELL, "git status")),
        ("web(x)", None),
        ("run_shell_command(git", None),
    ],
)
def test_patterns(text, pattern):
    assert Pattern.parse(text) == pattern


@pytest.mark.parametrize(
    ("command", "is_allowed"),
    [
        ("git", True),
        ("git status", True),
        ("github", False),
        ("git status && git log", True),
        ("git status && rm -rf x", False),
        ("git $(rm x)", False),
        ("git 'a", False),
        ("rm; git", False),
    ],
)
def test_each_command_must_be_allowed_by_a_prefix(command, is_allowed):
    policy = ClassicPolicy.of([f"{SHELL}(git)"])
    assert allowed(policy, SHELL, command=command) is is_allowed
    assert not allowed(policy, "other", command=command)


def test_a_bare_name_allows_every_call():
    policy = ClassicPolicy.of(["ShellTool"])
    assert allowed(policy, SHELL, command="rm $(x)")
    assert not allowed(policy, "ShellTool")


@pytest.mark.parametrize(
    ("mode", "kind", "effect"),
    [
        ("default", None, Effect.ALLOW),
        ("default", "edit", Effect.ASK),
        ("auto_edit", "edit", Effect.ALLOW),
        ("auto_edit", "info", Effect.ALLOW),
        ("auto_edit", "exec", Effect.ASK),
        ("auto_edit", "mcp", Effect.ASK),
        ("yolo", "exec", Effect.ALLOW),
        ("plan", "exec", Effect.DENY),
        ("plan", None, Effect.ALLOW),
    ],
)
def test_modes(mode, kind, effect):
    assert ask(ClassicPolicy.of(), "tool", kind, mode) is effect


def remember(policy, outcome, kind, name="tool", server=None, **args):
    call = ToolCall(name, args, server, question=Confirmation(kind))
    return policy.remember(call, Outcome(outcome), Context())


def test_an_always_widens_by_the_first_words_that_were_shown():
    policy, mode = remember(ClassicPolicy.of(), "proceed_always", "exec", command="ls -a; pwd")
    assert mode is Mode.DEFAULT
    assert allowed(policy, "other", command="ls -b")
    assert allowed(policy, "other", command="pwd && ls")
    assert not allowed(policy, "other", command="ls; rm x")
    assert not allowed(policy, "other", command="ls $(rm x)")
    assert not allowed(policy, "other", command="lsof")


def test_an_always_of_a_quoted_program_is_for_that_program():
    command = "'my tool' x"
    policy, _ = remember(ClassicPolicy.of(), "proceed_always", "exec", command=command)
    assert allowed(policy, "tool", command="'my tool' y")
    assert not allowed(policy, "tool", command="'my other' y")


def test_without_a_command_the_tool_itself_is_remembered():
    policy, _ = remember(ClassicPolicy.of(), "proceed_always", "exec", "build")
    assert allowed(policy, "build")
    assert not allowed(policy, "other")


@pytest.mark.parametrize("kind", ["edit", "info"])
def test_an_always_to_an_edit_is_a_mode(kind):
    policy, mode = remember(ClassicPolicy.of(), "proceed_always", kind)
    assert (policy, mode) == (ClassicPolicy.of(), Mode.AUTO_EDIT)


@pytest.mark.parametrize(
    ("outcome", "same_server", "same_tool"),
    [
        ("proceed_always", False, False),
        ("proceed_always_tool", False, True),
        ("proceed_always_server", True, True),
    ],
)
def test_an_always_to_an_mcp_tool(outcome, same_server, same_tool):
    policy, _ = remember(ClassicPolicy.of(), outcome, "mcp", "find", "docs")
    assert allowed(policy, "find", "mcp", server="docs") is same_tool
    assert allowed(policy, "grep", "mcp", server="docs") is same_server
    assert not allowed(policy, "find", "mcp", server="other")


@pytest.mark.parametrize("outcome", ["proceed_always_tool", "proceed_always_server"])
def test_those_of_mcp_mean_nothing_to_others(outcome):
    for kind in ("exec", "edit", "info"):
        assert remember(ClassicPolicy.of(), outcome, kind, command="ls") == (
            ClassicPolicy.of(),
            Mode.DEFAULT,
        )
