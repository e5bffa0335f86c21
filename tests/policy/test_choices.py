"""One test for each choice that `callgate.policy` documents, by its number there."""

import json
import re

import pytest

import callgate.policy
from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.defaults import DEFAULTS
from callgate.policy.errors import Kind
from callgate.policy.loading import load_text
from callgate.policy.rules import Tier

MODES = ("plan", "default", "auto_edit", "yolo")


def rule(tool, decision, priority=100, **keys):
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    head = f'[[rule]]\ntoolName = {json.dumps(tool)}\ndecision = "{decision}"\n'
    return "\n".join([f"{head}priority = {priority}", *lines, ""])


def shell(command, **args):
    return "shell", {"command": command, **args}


def test_every_documented_choice_has_a_test():
    numbers = set(re.findall(r"^ *(\d+)\. ", callgate.policy.__doc__, re.MULTILINE))
    tested = {found[1] for name in globals() if (found := re.match(r"test_choice_0*(\d+)_", name))}
    assert numbers == tested
    assert len(numbers) == 22


@pytest.mark.parametrize("word", ["ask", "ask_user"])
def test_choice_01_ask_and_ask_user_are_one_decision(says, word):
    assert says(rule("read_file", word), "read_file", {"file_path": "a"}) == "ask"


def test_choice_01_other_words_are_no_decision():
    loaded = load_text(rule("read_file", "permit"))
    assert "write one of allow, deny, ask_user, ask" in str(loaded.errors[0])


@pytest.mark.parametrize("alias", ["shell", "run_shell_command", "ShellTool"])
@pytest.mark.parametrize("called", ["shell", "run_shell_command", "ShellTool"])
def test_choice_02_three_names_are_one_shell(says, alias, called):
    assert says(rule(alias, "deny", commandPrefix="rm"), called, {"command": "rm x"}) == "deny"


def test_choice_02_edit_file_is_replace(says):
    assert says(rule("replace", "deny"), "edit_file", {"file_path": "a"}) == "deny"
    assert says(rule("edit_file", "deny"), "replace", {"file_path": "a"}) == "deny"


@pytest.mark.parametrize("key", ["file_path", "dir_path"])
def test_choice_02_paths_are_paths_for_every_tool(says, key):
    policy = rule("own_tool", "allow")
    assert says(policy, "own_tool", {key: "a"}) == "allow"
    assert says(policy, "own_tool", {key: "/etc"}) == "ask"
    assert says(policy, "own_tool", {key: 3}) == "ask"


def test_choice_02_an_unknown_tool_is_a_warning():
    loaded = load_text(rule("wrte_file", "deny"))
    assert [problem.kind for problem in loaded.problems] == [Kind.WARNING]
    assert "did you mean 'write_file'" in str(loaded.problems[0])
    assert loaded.policy.rules[0].tools == ("wrte_file",)


TABLE = {
    ("read_file", "a"): "allow allow allow allow",
    ("list_directory", "a"): "allow allow allow allow",
    ("write_file", "a"): "deny ask allow allow",
    ("replace", "a"): "deny ask allow allow",
    ("write_file", "../a"): "deny ask ask allow",
    ("shell", "ls"): "deny ask ask allow",
    ("own_tool", "a"): "deny ask ask allow",
}


@pytest.mark.parametrize(("name", "about"), TABLE)
def test_choice_03_the_built_in_rules(says, name, about):
    key = {"shell": "command", "list_directory": "dir_path"}.get(name, "file_path")
    wanted = TABLE[name, about].split()
    assert [says("", name, {key: about}, mode=mode) for mode in MODES] == wanted
    headless = [says("", name, {key: about}, mode=mode, interactive=False) for mode in MODES]
    assert headless == [word.replace("ask", "deny") for word in wanted]


def test_choice_03_any_file_overrides_them(says):
    assert {each.tier for each in DEFAULTS} == {Tier.DEFAULT}
    for mode in MODES:
        assert (
            says(rule("read_file", "deny", 0), "read_file", {"file_path": "a"}, mode=mode) == "deny"
        )
        assert says(rule("own_tool", "allow", 0), "own_tool", mode=mode) == "allow"


def test_choice_04_a_file_that_parses_is_loaded(load_files):
    loaded = load_files(("user", "[[rule]]\ntoolName = 3\n"))
    assert len(loaded.parsed) == 1
    assert loaded.errors


def test_choice_04_one_that_does_not_denies_at_its_own_tier(load_files, says):
    reads = rule("read_file", "allow")
    broken = load_files(("workspace", "not toml ["), ("user", reads))
    assert says(broken.policy, "read_file", {"file_path": "a"}) == "allow"
    assert says(broken.policy, "write_file", {"file_path": "a"}) == "deny"
    same = load_files(("user", "not toml ["), ("user", reads))
    assert says(same.policy, "read_file", {"file_path": "a"}) == "deny"


def test_choice_04_an_extension_may_not_allow(load_files, says):
    loaded = load_files(("extension", rule("own_tool", "allow") + rule("other", "deny")))
    assert [problem.kind for problem in loaded.errors] == [Kind.DROPPED]
    assert says(loaded.policy, "own_tool") == "ask"
    assert says(loaded.policy, "other") == "deny"


@pytest.mark.parametrize("decision", ["deny", "ask", "ask_user", "alow", "Allow", "allow "])
def test_choice_05_a_bad_rule_denies_its_tools(says, decision):
    policy = rule("shell", decision, commandPrefx="rm")
    assert says(policy, *shell("ls")) == "deny"
    assert says(policy, "read_file", {"file_path": "a"}) == "allow"
    assert says(
        rule("read_file", "deny", 1, toolNme="x") + rule("read_file", "allow"), "read_file"
    ) in (
        "allow",
        "deny",
    )


def test_choice_05_a_bad_allow_is_dropped(says):
    assert says(rule("shell", "allow", commandPrefx="ls"), *shell("ls")) == "ask"


def test_choice_05_all_tools_if_they_cannot_be_read(says):
    policy = '[[rule]]\ntoolName = 3\ndecision = "deny"\npriority = 1\n'
    assert says(policy, "read_file", {"file_path": "a"}) == "deny"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("commandPrefix", []),
        ("commandPrefix", ""),
        ("commandPrefix", "  "),
        ("commandPrefix", ["ls", ""]),
        ("commandExact", ""),
        ("commandRegex", []),
        ("argsPattern", ""),
        ("modes", []),
        ("paths", []),
        ("mcpName", " "),
    ],
)
def test_choice_05_an_empty_condition_is_an_error(says, key, value):
    loaded = load_text(rule("shell", "allow", **{key: value}))
    assert loaded.errors[0].line == 5
    assert says(loaded.policy, *shell("ls")) == "ask"


def test_choice_06_an_allow_reads_top_level_arguments_only(says):
    policy = rule("own_tool", "allow", argsPattern='"path":"src/')
    assert says(policy, "own_tool", {"path": "src/a"}) == "allow"
    assert says(policy, "own_tool", {"path": "etc", "x": {"path": "src/a"}}) == "ask"
    assert says(policy, "own_tool", {"path": "etc", "x": '"path":"src/a'}) == "ask"
    assert says(policy, "own_tool", {"path": "etc", 'x"path': "src/a"}) == "ask"


def test_choice_06_deny_and_ask_read_nested_ones_too(says):
    for word in ("deny", "ask"):
        policy = rule("*", word, argsPattern='"force":true')
        assert says(policy, "read_file", {"options": [{"force": True}]}) == word
        assert says(policy, "read_file", {"force": False}) == "allow"


def test_choice_07_a_prefix_is_split_into_words(says):
    policy = rule("shell", "allow", commandPrefix="git commit -m 'a b'")
    assert says(policy, *shell("git commit -m 'a b'")) == "allow"
    assert says(policy, *shell('git  commit -m "a b"')) == "allow"
    assert says(policy, *shell("git commit -m a b")) == "ask"
    assert says(policy, *shell("git commitx -m 'a b'")) == "ask"


def test_choice_07_words_in_the_prefix_are_granted_as_they_stand(says):
    policy = rule("shell", "allow", commandPrefix="find . -delete")
    assert says(policy, *shell("find . -delete")) == "allow"


def test_choice_07_a_regex_is_matched_from_the_start_of_each_command(says):
    deny = rule("shell", "deny", commandRegex="r[m]")
    assert says(deny, *shell("ls && rm")) == "deny"
    assert says(deny, *shell("echo farm")) == "ask"
    allow = rule("shell", "allow", commandRegex="(ls|pwd)$")
    assert says(allow, *shell("ls && pwd")) == "allow"
    assert says(allow, *shell("ls && echo ls")) == "ask"


def test_choice_08_words_of_a_command_are_no_paths(says):
    policy = rule("shell", "allow", commandPrefix="ls /etc")
    assert says(policy, *shell("ls /etc")) == "allow"
    assert says(policy, *shell("ls /etc", dir_path="/etc")) == "ask"


def test_choice_09_plain_variables_are_understood_in_arguments(says):
    policy = rule("shell", "allow", commandPrefix="echo")
    assert says(policy, *shell("echo $HOME *.py")) == "allow"
    assert says(policy, *shell("$HOME x")) == "ask"


def test_choice_10_substitutions_are_understood_if_all_in_them_is_allowed(says):
    policy = rule("shell", "allow", commandPrefix=["echo", "pwd"])
    assert says(policy, *shell("(echo $(pwd))")) == "allow"
    assert says(policy, *shell("echo $(whoami)")) == "ask"
    assert says(policy, *shell("[[ -f a ]] && pwd")) == "allow"
    assert says(policy, *shell("[[ -f a ]]")) == "allow"


def test_choice_11_a_line_joined_within_a_word(says):
    policy = rule("shell", "deny", commandPrefix="rm")
    assert says(policy, *shell("r\\\nm x"), mode="yolo") in ("deny", "ask")


@pytest.mark.parametrize("wrapper", ["timeout 5", "env", "nohup", "sudo", "xargs", "nice"])
def test_choice_12_a_deny_sees_through_wrappers(says, wrapper):
    assert says(rule("shell", "deny", commandPrefix="rm"), *shell(f"{wrapper} rm x")) == "deny"
    assert says(rule("shell", "allow", commandPrefix="sudo"), *shell("ls")) == "ask"


def test_choice_13_options_that_execute_are_not_granted_by_a_prefix(says):
    assert says(rule("shell", "allow", commandPrefix="find"), *shell("find . -delete")) == "ask"
    assert says(rule("shell", "allow", commandPrefix="find"), *shell("find . -name a")) == "allow"


def test_choice_14_code_as_text_is_not_understood(says):
    for decision in ({"commandPrefix": "eval"}, {}):
        assert says(rule("shell", "allow", **decision), *shell('eval "$X"')) == "ask"


def test_choice_15_all_of_the_shell_is_all_that_is_understood(says):
    everything = rule("shell", "allow", 10)
    assert says(everything, *shell("find . -delete")) == "allow"
    assert says(everything, *shell("ls\x0b")) == "ask"
    careful = everything + rule("shell", "deny", 20, commandPrefix="rm")
    assert says(careful, *shell("find . -delete")) == "ask"
    assert says(careful, *shell("ls; pwd")) == "allow"
    assert says(careful, *shell("$X x")) == "ask"


def test_choice_16_some_of_git_asks_even_where_git_is_allowed(says):
    policy = rule("shell", "allow", commandPrefix="git")
    assert says(policy, *shell("git status")) == "allow"
    for command in ("git config core.pager x", "git rebase --exec x", "git unheard-of"):
        assert says(policy, *shell(command)) == "ask"


def test_choice_17_what_is_not_understood(says):
    odd = "rm x\x0b"
    assert says(rule("shell", "allow"), *shell(odd)) == "ask"
    assert says("", *shell(odd), mode="yolo") == "allow"
    careful = rule("shell", "ask", commandPrefix="mv")
    assert says(careful, *shell(odd), mode="yolo") == "ask"
    assert says(careful, *shell(odd), mode="yolo", interactive=False) == "deny"
    assert says(rule("shell", "deny", commandPrefix="rm"), *shell(odd), mode="yolo") == "deny"
    assert says(rule("shell", "deny"), *shell(odd), mode="yolo") == "deny"
    assert says(rule("shell", "allow", commandPrefix="ls"), *shell(odd), mode="yolo") == "allow"


def test_choice_17_a_path_that_is_denied_may_be_in_it(says):
    policy = rule("*", "deny", paths=["secrets/**"])
    assert says(policy, *shell("date > x\x0b"), mode="yolo") == "ask"
    assert says(policy, *shell("date > secrets/x"), mode="yolo") == "deny"
    assert says(policy, *shell("find . -delete"), mode="yolo") == "allow"


def test_choice_18_redirections_inside(says):
    policy = rule("shell", "allow", commandPrefix="echo")
    granted = rule("shell", "allow", commandPrefix="echo", allowRedirection=True)
    inside, beyond = shell("echo a > out.txt"), shell("echo a > ../out.txt")
    assert says(policy, *inside) == "ask"
    assert says(policy, *inside, mode="auto_edit") == "allow"
    assert says(granted, *inside) == "allow"
    for mode in ("default", "auto_edit"):
        assert says(granted, *beyond, mode=mode) == "ask"
    assert says(granted, *beyond, mode="yolo") == "allow"
    assert says(policy, *shell("echo a > /dev/null 2>&1")) == "allow"
    assert says(granted, *shell("echo a > .git/hooks/x"), mode="auto_edit") == "ask"


def test_choice_19_a_hundred_commands(says):
    policy = rule("shell", "allow", commandPrefix=["pwd"])
    assert says(policy, *shell(" && ".join(["pwd"] * 100))) == "allow"
    assert says(policy, *shell(" && ".join(["pwd"] * 100 + ["rm x"]))) == "ask"
    assert says(rule("shell", "allow"), *shell("pwd;" * 50_000)) == "ask"


def test_choice_20_relative_to_the_workspace(says, workspace, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (workspace / "in").mkdir()
    (workspace / "link").symlink_to(tmp_path / "out")
    (tmp_path / "out" / "back").symlink_to(workspace)
    monkeypatch.chdir("/")
    wanted = {
        "a": "allow",
        "in/../a": "allow",
        "link/a": "ask",
        "link/../a": "ask",
        "link/back/a": "allow",
        "../ws/a": "allow",
        str(workspace / "a"): "allow",
        "../a": "ask",
    }
    assert {path: says("", "read_file", {"file_path": path}) for path in wanted} == wanted


def test_choice_21_what_is_never_inside(says, workspace):
    (workspace / "loop").symlink_to("loop")
    (workspace / "file").write_text("x")
    for path in ("~", "~/a", "~root/a", "", "a\0b", "\ud800", "a" * 256, "a/" * 3000, "loop/../a",
                 "file/../a", "/proc/self/cwd/a"):  # fmt: skip
        assert says("", "read_file", {"file_path": path}) == "ask", path
    for path in ("%2e%2e/a", "\uff0e\uff0e/a", "..\u2215a", "A", "a~", "e\u0301"):
        assert says("", "read_file", {"file_path": path}) == "allow", path


def test_choice_21_outside_holds_everywhere(says):
    policy = rule("read_file", "allow", outside=True)
    assert says(policy, "read_file", {"file_path": "/etc/hosts"}) == "allow"


def test_choice_22_writes_into_git_ask(says, workspace):
    (workspace / ".git").mkdir()
    (workspace / "hooks").symlink_to(".git")
    for path in (".git/config", "a/.git/hooks/x", "hooks/x", ".git"):
        assert says("", "write_file", {"file_path": path}, mode="auto_edit") == "ask", path
    assert says("", "write_file", {"file_path": ".github/x"}, mode="auto_edit") == "allow"


def test_a_decision_says_which_rule_and_why():
    text = "\n\n" + rule("shell", "deny", commandPrefix="rm", denyMessage="no rm", name="rm")
    found = load_text(text).policy.decide(ToolCall(*shell("ls; rm x")), Context(Mode.YOLO))
    assert found.effect is Effect.DENY
    assert (found.rule.file, found.rule.line, found.rule.name) == ("<text>", 3, "rm")
    assert (found.rule.tier, found.rule.priority, found.message) == ("user", 100, "no rm")
    assert [part.command for part in found.parts] == ["ls", "rm x"]


HIDDEN = ["ls; " * 30_000 + "rm x", "a" * 70_000, "eval $x; " + "ls " * 600]


@pytest.mark.parametrize("line", HIDDEN, ids=["commands", "text", "words"])
@pytest.mark.parametrize("mode", ["default", "auto_edit", "yolo"])
def test_choice_19_what_a_limit_hides_is_what_a_deny_forbids(says, line, mode):
    deny = rule("shell", "deny", commandPrefix="rm")
    higher_ask = rule("shell", "ask", 200, commandPrefix="ls")
    assert says(deny + higher_ask, *shell(line), mode=mode) == "deny"


def test_choice_19_a_deny_for_another_subagent_is_not_taken_to_match(says):
    deny = rule("shell", "deny", commandPrefix="rm", subagent="other")
    assert says(deny, *shell(HIDDEN[0])) == "ask"
