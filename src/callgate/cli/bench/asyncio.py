"""`callgate bench asyncio`: what the scheduler costs beside a bare `asyncio.gather` of tasks.

Rule 1: both are measured in the same run, in turn, and the best of several repeats of each counts.
Rule 2: processor time of this process is what counts: nobody waits for anything here, and whatever
else the machine does must not count.
Rule 3: the tools do nothing; with approvals every call is asked about, and answered one by one.
"""

from __future__ import annotations

import asyncio
import gc
import json
from time import process_time
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from callgate.cli.bench.progress import say
from callgate.drivers.scheduler import ToolScheduler
from callgate.kernel.frozenjson import EMPTY, JsonObject
from callgate.kernel.values import Request
from callgate.tools.protocols import Kind, Question

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Callable, Mapping

    from callgate.tools.protocols import Cancellation, Output

CALLS: Final = (10, 100, 1_000)
GC_MODE: Final = "collected before, disabled while timed"


@final
@frozen
class Row:
    """One size of batch, with approvals or without."""

    calls: int
    approval: bool
    us_per_call: float
    ratio: float


@final
@frozen
class Report:
    """One run."""

    floor_us: float
    rows: tuple[Row, ...]


@final
class _Nothing:
    """A tool, and its own invocation, that does nothing."""

    name = display_name = "nothing"
    kind = Kind.OTHER
    schema: Mapping[str, Any] = EMPTY
    can_update_output = is_output_markdown = False

    def __init__(self, question: Question | None) -> None:
        self._question = question

    def build(self, _args: JsonObject) -> _Nothing:
        return self

    def describe(self) -> str:
        return "do nothing"

    def should_confirm(self) -> Question | None:
        return self._question

    async def execute(self, _cancel: Cancellation, _output: Output) -> str:
        return "ok"


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    report = asyncio.run(measure())
    print(json.dumps(as_json(report)) if options.json else as_text(report))
    return 0


async def measure() -> Report:
    """One run. The floor of each size is measured beside it; the largest is told."""
    gc.freeze()  # what was there before is nobody's garbage: collecting stays cheap
    try:
        return await _measured()
    finally:
        gc.unfreeze()


async def _measured() -> Report:
    rows: list[Row] = []
    floor_us = 0.0
    for calls in CALLS:
        say(f"asyncio, batch of {calls:,}")
        floor_us, plain_us, asked_us = await _compared(calls, max(5, min(200, 20_000 // calls)))
        rows.append(Row(calls, False, plain_us, plain_us / floor_us))
        rows.append(Row(calls, True, asked_us, asked_us / floor_us))
    say("")
    return Report(floor_us, tuple(rows))


async def _compared(calls: int, repeats: int) -> tuple[float, float, float]:
    best = [float("inf")] * 3
    for _ in range(repeats):
        for place, life in enumerate((_floor, _plain, _asked)):
            best[place] = min(best[place], await _timed(life, calls))
    return best[0], best[1], best[2]


async def _timed(life: Callable[[int], Awaitable[float]], calls: int) -> float:
    gc.collect()
    gc.disable()
    try:
        return await life(calls) / calls * 1e6
    finally:
        gc.enable()


async def _floor(calls: int) -> float:
    tool = _Nothing(None)
    nobody: Any = None
    begun = process_time()
    await asyncio.gather(*[asyncio.create_task(tool.execute(nobody, nobody)) for _ in range(calls)])
    return process_time() - begun


async def _plain(calls: int) -> float:
    async with ToolScheduler([_Nothing(None)]) as scheduler:
        begun = process_time()
        await scheduler.schedule([Request(f"c{place}", "nothing") for place in range(calls)])
        return process_time() - begun


async def _asked(calls: int) -> float:
    async with ToolScheduler([_Nothing(Question("info"))]) as scheduler:
        begun = process_time()
        batch = scheduler.schedule([Request(f"c{place}", "nothing") for place in range(calls)])
        for place in range(calls):
            scheduler.approve(f"c{place}", "proceed_once")
        await batch
        return process_time() - begun


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    rows = [
        {
            "calls": row.calls,
            "approval": row.approval,
            "us_per_call": round(row.us_per_call, 3),
            "ratio": round(row.ratio, 2),
        }
        for row in report.rows
    ]
    return {"floor_us": round(report.floor_us, 3), "rows": rows, "gc": GC_MODE}


def as_text(report: Report) -> str:
    """The report for people."""
    lines = [f"asyncio.gather of created tasks: {report.floor_us:.1f} us a call"]
    for row in report.rows:
        asked = "with an approval each" if row.approval else "unasked"
        cost = f"{row.us_per_call:7.1f} us a call, {row.ratio:5.1f}x"
        lines.append(f"{row.calls:>6,} calls, {asked:<21}  {cost}")
    return "\n".join(lines)
