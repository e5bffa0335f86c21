"""Names of states as identifiers of a diagram language.

Rule 1: a name that the language understands stays as it is; any other becomes `s` and its number,
so that no state's name can break out of its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from callgate.diagrams.graph import Graph

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_WORDS: Final = frozenset(
    (
        *("as", "choice", "class", "click", "default", "digraph", "direction", "edge", "end"),
        *("fork", "graph", "history", "join", "node", "note", "state", "strict", "style"),
        "subgraph",
    )
)


def keys(graph: Graph) -> dict[str, str]:
    """The identifier of each state."""
    return {node.name: _key(node.name, at) for at, node in enumerate(graph.nodes)}


def _key(name: str, at: int) -> str:
    is_number = re.fullmatch(r"s\d+", name) is not None
    fits = _PLAIN.fullmatch(name) and name.lower() not in _WORDS and not is_number
    return name if fits else f"s{at}"


def one_line(text: str) -> str:
    """Without line breaks and other control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
