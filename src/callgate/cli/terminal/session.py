"""One batch at a terminal: the board while it works, questions between, a summary at the end.

Rule 1: everything for people goes to one console (standard error, so that results can be piped).
Rule 2: Ctrl-C, the end of the terminal and SIGTERM cancel what is at work and wait for it, so that
no command is left behind; a second one ends the program.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from callgate.cli.terminal.board import Board
from callgate.cli.terminal.editing import editor_of_the_person
from callgate.cli.terminal.keyboard import Keyboard, echoing
from callgate.cli.terminal.questions import ask
from callgate.cli.terminal.summary import summary
from callgate.drivers.approvals import Reply
from callgate.kernel.values import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callgate.drivers.finished import FinishedCall
    from callgate.drivers.observers import Snapshot
    from callgate.drivers.scheduler import ToolScheduler
    from callgate.kernel.calls import AwaitingApproval
    from callgate.kernel.values import Request


_SIGNALS: Final = {
    signal.SIGINT: "interrupted at the keyboard",
    signal.SIGTERM: "the program was told to end",
    **({signal.SIGHUP: "the terminal was closed"} if hasattr(signal, "SIGHUP") else {}),
}


def person_is_there() -> bool:
    """Can anybody be asked: is there a keyboard that can be read, and somewhere to ask?"""
    readable = find_spec("termios") is not None
    return readable and sys.stdin.isatty() and sys.stderr.isatty()


class _People(Console):
    """A console that people may leave: the batch goes on without them."""

    def on_broken_pipe(self) -> None:
        """Say no more."""
        self.quiet = True


def console_for_people() -> Console:
    """Standard error, with colours only where they are wanted."""
    return _People(stderr=True, highlight=False)


class Session:
    """What `callgate demo` and `callgate run` show of a batch."""

    def __init__(self, console: Console, *, yes: bool = False) -> None:
        self.console = console
        self._yes = yes
        self._began = time.monotonic()
        self._board = Board(console, self._now_ms)
        self._editor = editor_of_the_person(self._board)

    def _now_ms(self) -> int:
        return int((time.monotonic() - self._began) * 1_000)

    def watchers(self) -> dict[str, Any]:
        """The observers to give to a scheduler."""
        return {
            "on_update": self._show,
            "on_output": self._output,
            "ask": self.ask,
            "editor": self._editor,
        }

    def _show(self, snapshot: Snapshot) -> None:
        self._board.show(snapshot.calls)

    def _output(self, call_id: str, chunk: Any) -> None:
        self._board.show_output(call_id, chunk)

    async def ask(self, call: AwaitingApproval) -> Reply:
        """Ask the person, with the board out of the way."""
        if self._yes:
            return Reply(Outcome.PROCEED_ONCE)
        self._board.pause()
        try:
            return await ask(call, self.console, Keyboard())
        finally:
            self._board.resume()

    async def run(
        self, scheduler: ToolScheduler, requests: Sequence[Request], **choices: Any
    ) -> list[FinishedCall]:
        """Run a batch to its end, and say what came of it."""
        loop = asyncio.get_running_loop()
        self._on_signals(loop, scheduler)
        began_ms = self._now_ms()
        try:
            with _unseen_keys(), self._board:
                finished = await scheduler.schedule(requests, **choices)
        finally:
            _forget_signals(loop)
        taken_ms = self._now_ms() - began_ms
        self.console.print(summary(finished, taken_ms))
        return list(finished)

    def _on_signals(self, loop: asyncio.AbstractEventLoop, scheduler: ToolScheduler) -> None:
        def end(number: signal.Signals) -> None:
            if number == signal.SIGINT and self._editor is not None and self._editor.is_open:
                return  # it is the editor's
            _forget_signals(loop)
            scheduler.cancel_all(_SIGNALS[number])
            if scheduler.state.batch is not None:  # being stopped is no change of a status
                self._board.show(scheduler.state.batch.calls)

        with suppress(NotImplementedError):  # a loop without signals: Ctrl-C ends the program
            for number in _SIGNALS:
                loop.add_signal_handler(number, end, number)


def _forget_signals(loop: asyncio.AbstractEventLoop) -> None:
    with suppress(NotImplementedError):
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


def _unseen_keys() -> AbstractContextManager[None]:
    """While the board is drawn nothing that is typed is written into it."""
    if not person_is_there():
        return nullcontext()
    return echoing(False, sys.stdin.fileno())
