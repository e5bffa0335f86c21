"""Any machine of python-statemachine as a neutral graph: the first of the three stages.

Rule 1: the class is read, never run: its states by python-statemachine's own `extract()`, its
transitions by public introspection, because `extract()` drops what a transition does.
Rule 2: order is declaration order; that is the engine's priority, and it makes the same bytes.
Rule 3: nothing is guessed silently. What a name suggests (a final state called `failed`) chooses
a colour and an outline, never what is drawn.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections import deque
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import evolve
from statemachine import StateChart
from statemachine.contrib.diagram.extract import extract as read_states
from statemachine.contrib.diagram.model import StateType

from callgate.diagrams.errors import NoSuchMachine
from callgate.diagrams.graph import Edge, Graph, Kind, Node, Tone
from callgate.diagrams.matrix import EFFECTS, HAPPY
from callgate.kernel.lifecycle import FALLBACKS, ToolCallMachine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Machine: TypeAlias = "type[StateChart[Any]] | StateChart[Any]"

_GOOD: Final = ("success", "succeeded", "done", "completed", "accepted", "approved", "paid", "ok")
_BAD: Final = ("error", "failed", "failure", "rejected", "denied", "crashed", "dead")
_CALM: Final = ("cancelled", "canceled", "aborted", "withdrawn", "expired", "skipped")
_TONES: Final = {
    **dict.fromkeys(_GOOD, Tone.GOOD),
    **dict.fromkeys(_BAD, Tone.BAD),
    **dict.fromkeys(_CALM, Tone.CALM),
}


def call_graph() -> Graph:
    """The life of one tool call, with the effects and the rule of each transition."""
    graph = extract(ToolCallMachine, happy=())
    edges = tuple(_with_rule(edge) for edge in graph.edges)
    rest = tuple(
        (status.value, event, decision)
        for (status, event), left in FALLBACKS.items()
        for _, decision in left
    )
    return evolve(graph, title="The life of a tool call", edges=edges, rest=rest)


def _with_rule(edge: Edge) -> Edge:
    effects, rule = EFFECTS[edge.name]
    return evolve(edge, effects=tuple(effects.split()), rule=rule, happy=edge.name in HAPPY)


def extract(machine: Machine, happy: Sequence[str] | None = None) -> Graph:
    """The graph of a machine, class or instance.

    Args:
        machine: a `StateMachine` or `StateChart` of python-statemachine.
        happy: the states of the happy path, in order; none: the shortest way from the initial state
            to the final state that is declared first.

    >>> [edge.event for edge in extract(ToolCallMachine).edges][:2]
    ['validated', 'validated']
    """
    read = read_states(machine)
    nodes = tuple(_nodes(read.states, None))
    edges = tuple(
        edge for state in _walk(machine.states) for edge in _edges(state, _names(machine))
    )
    graph = Graph(title=_spoken(read.name), nodes=nodes, edges=edges)
    path = _shortest(graph) if happy is None else tuple(happy)
    for name in path:
        graph.node(name)
    steps = set(pairwise(path))
    return evolve(graph, edges=tuple(_mark(graph.edges, steps)))


def load(where: str) -> type[StateChart[Any]]:
    """The machine at `MODULE:CLASS`."""
    place, colon, name = where.rpartition(":")
    if not colon or not place or not name:
        raise NoSuchMachine(f"{where!r} is no machine (right: call, batch, or MODULE:CLASS)")
    if not all(part.isidentifier() for part in place.split(".")):
        raise NoSuchMachine(
            f"{where!r}: {place!r} is no module (right: as in `import`, shop.orders:OrderMachine)"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does: the reader's own modules
    try:
        found: Any = importlib.import_module(place)
        for part in name.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # the reader's module may do anything
        raise NoSuchMachine(f"{where!r} cannot be loaded: {_told(error)}") from error
    if isinstance(found, StateChart):
        return type(found)
    if not (isinstance(found, type) and issubclass(found, StateChart)):
        what = f"the class {found.__name__}" if isinstance(found, type) else repr(found)[:60]
        raise NoSuchMachine(
            f"{where!r} is {what}, no machine (right: a subclass of StateMachine or StateChart)"
        )
    if not list(found.states):
        raise NoSuchMachine(f"{where!r} is a machine without states (right: a subclass of it)")
    return found


def _told(error: BaseException) -> str:
    """The error in a line; of what is no plain import error, its type and the line it is from."""
    if isinstance(error, (ImportError, AttributeError)):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "importlib" not in frame.filename]
    place = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if len(own) > 1 else ""
    return f"{type(error).__name__}: {error}{place}"


def _spoken(name: str) -> str:
    return name.replace("_", " ").strip()


def _nodes(states: Any, parent: str | None) -> Iterator[Node]:
    for state in states:
        yield Node(
            name=state.id,
            label=_spoken(state.name),
            kind=_kind(state),
            initial=state.is_initial,
            tone=_TONES.get(state.id.lower(), Tone.PLAIN),
            parent=parent,
            parallel=state.type is StateType.PARALLEL,
            deep=state.type is StateType.HISTORY_DEEP,
            notes=tuple(f"{action.type.value} / {action.body}" for action in state.actions),
        )
        yield from _nodes(state.children, state.id)


def _kind(state: Any) -> Kind:
    if state.children:
        return Kind.GROUP
    if state.type in (StateType.HISTORY_SHALLOW, StateType.HISTORY_DEEP):
        return Kind.HISTORY
    if state.type is StateType.FINAL:
        return Kind.FINAL
    return Kind.LIVE


def _walk(states: Any) -> Iterator[Any]:
    for state in states:
        yield state
        yield from _walk(state.states)
        yield from getattr(state, "history", ())


def _names(machine: Any) -> frozenset[str]:
    return frozenset(dir(machine))


def _edges(state: Any, names: frozenset[str]) -> Iterator[Edge]:
    for transition in state.transitions:
        events = tuple(dict.fromkeys(_event_names(transition)))
        if not events and state.states:
            continue  # how python-statemachine enters a compound state: the initial mark says so
        for target in transition.targets or (state,):
            yield Edge(
                source=state.id,
                target=target.id,
                event=" ".join(events),
                guards=tuple(_guard(spec) for spec in transition.cond),
                effects=tuple(_actions(transition, names)),
            )


def _event_names(transition: Any) -> list[str]:
    names = [str(event) for event in transition.events]
    # `done.invoke.x` and `done_invoke_x` are two spellings of one event.
    return [name for name in names if "." not in name or name.replace(".", "_") not in names]


def _guard(spec: Any) -> str:
    name = str(spec.attr_name)
    return name if spec.expected_value else f"!{name}"


def _actions(transition: Any, names: frozenset[str]) -> Iterator[str]:
    for group in (transition.before, transition.on, transition.after):
        for spec in group:
            if not spec.is_convention or spec.func in names:
                yield str(spec)


def _mark(edges: tuple[Edge, ...], steps: set[tuple[str, str]]) -> Iterator[Edge]:
    for edge in edges:
        yield evolve(edge, happy=(edge.source, edge.target) in steps)


def _shortest(graph: Graph) -> tuple[str, ...]:
    """The fewest transitions from the start to the first final state; a tie by declaration."""
    start = next((node.name for node in graph.entries() if node.parent is None), None)
    goal = next((n.name for n in graph.nodes if n.kind is Kind.FINAL and n.parent is None), None)
    if start is None or goal is None:
        return ()
    paths: deque[tuple[str, ...]] = deque([(start,)])
    seen = {start}
    while paths:
        path = paths.popleft()
        if path[-1] == goal:
            return path
        for edge in graph.edges:
            if edge.source == path[-1] and edge.target not in seen:
                seen.add(edge.target)
                paths.append((*path, edge.target))
    return ()
