"""A policy's chart as text: Markdown, Mermaid, JSON, and lines for a terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from callgate.diagrams.policies import NOTE
from callgate.diagrams.terminal import fold
from callgate.diagrams.text.keys import one_line
from callgate.policy.decisions import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.diagrams.policies import Chart, Heard
    from callgate.diagrams.terminal import Line

SIGNS: Final = {Effect.ALLOW: "✓", Effect.ASK: "?", Effect.DENY: "✗"}
_STYLES: Final = {Effect.ALLOW: "green", Effect.ASK: "magenta", Effect.DENY: "red"}
_ENTITIES: Final = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"}


def as_json(chart: Chart) -> str:
    """The chart itself, with its digest."""
    data = {"digest": chart.digest, **chart.as_data()}
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def markdown(chart: Chart) -> str:
    """A table: a row for tools that are treated alike, a column for each mode."""
    lines = ["| tools | " + " | ".join(mode.value for mode in chart.modes) + " |"]
    lines.append("|---" * (len(chart.modes) + 1) + "|")
    for row in chart.rows:
        found = ["<br>".join(map(_cell, map(said, heard))) for heard in row.cells]
        lines.append(f"| {_cell(', '.join(row.tools))} | {' | '.join(found)} |")
    return "\n".join(lines) + f"\n\n{NOTE}\n"


def said(heard: Heard) -> str:
    """One line of a cell.

    >>> from callgate.diagrams.policies import Heard
    >>> said(Heard(effect=Effect.DENY, when="command rm", where="policy.toml:3"))
    '✗ deny if command rm (policy.toml:3)'
    """
    when = f" if {heard.when}" if heard.when else ""
    where = f" ({heard.where})" if heard.where else ""
    return f"{SIGNS[heard.effect]} {heard.effect.value}{when}{where}"


def mermaid(chart: Chart) -> str:
    """A flow chart: from the tools, by the mode, through the rules in order, to the decision."""
    lines = ["flowchart LR"]
    for at, row in enumerate(chart.rows):
        lines.append(f'    t{at}(["{_quoted(", ".join(row.tools))}"])')
        for heard, modes in _by_rules(chart, at).items():
            key = f"t{at}{'_'.join(modes)}"
            lines.append(f'    t{at} -->|"{", ".join(modes)}"| {key}_0')
            lines += _chain(key, heard)
    lines += [
        "    classDef allow stroke:#2da44e,stroke-width:2px",
        "    classDef ask stroke:#bf8700,stroke-width:2px",
        "    classDef deny stroke:#cf222e,stroke-width:2px",
    ]
    return "\n".join(lines) + "\n"


def _by_rules(chart: Chart, at: int) -> dict[tuple[Heard, ...], list[str]]:
    found: dict[tuple[Heard, ...], list[str]] = {}
    for mode, heard in zip(chart.modes, chart.rows[at].cells, strict=True):
        found.setdefault(heard, []).append(mode.value)
    return found


def _chain(key: str, heard: tuple[Heard, ...]) -> Iterator[str]:
    for at, one in enumerate(heard):
        end = f"{key}_{at}e" if one.when else f"{key}_{at}"
        if one.when:
            yield f'    {key}_{at}{{"{_quoted(one.when)}"}} -->|yes| {end}'
            yield f"    {key}_{at} -->|no| {key}_{at + 1}"
        text = _quoted(f"{SIGNS[one.effect]} {one.effect.value}")
        yield f'    {end}["{text}<br/>{_quoted(one.where)}"]:::{one.effect.value}'


def view(chart: Chart, width: int) -> Iterator[Line]:
    """For a terminal: under each group of tools a line for each mode and rule."""
    yield from ([(row, "bold")] for row in fold(chart.title, width))
    for at, row in enumerate(chart.rows):
        yield []
        yield from ([(line, "bold")] for line in fold(", ".join(row.tools), width))
        for heard, modes in _by_rules(chart, at).items():
            yield from ([(f"  {line}", "dim")] for line in fold(", ".join(modes), width - 2))
            for one in heard:
                lines = fold(said(one), width - 4)
                yield from ([(f"    {line}", _STYLES[one.effect])] for line in lines)
    yield []
    yield from ([(line, "dim")] for line in fold(NOTE, width))


def _cell(text: str) -> str:
    plain = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`").replace("*", "\\*")


def _quoted(text: str) -> str:
    return "".join(_ENTITIES.get(letter, letter) for letter in one_line(text))
