"""Keys and lines from a terminal, without blocking the loop and without a thread to leave behind.

Rule 1: the terminal is put back as it was, whatever happens.
Rule 2: waiting for a key is cancelled like any other wait: nothing is read after that.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

END: Final = "\x04"
"""What is read when nobody can type any more (end of file)."""
ESCAPE: Final = "\x1b"


class Keyboard:
    """Reads a terminal's keys. Use one at a time."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = sys.stdin.fileno() if descriptor is None else descriptor

    async def key(self) -> str:
        """The next key, as a character; `END` at the end of the input."""
        with _single_keys(self._descriptor):
            data = await self._read()
        return data.decode("utf-8", "replace")[:1] or END

    async def line(self) -> str:
        """A line, with the terminal's own editing; empty at the end of the input."""
        data = await self._read()
        return data.decode("utf-8", "replace").strip()

    async def _read(self) -> bytes:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._descriptor, _wake, ready)
        try:
            await ready
        finally:
            loop.remove_reader(self._descriptor)
        return os.read(self._descriptor, 4_096)


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


@contextmanager
def _single_keys(descriptor: int) -> Iterator[None]:
    """Each key at once and unseen; Ctrl-C stays Ctrl-C."""
    import termios
    import tty

    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
