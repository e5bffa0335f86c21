"""`write_file`: a whole file, new or over an old one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callgate.tools.builtin.changing import ChangingTool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.kernel.frozenjson import JsonObject
    from callgate.tools.builtin.files import TextFile
    from callgate.tools.builtin.workspace import Workspace


def _parameters(file_path: str, content: str, expected_sha256: str | None = None) -> None:
    """Write a file. Folders on the way are made; an existing file is replaced as a whole.

    Args:
        file_path: The file, relative to the workspace.
        content: All of its new text.
        expected_sha256: Write only if the file has this SHA-256 now; empty: only if there is none.
    """


class WriteFile(ChangingTool):
    """Writes a file, after showing what changes."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__("write_file", workspace, _parameters, _proposed)

    def updated_args(self, args: JsonObject, content: str) -> Mapping[str, Any]:
        """The person's own text, for the file that they were shown."""
        return {**args, "content": content, "expected_sha256": self.shown_digest(args)}


def _proposed(_before: TextFile, values: Mapping[str, Any]) -> str:
    content: str = values["content"]
    return content
