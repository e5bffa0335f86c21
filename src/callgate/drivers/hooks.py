"""Hooks: what an embedder puts before and after every tool.

Rule 1: a hook may make things stricter: stop, block, ask. It never allows what the policy does not.
Rule 2: changed arguments are built again and put to the policy; a tail call is put to it too.
Rule 3: fail closed: a hook that raises has blocked the call.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from callgate.drivers.failures import GO_ON, text_of_error
from callgate.kernel.frozenjson import JsonObject, freeze_object
from callgate.kernel.values import Confirmation, Failure
from callgate.tools.protocols import Question, ToolError, ToolResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from callgate.drivers.jobs import Job

    BeforeHook = Callable[["HookCall"], Any | Awaitable[Any]]

HOOK: Final = "hook"
"""The kind of the question that a hook answers itself, so that the kernel knows of its change."""
CHANGED: Final = "[System] Tool input parameters were modified by a hook before execution."


@final
@frozen
class HookCall:
    """What a hook is told."""

    call_id: str
    name: str
    args: JsonObject


@final
@frozen
class Block:
    """This call must not run; after it ran: the model must not read its result."""

    reason: str = "No reason provided"


@final
@frozen
class StopAgent:
    """Nothing more is to happen in this turn; the error type says so to whoever leads it."""

    reason: str = "No reason provided"


@final
@frozen
class AskFirst:
    """A person must be asked, whatever the tool thinks."""

    message: str = ""


@final
@frozen
class ChangeArguments:
    """Other arguments; they are built, judged and, if need be, asked about like any."""

    args: Mapping[str, Any]


@final
@frozen
class AddContext:
    """Words for the model, behind the result."""

    text: str


@final
@frozen
class TailCall:
    """After a success: another tool's result stands in the place of this one's.

    It runs only if the policy allows it unasked.
    """

    name: str
    args: Mapping[str, Any]


@final
@frozen(kw_only=True)
class Hook:
    """A pair of functions, sync or async; each gets a `HookCall` (and the `ToolResult`).

    They give nothing, one of the values above, or a list of them.

    >>> def no_removal(call):
    ...     if call.name == "shell" and "rm" in call.args["command"].split():
    ...         return Block("move it to trash/ instead")
    >>> def sign(call, result):
    ...     return AddContext(f"{call.name} ran in the sandbox")
    >>> both = Hook(before=no_removal, after=sign)
    >>> both.before(HookCall("c1", "shell", freeze_object({"command": "rm -rf x"}))).reason
    'move it to trash/ instead'
    """

    before: Callable[[HookCall], Any] | None = None
    after: Callable[[HookCall, ToolResult], Any] | None = None


class Before:
    """What the hooks want of one call."""

    __slots__ = ("args", "question")

    def __init__(self) -> None:
        self.args: JsonObject | None = None
        self.question: Question | None = None


def as_confirmation(before: Before) -> Confirmation:
    """The question that carries a hook's change of arguments through the kernel."""
    return Confirmation(HOOK, {"args": before.args or {}}, modifiable=True, has_editor=True)


async def run_before(hooks: Sequence[Hook], job: Job) -> Failure | None:
    """Ask every hook; a failure ends the call. Stop goes before block, whoever said it first."""
    before = Before()
    call = HookCall(job.request.call_id, job.request.name, job.args)
    said: list[Any] = []
    for hook in hooks:
        if hook.before is not None:
            said += await _ask(hook.before, call)
    refused = _refusal(said, "Tool execution blocked", "policy_violation")
    for word in said:
        if type(word) is ChangeArguments:
            before.args = freeze_object(dict(word.args))
        elif type(word) is AskFirst:
            before.question = Question(
                "info", {"prompt": word.message, "systemMessage": word.message}
            )
        elif type(word) is AddContext:
            job.added = [*(job.added or ()), _context(word.text)]
    if before.args is not None:
        job.added = [*(job.added or ()), f"\n\n{CHANGED}"]
    job.before = before
    return refused


async def run_after(
    hooks: Sequence[Hook], job: Job, result: ToolResult
) -> tuple[ToolResult, TailCall | None]:
    """Let every hook see the result; the first tail call counts."""
    call = HookCall(job.request.call_id, job.request.name, job.args)
    said: list[Any] = []
    for hook in hooks:
        if hook.after is not None:
            said += await _ask(hook.after, call, result)
    refused = _refusal(said, "Tool result blocked", "execution_failed")
    if refused is not None:
        return ToolResult(error=ToolError(refused.message, refused.type)), None
    added = [_context(word.text) for word in said if type(word) is AddContext]
    tails = [word for word in said if type(word) is TailCall]
    tail = tails[0] if tails and result.error is None else None
    return with_context(result, [*(job.added or ()), *added]), tail


def with_context(result: ToolResult, added: Sequence[str]) -> ToolResult:
    """The result with words behind it: at the end of a text, or as a text of its own."""
    if not added or result.error is not None:
        return result
    text, content = "".join(added), result.content
    if isinstance(content, str):
        return ToolResult(content + text, result.display)
    parts = list(content) if isinstance(content, (list, tuple)) else [content]
    return ToolResult([*parts, {"text": text.lstrip()}], result.display)


def _refusal(said: Sequence[Any], blocked: str, kind: str) -> Failure | None:
    for word in said:
        if type(word) is StopAgent:
            return Failure("stop_execution", f"Agent execution stopped by hook: {word.reason}")
    for word in said:
        if type(word) is Block:
            return Failure(kind, f"{blocked}: {word.reason}")
    return None


def _context(text: str) -> str:
    return f"\n\n<hook_context>{text}</hook_context>"


_WORDS: Final = (Block, StopAgent, AskFirst, ChangeArguments, AddContext, TailCall)


async def _ask(hook: Callable[..., Any], *told: Any) -> list[Any]:
    """What one hook says, as a list; raising is blocking, and so is saying what nobody knows."""
    try:
        said = hook(*told)
        if hasattr(said, "__await__"):
            said = await said
    except GO_ON:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return [Block(f"a hook failed: {text_of_error(error)}")]
    except BaseException as error:
        return [Block(f"a hook failed: {text_of_error(error)}")]
    words = [] if said is None else said if isinstance(said, list) else [said]
    for word in words:
        if type(word) not in _WORDS:
            return [Block(f"a hook gave a {type(word).__name__}, which means nothing")]
    return words
