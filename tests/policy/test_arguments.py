"""No arguments, however odd, satisfy an allow that does not mean them."""

import json

from hypothesis import given
from hypothesis import strategies as st

from callgate.kernel.frozenjson import freeze_object
from callgate.kernel.values import Outcome
from callgate.policy.answers import answer_rule
from callgate.policy.arguments import ArgsPattern, compact
from callgate.policy.decisions import Context, Effect, ToolCall
from callgate.policy.engine import RulePolicy
from callgate.policy.rules import Rule

WANTED = '"path":"src/'
keys = st.sampled_from(["path", 'x"path', 'path"', '"path":"src/', "x", "\\", ""]) | st.text(
    max_size=5
)
texts = st.sampled_from(
    ['"path":"src/a', "src/a", '{"path":"src/a"}', "\\", '","path":"src/']
) | st.text(max_size=8)
values = st.recursive(
    texts | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
arguments = st.dictionaries(keys, values, max_size=4)


@given(arguments)
def test_an_allow_means_the_top_level_argument(args):
    meant = isinstance(args.get("path"), str) and args["path"].startswith("src/")
    assert ArgsPattern.of(WANTED).allows(freeze_object(args)) is meant


def named(value, key):
    """Every value that stands under this key, at any depth."""
    if isinstance(value, dict):
        own = [value[key]] if key in value else []
        return own + [found for each in value.values() for found in named(each, key)]
    if isinstance(value, list):
        return [found for item in value for found in named(item, key)]
    return []


@given(arguments)
def test_a_deny_finds_every_nested_one(args):
    if any(isinstance(each, str) and each.startswith("src/") for each in named(args, "path")):
        assert ArgsPattern.of(WANTED).touches(freeze_object(args))


@given(arguments)
def test_compact_is_json_of_sorted_keys(args):
    text = compact(freeze_object(args))
    assert json.loads(text) == args
    assert text == json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@given(arguments, arguments)
def test_an_always_for_arguments_means_exactly_these(args, others):
    call, other = ToolCall("own", args), ToolCall("own", others)
    policy, _ = RulePolicy().remember(call, Outcome.PROCEED_ALWAYS, Context())
    if answer_rule(call, Outcome.PROCEED_ALWAYS, Context()) is None:
        assert policy == RulePolicy()
        return
    if policy.decide(other, Context()).effect is Effect.ALLOW:
        assert freeze_object(others) == freeze_object(args)


@given(st.dictionaries(st.text("ab._-:", max_size=4), texts.filter(str.isprintable), max_size=4))
def test_an_always_for_plain_arguments_holds(args):
    call = ToolCall("own", args)
    policy, _ = RulePolicy().remember(call, Outcome.PROCEED_ALWAYS, Context())
    assert policy.decide(call, Context()).effect is Effect.ALLOW


def test_a_named_argument_is_not_satisfied_by_another():
    rule = Rule(tools=["own"], effect=Effect.ALLOW, args_pattern='"path":".*\\.md"')
    policy = RulePolicy([rule])
    assert policy.decide(ToolCall("own", {"path": "/etc/x", "z": "a.md"}), Context()).rule is None
    assert policy.decide(ToolCall("own", {"path": "a.md", "z": "b"}), Context()).rule is not None
    either = RulePolicy([Rule(tools=["own"], effect=Effect.ALLOW, args_pattern='"(path|dir)":"a"')])
    assert either.decide(ToolCall("own", {"dir": "a"}), Context()).rule is not None
    anchored = RulePolicy([Rule(tools=["own"], effect=Effect.ALLOW, args_pattern='^{"n":1}$')])
    assert anchored.decide(ToolCall("own", {"n": 1}), Context()).rule is not None
    assert anchored.decide(ToolCall("own", {"n": 1, "o": 2}), Context()).rule is None
