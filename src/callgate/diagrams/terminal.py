"""The machine in a terminal: the happy path, and a table of every transition.

Rule 1: no line is wider than the terminal; what does not fit goes on in the next line.
Rule 2: meaning never hangs on colour: it is there for those who see it, and the signs for all.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias
from unicodedata import combining, east_asian_width

from callgate.diagrams.graph import Kind
from callgate.diagrams.sizes import SIGNS
from callgate.diagrams.wording import Detail, hides_guards, phrase, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callgate.diagrams.graph import Edge, Graph, Node

Piece: TypeAlias = tuple[str, str]
"Text and its style in the words of rich; an empty style is plain."
Line: TypeAlias = list[Piece]

NARROWEST: Final = 40
_EVENT: Final = 24
"Columns that an event needs beside effects."
_WORD: Final = 19
"Columns that the longest effect is given; a longer one is cut."
_HAPPY: Final = "bold bright_blue"
_STYLES: Final = {"good": "bold green", "bad": "bold red", "calm": "bold magenta", "plain": "bold"}
_ARROW: Final = " ━▶ "


def view(graph: Graph, width: int, detail: Detail = Detail.LOW) -> Iterator[Line]:
    """The lines of the view, none wider than `width` (40 at the least)."""
    width = max(width, NARROWEST)
    yield from ([(row, "bold")] for row in fold(graph.title, width))
    yield []
    yield from _path(graph, width)
    yield from _table(graph, width, detail)
    if detail is Detail.LOW and hides_guards(graph):
        yield []
        note = "Left out: guards that all candidates of an event share (--detail full)."
        yield from ([(row, "dim")] for row in fold(note, width))


def plain(lines: Iterator[Line]) -> str:
    """The view without styles."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def _name(node: Node) -> str:
    sign = SIGNS[node.tone] if node.kind is Kind.FINAL else ""
    return f"{node.label} {sign}".rstrip()


def _style(node: Node) -> str:
    return _STYLES[node.tone.value] if node.kind is Kind.FINAL else "bold"


def _path(graph: Graph, width: int) -> Iterator[Line]:
    names = longest(graph)
    if not names:
        return
    line: Line = [("● ", "bold")]
    for at, name in enumerate(names):
        node = graph.node(name)
        pieces: Line = [
            (_ARROW.lstrip() if at == 0 else _ARROW, _HAPPY),
            (_name(node), _style(node)),
        ]
        if _long(line) + _long(pieces) > width:
            yield line
            line = [("   ", "")]
        line += pieces
    yield line
    for edge in graph.edges:
        if edge.happy and (edge.source, edge.target) not in pairwise(names):
            ends = [_name(graph.node(name)) for name in (edge.source, edge.target)]
            said = f"or at once {ends[0]}{_ARROW}{ends[1]}: {_what(edge, graph, Detail.LOW)}"
            yield from ([(f"  {row}", "bright_blue")] for row in fold(said, width - 2))


def longest(graph: Graph) -> tuple[str, ...]:
    """The happy path that visits most states; a tie by declaration."""
    ways = [(edge.source, edge.target) for edge in graph.edges if edge.happy]
    best: tuple[str, ...] = ()
    paths: list[tuple[str, ...]] = [(node.name,) for node in graph.entries() if node.parent is None]
    while paths:
        path = paths.pop(0)
        best = path if len(path) > len(best) else best
        seen = dict.fromkeys(target for source, target in ways if source == path[-1])
        paths += [(*path, target) for target in seen if target not in path]
    return best if len(best) > 1 else ()


def _what(edge: Edge, graph: Graph, detail: Detail) -> str:
    guards = " and ".join(map(spoken, edge.guards))
    said = guards if detail is Detail.FULL else phrase(edge, graph)
    return f"{edge.event} [{said}]" if said else edge.event


def _table(graph: Graph, width: int, detail: Detail) -> Iterator[Line]:
    columns = _columns(graph, width)
    for node in graph.nodes:
        edges = [edge for edge in graph.edges if edge.source == node.name]
        if not edges and node.kind is not Kind.GROUP:
            continue
        label = f"{graph.node(node.parent).label} / {node.label}" if node.parent else node.label
        yield []
        head = fold(label, width - 4)[0]
        yield [(head, "bold"), (f" {'─' * (width - cells(head) - 1)}", "dim")]
        for note in node.notes:
            yield from ([(f"  {row}", "dim")] for row in fold(note, width - 2))
        for edge in edges:
            yield from _rows(edge, graph, columns, detail)


def _columns(graph: Graph, width: int) -> tuple[int, int, int, int]:
    """Widths of event, target, effects and rule; effects of no width stand below."""
    rule = max((cells(edge.rule) for edge in graph.edges), default=0)
    target = min(max((cells(_name(node)) for node in graph.nodes), default=0), width // 4)
    said = [", ".join(edge.effects) for edge in graph.edges]
    left = width - 6 - target - (rule + 2 if rule else 0)
    word = max((cells(word) for text in said for word in text.split()), default=0)
    word = min(word, _WORD)
    if left < word + 2 + _EVENT:
        return left, target, 0, rule
    effects = min(max(map(cells, said), default=0), max(word, left * 2 // 5))
    return left - (effects + 2 if effects else 0), target, effects, rule


def _rows(
    edge: Edge, graph: Graph, columns: tuple[int, int, int, int], detail: Detail
) -> Iterator[Line]:
    wide, target, effects, rule = columns
    node = graph.node(edge.target)
    left = fold(_what(edge, graph, detail), wide)
    ends = ["(stays)"] if edge.is_loop else fold(_name(node), target)
    caused = fold(", ".join(edge.effects), effects, indent="") if effects else []
    look = "dim" if edge.is_loop else _style(node) if node.kind is Kind.FINAL else ""
    for at in range(max(len(left), len(ends), len(caused))):
        shaft = "  " if at else ("━▶" if edge.happy else "─▶")
        line: Line = [
            (f"  {_at(left, at, wide)} ", _HAPPY if edge.happy else ""),
            (f"{shaft} ", _HAPPY if edge.happy else "dim"),
            (_at(ends, at, target), look),
        ]
        line += [(f"  {_at(caused, at, effects)}", "dim")] if effects else []
        line += [(f"  {edge.rule if at == 0 else ''}", "dim")] if rule else []
        yield line
    if edge.effects and not effects:
        width = wide + target + 4
        yield from (
            [(f"    {row}", "dim")] for row in fold(f"/ {', '.join(edge.effects)}", width - 4)
        )


def cells(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> cells("ab"), cells("漢")
    (2, 2)
    """
    return sum(
        0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text
    )


def fold(text: str, width: int, indent: str = "  ") -> list[str]:
    """The text in lines of at most this many columns; a word that is longer is cut.

    >>> fold("editor_closed [editor failed]", 16)
    ['editor_closed', '  [editor', '  failed]']
    """
    indent = indent if width > 12 else ""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cells(joined) <= width:
            lines[-1] = joined
            continue
        lines += [indent] if lines[-1].strip() else []
        for letter in word:
            if cells(lines[-1] + letter) > width:
                lines.append(indent)
            lines[-1] += letter
    return lines


def _at(lines: Sequence[str], at: int, width: int) -> str:
    text = lines[at] if at < len(lines) else ""
    return text + " " * (width - cells(text))


def _long(pieces: Line) -> int:
    return sum(cells(text) for text, _ in pieces)
