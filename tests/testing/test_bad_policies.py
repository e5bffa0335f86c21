"""The search finds every hole that it was made for, and shows it in one short call."""

import pytest

from callgate.testing import PropertyFailed, check_policy, decided
from callgate.testing.results import keep
from tests.testing.bad_policies import BAD

CHARS_MAX = 60


def named(case):
    return f"{type(case[0]).__name__}-{case[1].name}"


@pytest.mark.parametrize("case", BAD, ids=named)
def test_the_hole_is_found_and_shown_small(case):
    policy, one = case
    with pytest.raises(PropertyFailed) as failed:
        check_policy(policy, one)
    found = failed.value.result.counterexample
    assert len(str(found.probe.call.args.get("command", ""))) <= CHARS_MAX
    assert len(found.probe.history) <= 1


@pytest.mark.parametrize("case", BAD, ids=named)
def test_the_line_to_keep_fails_until_the_hole_is_closed(case):
    policy, one = case
    with pytest.raises(PropertyFailed) as failed:
        check_policy(policy, one)
    found = failed.value.result.counterexample
    line = keep(found, "policy")
    if found.must:
        with pytest.raises(AssertionError):
            exec(line, {"policy": policy, "decided": decided})  # noqa: S102 - it is to be pasted
    else:
        assert line.startswith("assert decided(policy, ")


@pytest.mark.parametrize("case", BAD[::6], ids=named)
def test_the_same_seed_finds_the_same_call(case):
    calls = []
    for _ in range(2):
        with pytest.raises(PropertyFailed) as failed:
            check_policy(*case, seed=5)
        calls.append(failed.value.result)
    assert calls[0] == calls[1]


def test_the_holes_are_of_many_kinds():
    assert len({type(policy) for policy, _ in BAD}) >= 30
