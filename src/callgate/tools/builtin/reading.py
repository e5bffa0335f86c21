"""`read_file` and `list_directory`: bounded, whatever lies there.

Rule 1: what was left out is said, with the arguments that would show it.
Rule 2: only regular files are opened: a pipe would wait, and a device may never end.
"""

from __future__ import annotations

import base64
import mimetypes
import os
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final

from msgspec import Meta

from callgate.tools.builtin.workspace import failed, require_file, told
from callgate.tools.decorator import FunctionTool, tool
from callgate.tools.protocols import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from callgate.tools.builtin.workspace import Workspace

LINES_MAX: Final = 2_000
LINE_BYTES_MAX: Final = 8_000
TEXT_BYTES_MAX: Final = 1_000_000
BINARY_BYTES_MAX: Final = 10_000_000
ENTRIES_MAX: Final = 1_000
_SNIFFED: Final = 8_192
_MEDIA: Final = ("image/", "audio/", "video/", "application/pdf")
_TEXT_MEDIA: Final = ("image/svg+xml", "video/mp2t")  # the second is the ending .ts
_AtLeast0 = Annotated[int, Meta(ge=0)]
_AtLeast1 = Annotated[int, Meta(ge=1)]


def read_file(workspace: Workspace) -> FunctionTool:
    """The tool that reads files."""

    @tool(kind=Kind.READ, display_name="Read file", annotations={"readOnlyHint": True})
    def read_file(file_path: str, offset: _AtLeast0 = 0, limit: _AtLeast1 = LINES_MAX) -> Any:
        """Read a text file, or some of its lines. Pictures, sound and PDF come as they are.

        Args:
            file_path: The file, relative to the workspace.
            offset: How many lines to skip.
            limit: How many lines to read.
        """
        return told(lambda: _read(workspace.resolve(file_path), file_path, offset, limit))

    return read_file


def list_directory(workspace: Workspace) -> FunctionTool:
    """The tool that lists folders."""

    @tool(kind=Kind.READ, display_name="List folder", annotations={"readOnlyHint": True})
    def list_directory(dir_path: str = ".") -> Any:
        """List a folder: other folders first, with their names ending in a slash, then files.

        Args:
            dir_path: The folder, relative to the workspace.
        """
        return told(lambda: _list(workspace.resolve(dir_path), dir_path))

    return list_directory


def _read(path: Path, named: str, offset: int, limit: int) -> Any:
    size = require_file(path, named).st_size
    media = mimetypes.guess_type(path.name)[0] or ""
    if media.startswith(_MEDIA) and media not in _TEXT_MEDIA:
        return _binary(path, named, size, media)
    with path.open("rb") as file:
        if b"\0" in file.read(_SNIFFED):
            return failed(f"{named} is binary ({size} bytes): it cannot be read as text.", "binary")
        file.seek(0)
        return _text(file, offset, limit)


def _binary(path: Path, named: str, size: int, media: str) -> Any:
    if size > BINARY_BYTES_MAX:
        text = f"{named} has {size} bytes of {media}; at most {BINARY_BYTES_MAX} are read."
        return failed(text, "file_too_large")
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return {"inlineData": {"mimeType": media, "data": data}}


def _text(file: BinaryIO, offset: int, limit: int) -> str:
    kept: list[str] = []
    taken = number = 0
    rest = False
    while piece := file.readline(LINE_BYTES_MAX):
        number += 1
        cut = not piece.endswith(b"\n") and _skip_line(file)
        if number <= offset:
            continue
        if len(kept) == limit or taken + len(piece) > TEXT_BYTES_MAX:
            rest = True
            break
        taken += len(piece)
        line = piece.decode("utf-8", "replace")
        kept.append(f"{line}... [line cut]\n" if cut else line)
    text = "".join(kept)
    if rest:
        last = offset + len(kept)
        return f"{text}[Lines {offset + 1} to {last} are shown; go on with offset={last}]"
    if offset and not kept:
        return f"[The file has {number} lines; there are none after {offset}]"
    return text


def _skip_line(file: BinaryIO) -> bool:
    """Skip what is left of a line that is too long; was there anything?"""
    skipped = False
    while piece := file.readline(LINE_BYTES_MAX):
        skipped = True
        if piece.endswith(b"\n"):
            break
    return skipped


def _list(path: Path, named: str) -> str:
    with os.scandir(path) as entries:
        listed = sorted((not _is_folder(entry), entry.name, _entry(entry)) for entry in entries)
    if not listed:
        return f"[{named} is empty]"
    lines = [line for _, _, line in listed[:ENTRIES_MAX]]
    if len(listed) > ENTRIES_MAX:
        lines.append(f"[{len(listed) - ENTRIES_MAX} more of {len(listed)} entries are not shown]")
    return "\n".join(lines)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a loop of links
        return False


def _entry(entry: os.DirEntry[str]) -> str:
    """One line; a link is not followed, for it may lead anywhere."""
    name = entry.name.encode("utf-8", "replace").decode("utf-8")
    if entry.is_symlink():
        return f"{name}/ (link)" if _is_folder(entry) else f"{name} (link)"
    if _is_folder(entry):
        return f"{name}/"
    return f"{name} ({entry.stat(follow_symlinks=False).st_size} bytes)"
