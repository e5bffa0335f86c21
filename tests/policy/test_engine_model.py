"""The engine beside a naive one: rules are added, people answer, calls are decided."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.engine import RulePolicy
from callgate.policy.rules import Rule, Tier
from tests.policy.naive_engine import TIERS, NaiveEngine

WORDS = ["ls", "pwd", "date", "whoami"]
NAMES = ["shell", "own", "other", "read_x"]
modes = st.sampled_from([mode.value for mode in Mode])
rules = st.fixed_dictionaries(
    {
        "tools": st.lists(st.sampled_from([*NAMES, "*", "o*", "read_?"]), min_size=1, max_size=2),
        "effect": st.sampled_from(["allow", "ask", "deny"]),
        "tier": st.sampled_from(TIERS),
        "priority": st.integers(0, 3),
        "modes": st.lists(modes, max_size=2, unique=True),
        "interactive": st.sampled_from([None, None, True, False]),
        "word": st.none(),
        "value": st.sampled_from([None, None, 1, 2]),
    }
)
shell_rules = rules.flatmap(
    lambda one: st.sampled_from(WORDS).map(
        lambda word: {**one, "tools": ["shell"], "word": word, "value": None}
    )
)
calls = st.one_of(
    st.builds(
        lambda name, value: {"name": name, "args": {"a": value}},
        st.sampled_from(NAMES[1:]),
        st.integers(0, 3),
    ),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(
        lambda words: {"name": "shell", "args": {"command": " && ".join(words)}}
    ),
)


def made(one):
    pattern = None if one["value"] is None else f'"a":{one["value"]}'
    return Rule(
        tools=one["tools"],
        effect=Effect(one["effect"]),
        tier=Tier(one["tier"]),
        priority=one["priority"],
        modes=[Mode(mode) for mode in one["modes"]],
        interactive=one["interactive"],
        args_pattern=pattern,
        prefixes=[one["word"]] if one["word"] else [],
    )


def called(call):
    return ToolCall(call["name"], call["args"])


class Engines(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.naive, self.policy = NaiveEngine(), RulePolicy()

    @rule(one=rules | shell_rules)
    def add(self, one):
        self.naive.add(one)
        self.policy = RulePolicy([made(each) for each in self.naive.rules], self.policy.answers)

    @rule(call=calls, whole_tool=st.booleans(), mode=modes)
    def answer(self, call, whole_tool, mode):
        outcome = Outcome.PROCEED_ALWAYS_TOOL if whole_tool else Outcome.PROCEED_ALWAYS
        self.naive.remember(call, whole_tool, mode)
        self.policy, after = self.policy.remember(called(call), outcome, Context(Mode(mode)))
        assert after.value == mode

    @rule(call=calls, mode=modes, interactive=st.booleans())
    def decide(self, call, mode, interactive):
        found = self.policy.decide(called(call), Context(Mode(mode), interactive))
        assert found.effect.value == self.naive.decide(call, mode, interactive)
        assert found.reason
        if found.effect is Effect.ALLOW:
            assert found.rule is not None, "nothing is allowed without a rule"


TestEngines = Engines.TestCase


@given(st.lists(rules | shell_rules, max_size=6), calls, modes)
def test_a_decision_is_a_function_of_its_arguments(some, call, mode):
    policy = RulePolicy(map(made, some))
    context = Context(Mode(mode))
    first = policy.decide(called(call), context)
    assert policy.decide(called(call), context) == first
    assert RulePolicy(map(made, some)).decide(called(call), context) == first
