"""The person's own editor, on the content that a tool proposes.

Rule 1: the files are private and are removed, however the editor ends.
Rule 2: an editor that fails has changed nothing; a file that it left as it was is an answer too.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, final

from callgate.drivers.errors import EditorFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping


class Editor(Protocol):
    """Lets a person edit a text."""

    def edit(self, *, path: str, current: str, proposed: str) -> Awaitable[str] | str:
        """What the person made of the proposed content; raises if nothing they did counts.

        `path` is the file that the content is for: its name and ending are shown.
        """
        ...


@final
class CommandEditor:
    """An editor that is a command: `$VISUAL`, else `$EDITOR`.

    >>> CommandEditor.from_environment({"EDITOR": "nano -w"}).command
    ('nano', '-w')
    >>> CommandEditor.from_environment({}) is None
    True
    """

    def __init__(self, *command: str) -> None:
        if not command:
            raise ValueError("an editor is a command: at least one word was expected")
        self.command = command

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> CommandEditor | None:
        """The person's editor; none: they have not said which.

        Raises:
            ValueError: what they said cannot be split into words.
        """
        names = os.environ if environment is None else environment
        for name in ("VISUAL", "EDITOR"):
            try:
                words = shlex.split(names.get(name, ""))
            except ValueError as error:
                raise ValueError(f"{name}={names[name]!r} is no command: {error}") from None
            if words:
                return cls(*words)
        return None

    async def edit(self, *, path: str, current: str, proposed: str) -> str:
        """Open the editor on the proposed content, with the current one beside it, and wait."""
        with tempfile.TemporaryDirectory(prefix="callgate-edit-") as folder:
            name = Path(path).name or "content"
            beside = Path(folder, f"current-{name}")
            edited = Path(folder, name)
            for file, text in ((beside, current), (edited, proposed)):
                file.touch(mode=0o600)
                file.write_bytes(text.encode("utf-8", "surrogateescape"))
            await self._run(str(edited))
            try:
                return edited.read_bytes().decode("utf-8")
            except FileNotFoundError:
                return ""
            except UnicodeDecodeError as error:
                raise EditorFailed(f"what {self.command[0]!r} left is no UTF-8: {error}") from error

    async def _run(self, file: str) -> None:
        try:
            process = await asyncio.create_subprocess_exec(*self.command, file)
        except OSError as error:
            raise EditorFailed(
                f"the editor {self.command[0]!r} could not be started ({error.strerror}):"
                " set VISUAL or EDITOR to a command that waits until the file is closed"
            ) from error
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        if code != 0:
            raise EditorFailed(f"the editor {self.command[0]!r} ended with exit code {code}")
