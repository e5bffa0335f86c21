"""The board: one row a call, alive while a batch is at work.

Rule 1: drawn from snapshots alone; it decides nothing and asks nothing.
Rule 2: never wider than the terminal, never higher: what does not fit is counted, not dropped.
Rule 3: where nobody watches (no terminal) a line is printed for each change, and nothing blinks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from callgate.cli.terminal.words import SIGNS, STYLES, clean, seconds, state_of, subject
from callgate.kernel.calls import Cancelled, Errored, Executing, Success
from callgate.kernel.values import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console, RenderableType

    from callgate.kernel.calls import Call

OUTPUT_LINES: Final = 6
_SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAME_MS: Final = 100
_KEPT: Final = 4_000


class Board:
    """Shows the calls of the batch at work; a context manager."""

    def __init__(self, console: Console, now_ms: Callable[[], int]) -> None:
        self._console = console
        self._now_ms = now_ms
        self._calls: Sequence[Call] = ()
        self._output: dict[str, list[str]] = {}
        self._told: dict[int, str] = {}
        self._live: Live | None = None
        self._is_over = True

    def __enter__(self) -> Board:
        self._is_over = False
        self.resume()
        return self

    def __exit__(self, *_error: object) -> None:
        self._is_over = True
        self.pause()

    def resume(self) -> None:
        """Begin, or go on after a question, to draw."""
        if self._console.is_terminal and self._live is None and not self._is_over:
            self._live = Live(
                get_renderable=self.render,
                console=self._console,
                refresh_per_second=10,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)

    def pause(self) -> None:
        """Take the board off the screen, so that something else can be printed."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def show(self, calls: Sequence[Call]) -> None:
        """The calls as they are now."""
        self._calls = calls
        if self._console.is_terminal:
            return
        for call in calls:
            line = f"{call.facts.request.name} {state_of(call)}"
            if self._told.get(call.facts.serial) != line:
                self._told[call.facts.serial] = line
                self._console.print(Text(f"{clean(call.facts.request.call_id)}: {clean(line)}"))

    def show_output(self, call_id: str, chunk: object) -> None:
        """Live output of a tool, which takes the place of what it showed before."""
        if isinstance(chunk, str):
            lines = chunk[-_KEPT:].rstrip().split("\n")[-OUTPUT_LINES:]
            self._output[call_id] = [clean(line) for line in lines]

    def render(self) -> RenderableType:
        """The board as it is right now."""
        room = max(3, self._console.height - OUTPUT_LINES - 4)
        shown, hidden = _choose(self._calls, room)
        now_ms = self._now_ms()
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(width=1)
        table.add_column(no_wrap=True, width=14, overflow="ellipsis")
        table.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
        table.add_column(ratio=2, no_wrap=True, overflow="ellipsis")
        table.add_column(justify="right", no_wrap=True, width=8)
        for call in shown:
            table.add_row(*_row(call, now_ms))
        parts: list[RenderableType] = [table]
        if hidden:
            parts.append(Text(f"  and {hidden} more", style="dim"))
        running = [call for call in self._calls if isinstance(call, Executing)]
        lines = [
            line for call in running for line in self._output.get(call.facts.request.call_id, ())
        ]
        parts += [
            Text(f"  │ {line}", style="dim", no_wrap=True, overflow="ellipsis")
            for line in lines[-OUTPUT_LINES:]
        ]
        return Group(*parts)


def _choose(calls: Sequence[Call], room: int) -> tuple[Sequence[Call], int]:
    """The calls that fit: those that are alive first, in their order."""
    if len(calls) <= room:
        return calls, 0
    alive = [call for call in calls if not call.status.is_final]
    shown = alive[: room - 1]
    return shown, len(calls) - len(shown)


def _row(call: Call, now_ms: int) -> tuple[Text, ...]:
    status, request = call.status, call.facts.request
    style = STYLES[status]
    sign = SIGNS[status]
    if status is Status.EXECUTING:
        sign = _SPINNER[now_ms // _FRAME_MS % len(_SPINNER)]
    if isinstance(call, Success | Errored | Cancelled):
        taken_ms = call.duration_ms
    else:
        taken_ms = now_ms - call.facts.since_ms
    return (
        Text(sign, style=style),
        Text(clean(request.name), style="bold"),
        Text(subject(call.facts.args)),
        Text(state_of(call), style=style),
        Text(seconds(max(0, taken_ms)), style="dim"),
    )
