"""`callgate bench kernel`: what a call costs, how that grows, and what the engine would cost.

Rule 1: every number of a comparison comes from the same run; what was measured stands beside it.
Rule 2: the best of several repeats counts: whatever else the machine does can only make it slower.
"""

from __future__ import annotations

import argparse
import json
import platform
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen
from pyrsistent import pvector

from callgate.cli.bench.lives import kernel_bytes_per_call, kernel_us_per_call, live_us_per_call
from callgate.cli.bench.progress import say

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCHES: Final = (10, 100, 1_000, 10_000, 100_000)
GROWS_FROM: Final = 100
COMPARED_AT: Final = 1_000
LIVE_CALLS_MAX: Final = 200
GC_MODE: Final = "collected before, disabled while timed"
CLOCK: Final = "processor time of this process"


@frozen
class Row:
    """What was measured of one size of batch."""

    batch: int
    us_per_call: float
    bytes_per_call: float


@frozen
class Report:
    """One run. `base`, `top` and `compared` are the rows that its ratios are of."""

    rows: tuple[Row, ...]
    live_us_per_call: float

    @property
    def base(self) -> Row:
        """The batch that growth is counted from: 100, or the nearest to it."""
        return _nearest(self.rows, GROWS_FROM)

    @property
    def top(self) -> Row:
        """The largest batch."""
        return max(self.rows, key=lambda row: row.batch)

    @property
    def compared(self) -> Row:
        """The batch that is compared with live machines: 1,000, or the nearest to it."""
        return _nearest(self.rows, COMPARED_AT)

    @property
    def growth(self) -> float:
        """How much more a call costs in the largest batch; 1 would be perfectly linear."""
        return self.top.us_per_call / self.base.us_per_call

    @property
    def speedup(self) -> float:
        """How many times cheaper a life is in the kernel than on a live machine."""
        return self.live_us_per_call / self.compared.us_per_call


def _nearest(rows: Sequence[Row], batch: int) -> Row:
    return min(rows, key=lambda row: abs(row.batch - batch))


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--batches",
        nargs="+",
        type=_batch,
        default=list(BATCHES),
        metavar="N",
        help="sizes of batches (default: %(default)s)",
    )


def _batch(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no batch: a whole number from 1 is expected")
    return count


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    report = measure(sorted(set(options.batches)))
    print(json.dumps(as_json(report)) if options.json else as_text(report))
    return 0


def measure(batches: Sequence[int]) -> Report:
    """One run over these sizes of batches."""
    rows = []
    for batch in batches:
        say(f"kernel, batch of {batch:,}")
        us_per_call = kernel_us_per_call(batch, _repeats(batch))
        rows.append(Row(batch, us_per_call, kernel_bytes_per_call(batch)))
    say("live machines")
    live = live_us_per_call(min(LIVE_CALLS_MAX, max(batches)), repeats=5)
    say("")
    return Report(tuple(rows), live)


def _repeats(batch: int) -> int:
    """Small batches are over soon and need more tries to find a quiet moment."""
    return max(3, min(200, 20_000 // batch))


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "kernel": [
            {
                "batch": row.batch,
                "us_per_call": round(row.us_per_call, 3),
                "bytes_per_call": round(row.bytes_per_call, 1),
            }
            for row in report.rows
        ],
        "growth": round(report.growth, 3),
        "live_us_per_call": round(report.live_us_per_call, 3),
        "speedup": round(report.speedup, 2),
        "clock": CLOCK,
        "gc": GC_MODE,
        "pvector": _pvector(),
        "python": _python(),
    }


def as_text(report: Report) -> str:
    """The report for people."""
    lines = [f"{'batch':>9}  {'us per call':>11}  {'bytes per call':>14}"]
    lines += [
        f"{row.batch:>9,}  {row.us_per_call:>11.2f}  {row.bytes_per_call:>14,.0f}"
        for row in report.rows
    ]
    base, top = report.base.batch, report.top.batch
    notes = {
        "growth": f"{report.growth:.2f} (us per call, {top:,} / {base:,})",
        "live machine": f"{report.live_us_per_call:.2f} us per call (python-statemachine)",
        "speedup": f"{report.speedup:.1f} (live machine / kernel at {report.compared.batch:,})",
        "a life": "submitted, validated (ask), approved, run, delivered; step by step",
        "not timed": "building requests and events",
        "bytes": "kept by the state when all are validated, beside the events' own",
        "clock": CLOCK,
        "gc": GC_MODE,
        "pvector": _pvector(),
        "python": _python(),
    }
    width = max(map(len, notes))
    lines += ["", *(f"{name:<{width}}  {text}" for name, text in notes.items())]
    return "\n".join(lines)


def _pvector() -> str:
    """Which vector the states are really made of, whatever is installed."""
    in_python = type(pvector()).__module__.startswith("pyrsistent")
    return "Python" if in_python else "C extension (pvectorc)"


def _python() -> str:
    return f"{platform.python_implementation()} {platform.python_version()}"
