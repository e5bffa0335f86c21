"""Keys and lines from a terminal, without blocking the loop and without a thread to leave behind.

Rule 1: the terminal is put back as it was, whatever happens.
Rule 2: waiting for a key is cancelled like any other wait: nothing is read after that.
Rule 3: what was typed before a question was shown does not answer it.
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

    def forget(self) -> None:
        """Drop what was typed up to now."""
        import termios

        termios.tcflush(self._descriptor, termios.TCIFLUSH)

    async def key(self) -> str:
        """The next key, as a character; `END` at the end of the input.

        A key that sends several, as an arrow does, is given whole: it is no Escape.
        """
        with _single_keys(self._descriptor):
            data = await self._read()
        text = data.decode("utf-8", "replace")
        return text if text.startswith(ESCAPE) else text[:1] or END

    async def line(self) -> str:
        """A line, with the terminal's own editing; empty at the end of the input."""
        with echoing(True, self._descriptor):
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

    with as_it_was(descriptor):
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield


@contextmanager
def as_it_was(descriptor: int) -> Iterator[None]:
    """Whatever is done to the terminal in between is undone."""
    import termios

    before = termios.tcgetattr(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


@contextmanager
def echoing(is_shown: bool, descriptor: int) -> Iterator[None]:
    """Show what is typed, or not: it would be written into the board."""
    import termios

    with as_it_was(descriptor):
        modes = termios.tcgetattr(descriptor)
        modes[3] = modes[3] | termios.ECHO if is_shown else modes[3] & ~termios.ECHO
        termios.tcsetattr(descriptor, termios.TCSANOW, modes)
        yield
