"""What a file may hold: every error has its line, none raises, and none widens."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.errors import Kind
from callgate.policy.loading import PolicyError, load_policy, load_text
from callgate.policy.rules import Rule, Tier
from callgate.policy.toml.files import read_text
from callgate.policy.toml.positions import Positions
from callgate.policy.toml.writing import as_table, as_toml

GOOD = """\
[[rule]]
toolName = "shell"
commandPrefix = ["git log", "ls"]
decision = "allow"
priority = 100
"""

ERRORS = {
    'commandPrefx = "rm"': "unknown key 'commandPrefx'; did you mean 'commandPrefix'?",
    "priority = 1000": "'priority' is 1000; write a whole number from 0 to 999",
    "priority = -1": "'priority' is -1; write a whole number from 0 to 999",
    "priority = 1.5": "'priority' is 1.5; write a whole number from 0 to 999",
    "priority = true": "'priority' is True; write a whole number from 0 to 999",
    'modes = ["yollo"]': "'modes' is 'yollo'; did you mean 'yolo'? write one of",
    'interactive = "yes"': "'interactive' is 'yes'; write true or false",
    'argsPattern = "(a"': "'argsPattern' is no pattern of re2 (missing ): (a)",
    'argsPattern = "(?=a)"': "'argsPattern' is no pattern of re2",
    "argsPattern = '(a)\\1'": "'argsPattern' is no pattern of re2",
    'commandPrefix = "echo \'a"': "'commandPrefix' the prefix",
    'commandRegex = "["': "'commandRegex' is no pattern of re2",
    'paths = ["~/x"]': "'paths' is '~/x'; write the folder itself: '~' is never expanded",
    "toolAnnotations = 3": "'toolAnnotations' is 3; write a table such as",
    "toolName = []": "'toolName' is an empty list; list at least one text",
    'decision = "permit"': "'decision' is 'permit'",
}


@pytest.mark.parametrize("line", ERRORS)
def test_each_error_has_its_line_and_what_would_be_right(line):
    rest = {"toolName": '"shell"', "decision": '"deny"', "priority": "1"}
    rest.pop(line.split()[0], None)
    lines = ["# a comment", GOOD, "[[rule]]", *(f"{key} = {value}" for key, value in rest.items())]
    text = "\n".join([*lines, line, ""])
    number = text.splitlines().index(line) + 1
    loaded = load_text(text)
    assert str(loaded.errors[0]).startswith(f"<text>:{number}: {ERRORS[line]}")
    kept = [rule for rule in loaded.policy.rules if rule.prefixes == ("git log", "ls")]
    assert len(kept) == 1, "one bad rule disables no other"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ('commandPrefix = "a"\ncommandRegex = "b"', "stand in one rule"),
        ('commandPrefix = "a"\nargsPattern = "b"', "stand in one rule"),
        ('commandPrefix = "a"\ncommand_prefix = "b"', "is given twice"),
    ],
)
def test_keys_that_exclude_each_other(body, what):
    loaded = load_text(f'[[rule]]\ntoolName = "shell"\ndecision = "deny"\npriority = 1\n{body}\n')
    assert what in str(loaded.errors[0])


def test_a_command_condition_needs_the_shell():
    text = (
        '[[rule]]\ntoolName = ["shell", "x"]\ndecision = "deny"\npriority = 1\ncommandPrefix = "a"'
    )
    assert "it needs toolName = 'shell'" in str(load_text(text).errors[0])


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ('[[rules]]\ntoolName = "read_file"\ndecision = "deny"', "read_file"),
        ('[rule]\ntoolName = "read_file"\ndecision = "deny"', "read_file"),
        ('toolName = "read_file"\ndecision = "deny"\n', "read_file"),
        ("rule = 3", "anything"),
        ('rule = [{ toolName = "x", decision = "allow", priority = 1 }, 3]', "anything"),
        ('[[rule.rule]]\ntoolName = "x"', "anything"),
        ('[[safety_checker]]\ntoolName = "read_file"\n', "read_file"),
        ('[[r.ule]]\ntoolName = "x"\ndecision = "allow"', "anything"),
        ("\ufeff", "anything"),
        ("[" * 5_000, "anything"),
        ("x = " + "[" * 2_000 + "]" * 2_000, "anything"),
        ("x = " + "9" * 5_000, "anything"),
    ],
)
def test_what_might_hold_a_deny_denies(says, text, denied):
    loaded = load_text(text)
    assert loaded.errors
    assert says(loaded.policy, denied) == "deny"


def test_a_stray_value_is_said_and_denies_nothing(says):
    loaded = load_text('title = "mine"\n' + GOOD)
    assert "unknown key 'title'" in str(loaded.errors[0])
    assert says(loaded.policy, "read_file") == "allow"


def test_files_that_cannot_be_read(tmp_path, says):
    (tmp_path / "binary.toml").write_bytes(b"a = 1\n\xff")
    for file, what in (
        ("nowhere.toml", "cannot be read"),
        ("binary.toml", "is no UTF-8"),
        ("", ""),
    ):
        loaded = load_policy(tmp_path / file)
        assert loaded.problems[0].kind is Kind.FILE
        assert what in loaded.problems[0].what
        assert loaded.parsed == ()
        assert says(loaded.policy, "read_file") == "deny"
    assert load_policy(tmp_path / "binary.toml").problems[0].line == 2
    with pytest.raises(PolicyError, match=r"the tier 'usr' is unknown \(allowed: default, "):
        load_policy(("usr", "x.toml"))


def test_examples_in_a_rule(says):
    good = GOOD + 'match = ["git log", "ls && ls"]\nnot_match = ["rm x", "git logout"]\n'
    assert load_text(good).problems == ()
    bad = load_text(GOOD + 'match = ["ls",\n  "rm x"]\n')
    assert [(problem.kind, problem.line) for problem in bad.errors] == [(Kind.EXAMPLE, 7)]
    assert "the rule does not match 'rm x'" in str(bad.errors[0])
    assert says(bad.policy, "shell", {"command": "ls"}) == "ask", (
        "a rule with a wrong example is wrong"
    )
    wide = load_text(GOOD.replace("allow", "deny") + 'not_match = "ls"\n')
    assert "the rule matches 'ls'" in str(wide.errors[0])
    assert says(wide.policy, "shell", {"command": "pwd"}) == "deny"


def test_examples_of_paths_and_arguments():
    text = """\
[[rule]]
toolName = "write_file"
paths = ["src/**", "docs/*.md"]
decision = "allow"
priority = 1
match = ["src/a/b.py", "docs/a.md", { file_path = "src/x", content = "y" }]
not_match = ["a.py", "docs/b/a.md", "../src/a", "src/../../src/a"]
"""
    assert load_text(text).problems == ()


def test_tests_in_a_file():
    text = (
        GOOD
        + """
[[test]]
name = "logs"
command = "git log"
expect = "allow"
[[test]]
tool = "write_file"
args = { file_path = "a" }
mode = "autoEdit"
expect = "allow"
[[test]]
command = "rm x"
interactive = false
expect = "ask"
[[test]]
comand = "x"
"""
    )
    loaded = load_text(text)
    assert len(loaded.tests) == 3
    assert {problem.kind for problem in loaded.problems} == {Kind.TEST}
    lines = [str(problem) for problem in loaded.problems]
    assert any("expects ask, the policy says deny" in line for line in lines)
    assert any("did you mean 'command'" in line for line in lines)


def test_deny_globs_cover_what_is_below_and_every_way_there(says, workspace):
    (workspace / "secrets").mkdir()
    (workspace / "door").symlink_to("secrets")
    (workspace / ".env").symlink_to("plain")
    text = """\
[[rule]]
toolName = "*"
paths = ["secrets", ".env", "**/*.pem"]
decision = "deny"
priority = 1
"""
    for path in (
        "secrets",
        "secrets/a/b",
        "door/a",
        ".env",
        "x/y.pem",
        str(workspace / "secrets/a"),
    ):
        assert says(text, "read_file", {"file_path": path}) == "deny", path
    assert says(text, "read_file", {"file_path": "secretsx"}) == "allow"


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_no_text_raises(text):
    load_text(text)
    Positions(text)


scalars = st.text(max_size=6) | st.integers(-5, 2000) | st.booleans() | st.floats(allow_nan=False)
odd = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", min_size=1), inner, max_size=2)
    ),
    max_leaves=4,
)
TOOLS = ("shell", "read_file", "own", "wr*", "*")
plain = st.fixed_dictionaries(
    {
        "toolName": st.sampled_from(TOOLS),
        "decision": st.sampled_from(["allow", "deny", "ask_user"]),
        "priority": st.integers(0, 5),
    },
    optional={
        "modes": st.sampled_from([["yolo"], ["default", "plan"]]),
        "interactive": st.booleans(),
        "argsPattern": st.sampled_from(["a", '"file_path":"a']),
        "paths": st.sampled_from([["a"], ["b*"]]),
        "mcpName": st.just("srv"),
        "denyMessage": st.just("no"),
    },
)
CALLS = [
    ToolCall(name, {key: value}, server)
    for name in ("shell", "read_file", "own", "write_file")
    for key, value in (("command", "ls a"), ("file_path", "a"), ("file_path", "../b"))
    for server in (None, "srv")
]
CONTEXTS = [Context(mode, ask, "/nowhere") for mode in Mode for ask in (True, False)]
ORDER = [Effect.ALLOW, Effect.ASK, Effect.DENY]


def toml(rules):
    return as_toml(rules, "rule")


def assert_no_wider(before, after):
    for call in CALLS:
        for context in CONTEXTS:
            old, new = before.decide(call, context), after.decide(call, context)
            assert ORDER.index(new.effect) >= ORDER.index(old.effect), (call, context, old, new)


@given(st.data(), st.lists(plain, min_size=1, max_size=5))
def test_a_rule_that_is_wrong_never_widens(data, rules):
    before = load_text(toml(rules))
    victim = data.draw(st.sampled_from(rules))
    key = data.draw(st.sampled_from(sorted(victim)))
    how = data.draw(st.sampled_from(["rename", "value", "remove", "extra"]))
    broken = dict(victim)
    if how == "rename":
        broken[f"{key}x"] = broken.pop(key)
    elif how == "value":
        broken[key] = data.draw(odd)
    elif how == "remove":
        del broken[key]
    else:
        broken["unheardOf"] = 1
    after = load_text(toml([broken if rule is victim else rule for rule in rules]))
    assume(after.errors and not before.errors)
    assert_no_wider(before.policy, after.policy)


@given(st.data(), st.lists(plain, min_size=1, max_size=4))
def test_a_byte_that_is_wrong_never_widens(data, rules):
    text = toml(rules)
    before = load_text(text)
    at = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from(list("\"'[]{}=#.\n,x0 ")) | st.characters(codec="utf-8"))
    after = load_text(text[:at] + sign + text[at + 1 :])
    assume(after.errors and not before.errors)
    assert_no_wider(before.policy, after.policy)


@given(plain)
def test_what_is_written_is_read_again(table):
    rules = [rule for rule in load_text(toml([table])).policy.rules if rule.tier is Tier.USER]
    again = read_text("<text>", toml(map(as_table, rules)).encode(), Tier.USER)
    assert list(again.rules) == rules
    assert again.problems == () or {each.kind for each in again.problems} == {Kind.WARNING}


def test_every_field_survives_the_way_to_a_file_and_back():
    rule = Rule(
        tools=["shell", "own_*"], effect=Effect.ASK, priority=7, name="n", server="s", agent="a",
        annotations={"k": True}, modes=[Mode.PLAN, Mode.YOLO], interactive=False,
        args_exact='{"a":1}', paths=["a/**"], contained=True, outside=True, workspace="/w",
        allow_redirection=True, message='say "no"\n', file="<text>", line=1,
    )  # fmt: skip
    again = read_text("<text>", as_toml([as_table(rule)], "rule").encode(), Tier.USER)
    assert again.rules == (rule,)
    assert json.dumps(as_table(rule))


def test_a_targets_folder_is_the_one_that_the_command_runs_in(says, workspace):
    (workspace / "sub").mkdir()
    text = GOOD + "allowRedirection = true\n"
    wanted = {"../x": "allow", "../../x": "ask", "x": "allow", "/etc/x": "ask", "~/x": "ask"}
    for target, word in wanted.items():
        args = {"command": f"ls > {target}", "dir_path": "sub"}
        assert says(text, "shell", args) == word, target
    assert says(text, "shell", {"command": "ls > x", "dir_path": ".."}) == "ask"
    assert says(text, "shell", {"command": "ls > $X"}) == "ask"
