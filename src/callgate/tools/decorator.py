"""`@tool`: a typed function as a tool.

Rule 1: the function stays what it was: call it, and it runs.
Rule 2: a plain function runs in a thread of its own, an async one in the loop.
Rule 3: what cannot be described to a model is refused when it is decorated, not when it is called.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeAlias, final, overload

from attrs import field, frozen

from callgate.tools.errors import MissingExtra
from callgate.tools.protocols import Kind, Question
from callgate.tools.signature import IdempotencyKey, Injected, signature_of
from callgate.tools.threads import OutputFromThread, in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from callgate.kernel.frozenjson import JsonObject
    from callgate.tools.protocols import Cancellation, Output

__all__ = ["FunctionTool", "IdempotencyKey", "tool"]

Answer: TypeAlias = "Question | bool | str | None"
Confirm: TypeAlias = "bool | str | Callable[..., Answer | Awaitable[Answer]]"
_KINDS_OF_QUESTION = ("exec", "mcp", "info")
_EXPECTED = f"True, False, a Question or a kind ({', '.join(_KINDS_OF_QUESTION)}) was expected"
_ALONE = (Kind.EDIT, Kind.EXECUTE)
_LINE_MAX = 120


def _checked(_owner: object, _field: object, confirm: Confirm) -> None:
    if not (isinstance(confirm, bool) or callable(confirm) or confirm in _KINDS_OF_QUESTION):
        raise ValueError(f"confirm is {confirm!r}; a function, or {_EXPECTED}")


@final
@frozen(kw_only=True, eq=False)
class Options:
    """What `@tool` can be told."""

    name: str | None = None
    display_name: str | None = None
    description: str | None = None
    kind: Kind = field(default=Kind.OTHER, converter=Kind)
    confirm: Confirm = field(default=False, validator=_checked)
    parallel: bool | None = None
    timeout_ms: int | None = None
    server: str | None = None
    annotations: dict[str, Any] = field(factory=dict, converter=dict)
    is_output_markdown: bool = False
    truncates: bool = False


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...
@overload
def tool(
    *,
    name: str | None = None,
    display_name: str | None = None,
    description: str | None = None,
    kind: Kind | str = Kind.OTHER,
    confirm: Confirm = False,
    parallel: bool | None = None,
    timeout_ms: int | None = None,
    server: str | None = None,
    annotations: Mapping[str, Any] | None = None,
    is_output_markdown: bool = False,
    truncates: bool = False,
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(function: Any = None, /, **options: Any) -> Any:
    """Make a tool of a typed function, sync or async.

    The schema comes from the type hints, the descriptions from the docstring. Parameters of the
    types `Output`, `Cancellation` and `IdempotencyKey` are given by the driver, not by the model.

    Args:
        function: the function; its parameters all have types.
        **options: `name`, `display_name`, `description`, `kind`, `timeout_ms`, `server`,
            `annotations`, `is_output_markdown`, `truncates` (large output goes to a file);
            `parallel`: may run beside its neighbours (none: unless it edits or executes);
            `confirm`: True or a kind of question asks first; a function is given the arguments by
            name and says whether, or returns the `Question` itself.

    >>> @tool(kind="search", confirm=lambda city, **_: city == "Atlantis")
    ... def weather(city: str, days: int = 1) -> str:
    ...     '''Say what the weather will be.'''
    ...     return f"{city}: rain for {days} days"
    >>> weather.schema["required"], weather("Oslo")
    (['city'], 'Oslo: rain for 1 days')
    >>> weather.build({"city": "Oslo", "day": 2})
    Traceback (most recent call last):
    callgate.tools.protocols.InvalidArguments: Invalid arguments for "weather": There is no \
argument "day" (did you mean "days"?); there are: "city", "days".
    """
    if function is not None:
        return FunctionTool(function, Options(**options))
    chosen = Options(**options)
    return lambda decorated: FunctionTool(decorated, chosen)


@final
class FunctionTool:
    """A function, as a tool."""

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        arguments, schemas = _library()
        signature = signature_of(function)
        self.function, self.signature, self.options = function, signature, options
        self.schema: Mapping[str, Any] = schemas.schema_of(function, signature)
        self.arguments = arguments.Arguments(signature)
        self.name = options.name or signature.name
        self.display_name = options.display_name or self.name
        said = options.description
        self.description = signature.description if said is None else said
        self.kind, self.confirm = options.kind, options.confirm
        self.parallel = options.parallel
        if self.parallel is None:
            self.parallel = self.kind not in _ALONE
        self.timeout_ms, self.server = options.timeout_ms, options.server
        self.annotations, self.truncates = options.annotations, options.truncates
        self.can_update_output = signature.wants(Injected.OUTPUT)
        self.wants_key = signature.wants(Injected.KEY)
        # A thread cannot be cancelled, so a plain function is always waited for.
        self.takes_cancellation = not signature.is_async or signature.wants(Injected.CANCELLATION)
        self.is_output_markdown = options.is_output_markdown
        self.__doc__, self.__wrapped__ = function.__doc__, function

    def __call__(self, *args: Any, **names: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **names)

    def __repr__(self) -> str:
        return f"<tool {self.name}>"

    def build(self, args: JsonObject) -> FunctionInvocation:
        """Accept these arguments, or raise `InvalidArguments` with every problem that they have."""
        return FunctionInvocation(self, self.arguments.accept(self.name, args))


@final
class FunctionInvocation:
    """A function with arguments that it accepted."""

    def __init__(self, owner: FunctionTool, values: dict[str, Any]) -> None:
        self.owner, self.values = owner, values

    def describe(self) -> str:
        """One line: the tool and its arguments."""
        shown = ", ".join(f"{key}={value!r}" for key, value in self.values.items())
        line = f"{self.owner.display_name}({shown})".replace("\n", "\\n")
        return line if len(line) <= _LINE_MAX else f"{line[: _LINE_MAX - 3]}..."

    def should_confirm(self) -> Question | Awaitable[Question | None] | None:
        """What the option `confirm` says of these arguments."""
        confirm = self.owner.confirm
        answer: Any = confirm(**self.values) if callable(confirm) else confirm
        if inspect.isawaitable(answer):
            return self._later(answer)
        return self._question(answer)

    async def execute(self, cancel: Cancellation, output: Output, key: str = "") -> Any:
        """Call the function, in a thread if it is a plain one."""
        from callgate.tools.results import result_of

        owner = self.owner
        given = {
            Injected.CANCELLATION: cancel,
            Injected.OUTPUT: output if owner.signature.is_async else OutputFromThread(output),
            Injected.KEY: IdempotencyKey(key),
        }
        injected = {name: given[what] for name, what in owner.signature.injected}
        if owner.signature.is_async:
            return result_of(await owner.function(**self.values, **injected))
        value = await in_thread(lambda: owner.function(**self.values, **injected), owner.name)
        return result_of(await value if inspect.isawaitable(value) else value)

    async def _later(self, answer: Awaitable[Answer]) -> Question | None:
        return self._question(await answer)

    def _question(self, answer: Answer) -> Question | None:
        if isinstance(answer, Question):
            return answer
        if answer is None or answer is False:
            return None
        kind = "info" if answer is True else answer
        if kind not in _KINDS_OF_QUESTION:
            raise ValueError(f"confirm of {self.owner.name!r} said {kind!r}; {_EXPECTED}")
        return Question(kind, self._details(kind))

    def _details(self, kind: str) -> dict[str, Any]:
        if kind == "exec":
            command = self.values.get("command")
            return {"command": command if isinstance(command, str) else self.describe()}
        if kind == "mcp":
            names = {"toolName": self.owner.name, "toolDisplayName": self.owner.display_name}
            return {"serverName": self.owner.server or "", **names}
        return {"prompt": self.describe()}


def _library() -> tuple[Any, Any]:
    try:
        from callgate.tools import arguments, schemas
    except ImportError as error:
        raise MissingExtra("@tool", error.name or "msgspec", "tools") from None
    return arguments, schemas
