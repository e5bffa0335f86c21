"""The tools of a scenario: they do what their keys say, when the script says so.

Rule 1: a fake waits for the script and for nothing else; it never looks at a clock.
Rule 2: what is running, asking or showing is found by the id of its call, the newest of it.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final, final

from callgate.kernel.frozenjson import EMPTY, JsonObject
from callgate.responses.plain import plain
from callgate.tools.protocols import IdeAnswer, Kind, Question, ToolError, ToolResult

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Generator, Mapping

    from callgate.kernel.frozenjson import Json
    from callgate.tools.protocols import Cancellation, Output

_OLD: Final = "old\n"
_NEW: Final = "new\n"
SHELL: Final = "run_shell_command"


class Scripted(Exception):
    """What a fake raises when it is told to."""


class ScriptedNonError(BaseException):
    """What it raises when that must be no `Exception`."""


@final
class Stage:
    """What the fakes and the script share: who waits for what."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        started: Callable[[str, Any], None],
        abort: Callable[[str], None],
    ) -> None:
        self.loop = loop
        self.started = started
        self.abort = abort
        self.is_scheduling = False
        self.scripts: dict[str, CallScript] = {}
        "The calls as they were asked last."
        self.gates: dict[str, asyncio.Future[None]] = {}
        self.running: dict[str, asyncio.Future[Any]] = {}
        self.outputs: dict[str, Output] = {}
        self.screens: dict[str, Screen] = {}


@final
class CallScript:
    """How often a call was asked, over all its invocations."""

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked = 0


@final
class Screen:
    """The IDE's side of a question; it answers at most once."""

    __slots__ = ("_answer", "_loop", "is_watched")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._answer: asyncio.Future[IdeAnswer] = loop.create_future()
        self.is_watched = False

    def __await__(self) -> Generator[Any, None, IdeAnswer]:
        self.is_watched = True
        try:
            return (yield from self._answer)
        finally:
            self.is_watched = False

    def answer(self, answer: IdeAnswer | None) -> None:
        """Answer; none: the IDE is lost."""
        if self._answer.done():
            return
        if answer is None:
            self._answer.set_exception(Scripted("the IDE is lost"))
        else:
            self._answer.set_result(answer)


class Fake:
    """A tool of a scenario."""

    display_name = property(lambda self: self.name)
    kind = Kind.OTHER
    schema: Mapping[str, Any] = EMPTY
    is_output_markdown = False

    def __init__(self, spec: Mapping[str, Any], stage: Stage) -> None:
        self.name: str = spec["name"]
        self.spec = spec
        self.stage = stage
        self.can_update_output: bool = spec.get("can_update_output", False)
        self.confirm: str = spec.get("confirm", "none")
        self.server: str | None = spec.get("server", "server") if self.confirm == "mcp" else None
        self.truncates = self.name == SHELL
        execute = spec.get("execute", "manual")
        self.execution: Mapping[str, Any] = {"mode": execute} if type(execute) is str else execute

    def build_for(self, call_id: str, args: JsonObject) -> FakeInvocation:
        """The invocation of a call: a new one, or one whose arguments were edited."""
        script = None if self.stage.is_scheduling else self.stage.scripts.get(call_id)
        return self._build(call_id, args, script or CallScript())

    def build(self, args: JsonObject) -> FakeInvocation:
        """An invocation that belongs to no call."""
        return self._build("", args, CallScript())

    def _build(self, call_id: str, args: JsonObject, script: CallScript) -> FakeInvocation:
        spec = self.spec
        if "build_error" in spec:
            raise Scripted(spec["build_error"])
        if "build_raises_non_error" in spec:
            raise ScriptedNonError(spec["build_raises_non_error"])
        when = spec.get("build_error_if")
        if when is not None and when["arg"] in args and same(args[when["arg"]], when["equals"]):
            raise Scripted(when["message"])
        return FakeInvocation(self, call_id, args, script)


class ModifiableFake(Fake):
    """A tool whose content can be edited."""

    def file_path(self, args: JsonObject) -> str:
        """The file that it would change."""
        path = args.get("file_path")
        return "file.txt" if path is None else path if isinstance(path, str) else str(path)

    def current_content(self, _args: JsonObject) -> str:
        """What stands there."""
        return _OLD

    def proposed_content(self, args: JsonObject) -> Any:
        """What would stand there."""
        return proposed(args)

    def updated_args(self, args: JsonObject, content: Any) -> Mapping[str, Any]:
        """The arguments with that content."""
        return {**args, "content": content}


def proposed(args: JsonObject) -> Any:
    """The content that the arguments propose."""
    content = args.get("content")
    return _NEW if content is None else content


def same(one: Json, other: Any) -> bool:
    """Equality of JSON: true is not 1."""
    return bool(_typed(one) == _typed(other))


def _typed(value: Any) -> Any:
    if isinstance(value, bool):
        return ("flag", value)
    if isinstance(value, (list, tuple)):
        return [_typed(item) for item in value]
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    return value


def fake(spec: Mapping[str, Any], stage: Stage) -> Fake:
    """The tool that a scenario describes."""
    return (ModifiableFake if spec.get("modifiable") else Fake)(spec, stage)


@final
class FakeInvocation:
    """One call of a fake."""

    __slots__ = ("args", "call_id", "script", "tool")

    def __init__(self, tool: Fake, call_id: str, args: JsonObject, script: CallScript) -> None:
        self.tool = tool
        self.call_id = call_id
        self.args = args
        self.script = script

    def describe(self) -> str:
        """One line for a person."""
        return self.tool.name

    # --- asking -----------------------------------------------------------------------------------

    def should_confirm(self) -> Question | Awaitable[Question | None] | None:
        """Gate, abort, raise, answer: in this order."""
        self.script.asked += 1
        self.tool.stage.scripts[self.call_id] = self.script
        if self.script.asked == 1 and self.tool.spec.get("confirm_gate"):
            return self._behind_gate()
        return self._answer()

    async def _behind_gate(self) -> Question | None:
        gates = self.tool.stage.gates
        gate = gates[self.call_id] = self.tool.stage.loop.create_future()
        try:
            await gate
        finally:
            if gates.get(self.call_id) is gate:
                del gates[self.call_id]
        return self._answer()

    def _answer(self) -> Question | None:
        spec, asked = self.tool.spec, self.script.asked
        if asked == 1 and "confirm_aborts" in spec:
            self.tool.stage.abort(spec["confirm_aborts"])
        if "confirm_raises" in spec:
            raise Scripted(spec["confirm_raises"])
        if "confirm_raises_non_error" in spec:
            raise ScriptedNonError(spec["confirm_raises_non_error"])
        later = spec.get("confirm_raises_from")
        if later is not None and asked >= later["call"]:
            raise Scripted(later["message"])
        return self._question()

    def _question(self) -> Question | None:
        tool, args = self.tool, self.args
        told = self._told if "on_confirm_raises" in tool.spec else None
        if tool.confirm == "none":
            return None
        if tool.confirm == "exec":
            return Question("exec", {"command": plain(args.get("command"))}, told)
        if tool.confirm == "mcp":
            return Question("mcp", {"serverName": tool.server, "toolName": tool.name}, told)
        if tool.confirm == "info":
            return Question("info", {"prompt": tool.name}, told)
        return Question("edit", self._shown(), told, self._screen())

    def _shown(self) -> dict[str, Any]:
        path = self.args.get("file_path")
        path = "file.txt" if path is None else str(path)
        return {
            "fileDiff": "initial diff",
            "fileName": posixpath.basename(path.rstrip("/")),
            "filePath": path,
            "originalContent": _OLD,
            "newContent": plain(proposed(self.args)),
        }

    def _screen(self) -> Screen | None:
        if not self.tool.spec.get("ide") or self.script.asked > 1:
            return None
        stage = self.tool.stage
        screen = stage.screens[self.call_id] = Screen(stage.loop)
        return screen

    def _told(self, _outcome: Any, _edit: Any) -> None:
        raise Scripted(self.tool.spec["on_confirm_raises"])

    # --- running ----------------------------------------------------------------------------------

    def execute(self, cancel: Cancellation, output: Output) -> Awaitable[Any]:
        """Start; it ends as its mode says."""
        stage, execution = self.tool.stage, self.tool.execution
        stage.started(self.call_id, self.args)
        if execution.get("mode") == "raise_sync":
            raise Scripted(execution.get("message", "sync boom"))
        stage.outputs[self.call_id] = output
        return self._run(cancel, output)

    async def _run(self, cancel: Cancellation, output: Output) -> Any:
        execution = self.tool.execution
        mode = execution.get("mode", "manual")
        for chunk in execution.get("chunks", ()):
            output(chunk)
        if mode == "immediate":
            return result_of(execution.get("result", "ok"))
        if mode == "raise":
            raise Scripted(execution.get("message", "boom"))
        return await self._until_told(mode, cancel)

    async def _until_told(self, mode: str, cancel: Cancellation) -> Any:
        running = self.tool.stage.running
        end = running[self.call_id] = self.tool.stage.loop.create_future()
        if mode != "manual":
            cancel.on_cancel(lambda: self._aborted(mode, end))
        try:
            return await end
        finally:
            if running.get(self.call_id) is end:
                del running[self.call_id]

    def _aborted(self, mode: str, end: asyncio.Future[Any]) -> None:
        if end.done():
            return
        if mode == "wait_abort":
            end.set_exception(Scripted("aborted"))
        else:
            end.set_result(result_of(self.tool.execution.get("result", "partial output")))


def result_of(given: Any) -> Any:
    """A full result, or the content itself."""
    if not isinstance(given, dict) or given.keys().isdisjoint(
        ("llmContent", "returnDisplay", "error")
    ):
        return given
    error = given.get("error")
    failed = None if error is None else _tool_error(error)
    return ToolResult(given.get("llmContent"), given.get("returnDisplay"), failed)


def _tool_error(error: Any) -> ToolError:
    told = error if isinstance(error, dict) else {}
    message, kind = told.get("message"), told.get("type")
    return ToolError("" if message is None else str(message), None if kind is None else str(kind))
