"""The real python-statemachine engine and the compiled table fire the same transition.

Guards are replaced by fixed answers, so that every valuation of every cell is tried, not only those
that some record and fact happen to give.
"""

from itertools import product

import pytest
from statemachine.exceptions import TransitionNotAllowed

from callgate.kernel import table
from callgate.kernel.lifecycle import FALLBACKS, Holder, ToolCallMachine
from callgate.kernel.table import EDGES, EVENTS, edge_of
from callgate.kernel.values import Status

CELLS = [(status, event) for status in Status for event in EVENTS]


class Stub:
    def __init__(self, status):
        self.status = status


class Watched(ToolCallMachine):
    """The declared machine, with its guards answered from outside and no record to carry."""

    def after_transition(self, fact=None, transition=None):
        self.model.fired = transition


def guards_of(status, event):
    edges = [edge for edge in EDGES if edge.source is status and edge.event == event]
    return sorted({name.lstrip("!") for edge in edges for name in edge.guards})


def by_table(status, event, holds):
    for edge in EDGES:
        if edge.source is status and edge.event == event:
            wanted = {name.lstrip("!"): not name.startswith("!") for name in edge.guards}
            if all(holds[name] is value for name, value in wanted.items()):
                return edge.name
    return None


def answering(value):
    def guard(self, fact=None):
        return value

    return guard


def by_engine(status, event, holds):
    methods = {name: answering(value) for name, value in holds.items()}
    holder = Holder(Stub(status), None)
    holder.fired = None
    machine = type("Answered", (Watched,), methods)(holder)
    try:
        machine.send(event, None)
    except TransitionNotAllowed:
        return None
    fired = holder.fired
    guards = tuple(s.attr_name if s.expected_value else f"!{s.attr_name}" for s in fired.cond)
    return " ".join((f"{fired.source.id}.{event}", *guards))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("status", "event"), CELLS, ids=str)
def test_same_transition_for_every_valuation(status, event):
    names = guards_of(status, event)
    for values in product((False, True), repeat=len(names)):
        holds = dict(zip(names, values, strict=True))
        assert by_engine(status, event, holds) == by_table(status, event, holds)


def test_every_cell_is_decided():
    assert set(table.TABLE) == set(CELLS) == set(FALLBACKS)
    for candidates in table.TABLE.values():
        checks, edge, decision = candidates[-1]
        assert (checks, edge) == ((), None)
        assert decision in ("absorb", "reject")


def test_final_states_have_no_way_out():
    assert not [edge.name for edge in EDGES if edge.source.is_final]


def test_each_transition_is_compiled_once():
    declared = [t for state in ToolCallMachine.states for t in state.transitions]
    assert [edge_of(t).name for t in declared] == [edge.name for edge in EDGES]
    assert len({edge.name for edge in EDGES}) == len(EDGES)
