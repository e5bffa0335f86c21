"""The folder that tools work in.

Rule 1: where a path ends counts, resolved as the operating system does it: links first, `..` after.
Rule 2: what cannot be resolved is not inside. A path is resolved again right before it is used.
Rule 3: a failure is told in the words of the model's own path.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from callgate.tools.protocols import InvalidArguments, ToolError, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable


@final
class OutsideWorkspace(InvalidArguments):
    """A path that leads out of the workspace, or nowhere that can be told."""


@final
class Workspace:
    """A folder; with `allow_outside` paths are relative to it, and may leave it."""

    def __init__(self, root: Path | str, *, allow_outside: bool = False) -> None:
        self.root = Path(os.path.realpath(root))
        self.allow_outside = allow_outside
        if not self.root.is_dir():
            raise NotADirectoryError(f"the workspace {str(root)!r} is no folder; name one")

    def resolve(self, path: str) -> Path:
        """Where a path really ends, if it may be used."""
        if not path or "\0" in path:
            raise OutsideWorkspace(f"The path {path!r} is empty or has a NUL character in it.")
        if path.startswith("~"):
            raise OutsideWorkspace(f'The path "{path}" begins with a tilde; write it out.')
        try:
            real = os.path.realpath(self.root / path)
            self._probe(real)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise OutsideWorkspace(f'The path "{path}" cannot be resolved: {why}.') from None
        if not self.allow_outside and not self._holds(real):
            raise OutsideWorkspace(
                f'The path "{path}" leads out of the workspace {self.root}; only paths inside are'
                " allowed."
            )
        return Path(real)

    def shown(self, path: Path) -> str:
        """A path as it is shown: relative where it is inside."""
        return os.path.relpath(path, self.root) if self._holds(str(path)) else str(path)

    def _holds(self, real: str) -> bool:
        root = str(self.root)
        return real == root or real.startswith(root if root.endswith(os.sep) else root + os.sep)

    @staticmethod
    def _probe(real: str) -> None:
        """A loop of links or a name that is too long shows only when it is looked at."""
        try:
            os.stat(real)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return


def told(work: Callable[[], Any]) -> Any:
    """Do this; what the file system says becomes a failed result that the model can act on."""
    try:
        return work()
    except OutsideWorkspace as error:
        return failed(str(error), "path_not_in_workspace")
    except OSError as error:
        return failed(*words_of(error))


def words_of(error: OSError) -> tuple[str, str]:
    """What the file system said, as a sentence and as the type of a failure."""
    if isinstance(error, FileNotFoundError):
        return _said(error, "File not found"), "file_not_found"
    if isinstance(error, PermissionError):
        return _said(error, "Permission denied"), "permission_denied"
    kind = "no_space_left" if error.errno in _FULL else "file_system_error"
    return _said(error, os.strerror(error.errno) if error.errno else "Failed"), kind


def failed(message: str, kind: str) -> ToolResult:
    """A result that says why there is none."""
    return ToolResult(error=ToolError(message, kind))


def require_file(path: Path, named: str) -> os.stat_result:
    """The status of a regular file; a folder, a pipe or a device is refused before it is opened."""
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(_IS_FOLDER, f"{named} is a folder, not a file", named)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(_NO_FILE, f"{named} is no regular file", named)
    return status


_FULL = (28, 122)  # ENOSPC, EDQUOT
_IS_FOLDER, _NO_FILE = 21, 22  # EISDIR, EINVAL


def _said(error: OSError, words: str) -> str:
    text = error.strerror or words
    if error.filename is None or str(error.filename) in text:
        return f"{text}."
    return f"{words}: {error.filename}"
