"""The run that the documentation shows: a yes, a no, a retry, an unknown tool, and a barrier.

Rule 1: it is a record like any other, so the pictures of it are drawn by what draws real runs.
"""

from __future__ import annotations

from callgate.journal.record import Record
from callgate.kernel.config import Config, Retry
from callgate.kernel.events import (
    ApprovalAnswered,
    BatchSubmitted,
    CallValidated,
    DeliveryAcknowledged,
    Event,
    ExecutionFinished,
    TimePassed,
)
from callgate.kernel.values import (
    Allow,
    Ask,
    Confirmation,
    Failed,
    Failure,
    Ok,
    Outcome,
    Request,
    Unknown,
    Verdict,
)


def example() -> Record:
    """Five calls of one batch.

    >>> len(example().events)
    13
    """
    config = Config(retry=Retry(attempts_max=2, backoff_ms=300))
    return Record(config, [_submitted(), *_asked(), *_answered(), *_ran()], "example")


def _submitted() -> Event:
    requests = [
        Request("c1", "read_file", {"path": "a.txt"}),
        Request("c2", "shell", {"command": "rm -r build/"}),
        Request("c3", "write_file", {"path": "notes.md"}),
        Request("c4", "fetch_url", {"url": "https://example.org"}),
        Request("c5", "no_such_tool", {}, Unknown("there is no tool 'no_such_tool'")),
    ]
    return BatchSubmitted(batch_id="b1", requests=requests, at_ms=0)


def _asked() -> list[Event]:
    ask = Ask(Confirmation("exec"))
    verdicts: list[tuple[int, Verdict, int]] = [
        (1, Allow(), 40),
        (2, ask, 90),
        (3, ask, 130),
        (4, Allow(), 160),
    ]
    return [
        CallValidated(call=call, revision=1, epoch=0, verdict=verdict, at_ms=at_ms)
        for call, verdict, at_ms in verdicts
    ]


def _answered() -> list[Event]:
    answers = [(3, Outcome.CANCEL, 1_530), (2, Outcome.PROCEED_ONCE, 2_300)]
    return [
        ApprovalAnswered(call=call, approval_id=1, outcome=outcome, at_ms=at_ms)
        for call, outcome, at_ms in answers
    ]


def _ran() -> list[Event]:
    busy = Failed(Failure("busy", "try again", retryable=True))
    lost = Failed(Failure("unhandled_exception", "no such host"))
    return [
        ExecutionFinished(call=1, attempt=1, result=Ok("x"), at_ms=2_650),
        ExecutionFinished(call=4, attempt=1, result=busy, at_ms=2_900),
        TimePassed(at_ms=3_200),
        ExecutionFinished(call=4, attempt=2, result=lost, at_ms=3_700),
        ExecutionFinished(call=2, attempt=1, result=Ok(""), at_ms=4_100),
        DeliveryAcknowledged(batch_id="b1", at_ms=4_105),
    ]
