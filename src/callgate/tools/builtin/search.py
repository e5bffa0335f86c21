"""`search_text`: lines that match a pattern, found by a process that is ended when time is up.

Rule 1: Python's patterns can take for ever: no pattern is tried in this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta

from callgate.tools.builtin import searching
from callgate.tools.builtin.workspace import OutsideWorkspace, failed
from callgate.tools.decorator import FunctionTool, tool
from callgate.tools.protocols import Cancellation, Kind

if TYPE_CHECKING:
    from callgate.tools.builtin.workspace import Workspace

HITS_MAX: Final = 200
SECONDS_MAX: Final = 20.0
_Limit = Annotated[int, Meta(ge=1, le=2_000)]


def search_text(workspace: Workspace, *, seconds_max: float = SECONDS_MAX) -> FunctionTool:
    """The tool that searches."""

    @tool(kind=Kind.SEARCH, display_name="Search text", annotations={"readOnlyHint": True})
    async def search_text(  # noqa: PLR0913, PLR0917 - a model names its arguments
        pattern: str,
        cancel: Cancellation,
        dir_path: str = ".",
        include: str = "*",
        ignore_case: bool = False,
        limit: _Limit = HITS_MAX,
    ) -> Any:
        """Search the lines of text files for a regular expression (of Python's kind).

        Binary files, files above 5 MB, links, and folders like .git and node_modules are skipped.

        Args:
            pattern: The regular expression.
            dir_path: The folder or file to search, relative to the workspace.
            include: Only files whose name or path matches this, like *.py
            ignore_case: Take capital and small letters for the same.
            limit: How many lines to show.
        """
        try:
            path = workspace.resolve(dir_path)
            re.compile(pattern)
        except OutsideWorkspace as error:
            return failed(str(error), "path_not_in_workspace")
        except (re.error, RecursionError, OverflowError) as error:
            return failed(f'"{pattern}" is no regular expression: {error}.', "invalid_pattern")
        if not path.exists():
            return failed(f"File not found: {dir_path}", "file_not_found")
        job: dict[str, Any] = {"path": str(path), "root": str(workspace.root), "pattern": pattern}
        job |= {"include": include, "ignore_case": ignore_case, "limit": limit}
        return await _Search(job, seconds_max).run(cancel)

    return search_text


class _Search:
    """One search, in its process."""

    def __init__(self, job: dict[str, Any], seconds_max: float) -> None:
        self.job, self.seconds_max = job, seconds_max
        self.lines: list[str] = []
        self.end = ""

    async def run(self, cancel: Cancellation) -> str:
        """Search until all is found, time is up, or nobody wants it any more."""
        program = [sys.executable, "-I", "-S", str(Path(searching.__file__))]
        process = await asyncio.create_subprocess_exec(
            *program,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=1 << 20,
        )
        cancel.on_cancel(lambda: _end(process))
        try:
            async with asyncio.timeout(self.seconds_max):
                await self._read(process)
                await process.wait()
        except TimeoutError:
            self.end = f"[The search was ended after {self.seconds_max:g} s; there may be more]"
        finally:
            _end(process)
            await process.wait()
        if cancel.is_cancelled:
            self.end = "[The search was cancelled; there may be more]"
        return "\n".join([*self.lines, self.end] if self.end else self.lines) or "No line matches."

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            return
        with contextlib.suppress(ConnectionError):
            process.stdin.write(json.dumps(self.job).encode())
            await process.stdin.drain()
        process.stdin.close()
        async for line in process.stdout:
            said = json.loads(line)
            if "text" in said:
                self.lines.append(f"{said['path']}:{said['line']}: {said['text']}")
            elif "more" in said:
                self.end = f"[{self.job['limit']} lines are shown; there may be more]"


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill it, if it has not ended; `Popen.kill` would take the news of its end from asyncio."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
