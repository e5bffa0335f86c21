"""The declared machine, compiled at import into the frozen table that `step` runs.

Rule 1: only public introspection of python-statemachine; a declaration with an action, an
eventless or an internal transition is refused here, at import.
Rule 2: the order of the candidates in a cell is the order of declaration: the engine's priority.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from attrs import frozen

from callgate.kernel import deciding, running
from callgate.kernel.guards import GUARDS, Guard
from callgate.kernel.lifecycle import ABSORB, FALLBACKS, ToolCallMachine
from callgate.kernel.moves import MOVES, Move
from callgate.kernel.values import Status

if TYPE_CHECKING:
    from collections.abc import Mapping


@final
@frozen(eq=False)
class Edge:
    """One transition: where it starts, what it takes, where it ends."""

    source: Status
    event: str
    guards: tuple[str, ...]
    "Names of predicates; one that must not hold stands behind a `!`."
    target: Status
    move: Move

    @property
    def name(self) -> str:
        """Its own name, as in the spec: state, event and guards."""
        return " ".join((f"{self.source.value}.{self.event}", *self.guards))


# A candidate: predicates with the value they must have, and an edge, or None with a decision.
Checks: TypeAlias = tuple[tuple[Guard, bool], ...]
Candidate: TypeAlias = tuple[Checks, Edge | None, str]


def _guard_names(transition: Any) -> tuple[str, ...]:
    return tuple(
        spec.attr_name if spec.expected_value else f"!{spec.attr_name}" for spec in transition.cond
    )


def _refuse_actions(transition: Any) -> None:
    groups = (transition.before, transition.on, transition.after, transition.validators)
    actions = [str(spec) for group in groups for spec in group if not spec.is_convention]
    if actions or transition.is_eventless or transition.internal:
        raise TypeError(f"{transition!r} is more than a guarded transition: {actions}")


def _compile_edges() -> dict[int, Edge]:
    edges: dict[int, Edge] = {}
    for state in ToolCallMachine.states:
        for transition in state.transitions:
            _refuse_actions(transition)
            (event,) = (str(event) for event in transition.events)
            source, guards = Status(state.id), _guard_names(transition)
            name = " ".join((f"{state.id}.{event}", *guards))
            target = Status(transition.target.id)
            edges[id(transition)] = Edge(source, event, guards, target, MOVES[name])
    return edges


MOVES_OF: Final = (deciding, running)
"""The modules that register the moves; importing them is what fills `MOVES`."""

_EDGES: Final = _compile_edges()
EDGES: Final[tuple[Edge, ...]] = tuple(_EDGES.values())
EVENTS: Final[tuple[str, ...]] = tuple(dict.fromkeys(event for _, event in FALLBACKS))


def edge_of(transition: Any) -> Edge:
    """The compiled edge of a transition of the class."""
    return _EDGES[id(transition)]


def checks_of(guards: tuple[str, ...]) -> Checks:
    """The predicates behind the names."""
    return tuple((GUARDS[name.lstrip("!")], not name.startswith("!")) for name in guards)


def _cell(status: Status, event: str) -> tuple[Candidate, ...]:
    taken: list[Candidate] = [
        (checks_of(edge.guards), edge, "")
        for edge in EDGES
        if edge.source is status and edge.event == event
    ]
    left: list[Candidate] = [
        (checks_of((guard,) if guard else ()), None, decision)
        for guard, decision in FALLBACKS[status, event]
    ]
    return tuple(taken + left)


TABLE: Final[Mapping[tuple[Status, str], tuple[Candidate, ...]]] = MappingProxyType(
    {(status, event): _cell(status, event) for status in Status for event in EVENTS}
)


# The same cells for speed: neighbours that share their first guard ask it once. Guards are pure and
# the order is kept, so the first candidate that holds is the same.
Group: TypeAlias = "tuple[Guard | None, bool, tuple[tuple[Checks, tuple[Edge | None, str]], ...]]"


def _grouped(candidates: tuple[Candidate, ...]) -> tuple[Group, ...]:
    groups: list[Group] = []
    for checks, edge, decision in candidates:
        predicate, expected = checks[0] if checks else (None, True)
        member = (checks[1:], (edge, decision))
        if groups and groups[-1][0] is predicate and groups[-1][1] is expected:
            groups[-1] = (predicate, expected, (*groups[-1][2], member))
        else:
            groups.append((predicate, expected, (member,)))
    return tuple(groups)


_GROUPED: Final = {cell: _grouped(candidates) for cell, candidates in TABLE.items()}


def decide(call: Any, event: str, fact: Any, situation: Any) -> tuple[Edge | None, str]:
    """The edge that the event takes, or None and whether it is absorbed or rejected."""
    for first, value, members in _GROUPED[call.status, event]:
        if first is not None and first(call, fact, situation) is not value:
            continue
        for checks, result in members:
            for predicate, expected in checks:
                if predicate(call, fact, situation) is not expected:
                    break
            else:
                return result
    return None, ABSORB  # pragma: no cover - every cell ends in a candidate without a guard


def allowed_events(status: Status) -> str:
    """What could have happened to a call in this state, for error texts."""
    return ", ".join(dict.fromkeys(e.event for e in EDGES if e.source is status)) or "nothing"
