"""Output that is too large for a model: its head and its tail, and the whole in a file.

Rule 1: lengths are code points, lines end at a newline, and the same text is always cut alike.
Rule 2: nothing is written here: the caller saves, and where saving fails the model is told so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, final

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH: Final = 120
"""How long a line may be where there are few lines to leave out."""
_CUT: Final = "\n... [CONTENT TRUNCATED] ...\n"
_NOT_SAVED: Final = "\n[Note: Could not save full output to file]"
_SAVED: Final = """\
Tool output was too large and has been truncated.
The full output has been saved to: {path}
To read the complete output, use the read_file tool with the absolute file path above. \
For large files, you can use the offset and limit parameters to read specific sections:
- read_file tool with offset=0, limit=100 to see the first 100 lines
- read_file tool with offset=N to skip N lines from the beginning
- read_file tool with limit=M to read only M lines at a time
The truncated output below shows the beginning and end of the content. \
The marker '... [CONTENT TRUNCATED] ...' indicates where content was removed.
This allows you to efficiently examine different parts of the output \
without loading the entire file.
Truncated part of the output:
{shown}"""


@final
@frozen(kw_only=True)
class Truncation:
    """When output is too large, and how much of it stays.

    >>> Truncation(threshold=0).applies_to("x" * 100)
    False
    """

    enabled: bool = True
    threshold: int = 4_000_000
    "Characters that a model is given without a word."
    lines: int = 1000
    "How many lines stay: a fifth of them from the head, the others from the tail."

    def applies_to(self, content: object) -> bool:
        """Is this content cut? Only a text is, and only the text itself, not a list of one."""
        if not self.enabled or self.threshold <= 0 or self.lines <= 0:
            return False
        return isinstance(content, str) and len(content) > self.threshold


@final
@frozen
class Cut:
    """A text that was taken apart: what is shown of it, and what the file holds.

    >>> Cut.of("1\\n2\\n3\\n4\\n5\\n6", 5).shown
    '1\\n... [CONTENT TRUNCATED] ...\\n3\\n4\\n5\\n6'
    """

    shown: str
    whole: str = field(repr=False)

    @classmethod
    def of(cls, content: str, lines_max: int) -> Cut:
        """Cut a text to so many lines, wrapping long ones first if there are few."""
        lines = content.split("\n")
        if len(lines) <= lines_max:
            lines = [piece for line in lines for piece in _pieces(line)]
        head = lines_max // 5
        shown = "\n".join(lines[:head]) + _CUT + "\n".join(lines[-(lines_max - head) :])
        return cls(shown, "\n".join(lines))

    def saved_as(self, path: str) -> str:
        """What the model reads when the whole is in this file."""
        return _SAVED.format(path=path, shown=self.shown)

    def not_saved(self) -> str:
        """What the model reads when the whole is lost."""
        return self.shown + _NOT_SAVED


@final
@frozen
class Truncated:
    """What became of a text: what the model reads, and where the whole is."""

    content: str
    path: str | None
    "None: saving failed."
    length: int
    "Characters before it was cut."


def truncate(
    content: str,
    call_id: str,
    save: Callable[[str, str], str],
    limits: Truncation,
) -> Truncated:
    """Cut a text that is too large, and have the whole saved.

    Args:
        content: the text; the caller has asked `limits.applies_to` about it.
        call_id: its last part names the file.
        save: writes a text to a file of this name, and returns the path; it may raise.
        limits: how much stays.

    >>> kept = {}
    >>> def save(name, text):
    ...     kept[name] = text
    ...     return "/tmp/" + name
    >>> truncate("x\\n" * 9, "dir/c1", save, Truncation(threshold=5, lines=5)).path
    '/tmp/c1.output'
    >>> kept["c1.output"].count("x")
    9
    """
    cut = Cut.of(content, limits.lines)
    try:
        path = save(file_name(call_id), cut.whole)
    except Exception:  # whatever the disk says, the call has succeeded
        return Truncated(cut.not_saved(), None, len(content))
    return Truncated(cut.saved_as(path), path, len(content))


def file_name(call_id: str) -> str:
    """The file for the output of a call: never a path, whatever the model's id looks like.

    >>> file_name("../../etc/passwd")
    'passwd.output'
    """
    return f"{os.path.basename(call_id.rstrip('/'))}.output"


def _pieces(line: str) -> list[str]:
    return [line[start : start + WIDTH] for start in range(0, len(line), WIDTH)] or [""]
