"""One line on a terminal that says how far a check is, and is gone at the end.

Rule 1: a terminal only: a file or a pipe sees nothing of it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, final

from attrs import define

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

WIDTH = 78


@final
@define
class Progress:
    """What the line says."""

    stream: TextIO
    shows: bool
    head: str = ""

    def begin(self, number: int, of: int) -> None:
        """Another property."""
        self.head = f"{number} of {of}  "

    def tried(self, name: str, calls: int) -> None:
        """So many calls have been tried."""
        self.say(f"{self.head}{name}: {calls} calls")

    def say(self, text: str) -> None:
        """Write the line anew."""
        if self.shows:
            self.stream.write(f"\r{text[:WIDTH]:{WIDTH}}")
            self.stream.flush()


@contextmanager
def progress_line(stream: TextIO) -> Iterator[Progress]:
    """The line, wiped away when the work is done."""
    progress = Progress(stream, stream.isatty())
    try:
        yield progress
    finally:
        progress.say("")
        if progress.shows:
            stream.write("\r")
