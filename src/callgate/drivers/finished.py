"""A call that has ended: what the model reads of it, and what only this process knows of it.

Rule 1: what the model reads is a pure function of the kernel's record: a replay gives it too.
Rule 2: the tool's own value and exception stand beside it, untouched, and never enter the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from attrs import frozen

from callgate.kernel.calls import Cancelled, Errored, FinalCall, Success
from callgate.kernel.frozenjson import Json, JsonObject, freeze, weigh
from callgate.kernel.values import Ok
from callgate.responses.convert import error_parts, parts_of, with_error
from callgate.responses.plain import plain
from callgate.responses.words import cancelled_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.kernel.values import Confirmation, Outcome, Status

_DIFF: tuple[str, ...] = ("fileDiff", "fileName", "originalContent", "newContent")
_KEYS_WEIGHT = len("content") + len("display") + 1


@final
@frozen
class Response:
    """What a model reads, and what a person is shown."""

    parts: list[Any]
    display: Any = None
    error: str | None = None
    error_type: str | None = None


def ok_of(content: Any, display: Any) -> Ok:
    """A result as the kernel keeps it: plain data, with what a person is shown beside it.

    >>> ok_of("3 files", None).content
    {'content': '3 files', 'display': None}
    """
    kept = content if type(content) is str else freeze(plain(content))
    shown: Json = display if type(display) is str else freeze(plain(display))
    pairs = {"content": kept, "display": shown}
    return Ok(JsonObject(pairs, _KEYS_WEIGHT + weigh(kept) + weigh(shown)))


def response_of(record: FinalCall) -> Response:
    """What a model reads of a final call."""
    request = record.facts.request
    call_id, name = request.call_id, request.name
    if type(record) is Success:
        content, display = _kept(record.result)
        return Response(parts_of(call_id, name, content), display)
    if type(record) is Errored:
        text, kind = record.failure.message, record.failure.type
        return Response(error_parts(call_id, name, text), text, text, kind or None)
    return _of_cancelled(record, call_id, name)


def _of_cancelled(record: Cancelled, call_id: str, name: str) -> Response:
    text = cancelled_text(record.cause, record.reason)
    if record.result is not None:
        content, display = _kept(record.result)
        return Response(with_error(parts_of(call_id, name, content), text), display)
    return Response(error_parts(call_id, name, text), _refused_edit(record.shown))


def _kept(result: Ok) -> tuple[Any, Any]:
    kept = result.content
    if isinstance(kept, dict) and "content" in kept:
        return kept["content"], plain(kept.get("display"))
    return kept, None  # a result that another driver wrote


def _refused_edit(shown: Confirmation | None) -> dict[str, Any] | None:
    """The edit that a person was shown last, if it was one and they did not want it."""
    if shown is None or shown.kind != "edit":
        return None
    return {key: plain(shown.details.get(key)) for key in _DIFF}


@final
class FinishedCall:
    """One call of a finished batch."""

    __slots__ = ("_response", "batch_id", "exception", "output_path", "record", "value")

    def __init__(
        self,
        record: FinalCall,
        batch_id: str,
        value: Any = None,
        exception: BaseException | None = None,
        output_path: str | None = None,
    ) -> None:
        self.record = record
        "The kernel's own record."
        self.batch_id = batch_id
        self.value = value
        "What the tool returned, untouched; none if it did not."
        self.exception = exception
        "What the tool raised, as it was."
        self.output_path = output_path
        "Where the whole of a truncated output is."
        self._response: Response | None = None

    @property
    def response(self) -> Response:
        """What the model reads; made when it is first asked for."""
        if self._response is None:
            self._response = response_of(self.record)
        return self._response

    @property
    def call_id(self) -> str:
        """The model's own id."""
        return self.record.facts.request.call_id

    @property
    def name(self) -> str:
        """The tool's name, as the model wrote it."""
        return self.record.facts.request.name

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments in force: those that ran, if it ran."""
        return self.record.facts.args

    @property
    def status(self) -> Status:
        """Success, error or cancelled."""
        return self.record.status

    @property
    def ok(self) -> bool:
        """Did it succeed?"""
        return type(self.record) is Success

    @property
    def outcome(self) -> Outcome | None:
        """What was said to it."""
        return self.record.outcome

    @property
    def duration_ms(self) -> int:
        """From its admission to its end, a person's time included."""
        return self.record.duration_ms

    @property
    def attempt(self) -> int:
        """How often its tool was started; 0: never."""
        return self.record.attempt

    def __repr__(self) -> str:
        return f"FinishedCall({self.call_id!r}, {self.name!r}, {self.status.value})"
