"""The benchmark of policies: it measures real decisions, and holds the budget."""

import json

import pytest

from callgate.cli.bench import policy as bench
from callgate.cli.main import main
from callgate.policy.decisions import Context, Effect
from callgate.policy.errors import Kind
from callgate.policy.loading import load_text


def run(*arguments):
    return main(["bench", "policy", *arguments])


def test_json_has_the_promised_keys(capsys):
    assert run("--json", "--rules", "20", "10") == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["rules"] for row in report["policy"]] == [10, 20]
    for row in report["policy"]:
        assert set(row["calls"]) == set(bench.CALLS)
        assert row["us_per_call"] == max(row["calls"].values()) > 0
        assert row["load_ms"] > 0
    assert report["budget_us"] == 1_000
    assert report["within_budget"] is True


def test_ten_thousand_rules_decide_within_a_millisecond():
    row = bench.measure(10_000)
    assert row.worst_us <= bench.BUDGET_US, "the best of many repeats"


def test_its_rules_are_rules_and_its_calls_meet_them():
    loaded = load_text(bench.rules_text(100))
    assert {problem.kind for problem in loaded.problems} == {Kind.WARNING}
    assert len(loaded.policy.rules) > 100
    context = Context(workspace="/workspace")
    found = {kind: loaded.policy.decide(call, context) for kind, call in bench.CALLS.items()}
    assert found["a tool of its own"].effect is Effect.ALLOW
    assert found["a command"].effect is Effect.ALLOW
    assert found["a tool of a server"].rule.tier == "user"


def test_text_says_whether_the_budget_holds(capsys):
    assert run("--rules", "10") == 0
    text = capsys.readouterr().out
    for word in ("load ms", "growth", "within 1,000 us a call", "a command (us)"):
        assert word in text


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_what_is_no_number_of_rules_is_refused(count, capsys):
    with pytest.raises(SystemExit):
        run("--rules", count)
