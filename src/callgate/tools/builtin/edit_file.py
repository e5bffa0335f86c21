"""`edit_file`: one text in a file replaced by another, where it stands exactly once.

Rule 1: exact: no guessing at blanks or lines. A text that is not there, or is there more often than
was said, changes nothing, and the model is told where the nearest thing stands.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from callgate.tools.builtin.changing import ChangingTool
from callgate.tools.protocols import InvalidArguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.kernel.frozenjson import JsonObject
    from callgate.tools.builtin.files import TextFile
    from callgate.tools.builtin.workspace import Workspace

_LOOKED_AT_MAX: Final = 2_000
_SHOWN_MAX: Final = 200


def _parameters(
    file_path: str,
    old_string: str,
    new_string: str,
    expected_replacements: int = 1,
    expected_sha256: str | None = None,
) -> None:
    """Replace a text in a file by another. The old text must match exactly, blanks included.

    Args:
        file_path: The file, relative to the workspace.
        old_string: The text that is replaced, with enough lines around it to be there only once.
            Empty: the file is new.
        new_string: The text that takes its place.
        expected_replacements: How often the old text stands in the file; all are replaced.
        expected_sha256: Edit only if the file has this SHA-256 now.
    """


class EditFile(ChangingTool):
    """Edits a file, after showing what changes. Known as `replace` too."""

    aliases = ("replace",)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__("edit_file", workspace, _parameters, _proposed)

    def updated_args(self, args: JsonObject, content: str) -> Mapping[str, Any]:
        """The whole file as the person left it, for the file that they were shown."""
        return {
            "file_path": args["file_path"],
            "old_string": self.current_text(args),
            "new_string": content,
            "expected_sha256": self.shown_digest(args),
        }

    def current_text(self, args: JsonObject) -> str:
        """What stands there, without remembering that it was shown."""
        return self._read(args).text


def _proposed(before: TextFile, values: Mapping[str, Any]) -> str:
    old, new = _plain(values["old_string"], before), _plain(values["new_string"], before)
    named, expected = values["file_path"], values.get("expected_replacements", 1)
    if not old:
        if before.text:
            raise InvalidArguments(
                f'"old_string" is empty, but {named} has a text: name a part of it.'
            )
        return new
    if not before.exists:
        raise InvalidArguments(f'{named} does not exist; with an empty "old_string" it is created.')
    if old == new:
        raise InvalidArguments('"old_string" and "new_string" are equal: nothing would change.')
    found = before.text.count(old)
    if found == 0:
        raise InvalidArguments(f'"old_string" is not in {named}.{_nearest(before.text, old)}')
    if found != expected:
        raise InvalidArguments(
            f'"old_string" is in {named} {found} times, {expected} expected: give more lines around'
            ' it, or say so in "expected_replacements".'
        )
    return before.text.replace(old, new)


def _plain(text: str, before: TextFile) -> str:
    return text.replace("\r\n", "\n") if before.newline == "\r\n" else text


def _nearest(text: str, old: str) -> str:
    """The line that is most like the first one that was looked for, as a help."""
    wanted = next((line for line in old.split("\n") if line.strip()), "")[:_SHOWN_MAX]
    lines = [line[:_SHOWN_MAX] for line in text.split("\n")[:_LOOKED_AT_MAX]]
    near = difflib.get_close_matches(wanted, lines, n=1, cutoff=0.6) if wanted else []
    return f" The nearest line, {lines.index(near[0]) + 1}, is {near[0]!r}." if near else ""
