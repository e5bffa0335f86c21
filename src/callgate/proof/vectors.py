"""Conformance vectors: what goes into the kernel, and what must come out, as plain JSON.

Rule 1: a vector is data that a kernel in any language could be held to, in the codec of `journal/`.
Rule 2: a step that names an error must raise just that one, and leave the state as it was.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from callgate.journal.codec import decode_config, decode_event, render
from callgate.kernel.effects import BatchAdmitted, Moved
from callgate.kernel.errors import KernelError
from callgate.kernel.state import KernelState, initial
from callgate.kernel.step import step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from callgate.kernel.effects import Effect
    from callgate.kernel.events import Event

SPEC: Final = "0.1"


def run_vector(vector: Mapping[str, Any]) -> list[str]:
    """Hold the kernel to a vector: one line for each difference, none if it conforms.

    >>> run_vector({"spec": "0.1", "config": {}, "final": {},
    ...     "steps": [{"event": {"TimePassed": {"at_ms": 1}}, "effects": []}]})
    []
    """
    if vector["spec"] != SPEC:
        return [f"spec is {vector['spec']!r} (allowed: {SPEC!r})"]
    state = initial(decode_config(vector["config"]))
    seen: dict[str, str] = {}
    differences: list[str] = []
    for number, wanted in enumerate(vector["steps"]):
        event = decode_event(wanted["event"])
        if "error" in wanted:
            found = _refusal(state, event, wanted["error"])
        else:
            state, found = _progress(state, event, wanted["effects"], seen)
        differences += [f"step {number}: {difference}" for difference in found]
    return differences + _compare_final(state, seen, vector["final"])


def _refusal(state: KernelState, event: Event, error: str) -> list[str]:
    before = deepcopy(state)
    try:
        step(state, event)
    except KernelError as refusal:
        found = [] if type(refusal).__name__ == error else [f"raised {refusal!r}, not {error}"]
    else:
        found = [f"was taken, though {error} was expected"]
    return found if state == before else [*found, "the state was changed by a refused event"]


def _progress(
    state: KernelState, event: Event, wanted: list[Any], seen: dict[str, str]
) -> tuple[KernelState, list[str]]:
    try:
        state, effects = step(state, event)
    except KernelError as refusal:
        return state, [f"raised {refusal!r}"]
    _watch(effects, seen)
    rendered = [render(effect) for effect in effects]
    return state, [] if rendered == wanted else [f"said {rendered}, not {wanted}"]


def _watch(effects: Iterable[Effect], seen: dict[str, str]) -> None:
    """Keep what an observer knows who is told the news alone."""
    for effect in effects:
        if isinstance(effect, BatchAdmitted):
            seen.update({str(call.facts.serial): call.status.value for call in effect.calls})
        elif isinstance(effect, Moved):
            seen[str(effect.call)] = effect.status.value


def _compare_final(
    state: KernelState, seen: dict[str, str], wanted: Mapping[str, str]
) -> list[str]:
    differences = [] if seen == wanted else [f"final: news told {seen}, not {dict(wanted)}"]
    for call in state.batch.calls if state.batch is not None else ():
        told = seen.get(str(call.facts.serial))
        if told != call.status.value:
            differences.append(f"final: {call.facts.label} is {call.status.value}, told as {told}")
    return differences
