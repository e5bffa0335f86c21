"""The call machine as Mermaid and as a Markdown table.

Rule 1: drawn from the compiled edges, in their order of declaration: the same bytes every time.
"""

from __future__ import annotations

from typing import Final

from callgate.kernel.lifecycle import FALLBACKS, ToolCallMachine
from callgate.kernel.table import EDGES, EVENTS, Edge
from callgate.kernel.values import Status


def mermaid() -> str:
    """The machine as a Mermaid state diagram, with guards."""
    initial = ToolCallMachine.initial_state.id
    lines = ["stateDiagram-v2", "    direction TB", f"    [*] --> {initial}"]
    lines += [f"    {e.source.value} --> {e.target.value} : {_label(e)}" for e in EDGES]
    lines += [f"    {status.value} --> [*]" for status in Status if status.is_final]
    return "\n".join(lines) + "\n"


def _label(edge: Edge) -> str:
    guards = " and ".join(name.replace("!", "not ") for name in edge.guards)
    return f"{edge.event} [{guards}]" if guards else edge.event


def markdown() -> str:
    """Every cell of state x event, as a table: targets, and what becomes of the rest."""
    lines = ["| event | " + " | ".join(status.value for status in Status) + " |"]
    lines.append("|---" * (len(Status) + 1) + "|")
    for event in EVENTS:
        cells = [_cell(status, event) for status in Status]
        lines.append(f"| {event} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(status: Status, event: str) -> str:
    taken = [e.target.value for e in EDGES if e.source is status and e.event == event]
    left = [decision for _, decision in FALLBACKS[status, event]]
    return ", ".join(dict.fromkeys([*taken, *left]))


FORMATS: Final = {"mermaid": mermaid, "markdown": markdown}
FILES: Final = {"call.mmd": mermaid, "call.md": markdown}
