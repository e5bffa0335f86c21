"""Text files: read whole for an edit, and written so that nobody ever sees half of one.

Rule 1: a write is a new file that takes the old one's name: mode and style of newlines are kept.
Rule 2: what is not UTF-8 text is never edited: nothing that cannot be shown is changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from callgate.tools.builtin.workspace import require_file
from callgate.tools.protocols import InvalidArguments

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

EDIT_BYTES_MAX: Final = 16_000_000
"""Files above this are not edited: a person could not look at the change."""
_BOM: Final = "\ufeff"


@final
@frozen
class TextFile:
    """A file as it was read: its text with plain newlines, and what it takes to write it back."""

    text: str
    exists: bool = True
    newline: str = "\n"
    "Carriage return and newline, if all its lines end so; a mixed file keeps its text as it is."
    has_bom: bool = False
    digest: str = ""
    "SHA-256 of its bytes; empty for a file that is not there."

    @classmethod
    def read(cls, path: Path, named: str) -> Self:
        """Read a file whole; one that is not there is an empty one that does not exist."""
        try:
            size = require_file(path, named).st_size
        except FileNotFoundError:
            return cls("", exists=False)
        if size > EDIT_BYTES_MAX:
            raise InvalidArguments(
                f"{named} has {size} bytes; at most {EDIT_BYTES_MAX} are edited."
            )
        data = path.read_bytes()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidArguments(f"{named} is no UTF-8 text: {error}.") from None
        if "\0" in text:
            raise InvalidArguments(f"{named} is binary: it has NUL characters in it.")
        has_bom, text = text.startswith(_BOM), text.removeprefix(_BOM)
        pairs, ends = text.count("\r\n"), text.count("\n")
        newline = "\r\n" if pairs and pairs == ends == text.count("\r") else "\n"
        text = text.replace("\r\n", "\n") if newline == "\r\n" else text
        return cls(text, True, newline, has_bom, hashlib.sha256(data).hexdigest())

    def write(self, path: Path, text: str) -> None:
        """Write a new text in the style of this file, in one move."""
        if self.newline == "\r\n":
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        data = ((_BOM if self.has_bom else "") + text).encode("utf-8")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def write_atomically(path: Path, data: bytes) -> None:
    """Put these bytes under this name: all of them, or none."""
    temporary = path.parent / f".callgate-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with contextlib.suppress(FileNotFoundError):
                os.chmod(temporary, path.stat().st_mode & 0o7777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
