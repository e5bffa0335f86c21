"""One structured record for each finished call, for logs.

Rule 1: plain JSON data with fixed keys; the time is given, not looked up.
Rule 2: arguments can be left out: they are the model's words, and may be a person's secrets.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Protocol, runtime_checkable

from callgate.kernel.calls import Cancelled, Errored, FinalCall, Success
from callgate.responses.plain import plain
from callgate.responses.words import cancelled_text


@runtime_checkable
class HasRecord(Protocol):
    """A driver's finished call: it carries the kernel's record."""

    @property
    def record(self) -> FinalCall:
        """The kernel's own record."""
        ...


def final_of(finished: HasRecord | FinalCall) -> FinalCall:
    """The kernel's record of a finished call, whoever carries it."""
    return finished.record if isinstance(finished, HasRecord) else finished


def record_of(
    finished: HasRecord | FinalCall,
    *,
    at_unix_ms: int,
    prompt_id: str = "",
    server: str | None = None,
    with_args: bool = True,
) -> dict[str, Any]:
    """The record of one finished call.

    Args:
        finished: a driver's finished call, or the kernel's record of it.
        at_unix_ms: when it ended, in milliseconds since 1970.
        prompt_id: which prompt of a person it belongs to.
        server: the MCP server that brings the tool, if one does.
        with_args: False: the record says nothing of the arguments.

    >>> from callgate.kernel.calls import Facts
    >>> from callgate.kernel.values import Ok, Outcome, Request
    >>> facts = Facts(1, Request("c1", "ls"), since_ms=0, args={})
    >>> call = Success(facts, Outcome.PROCEED_ONCE, Ok("a b"), duration_ms=7, attempt=1)
    >>> record = record_of(call, at_unix_ms=0)
    >>> record["event.timestamp"], record["function_name"], record["success"]
    ('1970-01-01T00:00:00.000Z', 'ls', True)
    """
    call = final_of(finished)
    error, error_type = _error(call)
    record: dict[str, Any] = {
        "event.name": "tool_call",
        "event.timestamp": _iso(at_unix_ms),
        "call_id": call.facts.request.call_id,
        "function_name": call.facts.request.name,
        "function_args": plain(call.facts.args) if with_args else None,
        "duration_ms": call.duration_ms,
        "success": type(call) is Success,
        "status": call.status.value,
        "decision": None if call.outcome is None else call.outcome.value,
        "attempts": call.attempt,
        "ran": call.ran,
        "error": error,
        "error_type": error_type,
        "prompt_id": prompt_id,
        "tool_type": "native" if server is None else "mcp",
        "mcp_server_name": server,
        "content_length": _length(call),
    }
    return record


def _iso(at_unix_ms: int) -> str:
    moment = datetime.fromtimestamp(at_unix_ms // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_unix_ms % 1000:03}Z"


def _error(call: FinalCall) -> tuple[str | None, str | None]:
    if type(call) is Errored:
        return call.failure.message, call.failure.type or None
    if type(call) is Cancelled:
        return cancelled_text(call.cause, call.reason), "cancelled"
    return None, None


def _length(call: FinalCall) -> int | None:
    """How many characters the model reads, where the content is a text."""
    result = None if type(call) is Errored else call.result
    content = None if result is None else result.content
    if isinstance(content, dict) and "content" in content:
        content = content["content"]
    return len(content) if isinstance(content, str) else None
