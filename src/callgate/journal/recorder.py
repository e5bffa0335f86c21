"""Writing a record while a run goes on: each event is on its way to the disk before the next.

Rule 1: a line is written whole and flushed at once, so that a kill costs the last line at most.
Rule 2: a run that is there is never overwritten by accident.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self, final

from callgate.journal.record import event_line, header_line
from callgate.kernel.config import Config

if TYPE_CHECKING:
    from types import TracebackType

    from callgate.kernel.events import Event


@final
class Recorder:
    """Appends events to a new record; call it with each event that the kernel took.

    >>> from tempfile import TemporaryDirectory
    >>> from callgate import TimePassed
    >>> from callgate.journal.record import read
    >>> with TemporaryDirectory() as folder:
    ...     with Recorder(Path(folder) / "run.jsonl") as recorder:
    ...         recorder(TimePassed(at_ms=7))
    ...     read(Path(folder) / "run.jsonl").events
    (TimePassed(at_ms=7),)
    """

    def __init__(
        self, path: str | Path, config: Config | None = None, *, overwrite: bool = False
    ) -> None:
        mode = "w" if overwrite else "x"
        self._file = Path(path).open(mode, encoding="ascii", newline="\n")  # noqa: SIM115 - kept open
        self._write(header_line(config or Config()))

    def __call__(self, event: Event) -> None:
        """Append one event, and flush."""
        self._write(event_line(event))

    append = __call__

    def close(self) -> None:
        """No event follows."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, line: str) -> None:
        self._file.write(line)
        self._file.flush()
