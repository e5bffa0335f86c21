"""Random scenarios come to what the naive model says: two readings of the same rules."""

import json

from hypothesis import given
from hypothesis import strategies as st

from callgate.cli.scenario.checking import check
from callgate.cli.scenario.player import play
from tests.cli.trace_digest import digest
from tests.scenarios.generator import Generator

SEEDS = st.integers(0, 2**32)


def plain(data):
    return json.loads(json.dumps(data))


def assert_agrees(seed):
    scenario, expected = Generator(seed).scenario()
    check(scenario)
    assert digest(scenario, plain(play(scenario))) == digest(scenario, plain(expected)), scenario


@given(SEEDS)
def test_any_scenario(seed):
    assert_agrees(seed)


def test_always_the_same_scenarios():
    for seed in range(500):
        assert_agrees(seed)


def test_the_generator_reaches_all_there_is():
    kinds, ops, statuses, failures = set(), set(), set(), set()
    for seed in range(500):
        scenario, expected = Generator(seed).scenario()
        ops |= {step["op"] for step in scenario["steps"]}
        for event in expected["events"]:
            kinds.add(event["ev"])
            if event["ev"] == "complete":
                statuses |= {(call["status"], call["outcome"]) for call in event["calls"]}
                failures |= {call["response"]["error_type"] for call in event["calls"]}
    assert len(kinds) == 8
    assert len(ops) == 12
    assert failures >= {"tool_not_registered", "invalid_tool_params", "unhandled_exception"}
    assert {outcome for status, outcome in statuses if status == "success"} >= {
        "proceed_once",
        "proceed_always",
        "proceed_always_tool",
        "proceed_always_server",
    }
    assert {outcome for status, outcome in statuses if status == "cancelled"} >= {None, "cancel"}
