"""Callgate's formats as functions that python-statemachine's format registry takes.

Rule 1: callgate's own machine is drawn with its effects and rules here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callgate.diagrams.extract import call_graph, extract
from callgate.diagrams.formats import draw
from callgate.kernel.lifecycle import ToolCallMachine

if TYPE_CHECKING:
    from collections.abc import Callable


def renderer(name: str) -> Callable[[Any], str]:
    """The function that draws a machine, class or instance, in this format."""

    def render(machine: Any) -> str:
        cls = machine if isinstance(machine, type) else type(machine)
        graph = call_graph() if cls is ToolCallMachine else extract(machine)
        return draw(graph, name).decode("utf-8")

    return render
