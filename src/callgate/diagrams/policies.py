"""A policy as a chart: for each tool and mode, which rule decides.

Rule 1: the rules of a cell are those that the engine itself would hear, in its order, up to the
first that holds for every call of the tool: what stands below that is never heard.
Rule 2: tools whose cells are all alike share a row; "any other tool" is always the last.
Rule 3: somebody can be asked: rules for where nobody can are left out, and the chart says so.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final, final

from attrs import asdict, evolve, frozen

from callgate.diagrams.errors import DiagramError
from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.index import Index
from callgate.policy.loading import load_policy
from callgate.policy.names import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from callgate.policy.rules import Rule

OTHER: Final = "any other tool"
_ANY: Final = "(any)"
NOTE: Final = (
    "The first line that holds decides; where somebody can be asked. "
    "A shell command that is not understood is never allowed by a rule about commands."
)


@final
@frozen(kw_only=True)
class Heard:
    """One rule as a cell hears it."""

    effect: Effect
    when: str = ""
    "Empty: it holds for every call of the tool."
    where: str = ""


@final
@frozen(kw_only=True)
class Row:
    """Tools that the policy treats alike, and what it hears for them in each mode."""

    tools: tuple[str, ...]
    cells: tuple[tuple[Heard, ...], ...]


@final
@frozen(kw_only=True)
class Chart:
    """Which rule decides for which tools and modes."""

    title: str
    modes: tuple[Mode, ...]
    rows: tuple[Row, ...]

    def as_data(self) -> dict[str, Any]:
        """Plain data: the `json` format, and what the digest is of."""
        return asdict(self)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for what is said."""
        text = json.dumps(self.as_data(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def chart(rules: Sequence[Rule], title: str = "The policy") -> Chart:
    """The chart of these rules.

    >>> from callgate.policy.defaults import DEFAULTS
    >>> [cell[-1].effect.value for cell in chart(DEFAULTS).rows[0].cells]
    ['deny', 'ask', 'ask', 'allow']
    """
    index = Index(rules)
    alike: dict[tuple[tuple[Heard, ...], ...], list[str]] = {}
    last = None
    for label, call in _calls(rules):
        cells = tuple(tuple(_heard(index, call, mode)) for mode in Mode)
        if label == OTHER:
            last = Row(tools=(OTHER,), cells=cells)
        else:
            alike.setdefault(cells, []).append(label)
    rows = [Row(tools=tuple(tools), cells=cells) for cells, tools in alike.items()]
    return Chart(title=title, modes=tuple(Mode), rows=(*rows, *([last] if last else [])))


def _calls(rules: Sequence[Rule]) -> Iterator[tuple[str, ToolCall]]:
    """A call of each tool that is known or named; of a glob, one that it means."""
    named = {name: ToolCall(name) for name in KNOWN}
    for rule in rules:
        for name in rule.tools:
            server = _ANY if rule.server == "*" else rule.server
            label = f"{name} of {'any server' if server == _ANY else server}" if server else name
            if name != "*" or server:
                sample = name.replace("*", _ANY).replace("?", "x")
                named.setdefault(label, ToolCall(sample, server=server))
    yield from named.items()
    yield OTHER, ToolCall("(another)")


def _heard(index: Index, call: ToolCall, mode: Mode) -> Iterator[Heard]:
    for matcher in index.candidates(call, Context(mode=mode)).all:
        # A rule that is heard here is of this row's server, if it is of one.
        rule = evolve(matcher.rule, server=None)
        yield Heard(effect=rule.effect, when=condition(rule), where=place(rule))
        if rule.is_unconditional:
            return
    yield Heard(effect=Effect.ASK, where="no rule")


def condition(rule: Rule) -> str:
    """What a rule asks of a call, beside its tool and mode, in words."""
    parts = [
        _any("command", rule.prefixes),
        _any("command is", rule.exacts),
        _any("command like", rule.regexes),
        f"arguments like {rule.args_pattern}" if rule.args_pattern is not None else "",
        f"arguments are {rule.args_exact}" if rule.args_exact is not None else "",
        _any("path", rule.paths),
        "inside the workspace" if rule.contained else "",
        f"annotated {', '.join(sorted(rule.annotations))}" if rule.annotations else "",
        f"of agent {rule.agent}" if rule.agent is not None else "",
        f"in {rule.workspace}" if rule.workspace is not None else "",
    ]
    return ", ".join(filter(None, parts))


def _any(what: str, items: Sequence[str]) -> str:
    return f"{what} {' or '.join(items)}" if items else ""


def place(rule: Rule) -> str:
    """Where a person finds the rule."""
    if rule.file.startswith("<"):
        return rule.name or rule.file
    file = rule.file.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{rule.line}" if file and rule.line else rule.name or file


def policy_chart(files: Sequence[Path]) -> tuple[Chart, tuple[str, ...]]:
    """The chart of these policy files with the built-in rules, and what was wrong with them."""
    loaded = load_policy(*map(str, files))
    if not loaded.parsed:
        said = "; ".join(map(str, loaded.problems))
        raise DiagramError(f"no policy can be read: {said}")
    title = ", ".join(file.name for file in files)
    return chart(loaded.policy.rules, title), tuple(map(str, loaded.problems))
