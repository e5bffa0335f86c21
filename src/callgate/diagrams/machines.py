"""Which machine was meant: `call`, `batch`, or any class by its place.

Rule 1: the command, the documents' blocks and the Sphinx directive ask here, so that one word means
the same machine everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.diagrams.batch import batch_graph
from callgate.diagrams.extract import call_graph, extract, load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callgate.diagrams.graph import Graph


def graph_of(where: str, happy: Sequence[str] | None = None) -> Graph:
    """The graph of a machine.

    Args:
        where: `call`, `batch` or `MODULE:CLASS`.
        happy: the states of the happy path of a class; none: the shortest way to its first end.

    >>> graph_of("batch").title
    'The life of a batch'
    """
    if where == "call":
        return call_graph()
    if where == "batch":
        return batch_graph()
    return extract(load(where), happy=happy)
