"""What a check found: for a person in 80 columns, for a program as one JSON object.

Rule 1: what a call holds is printed as ASCII, so that it cannot act on the terminal; the line that
is to be pasted into a test is never broken.
"""

from __future__ import annotations

import json
import textwrap
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from callgate.cli.policies import rule_json
from callgate.policy.errors import Kind
from callgate.policy.names import KNOWN, canonical
from callgate.testing.results import explained, keep, place, summary, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TextIO

    from callgate.cli.checking.asked import Asked
    from callgate.testing.lints import Lint
    from callgate.testing.results import Counterexample, Result

WIDTH: Final = 80
UNTRUE: Final = (Kind.EXAMPLE, Kind.TEST)
_INDENT: Final = " " * 11


def as_text(stream: TextIO, work: Asked, results: Sequence[Result], lints: Sequence[Lint]) -> None:
    """For a person."""
    for result in results:
        for line in explained(result):
            stream.write(f"{_wrapped(_ascii(line))}\n")
    notes = [str(one) for one in lints] + [*unknown_tools(work)]
    notes += [str(one) for one in work.loaded.problems if one.kind in (Kind.WARNING, Kind.DROPPED)]
    for text in notes:
        stream.write(f"{_wrapped(_ascii('lint: ' + text))}\n")
    failed = sum(not result.holds for result in results)
    counts = [f"{len(results) - failed} of {len(results)} hold", f"{len(notes)} lints"]
    untrue = sum(one.kind in UNTRUE for one in work.loaded.problems)
    counts += [f"{untrue} examples or tests fail"] if untrue else []
    stream.write(f"{work.subject.label}: {', '.join(counts)}\n")


def unknown_tools(work: Asked) -> Iterable[str]:
    """Properties of tools that nobody knows: a slip of the pen would hold for ever."""
    ruled = {name for rule in work.loaded.policy.rules for name in rule.tools}
    for aim in work.aims:
        for one in aim.properties:
            pattern = getattr(one, "pattern", None)
            if pattern is None or {canonical(pattern.tool)} & {*KNOWN, *ruled}:
                continue
            near = get_close_matches(pattern.tool, [*KNOWN, *sorted(ruled)], 1)
            if near:
                yield f"{one.name}: unknown-tool: {pattern.tool!r}; did you mean {near[0]!r}?"


def _wrapped(line: str) -> str:
    if len(line) <= WIDTH or line.lstrip().startswith("keep"):
        return line
    return textwrap.fill(
        line, WIDTH, subsequent_indent=_INDENT, break_on_hyphens=False, replace_whitespace=False,
        drop_whitespace=True,
    )  # fmt: skip


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode().replace("\x1b", "\\x1b")


def as_json(stream: TextIO, work: Asked, results: Sequence[Result], lints: Sequence[Lint]) -> None:
    """For a program."""
    found: dict[str, Any] = {
        "policy": work.subject.label,
        "properties": [_result(result) for result in results],
        "lints": [_lint(one) for one in lints],
        "unknown_tools": [*unknown_tools(work)],
        "problems": list(_problems(work)),
        "holds": all(result.holds for result in results)
        and not any(one.kind in UNTRUE for one in work.loaded.problems),
    }
    stream.write(json.dumps(found, indent=2) + "\n")


def _result(result: Result) -> dict[str, Any]:
    kind, _, pattern = result.subject.partition(" ")
    found = result.counterexample
    return {
        "property": kind,
        "of": pattern or None,
        "outcome": result.verdict.value,
        "summary": summary(result),
        "calls": result.calls,
        "seed": result.seed,
        "note": result.note,
        "counterexample": None if found is None else _counterexample(found, result),
    }


def _counterexample(found: Counterexample, result: Result) -> dict[str, Any]:
    call, context = found.probe.call, found.probe.context
    effect = getattr(found.said, "effect", None)
    return {
        "name": call.name,
        "args": call.args,
        "server": call.server,
        "annotations": call.annotations,
        "mode": context.mode.value,
        "interactive": context.interactive,
        "agent": context.agent or None,
        "after": [
            [answered.outcome.value, written(answered.call)] for answered in found.probe.history
        ],
        "how": found.probe.technique,
        "decision": effect.value if effect else "raised",
        "rule": rule_json(found.rule),
        "decided_by": place(found.rule),
        "why": found.why,
        "test": keep(found, result.given),
    }


def _lint(one: Lint) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "file": one.file,
        "line": one.line,
        "what": one.what,
        "fix": one.fix,
    }


def _problems(work: Asked) -> Iterable[dict[str, Any]]:
    for each in work.loaded.problems:
        yield {
            "kind": each.kind.value,
            "file": each.file,
            "line": each.line,
            "what": each.what,
            "fix": each.fix,
        }
