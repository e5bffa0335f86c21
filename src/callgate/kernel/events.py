"""Facts that a driver reports: past tense, data only, each with the time it happened.

Rule 1: an event names a call by its serial, and an order by the number the kernel gave it, so that
late, repeated and stale news can be told from news.
Rule 2: `at_ms` is the only clock. Every event first acts as `TimePassed(at_ms)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, final

from attrs import field, frozen

from callgate.kernel.checked import finite_or_none, text, whole_or_none
from callgate.kernel.frozenjson import Json, freeze
from callgate.kernel.plans import PlanName, Waves
from callgate.kernel.values import (
    Confirmation,
    Deny,
    Failed,
    Failure,
    Ok,
    Outcome,
    Rebuilt,
    Request,
    Verdict,
    failure_or_none,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def _requests(requests: Iterable[Request]) -> tuple[Request, ...]:
    return tuple(requests)


def _texts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(texts)


@final
@frozen(kw_only=True)
class BatchSubmitted:
    """A model answered with tool calls.

    >>> event = BatchSubmitted(batch_id="b1", requests=[Request("c1", "ls")], at_ms=0)
    >>> event.plan
    'classic'
    """

    batch_id: str
    requests: tuple[Request, ...] = field(converter=_requests)
    plan: PlanName | Waves = "classic"
    at_ms: int


@final
@frozen(kw_only=True)
class CallValidated:
    """Tool and policy gave their verdict on an order `Validate`.

    >>> from callgate import Allow
    >>> CallValidated(call=1, revision=1, epoch=0, verdict=Allow(), at_ms=5).call
    1
    """

    call: int
    revision: int
    epoch: int
    verdict: Verdict
    at_ms: int


@final
@frozen(kw_only=True)
class CallReviewed:
    """Policy looked again at a call that waits, as `ReviewWaiting` ordered.

    >>> from callgate import Allow
    >>> CallReviewed(call=1, approval_id=1, epoch=1, verdict=Allow(), at_ms=5).epoch
    1
    """

    call: int
    approval_id: int
    epoch: int
    verdict: Verdict
    at_ms: int


@final
@frozen(kw_only=True)
class ApprovalAnswered:
    """A person answered. Never an error: an answer that does not count is `Ignored`.

    >>> ApprovalAnswered(call=1, approval_id=1, outcome="proceed_once", at_ms=5).outcome
    'proceed_once'
    """

    call: int
    approval_id: int
    outcome: Outcome | str
    reason: str = field(default="", converter=text)
    edit: Json = field(default=None, converter=freeze)
    "The content as the person edited it; None: not edited."
    result: Ok | None = None
    "With `answer_instead`: the person's own result."
    at_ms: int


@final
@frozen(kw_only=True)
class AnswerTold:
    """The tool was told the answer, and may have failed at that.

    >>> AnswerTold(call=1, approval_id=1, at_ms=6).failure is None
    True
    """

    call: int
    approval_id: int
    failure: Failure | None = field(default=None, converter=failure_or_none)
    at_ms: int


@final
@frozen(kw_only=True)
class EditorClosed:
    """The person closed the editor; `failed`: nothing that they did counts.

    >>> EditorClosed(call=1, approval_id=1, content="new", at_ms=7).failed
    False
    """

    call: int
    approval_id: int
    content: Json = field(default=None, converter=freeze)
    failed: bool = False
    at_ms: int


@final
@frozen(kw_only=True)
class CallRebuilt:
    """Edited arguments were built again and put to the policy, as `Rebuild` ordered.

    >>> from callgate import Deny
    >>> CallRebuilt(call=1, revision=2, epoch=0, built=Deny("not there"), at_ms=8).revision
    2
    """

    call: int
    revision: int
    epoch: int
    built: Rebuilt | Deny | Failed
    at_ms: int


@final
@frozen(kw_only=True)
class ExecutionProgressed:
    """A running tool showed something.

    >>> ExecutionProgressed(call=1, attempt=1, output="50 %", at_ms=9).output
    '50 %'
    """

    call: int
    attempt: int
    output: Json = field(default=None, converter=freeze)
    pid: int | None = field(default=None, converter=whole_or_none)
    progress: float | None = field(default=None, converter=finite_or_none)
    at_ms: int


@final
@frozen(kw_only=True)
class ExecutionFinished:
    """A tool ended: it returned, or it failed.

    >>> from callgate import Ok
    >>> ExecutionFinished(call=1, attempt=1, result=Ok("done"), at_ms=9).result.content
    'done'
    """

    call: int
    attempt: int
    result: Ok | Failed
    at_ms: int


@final
@frozen(kw_only=True)
class ExecutionLost:
    """After a crash: the tool was started, and nobody knows how it ended.

    `then`: "fail" ends the call, "rerun" starts it again, a confirmation asks the person.

    >>> ExecutionLost(call=1, attempt=1, then="rerun", at_ms=9).then
    'rerun'
    """

    call: int
    attempt: int
    then: str | Confirmation
    at_ms: int


@final
@frozen
class OneCall:
    """A scope of cancelling: this call, queued or at work."""

    call: int


@final
@frozen
class Batches:
    """A scope of cancelling: these batches, queued or at work."""

    batch_ids: tuple[str, ...] = field(converter=_texts)


@final
@frozen
class Everything:
    """A scope of cancelling: whatever is queued or at work now."""


@final
@frozen(kw_only=True)
class CancelRequested:
    """Somebody does not want this any more.

    >>> CancelRequested(scope=Everything(), reason="enough", at_ms=9).reason
    'enough'
    """

    scope: OneCall | Batches | Everything
    reason: str = field(default="", converter=text)
    at_ms: int


@final
@frozen(kw_only=True)
class PolicyChanged:
    """Another approval mode, or other rules: whoever waits is reviewed once.

    >>> PolicyChanged(at_ms=9).at_ms
    9
    """

    at_ms: int


@final
@frozen(kw_only=True)
class DeliveryAcknowledged:
    """The finished batch reached its owner, or (`ok=False`) its handler failed.

    >>> DeliveryAcknowledged(batch_id="b1", at_ms=9).ok
    True
    """

    batch_id: str
    ok: bool = True
    at_ms: int


@final
@frozen(kw_only=True)
class TimePassed:
    """Nothing happened, and it is later: what `next_deadline` told the driver to report.

    >>> TimePassed(at_ms=10).at_ms
    10
    """

    at_ms: int


CallEvent: TypeAlias = (
    CallValidated
    | CallReviewed
    | ApprovalAnswered
    | AnswerTold
    | EditorClosed
    | CallRebuilt
    | ExecutionProgressed
    | ExecutionFinished
    | ExecutionLost
)
Event: TypeAlias = (
    BatchSubmitted | CallEvent | CancelRequested | PolicyChanged | DeliveryAcknowledged | TimePassed
)
