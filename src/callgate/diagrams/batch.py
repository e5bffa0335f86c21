"""The phases of a batch as a machine: queued, at work, delivering, gone.

Rule 1: the coordinator is no declared machine, so its phases are entered here by hand; a test
brings about every line with `step`, and sees the phases and the effects that the line promises.
Rule 2: an effect with a `?` depends on the batch.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from callgate.diagrams.graph import Edge, Graph, Kind, Node, Tone

_Row: TypeAlias = tuple[str, str, str, str, str, str]

NODES: Final = (
    Node(name="submitted", label="Submitted", initial=True),
    Node(name="queued", label="Queued"),
    Node(name="at_work", label="At work"),
    Node(name="delivering", label="Delivering"),
    Node(name="gone", label="Gone", kind=Kind.FINAL, tone=Tone.GOOD),
    Node(name="rejected", label="Rejected", kind=Kind.FINAL, tone=Tone.BAD),
)

# From, event, guards, to, effects, rule: in the order in which they are tried.
ROWS: Final[tuple[_Row, ...]] = (
    ("submitted", "BatchSubmitted", "repeats_an_id", "rejected", "RejectBatch", "BATCH-1"),
    ("submitted", "BatchSubmitted", "exceeds_a_limit", "rejected", "RejectBatch", "BATCH-1"),
    ("submitted", "BatchSubmitted", "is_empty", "gone", "Deliver", "BATCH-1"),
    ("submitted", "BatchSubmitted", "nothing_at_work", "at_work", "BatchAdmitted", "BATCH-1"),
    ("submitted", "BatchSubmitted", "", "queued", "", "BATCH-1"),
    ("queued", "CancelRequested", "of_the_batch", "rejected", "RejectBatch", "BATCH-9"),
    ("queued", "CancelRequested", "of_one_call", "queued", "", "BATCH-10"),
    ("queued", "DeliveryAcknowledged", "is_its_turn", "at_work", "BatchAdmitted", "BATCH-2"),
    ("at_work", "(any)", "a_call_left_validating", "at_work", "Validate?", "BATCH-4"),
    ("at_work", "(any)", "whole_wave_is_decided", "at_work", "Execute?", "BATCH-5"),
    ("at_work", "(any)", "all_calls_are_final", "delivering", "Deliver", "BATCH-7"),
    ("at_work", "CancelRequested", "of_the_batch", "at_work", "StopExecution?", "BATCH-11"),
    ("delivering", "DeliveryAcknowledged", "", "gone", "", "BATCH-8"),
)

HAPPY: Final = ("nothing_at_work", "all_calls_are_final")


def batch_graph() -> Graph:
    """The life of a batch, with the effects and the rule of each transition."""
    return Graph(title="The life of a batch", nodes=NODES, edges=tuple(map(_edge, ROWS)))


def _edge(row: _Row) -> Edge:
    source, event, guards, target, effects, rule = row
    return Edge(
        source=source,
        target=target,
        event=event,
        guards=tuple(guards.split()),
        effects=tuple(effects.split()),
        rule=rule,
        happy=guards in HAPPY or (source, target) == ("delivering", "gone"),
    )
