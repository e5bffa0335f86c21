"""Double entry: the matrix of the spec and the class agree, cell by cell, in both directions."""

import csv
import re
from pathlib import Path

from callgate.kernel.invariants import INVARIANTS
from callgate.kernel.lifecycle import FALLBACKS
from callgate.kernel.table import EDGES, EVENTS
from callgate.kernel.values import Status

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "statemachine_spec"


def rows():
    with (SPEC / "call_machine.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def declared():
    """The same matrix, read off the class and what stands beside it."""
    for status in Status:
        for event in EVENTS:
            for edge in EDGES:
                if edge.source is status and edge.event == event:
                    yield status.value, event, " ".join(edge.guards), edge.target.value
            for guard, decision in FALLBACKS[status, event]:
                yield status.value, event, guard or "", decision


def test_the_matrix_is_the_class():
    written = [(r["state"], r["event"], r["guards"], r["result"]) for r in rows()]
    assert written == list(declared())


def test_every_rule_of_the_matrix_is_written():
    rules = set(re.findall(r"\*\*([A-Z]+-\d+)\*\*", (SPEC / "rules.md").read_text("utf-8")))
    assert {row["rule"] for row in rows()} <= rules


def test_every_invariant_has_a_predicate_or_a_walk():
    written = re.findall(r"\*\*(INV-\d+)\*\*", (SPEC / "invariants.md").read_text("utf-8"))
    walks = (ROOT / "tests/kernel/test_walks.py").read_text("utf-8")
    steps = "".join(
        p.read_text("utf-8") for p in sorted((ROOT / "src/callgate/proof").glob("*.py"))
    )
    assert len(written) == len(set(written))
    for name in written:
        assert name in INVARIANTS or f'"{name}"' in steps or f"({name})" in walks, (
            f"{name} is checked by nobody"
        )
    assert set(INVARIANTS) <= set(written)
