"""One command, in a process group of its own.

Rule 1: nothing of a command outlives it: when it ends, or is ended, its whole group ends, first by
SIGTERM and after a grace by SIGKILL. Who wants to stay must leave the group (`setsid`).
Rule 2: who left the group and still holds the output does not hold up the command: after the same
grace nobody listens any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from callgate.tools.builtin.captured import Captured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from callgate.tools.protocols import Cancellation, Output

_CHUNK: Final = 1 << 18
_POLL_S: Final = 0.02


@final
@frozen(kw_only=True)
class Command:
    """What is run, and how."""

    argv: tuple[str, ...]
    folder: str
    env: Mapping[str, str]
    timeout_ms: int | None = None
    grace_ms: int = 2_000
    "Between SIGTERM and SIGKILL."
    interval_ms: int = 100
    "Live output is shown at most this often."


@final
@frozen(kw_only=True)
class Ended:
    """How a command ended."""

    captured: Captured
    pid: int
    exit_code: int | None = None
    "None: a signal ended it."
    signal: str | None = None
    timed_out: bool = False


@final
class Running:
    """A command while it runs."""

    def __init__(self, command: Command, output: Output) -> None:
        self.command, self.output = command, output
        self.captured = Captured()
        self.timed_out = False
        self._loop = asyncio.get_running_loop()
        self._silent = asyncio.Event()
        self._timers: list[asyncio.TimerHandle] = []
        self._next_live: asyncio.TimerHandle | None = None
        self._stopped = False
        self._pid = 0

    async def run(self, cancel: Cancellation) -> Ended:
        """Run it to its end.

        Raises:
            OSError: it could not be started.
        """
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        try:
            process = await self._started(writer)
        except BaseException:
            os.close(reader)
            raise
        finally:
            os.close(writer)
        self._pid = process.pid
        self._loop.add_reader(reader, self._read, reader)
        try:
            return await self._followed(process, cancel)
        finally:
            self._signal(signal.SIGKILL)
            for timer in self._timers:
                timer.cancel()
            self._read(reader)
            self._loop.remove_reader(reader)
            os.close(reader)
            if process.returncode is None:
                await process.wait()

    async def _started(self, writer: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self.command.argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            cwd=self.command.folder,
            env=dict(self.command.env),
            start_new_session=True,
        )

    async def _followed(self, process: asyncio.subprocess.Process, cancel: Cancellation) -> Ended:
        self.output.pid(process.pid)
        cancel.on_cancel(self.stop)
        if self.command.timeout_ms is not None:
            self._later(self.command.timeout_ms, self._time_out)
        code = await process.wait()
        self._signal(signal.SIGTERM)  # whoever it left in the background
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.command.grace_ms / 1000):
                await self._silent.wait()
                while self._has_group():
                    await asyncio.sleep(_POLL_S)
        self._show()
        name = signal.Signals(-code).name if code < 0 else None
        return Ended(
            captured=self.captured,
            pid=process.pid,
            exit_code=None if code < 0 else code,
            signal=name,
            timed_out=self.timed_out,
        )

    def stop(self) -> None:
        """End it: politely first."""
        if not self._stopped:
            self._stopped = True
            self._signal(signal.SIGTERM)
            self._later(self.command.grace_ms, lambda: self._signal(signal.SIGKILL))

    def _time_out(self) -> None:
        self.timed_out = True
        self.stop()

    def _later(self, after_ms: int, callback: Callable[[], None]) -> None:
        self._timers.append(self._loop.call_later(after_ms / 1000, callback))

    def _has_group(self) -> bool:
        """Is anybody of the group left? Nothing tells when the last one goes, so it is asked."""
        try:
            os.killpg(self._pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _read(self, reader: int) -> None:
        try:
            data = os.read(reader, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(reader)
            self._silent.set()
            return
        self.captured.add(data)
        if self._next_live is None:
            self._next_live = self._loop.call_later(self.command.interval_ms / 1000, self._show)
            self._timers.append(self._next_live)

    def _show(self) -> None:
        if self._next_live is not None:
            self._next_live.cancel()
            self._timers.remove(self._next_live)
            self._next_live = None
            self.output(self.captured.live())
