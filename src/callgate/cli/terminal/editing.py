"""The person's editor, with the whole terminal to itself.

Rule 1: while it is open nothing is drawn, Ctrl-C is its own, and what is typed is seen.
Rule 2: however it ends, the terminal is as it was.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, final

from callgate.cli.terminal.keyboard import echoing
from callgate.drivers.editor import CommandEditor

if TYPE_CHECKING:
    from callgate.cli.terminal.board import Board


@final
class WholeScreen:
    """Opens the editor with the board out of the way."""

    def __init__(self, editor: CommandEditor, board: Board) -> None:
        self._editor, self._board = editor, board
        self.is_open = False

    async def edit(self, *, path: str, current: str, proposed: str) -> str:
        """What the person made of it."""
        is_terminal = sys.stdin.isatty()
        self._board.pause()
        self.is_open = True
        try:
            with echoing(True, sys.stdin.fileno()) if is_terminal else nullcontext():
                return await self._editor.edit(path=path, current=current, proposed=proposed)
        finally:
            self.is_open = False
            self._board.resume()


def editor_of_the_person(board: Board) -> WholeScreen | None:
    """Their own; else one that the machine has."""
    try:
        own = CommandEditor.from_environment()
    except ValueError as error:
        own = None
        print(f"callgate: {error}", file=sys.stderr)
    found = next((name for name in ("nano", "vim", "vi") if shutil.which(name)), None)
    editor = own or (None if found is None else CommandEditor(found))
    return None if editor is None else WholeScreen(editor, board)
