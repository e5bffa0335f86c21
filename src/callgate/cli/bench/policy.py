"""`callgate bench policy`: what a decision costs, and how that grows with the number of rules.

Rule 1: the rules are of five kinds, as many of each; a fifth is about commands of the shell.
Rule 2: the best of several repeats counts: whatever else the machine does can only make it slower.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from callgate.cli.bench.progress import say
from callgate.policy.decisions import Context, ToolCall
from callgate.policy.loading import Loaded, load_text

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES: Final = (10, 100, 1_000, 10_000)
BUDGET_US: Final = 1_000
"""What a typical decision may cost with 10,000 rules."""
REPEATS: Final = 200
CALLS: Final = {
    "a tool of its own": ToolCall("tool_7", {"query": "x"}),
    "a tool in no rule": ToolCall("unheard_of", {"query": "x"}),
    "a tool of a server": ToolCall("search", {"query": "x"}, server="server_3"),
    "a file to write": ToolCall("write_file", {"file_path": "src/a.py", "content": "x"}),
    "a command": ToolCall("shell", {"command": "program_5 sub log"}),
    "five commands": ToolCall("shell", {"command": "program_5 sub && ls | wc; pwd && date"}),
}
"""What is asked: typical calls."""


@frozen
class Row:
    """What was measured with one number of rules."""

    rules: int
    load_ms: float
    first_us: float
    "The dearest first call of its kind: its list of rules is found."
    us: dict[str, float]
    "Each kind of call, from the second on."

    @property
    def worst_us(self) -> float:
        """The dearest kind of call."""
        return max(self.us.values())


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--rules",
        nargs="+",
        type=_count,
        default=list(SIZES),
        metavar="N",
        help="numbers of rules (default: %(default)s)",
    )


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rules: it must be at least 1")
    return count


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    rows = [measure(count) for count in sorted(set(options.rules))]
    say("")
    print(json.dumps(as_json(rows)) if options.json else as_text(rows))
    return 0


def rules_text(count: int) -> str:
    """So many rules of every kind, as a file."""
    kinds = (
        "toolName = 'tool_{n}'\ndecision = 'allow'",
        "toolName = 'shell'\ncommandPrefix = 'program_{n} sub'\ndecision = 'allow'",
        "toolName = 'mcp_server_{n}_*'\ndecision = 'ask'",
        "toolName = 'other_{n}'\nargsPattern = '\"query\":\"[a-z]+\"'\ndecision = 'deny'",
        "toolName = ['more_{n}', 'most_{n}']\npaths = ['src/**']\ndecision = 'allow'",
    )
    tables = (
        f"[[rule]]\n{kinds[n % len(kinds)].format(n=n // len(kinds))}\npriority = {n % 1_000}\n"
        for n in range(count)
    )
    return "\n".join(tables)


def measure(count: int) -> Row:
    """One number of rules."""
    say(f"policy of {count:,} rules")
    text = rules_text(count)
    begun = time.perf_counter()
    loaded = load_text(text)
    load_ms = (time.perf_counter() - begun) * 1e3
    first = max(_us(loaded, call, 1) for call in CALLS.values())
    return Row(count, load_ms, first, {kind: _us(loaded, CALLS[kind], REPEATS) for kind in CALLS})


def _us(loaded: Loaded, call: ToolCall, repeats: int) -> float:
    best, decide, context = float("inf"), loaded.policy.decide, Context(workspace="/workspace")
    for _ in range(repeats):
        begun = time.perf_counter()
        decide(call, context)
        best = min(best, time.perf_counter() - begun)
    return best * 1e6


def as_json(rows: Sequence[Row]) -> dict[str, Any]:
    """The report as plain data."""
    top = rows[-1]
    return {
        "policy": [
            {
                "rules": row.rules,
                "load_ms": round(row.load_ms, 2),
                "us_first_call": round(row.first_us, 2),
                "us_per_call": round(row.worst_us, 2),
                "calls": {kind: round(us, 2) for kind, us in row.us.items()},
            }
            for row in rows
        ],
        "growth": round(top.worst_us / rows[0].worst_us, 3),
        "budget_us": BUDGET_US,
        "within_budget": top.worst_us <= BUDGET_US,
        "python": _python(),
    }


def as_text(rows: Sequence[Row]) -> str:
    """The report for people."""
    lines = [f"{'rules':>7}  {'load ms':>9}  {'first call us':>13}  {'dearest call us':>15}"]
    lines += [
        f"{row.rules:>7,}  {row.load_ms:>9.1f}  {row.first_us:>13.1f}  {row.worst_us:>15.1f}"
        for row in rows
    ]
    top = rows[-1]
    kinds = {f"{kind} (us)": f"{us:.1f}" for kind, us in top.us.items()}
    within = "within" if top.worst_us <= BUDGET_US else "ABOVE"
    notes = kinds | {
        "growth": f"{top.worst_us / rows[0].worst_us:.2f} ({top.rules:,} / {rows[0].rules:,})",
        "budget": f"{within} {BUDGET_US:,} us a call",
        "python": _python(),
    }
    width = max(map(len, notes))
    lines += ["", f"with {top.rules:,} rules"]
    lines += [f"{name:<{width}}  {text}" for name, text in notes.items()]
    return "\n".join(lines)


def _python() -> str:
    return f"{platform.python_implementation()} {platform.python_version()}"
