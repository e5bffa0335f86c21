"""What a tool is to a driver: the protocols, and the values that pass between the two.

Rule 1: a tool is asked, told, executed and stopped by a driver, and by nobody else. It may be a
class, a function (`@tool`) or anything else with these attributes; no base class is needed.
Rule 2: what a tool raises, returns or leaves undone never reaches another tool.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, final, runtime_checkable

from attrs import field, frozen

from callgate.kernel.frozenjson import EMPTY, Json, JsonObject, freeze_object

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from callgate.kernel.values import Outcome


@final
class Kind(StrEnum):
    """What a tool does to the world; a plan may read it, the kernel does not."""

    READ = "read"
    SEARCH = "search"
    EDIT = "edit"
    EXECUTE = "execute"
    FETCH = "fetch"
    OTHER = "other"


class InvalidArguments(ValueError):
    """`build` says that these arguments are none; its text is what the model reads."""


@final
@frozen
class IdeAnswer:
    """What an IDE answered to the edit that it was shown."""

    accepted: bool
    content: str | None = None
    "The content, if it was edited there."


@final
@frozen(eq=False)
class Question:
    """What a tool wants a person to be asked: of kind edit, exec, mcp or info.

    >>> Question("exec", {"command": "ls"}).kind
    'exec'
    """

    kind: str
    details: JsonObject = field(default=EMPTY, converter=freeze_object)
    told: Callable[[Outcome, Json], Awaitable[None] | None] | None = None
    "Called with each answer (not with a no) before it takes effect; if it raises, the call fails."
    ide: Awaitable[IdeAnswer] | None = None
    "An IDE that shows the same edit and may answer first; if it raises, the person still can."


@final
@frozen
class ToolError:
    """A tool's own word that it failed, as a value."""

    message: str = ""
    type: str | None = None
    retryable: bool = False


@final
@frozen(eq=False)
class ToolResult:
    """What a tool returns that has more to say than its content.

    >>> ToolResult("3 files", display="3 files found").content
    '3 files'
    """

    content: Any = None
    "For the model: a text, a part, a list of them, or any JSON."
    display: Any = None
    "For a person."
    error: ToolError | None = None
    value: Any = None
    "What a function returned, where the content is only its JSON; it never enters the kernel."


class Cancellation(Protocol):
    """Tells a running tool that it is to stop."""

    @property
    def is_cancelled(self) -> bool:
        """Has it been told?"""
        ...

    async def wait(self) -> None:
        """Return when it is told."""
        ...

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Call this when it is told; at once if it has been."""
        ...


class Output(Protocol):
    """Where a running tool shows what it does."""

    def __call__(self, chunk: Any) -> None:
        """Live output: a text, or other plain data."""
        ...

    def pid(self, pid: int) -> None:
        """The process that does the work."""
        ...

    def progress(self, part: float) -> None:
        """How much is done, from 0 to 1."""
        ...


class Invocation(Protocol):
    """One tool with arguments that it accepted."""

    def describe(self) -> str:
        """One line for a person: what will be done."""
        ...

    def should_confirm(self) -> Question | Awaitable[Question | None] | None:
        """What a person must be asked first; none: nothing."""
        ...

    def execute(self, cancel: Cancellation, output: Output) -> Awaitable[Any]:
        """Do it. Returns a `ToolResult`, a text, a part, a list of them, or any JSON."""
        ...


@runtime_checkable
class Tool(Protocol):
    """Something a model may call.

    Optional attributes, read where they are there: `description` (for the model), `server` (the MCP
    server that brings it), `annotations` (a mapping, for policies), `parallel` (False: alone in its
    wave), `timeout_ms`, `truncates` (large output goes to a file), `build_for(call_id, args)` (in
    place of `build`, for a tool that wants to know for which call), `takes_cancellation` (False: it
    does not look at its `Cancellation`, so its task is cancelled in asyncio's way when it is to
    stop), `wants_key` (True: `execute` is given `key=`, the same for every attempt of a call, so
    that it can notice that it ran before).
    """

    @property
    def name(self) -> str: ...
    @property
    def display_name(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of its arguments."""
        ...

    @property
    def can_update_output(self) -> bool: ...
    @property
    def is_output_markdown(self) -> bool: ...

    def build(self, args: JsonObject) -> Invocation:
        """Accept these arguments, or raise; the text of what is raised is what the model reads."""
        ...


@runtime_checkable
class ModifiableTool(Tool, Protocol):
    """A tool whose proposed content a person can edit before it runs."""

    def file_path(self, args: JsonObject) -> str:
        """The file that would be changed; its ending chooses the editor's colours."""
        ...

    def current_content(self, args: JsonObject) -> str:
        """What stands there now."""
        ...

    def proposed_content(self, args: JsonObject) -> str:
        """What would stand there."""
        ...

    def updated_args(self, args: JsonObject, content: str) -> Mapping[str, Any]:
        """The arguments that lead to the content as the person edited it."""
        ...
