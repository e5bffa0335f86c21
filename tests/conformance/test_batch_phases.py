"""Double entry: what the spec says of a batch's phases is what the kernel does, row by row.

The batch that the rows speak of has two calls. Where it is queued, the one before it is being
delivered, so that every effect of the step is of the batch itself.
"""

import csv
from pathlib import Path

import pytest

from callgate import (
    ApprovalAnswered,
    Ask,
    BatchSubmitted,
    CallValidated,
    CancelRequested,
    Confirmation,
    DeliveryAcknowledged,
    IllegalEvent,
    PolicyChanged,
    Request,
    TimePassed,
    initial,
    step,
    step_many,
)
from callgate.kernel.events import Batches, Everything, OneCall

SPEC = Path(__file__).parents[2] / "statemachine_spec"
with (SPEC / "batch_phases.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
PHASES = ["queued", "at_work", "delivering", "gone"]


def submitted(batch_id, names):
    return BatchSubmitted(batch_id=batch_id, requests=[Request(n, "tool") for n in names], at_ms=1)


BEFORE = [submitted("a", ["x"]), CancelRequested(scope=OneCall(1), at_ms=1)]
AT_WORK = [*BEFORE, DeliveryAcknowledged(batch_id="a", at_ms=1), submitted("b", ["x", "y"])]
DELIVERING = [*AT_WORK, CancelRequested(scope=Batches(("b",)), at_ms=1)]
WAYS = {
    "queued": [*BEFORE, submitted("b", ["x", "y"])],
    "at_work": AT_WORK,
    "delivering": DELIVERING,
    "gone": [*DELIVERING, DeliveryAcknowledged(batch_id="b", at_ms=1)],
}
VERDICT = Ask(Confirmation("plain"))
EVENTS = {
    "submitted again": submitted("b", ["x", "y"]),
    "news of a call": CallValidated(call=2, revision=1, epoch=0, verdict=VERDICT, at_ms=1),
    "answer to a call": ApprovalAnswered(call=2, approval_id=1, outcome="cancel", at_ms=1),
    "cancel of a call": CancelRequested(scope=OneCall(2), at_ms=1),
    "cancel of the batch": CancelRequested(scope=Batches(("b",)), at_ms=1),
    "cancel of everything": CancelRequested(scope=Everything(), at_ms=1),
    "acknowledged": DeliveryAcknowledged(batch_id="b", at_ms=1),
    "policy changed": PolicyChanged(at_ms=1),
    "time passed": TimePassed(at_ms=2),
}


def phase_of(state):
    if "b" in state.queued:
        return "queued"
    batch = state.batch
    if batch is None or batch.outline.batch_id != "b":
        return "gone"
    return "delivering" if batch.is_delivering else "at_work"


def test_every_phase_meets_every_event():
    written = [(row["phase"], row["event"]) for row in ROWS]
    assert written == [(phase, event) for phase in PHASES for event in EVENTS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['phase']}: {row['event']}")
def test_the_kernel_does_what_is_written(row):
    before = step_many(initial(), WAYS[row["phase"]]).state
    assert phase_of(before) == row["phase"]
    event = EVENTS[row["event"]]
    if row["result"] == "reject":
        with pytest.raises(IllegalEvent):
            step(before, event)
        return
    after, effects = step(before, event)
    assert " ".join(type(effect).__name__ for effect in effects) == row["effects"]
    assert phase_of(after) == (row["phase"] if row["result"] == "absorb" else row["result"])
    if row["result"] == "absorb":
        assert after == before
