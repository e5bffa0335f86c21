"""The table asks shared guards once; it must still take the first candidate that holds."""

from itertools import product

import pytest

from callgate.kernel import table
from callgate.kernel.values import Status


class Stub:
    def __init__(self, status):
        self.status = status


def fixed(name, holds):
    return lambda call, fact, situation: holds[name]


@pytest.mark.parametrize(("status", "event"), list(table.TABLE), ids=str)
def test_grouping_keeps_the_priority(status, event, monkeypatch):
    cell = [
        (edge.guards if edge else _fallback(status, event, place), edge, decision)
        for place, (_, edge, decision) in enumerate(table.TABLE[status, event])
    ]
    names = sorted({guard.lstrip("!") for guards, _, _ in cell for guard in guards})
    for values in product((False, True), repeat=len(names)):
        holds = dict(zip(names, values, strict=True))
        answers = {name: fixed(name, holds) for name in names}
        candidates = tuple(
            (tuple((answers[g.lstrip("!")], not g.startswith("!")) for g in guards), edge, decision)
            for guards, edge, decision in cell
        )
        monkeypatch.setitem(table._GROUPED, (status, event), table._grouped(candidates))
        expected = next(
            (edge, decision)
            for guards, edge, decision in cell
            if all(holds[g.lstrip("!")] is not g.startswith("!") for g in guards)
        )
        assert table.decide(Stub(status), event, None, None) == expected


def _fallback(status, event, place):
    edges = [e for e in table.EDGES if e.source is status and e.event == event]
    guard, _ = table.FALLBACKS[status, event][place - len(edges)]
    return (guard,) if guard else ()


def test_every_state_has_every_event():
    assert len(table.TABLE) == len(Status) * 12
