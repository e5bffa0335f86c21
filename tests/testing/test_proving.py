"""A proof is never wrong: what it says of every call, no call of a search refutes."""

from itertools import islice

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from callgate.policy.decisions import Decision, Effect, Mode
from callgate.policy.defaults import DEFAULTS
from callgate.policy.engine import RulePolicy
from callgate.policy.rules import Rule
from callgate.testing import always_asks, never_asks, never_runs, no_wider_than
from callgate.testing.properties import Scene
from callgate.testing.proving import prove_property
from callgate.testing.vocabulary import vocabulary

ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY
MODES = (Mode.DEFAULT, Mode.AUTO_EDIT)


def policy(*rules, defaults=True, answers=()):
    return RulePolicy([*rules, *(DEFAULTS if defaults else ())], answers)


def rule(tool, effect, priority=100, **conditions):
    return Rule(tools=[tool], effect=effect, priority=priority, **conditions)


def proof(given, aim, modes=MODES):
    return prove_property(Scene(given, modes, vocabulary(given)), aim)


PREFIXES = ("rm", "rm -i", "git", "git status", "git push", "ls", "env", "/bin/rm", "git -C .")
RULES = st.builds(
    rule,
    st.sampled_from(("shell", "ShellTool", "write_file", "delete_all", "*", "*_file")),
    st.sampled_from((ALLOW, ASK, DENY)),
    st.sampled_from((1, 50, 100)),
    modes=st.sampled_from(((), (Mode.DEFAULT,), (Mode.PLAN,), (Mode.AUTO_EDIT,))),
    interactive=st.sampled_from((None, None, True, False)),
    server=st.sampled_from((None, None, None, "internal")),
    annotations=st.sampled_from(({}, {}, {"readOnlyHint": True})),
)
SHELL_RULES = st.builds(
    rule,
    st.just("shell"),
    st.sampled_from((ALLOW, ASK, DENY)),
    st.sampled_from((1, 50, 100)),
    prefixes=st.lists(st.sampled_from(PREFIXES), min_size=1, max_size=2),
    modes=st.sampled_from(((), (), (Mode.AUTO_EDIT,))),
)
AIMS = (
    never_runs("shell:rm *"),
    never_runs("shell:git push"),
    never_runs("shell"),
    never_runs("write_file"),
    never_runs("delete_all"),
    always_asks("shell:rm *"),
    always_asks("delete_all"),
    never_asks("delete_all"),
)


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(RULES, SHELL_RULES), max_size=4), st.sampled_from(AIMS))
@example([rule("shell", ALLOW, prefixes=["git"])], never_runs("shell:git push"))
@example([rule("shell", DENY, prefixes=["rm"]), rule("shell", ALLOW, 1)], never_runs("shell:rm *"))
def test_no_call_refutes_a_proof(rules, aim):
    given_policy = policy(*rules)
    if not proof(given_policy, aim):
        return
    scene = Scene(given_policy, MODES, vocabulary(given_policy))
    for probe in islice(aim.deliberate(scene), 400):
        assert aim.broken(given_policy, probe) is None, probe


PROVED = [
    ([], never_runs("shell:rm *")),
    ([], always_asks("delete_all")),
    ([rule("shell", ALLOW, prefixes=["ls", "git status"])], never_runs("shell:rm *")),
    ([rule("shell", ALLOW, prefixes=["ls", "git status"])], never_runs("shell:git push")),
    ([rule("shell", ALLOW, 1), rule("shell", DENY, prefixes=["rm"])], never_runs("shell:rm *")),
    ([rule("*", DENY)], never_runs("shell")),
    ([rule("*", DENY)], never_asks("shell")),
    ([rule("delete_all", ASK), rule("*", ALLOW, 1)], always_asks("delete_all")),
]
NOT_PROVED = [
    ([rule("shell", ALLOW, prefixes=["xargs"])], never_runs("shell:rm *")),
    ([rule("shell", ALLOW, prefixes=["bash -c"])], never_runs("shell:rm *")),
    ([rule("shell", ALLOW, prefixes=["rm -i"])], never_runs("shell:rm")),
    ([rule("shell", ALLOW, regexes=["l.*"])], never_runs("shell:rm *")),
    ([rule("shell", ALLOW, exacts=["ls; rm x"])], never_runs("shell:rm *")),
    ([rule("shell", ALLOW, exacts=["ls $'\\x72m'"])], never_runs("shell:rm *")),
    ([rule("shell", ALLOW, prefixes=["git -C ."])], never_runs("shell:git push")),
    (
        [rule("shell", ALLOW, 1), rule("shell", DENY, prefixes=["rm"], modes=[Mode.PLAN])],
        never_runs("shell:rm *"),
    ),
    ([rule("shell", ALLOW, 1), rule("shell", DENY, prefixes=["rm -rf"])], never_runs("shell:rm")),
    ([rule("delete_all", ALLOW, annotations={"a": 1})], never_runs("delete_all")),
    ([rule("delete_all", ALLOW, server="internal")], never_runs("delete_all")),
    ([rule("delete_*", ALLOW)], never_runs("delete_all")),
    ([rule("delete_all", ALLOW)], never_asks("delete_all")),
]


@pytest.mark.parametrize("case", PROVED, ids=lambda case: f"{len(case[0])}-{case[1].name}")
def test_finite_classes_are_proved(case):
    assert "every class" in proof(policy(*case[0]), case[1])


@pytest.mark.parametrize("case", NOT_PROVED, ids=lambda case: f"{case[0][0].prefixes}")
def test_what_is_not_known_is_not_proved(case):
    assert proof(policy(*case[0]), case[1]) == ""


def test_a_saved_answer_is_no_proof():
    answer = rule("delete_all", ALLOW)
    assert proof(policy(answers=[answer]), never_runs("delete_all")) == ""


def test_yolo_proves_nothing_of_commands():
    aim = never_runs("shell:rm *")
    assert proof(policy(rule("shell", DENY, prefixes=["rm"])), aim, (Mode.YOLO,)) == ""


def test_a_policy_of_another_kind_is_never_proved():
    class DenyAll:
        def decide(self, call, context):
            raise AssertionError("a proof asks nothing of it")

    assert proof(DenyAll(), never_runs("shell")) == ""


@pytest.mark.parametrize(
    ("new", "is_proved"),
    [
        ([rule("shell", ALLOW, prefixes=["ls"])], True),
        ([], True),
        ([rule("shell", ALLOW, prefixes=["ls"]), rule("shell", DENY, 200, prefixes=["rm"])], True),
        ([rule("shell", ALLOW, prefixes=["ls", "rm"])], False),
        ([rule("shell", ALLOW, prefixes=["ls"], allow_redirection=True)], False),
        ([rule("web_fetch", ALLOW)], False),
    ],
)
def test_narrower_is_proved_and_wider_never(new, is_proved):
    old = policy(rule("shell", ALLOW, prefixes=["ls"]))
    assert bool(proof(policy(*new), no_wider_than(old), tuple(Mode))) is is_proved


def test_a_deny_taken_away_is_wider():
    deny, allow = rule("shell", DENY, 200, prefixes=["rm"]), rule("shell", ALLOW, 100)
    assert proof(policy(allow), no_wider_than(policy(deny, allow))) == ""


def test_rules_in_another_order_are_not_taken_for_the_same():
    deny, allow = rule("web", DENY, 200), rule("web", ALLOW, 100)
    swapped = policy(rule("web", DENY, 50), allow)
    assert proof(swapped, no_wider_than(policy(deny, allow))) == ""


@pytest.mark.parametrize("word", ["bash", "sh", "env", "timeout", "[[", "!", "{", "if", "for"])
def test_what_starts_others_is_not_proved_by_what_it_starts(word):
    """`bash -c ls` runs bash, and is allowed where `ls` is."""
    given_policy = policy(rule("shell", ALLOW, prefixes=["ls"]))
    assert not proof(given_policy, never_runs(f"shell:{word} *"))
    assert proof(given_policy, never_runs("shell:sudo *"))


@pytest.mark.parametrize("name", ["mcp_github_push", "mcp_github_*"])
def test_the_server_in_the_name_of_a_rule_is_a_class(name):
    given_policy = policy(rule(name, ALLOW))
    assert not proof(given_policy, never_runs("push"))
    assert bool(proof(given_policy, never_runs("pull_all"))) is ("*" not in name)


@pytest.mark.parametrize("prefix", ["hyperfine", "gosu me", "ip netns exec a", "toybox", "sg"])
def test_who_allows_a_program_that_runs_others_is_shown_no_proof(prefix):
    given_policy = policy(rule("shell", ALLOW, prefixes=[prefix]))
    assert not proof(given_policy, never_runs("shell:rm *"))


def test_a_class_made_of_the_engine_may_decide_otherwise():
    class AllowsAll(RulePolicy):
        def decide(self, call, context):
            return Decision(ALLOW)

    assert not proof(AllowsAll(DEFAULTS), never_runs("shell:rm *"))
    assert not proof(policy(), no_wider_than(AllowsAll(DEFAULTS)))
