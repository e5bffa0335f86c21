"""What is read off a class, and that it is what the specification says."""

import csv
from pathlib import Path

from callgate.diagrams.extract import call_graph
from callgate.diagrams.matrix import EFFECTS, HAPPY

SPEC = Path(__file__).parents[2] / "statemachine_spec" / "call_machine.csv"


def transitions():
    with SPEC.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["result"] not in ("absorb", "reject"):
                yield row


def test_effects_and_rules_are_those_of_the_matrix():
    written = {
        " ".join((f"{row['state']}.{row['event']}", *row["guards"].split())): (
            row["effects"],
            row["rule"],
        )
        for row in transitions()
    }
    assert written == EFFECTS
    assert list(written) == list(EFFECTS)


def test_the_graph_is_the_matrix():
    drawn = [
        (e.source, e.event, " ".join(e.guards), e.target, " ".join(e.effects), e.rule)
        for e in call_graph().edges
    ]
    rows = [
        (row["state"], row["event"], row["guards"], row["result"], row["effects"], row["rule"])
        for row in transitions()
    ]
    assert drawn == rows


def test_the_happy_path_leads_from_the_start_to_success():
    happy = [edge for edge in call_graph().edges if edge.happy]
    assert [edge.name for edge in happy] == [name for name in EFFECTS if name in HAPPY]
    reached = {"validating"}
    for edge in happy:
        assert edge.source in reached
        reached.add(edge.target)
    assert "success" in reached
