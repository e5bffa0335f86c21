"""`shell`: a command line, run by bash.

Rule 1: it always asks; whether it may run unasked is a policy's to say.
Rule 2: nobody types into it: standard input is empty, pagers are off.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Annotated, Any, Final, final

from msgspec import Meta

from callgate.tools.arguments import Arguments
from callgate.tools.builtin.process import Command, Ended, Running
from callgate.tools.builtin.workspace import OutsideWorkspace, failed
from callgate.tools.protocols import InvalidArguments, Kind, Question, ToolResult
from callgate.tools.schemas import schema_of
from callgate.tools.signature import signature_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.kernel.frozenjson import JsonObject
    from callgate.tools.builtin.workspace import Workspace
    from callgate.tools.protocols import Cancellation, Output

_PLAIN: Final = {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"}
_BEFORE: Final = "Command was cancelled by user before it could start."
_DURING: Final = "Command was cancelled by user before it could complete."
_DISPLAY: Final = "Command cancelled by user."
_Milliseconds = Annotated[int, Meta(ge=1)]


def _parameters(command: str, dir_path: str = ".", timeout_ms: _Milliseconds | None = None) -> None:
    """Run a command with bash. What it leaves running in the background is ended with it.

    Args:
        command: The command line.
        dir_path: The folder it runs in, relative to the workspace.
        timeout_ms: End it after so many milliseconds.
    """


@final
class Shell:
    """Runs commands. Known as `run_shell_command` and `ShellTool` too."""

    name = "shell"
    display_name = "Shell"
    aliases = ("run_shell_command", "ShellTool")
    kind = Kind.EXECUTE
    can_update_output = True
    is_output_markdown = False
    parallel = False
    truncates = True

    def __init__(
        self,
        workspace: Workspace,
        *,
        env: Mapping[str, str] | None = None,
        grace_ms: int = 2_000,
        interval_ms: int = 100,
    ) -> None:
        signature = signature_of(_parameters)
        self.workspace, self.grace_ms, self.interval_ms = workspace, grace_ms, interval_ms
        self.env = {**(os.environ if env is None else env), **_PLAIN}
        self.description = signature.description
        self.schema: Mapping[str, Any] = schema_of(_parameters, signature)
        self._arguments = Arguments(signature)

    def build(self, args: JsonObject) -> ShellInvocation:
        """Accept a command line and the folder that it runs in."""
        values = self._arguments.accept(self.name, args)
        command = values["command"]
        if not command.strip() or "\0" in command:
            raise InvalidArguments('"command" is empty, or has a NUL character in it.')
        invocation = ShellInvocation(self, values)
        invocation.folder()
        return invocation


@final
class ShellInvocation:
    """One command line."""

    def __init__(self, owner: Shell, values: dict[str, Any]) -> None:
        self.owner = owner
        self.command: str = values["command"]
        self.dir_path: str = values.get("dir_path", ".")
        self.timeout_ms: int | None = values.get("timeout_ms")

    def folder(self) -> str:
        """Where it runs."""
        folder = self.owner.workspace.resolve(self.dir_path)
        if not folder.is_dir():
            raise InvalidArguments(f'"dir_path" is "{self.dir_path}", which is no folder.')
        return str(folder)

    def describe(self) -> str:
        """The command line, and the folder if it is another than the workspace."""
        return self.command if self.dir_path == "." else f"{self.command} [in {self.dir_path}]"

    def should_confirm(self) -> Question:
        """Show the command line."""
        words = self.command.split()
        details = {"command": self.command, "rootCommand": words[0], "dirPath": self.dir_path}
        return Question("exec", details)

    async def execute(self, cancel: Cancellation, output: Output) -> ToolResult:
        """Run it, and say what it printed and how it ended."""
        if cancel.is_cancelled:
            return ToolResult(_BEFORE, display=_DISPLAY)
        try:
            ended = await Running(self._command(), output).run(cancel)
        except OutsideWorkspace as error:
            return failed(str(error), "path_not_in_workspace")
        except (OSError, InvalidArguments) as error:
            return failed(f"The command could not be started: {error}", "shell_execute_error")
        text = _text(ended, is_cancelled=cancel.is_cancelled, timeout_ms=self.timeout_ms)
        return ToolResult(text, display=text, value=ended)

    def _command(self) -> Command:
        owner = self.owner
        shell = shutil.which("bash", path=owner.env.get("PATH")) or "/bin/sh"
        return Command(
            argv=(shell, "-c", self.command),
            folder=self.folder(),
            env=owner.env,
            timeout_ms=self.timeout_ms,
            grace_ms=owner.grace_ms,
            interval_ms=owner.interval_ms,
        )


def _text(ended: Ended, *, is_cancelled: bool, timeout_ms: int | None) -> str:
    captured = ended.captured
    said = captured.text()
    if captured.is_binary:
        said = f"[binary output of {captured.size} bytes: not shown]"
    notes = []
    if is_cancelled:
        notes.append(_DURING)
    if ended.timed_out:
        notes.append(f"[ended after {timeout_ms} ms: time was up]")
    if ended.signal is not None:
        notes.append(f"[ended by {ended.signal}]")
    elif ended.exit_code:
        notes.append(f"[exit code {ended.exit_code}]")
    if not said.strip():
        return "\n".join(notes) or "[no output]"
    return "\n".join([said.rstrip("\n"), *notes]) if notes else said
