"""PlantUML: for documentation that is built with it.

Rule 1: the happy path is thick and blue, what a run never took is dashed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.diagrams.graph import Kind, Tone
from callgate.diagrams.text.keys import keys, one_line
from callgate.diagrams.wording import Detail, arrows, leveled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from callgate.diagrams.graph import Graph, Node
    from callgate.diagrams.wording import Arrow

_COLOURS: Final = {
    Tone.PLAIN: "",
    Tone.GOOD: " #dafbe1;line:187532",
    Tone.BAD: " #ffebe9;line:cf222e",
    Tone.CALM: " #eaeef2;line:59636e",
}


def plantuml(graph: Graph, detail: Detail = Detail.FULL) -> str:
    """The graph as a PlantUML state diagram."""
    shown = leveled(graph, detail)
    names = keys(graph)
    lines = ["@startuml", "hide empty description", f"title {_escaped(graph.title)}"]
    lines += _states(graph, None, names, "")
    lines += [_transition(arrow, names) for arrow in arrows(graph, detail)]
    lines += [f"{names[node.name]} --> [*]" for node in graph.roots if node.kind is Kind.FINAL]
    lines += [f"caption {_escaped(note)}" for note in shown.notes]
    return "\n".join([*lines, "@enduml"]) + "\n"


def _states(
    graph: Graph, parent: str | None, names: Mapping[str, str], indent: str
) -> Iterator[str]:
    around = graph.node(parent) if parent else None
    for at, node in enumerate(graph.children(parent)):
        if at and around is not None and around.parallel:
            yield f"{indent}--"
        opening = " {" if node.kind is Kind.GROUP else ""
        yield f"{indent}{_declared(node, names)}{opening}"
        if opening:
            yield from _states(graph, node.name, names, indent + "  ")
            yield f"{indent}}}"
        yield from (f"{indent}{names[node.name]} : {_escaped(note)}" for note in node.notes)
        if node.initial:
            yield f"{indent}[*] --> {names[node.name]}"
        if node.kind is Kind.FINAL and parent is not None:
            yield f"{indent}{names[node.name]} --> [*]"


def _declared(node: Node, names: Mapping[str, str]) -> str:
    key = names[node.name]
    if node.kind is Kind.HISTORY:
        return f"state {key} <<history{'*' if node.deep else ''}>>"
    colour = _COLOURS[node.tone] if node.kind is Kind.FINAL else ""
    return f'state "{_escaped(node.label)}" as {key}{colour}'


def _transition(arrow: Arrow, names: Mapping[str, str]) -> str:
    looks = ["#0969da", "thickness=3"] if arrow.happy else []
    looks += ["dashed"] if arrow.dashed else []
    shaft = f"-[{','.join(looks)}]->" if looks else "-->"
    text = "\\n".join(
        " ".join(f"<b>{_escaped(t)}</b>" if is_event else _escaped(t) for t, is_event in row)
        for row in arrow.rows
    )
    return f"{names[arrow.source]} {shaft} {names[arrow.target]}" + (f" : {text}" if text else "")


def _escaped(text: str) -> str:
    """What PlantUML would read as markup is written as a Unicode escape."""
    return "".join(
        f"<U+{ord(letter):04X}>" if letter in '<>"\\~*_/-' and _is_markup(letter) else letter
        for letter in one_line(text)
    )


def _is_markup(letter: str) -> bool:
    # `_`, `/` and `-` are markup only when doubled, which names and guards are not.
    return letter in '<>"\\~*'
