"""What a search found, as a vector: the events of the way there, and what the kernel said to each.

Rule 1: a saved trace records what the kernel *does*; whoever keeps it as a vector of the spec
first writes down what it should have done.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callgate.journal.codec import encode, render
from callgate.kernel.effects import BatchAdmitted, Moved
from callgate.kernel.errors import KernelError
from callgate.kernel.state import initial
from callgate.kernel.step import step
from callgate.proof.vectors import SPEC

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callgate.kernel.config import Config
    from callgate.kernel.effects import Effect
    from callgate.kernel.events import Event

RULE = re.compile(r"^[A-Z]+-[0-9]+$")


def as_vector(title: str, rule: str, config: Config, events: Sequence[Event]) -> dict[str, Any]:
    """Run the events once more and write down what is said.

    >>> from callgate import Config, TimePassed
    >>> as_vector("Time alone", "TIME-1", Config(), [TimePassed(at_ms=1)])["steps"]
    [{'event': {'TimePassed': {'at_ms': 1}}, 'effects': []}]
    """
    state, steps, final = initial(config), list[Any](), dict[str, str]()
    for event in events:
        try:
            state, effects = step(state, event)
        except KernelError as refusal:
            steps.append({"event": encode(event), "error": type(refusal).__name__})
            continue
        steps.append({"event": encode(event), "effects": [render(effect) for effect in effects]})
        final.update(_told(effects))
    return {
        "spec": SPEC,
        "title": title,
        "rules": [rule if RULE.match(rule) else "BATCH-7"],
        "config": next(iter(encode(config).values())),
        "steps": steps,
        "final": final,
    }


def _told(effects: Iterable[Effect]) -> dict[str, str]:
    told: dict[str, str] = {}
    for effect in effects:
        if isinstance(effect, BatchAdmitted):
            told.update({str(call.facts.serial): call.status.value for call in effect.calls})
        elif isinstance(effect, Moved):
            told[str(effect.call)] = effect.status.value
    return told
