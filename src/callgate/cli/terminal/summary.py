"""What came of a batch, for a person: one row a call, and a line that counts.

Rule 1: every call is in it, whatever became of it; durations are those of the records.
Rule 2: what went wrong is said below its row, in full width, and cut with a word about it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from callgate.cli.terminal.words import SIGNS, STYLES, clean, seconds, state_of, subject
from callgate.kernel.calls import Errored
from callgate.kernel.values import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from callgate.drivers.finished import FinishedCall

_WORDS: Final = {
    Status.SUCCESS: "succeeded",
    Status.ERROR: "failed",
    Status.CANCELLED: "cancelled",
}
_MESSAGE_MAX: Final = 300


def summary(finished: Sequence[FinishedCall], taken_ms: int) -> RenderableType:
    """The table of a finished batch."""
    rows: list[RenderableType] = []
    for call in finished:
        rows.append(_row(call))
        if isinstance(call.record, Errored):
            rows.append(Padding(Text(_cut(clean(call.record.failure.message))), (0, 0, 0, 4)))
    ends = Counter(call.status for call in finished)
    return Group(*rows, Text(count(ends, taken_ms), style="bold"))


def _row(call: FinishedCall) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(width=1)
    table.add_column(no_wrap=True, width=14, overflow="ellipsis")
    table.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
    table.add_column(ratio=2, no_wrap=True, overflow="ellipsis")
    table.add_column(justify="right", no_wrap=True, width=8)
    style = STYLES[call.status]
    table.add_row(
        Text(SIGNS[call.status], style=style),
        Text(clean(call.name), style="bold"),
        Text(subject(call.record.facts.args)),
        Text("failed" if call.status is Status.ERROR else state_of(call.record), style=style),
        Text(seconds(call.duration_ms), style="dim"),
    )
    return table


def _cut(text: str) -> str:
    if len(text) <= _MESSAGE_MAX:
        return text
    return f"{text[:_MESSAGE_MAX]}… ({len(text) - _MESSAGE_MAX} characters more)"


def count(ends: Counter[Status], taken_ms: int) -> str:
    """One line: how many ended how.

    >>> count(Counter({Status.SUCCESS: 2, Status.ERROR: 1}), 5)
    '3 calls: 2 succeeded, 1 failed in 5 ms'
    """
    words = [f"{ends[status]} {word}" for status, word in _WORDS.items() if ends[status]]
    total = ends.total()
    said = f": {', '.join(words)}" if words else ""
    return f"{total} {'call' if total == 1 else 'calls'}{said} in {seconds(taken_ms)}"
