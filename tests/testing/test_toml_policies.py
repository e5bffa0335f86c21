"""Rules with one hole each, as people write them in TOML: the hole and its rule are found."""

import pytest

from callgate.policy.errors import PolicyError
from callgate.testing import (
    PropertyFailed,
    always_asks,
    always_is_narrow,
    check_policy,
    decided,
    deny_is_final,
    modes_are_monotone,
    never_asks,
    never_runs,
    no_wider_than,
)
from callgate.testing.loading import from_files
from callgate.testing.results import Verdict, keep

NO_RM = never_runs("shell:rm *")


def rule(tool, decision, priority=100, **keys):
    lines = [f'toolName = "{tool}"', f'decision = "{decision}"', f"priority = {priority}"]
    lines += [f"{key} = {value!r}".replace("False", "false") for key, value in keys.items()]
    return "[[rule]]\n" + "\n".join(lines) + "\n\n"


DENY_RM = rule("shell", "deny", 100, commandPrefix="rm")
HOLES = {
    "a wide allow": (rule("shell", "allow"), NO_RM, 1),
    "a wide allow above the deny": (rule("shell", "allow", 200) + DENY_RM, NO_RM, 1),
    "every tool": (rule("*", "allow"), NO_RM, 1),
    "a glob of tools": (rule("*_file", "allow"), never_runs("write_file"), 1),
    "the mode that is about files": (
        rule("shell", "allow", modes=["auto_edit"]),
        NO_RM,
        1,
    ),
    "where nobody is asked": (rule("shell", "allow", interactive=False), NO_RM, 1),
    "the program as a whole": (rule("shell", "allow", commandPrefix="rm"), NO_RM, 1),
    "a narrower prefix is allowed": (rule("shell", "allow", commandPrefix="rm -i"), NO_RM, 1),
    "an expression that says too little": (
        rule("shell", "allow", commandRegex="(git|rm|ls)"),
        NO_RM,
        1,
    ),
    "an expression of any letters": (rule("shell", "allow", commandRegex="[a-z]+"), NO_RM, 1),
    "an alias is the same tool": (rule("ShellTool", "allow") + "", NO_RM, 1),
    "a deny of a longer command": (
        rule("shell", "allow", 10) + rule("shell", "deny", commandPrefix="rm -rf"),
        NO_RM,
        1,
    ),
    "a deny that holds in one mode": (
        rule("shell", "allow", 10) + rule("shell", "deny", commandPrefix="rm", modes=["plan"]),
        NO_RM,
        1,
    ),
    "an exact command": (
        rule("shell", "allow", commandExact="git push"),
        never_runs("shell:git push"),
        1,
    ),
    "a pattern of arguments": (
        rule("delete_all", "allow", argsPattern="a.txt"),
        never_runs("delete_all"),
        1,
    ),
    "a server's word": (
        rule("delete_all", "allow", mcpName="internal"),
        never_runs("delete_all"),
        1,
    ),
    "a path that is too wide": (
        rule("save_page", "allow", paths="src/**"),
        never_runs("save_page"),
        1,
    ),
    "asked and not": (
        rule("shell", "ask", 10) + rule("shell", "allow", 20, commandPrefix="git push"),
        always_asks("shell:git push"),
        6,
    ),
    "denied instead of asked": (DENY_RM, always_asks("shell:rm *"), 1),
    "asks after all": (rule("shell", "allow", commandExact="ls"), never_asks("shell:ls"), None),
    "plan allows what default asks": (
        rule("shell", "allow", modes=["plan"]),
        modes_are_monotone,
        1,
    ),
}


@pytest.fixture
def written(tmp_path):
    def write(text, name="policy.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("name", HOLES)
def test_the_hole_and_its_rule_are_found(name, written):
    text, one, line = HOLES[name]
    path = written(text)
    with pytest.raises(PropertyFailed) as failed:
        check_policy(path, one)
    found = failed.value.result.counterexample
    if line is not None:
        assert (found.rule.file, found.rule.line) == (str(path), line)
        assert f"{path}:{line}" in str(failed.value)
    assert len(str(found.probe.call.args.get("command", ""))) <= 40
    with pytest.raises(AssertionError):
        exec(keep(found, "policy"), {"policy": path, "decided": decided})  # noqa: S102 - pasted


SOUND = rule("shell", "allow", 50, commandPrefix=["git status", "git log", "ls"]) + DENY_RM


@pytest.mark.parametrize(
    "one",
    [NO_RM, never_runs("shell:git push"), always_asks("shell:git push"), deny_is_final],
    ids=lambda one: one.name,
)
def test_a_sound_policy_passes(one, written):
    check_policy(written(SOUND), one)


def test_an_always_names_only_what_was_shown(written):
    check_policy(written(SOUND), always_is_narrow, examples=200)


def test_nothing_is_wider_and_one_rule_more_is(written):
    old = from_files(written(SOUND, "old.toml")).policy
    (same,) = check_policy(written(SOUND), no_wider_than(old))
    assert same.verdict is Verdict.PROVED
    (narrower,) = check_policy(written(DENY_RM), no_wider_than(old))
    assert narrower.verdict is Verdict.PROVED
    more = rule("shell", "allow", 60, commandPrefix="git fetch")
    with pytest.raises(PropertyFailed, match="git fetch"):
        check_policy(written(SOUND + more), no_wider_than(old))


def test_a_policy_with_errors_is_not_checked(written):
    path = written('[[rule]]\ntoolName = "shell"\ncommandPrefx = "rm"\ndecision = "deny"\n')
    with pytest.raises(PolicyError, match="commandPrefx"):
        check_policy(path, NO_RM)
