"""The tools that come with callgate: files, search, edits and a shell, within one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.tools.builtin.edit_file import EditFile
from callgate.tools.builtin.reading import list_directory, read_file
from callgate.tools.builtin.search import search_text
from callgate.tools.builtin.shell import Shell
from callgate.tools.builtin.workspace import Workspace
from callgate.tools.builtin.write_file import WriteFile

if TYPE_CHECKING:
    from pathlib import Path

    from callgate.tools.protocols import Tool

__all__ = ["Workspace", "builtin_tools"]


def builtin_tools(workspace: Workspace | Path | str) -> list[Tool]:
    """The built-in tools for a folder; a path stands for a workspace that nothing leaves.

    >>> [tool.name for tool in builtin_tools(".")]
    ['read_file', 'list_directory', 'search_text', 'write_file', 'edit_file', 'shell']
    """
    space = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
    return [
        read_file(space),
        list_directory(space),
        search_text(space),
        WriteFile(space),
        EditFile(space),
        Shell(space),
    ]
