"""The drawn phases of a batch, brought about by `step`, line by line."""

import re
from pathlib import Path

import pytest

from callgate import (
    Allow,
    BatchSubmitted,
    CallValidated,
    CancelRequested,
    Config,
    DeliveryAcknowledged,
    ExecutionFinished,
    Request,
    initial,
    step,
)
from callgate.diagrams.batch import ROWS, batch_graph
from callgate.kernel.events import Batches, OneCall
from callgate.kernel.values import Ok

RULES = Path(__file__).parents[2] / "statemachine_spec" / "rules.md"


def phase(state, batch_id):
    """Where a batch is, read off the state of the kernel."""
    if batch_id in state.queued:
        return "queued"
    if state.batch is not None and state.batch.outline.batch_id == batch_id:
        return "delivering" if state.batch.is_delivering else "at_work"
    return "gone"


def submitted(batch_id, *call_ids):
    return BatchSubmitted(
        batch_id=batch_id, requests=[Request(name, "ls") for name in call_ids], at_ms=0
    )


def validated(serial):
    return CallValidated(call=serial, revision=1, epoch=0, verdict=Allow(), at_ms=0)


def finished(serial):
    return ExecutionFinished(call=serial, attempt=1, result=Ok({"output": "x"}), at_ms=0)


def cancelled(scope):
    return CancelRequested(scope=scope, reason="no", at_ms=0)


ACKNOWLEDGED = DeliveryAcknowledged(batch_id="a", ok=True, at_ms=0)
ONE, TWO = submitted("a", "x"), submitted("b", "y")
# The line by its guards and source: what happened before, and the event that takes it.
STORIES = {
    ("submitted", "repeats_an_id"): ([], submitted("b", "y", "y")),
    ("submitted", "exceeds_a_limit"): ([], submitted("b", "y", "z", "w")),
    ("submitted", "is_empty"): ([ONE], submitted("b")),
    ("submitted", "nothing_at_work"): ([], TWO),
    ("submitted", ""): ([ONE], TWO),
    ("queued", "of_the_batch"): ([ONE, TWO], cancelled(Batches(["b"]))),
    ("queued", "of_one_call"): ([ONE, TWO], cancelled(OneCall(2))),
    ("queued", "is_its_turn"): ([ONE, TWO, validated(1), finished(1)], ACKNOWLEDGED),
    ("at_work", "a_call_left_validating"): ([submitted("b", "x", "y")], validated(1)),
    ("at_work", "whole_wave_is_decided"): ([TWO], validated(1)),
    ("at_work", "all_calls_are_final"): ([TWO, validated(1)], finished(1)),
    ("at_work", "of_the_batch"): ([TWO, validated(1)], cancelled(Batches(["b"]))),
    ("delivering", ""): (
        [TWO, validated(1), finished(1)],
        DeliveryAcknowledged(batch_id="b", ok=True, at_ms=0),
    ),
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[2]}")
def test_the_line_is_what_step_does(row):
    source, event, guards, target, effects, _ = row
    before, fact = STORIES[source, guards]
    state = initial(Config(calls_per_batch_max=2))
    for earlier in before:
        state, _ = step(state, earlier)
    assert source == "submitted" or phase(state, "b") == source
    assert event in ("(any)", type(fact).__name__)
    state, said = step(state, fact)
    names = [type(effect).__name__ for effect in said]
    assert phase(state, "b") == ("gone" if target == "rejected" else target)
    assert ("RejectBatch" in names) == (target == "rejected")
    for effect in effects.split():
        assert effect.rstrip("?") in names


def test_every_line_has_a_story_and_a_rule():
    assert {(row[0], row[2]) for row in ROWS} == set(STORIES)
    assert len(STORIES) == len(ROWS) == len(batch_graph().edges)
    rules = set(re.findall(r"\*\*(BATCH-\d+)\*\*", RULES.read_text("utf-8")))
    assert {row[5] for row in ROWS} <= rules
