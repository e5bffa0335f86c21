"""What is logged of a finished call, and what many of them add up to."""

import json

import pytest

from callgate.kernel.calls import Cancelled, Errored, Facts, Success
from callgate.kernel.frozenjson import freeze_object
from callgate.kernel.values import CancelCause, Failure, Ok, Outcome, Request
from callgate.responses.metrics import Metrics
from callgate.responses.records import record_of


def facts(name="read", args=None):
    args = freeze_object(args or {"file_path": "a"})
    return Facts(4, Request("c1", name, args), since_ms=100, args=args)


def success(ms=7, name="read", content="text"):
    return Success(facts(name), Outcome.PROCEED_ALWAYS, Ok(content), ms, 1)


def errored(ms=3, outcome=Outcome.PROCEED_ONCE):
    return Errored(facts("shell"), outcome, Failure("timeout", "too slow"), ms, 2)


def cancelled(ms=5, result=None):
    return Cancelled(facts(), Outcome.CANCEL, CancelCause.DECLINED, "not now", ms, 0, result)


class Carried:
    """A driver's finished call, as far as a record is concerned."""

    def __init__(self, record):
        self.record = record


AT = 1_767_323_045_006


def test_the_record_of_a_success():
    assert record_of(Carried(success()), at_unix_ms=AT, prompt_id="p1") == {
        "event.name": "tool_call",
        "event.timestamp": "2026-01-02T03:04:05.006Z",
        "call_id": "c1",
        "function_name": "read",
        "function_args": {"file_path": "a"},
        "duration_ms": 7,
        "success": True,
        "status": "success",
        "decision": "proceed_always",
        "attempts": 1,
        "ran": True,
        "error": None,
        "error_type": None,
        "prompt_id": "p1",
        "tool_type": "native",
        "mcp_server_name": None,
        "content_length": 4,
    }


def test_the_record_of_a_failure_and_of_a_no():
    record = record_of(errored(), at_unix_ms=AT, server="github", with_args=False)
    assert (record["success"], record["error"], record["error_type"]) == (
        False,
        "too slow",
        "timeout",
    )
    assert (record["tool_type"], record["mcp_server_name"]) == ("mcp", "github")
    assert (record["function_args"], record["content_length"]) == (None, None)
    record = record_of(cancelled(), at_unix_ms=AT)
    assert record["error"] == "[Operation Cancelled] Reason: User did not allow tool call: not now"
    assert (record["error_type"], record["ran"], record["decision"]) == (
        "cancelled",
        False,
        "cancel",
    )


@pytest.mark.parametrize(
    ("content", "length"),
    [
        ("text", 4),
        ({"content": "four", "display": "x" * 9}, 4),
        (["a"], None),
        (None, None),
        ({"content": None}, None),
    ],
)
def test_the_length_is_that_of_what_the_model_reads(content, length):
    record = record_of(success(content=content), at_unix_ms=AT)
    assert record["content_length"] == length
    json.dumps(record, allow_nan=False)


def test_metrics_add_up():
    metrics = Metrics()
    assert metrics.summary()["success_rate"] is None
    assert metrics.summary()["duration_ms"]["mean"] is None
    metrics.add_all([success(1), Carried(success(9)), errored(2, None), cancelled(8)])
    summary = metrics.summary()
    assert json.loads(json.dumps(summary)) == summary
    assert {key: summary[key] for key in ("calls", "success", "error", "cancelled")} == {
        "calls": 4,
        "success": 2,
        "error": 1,
        "cancelled": 1,
    }
    assert summary["success_rate"] == pytest.approx(2 / 3)
    assert summary["duration_ms"] == {"total": 20, "mean": 5.0, "min": 1, "max": 9}
    assert summary["decisions"] == {"cancel": 1, "none": 1, "proceed_always": 2}
    assert list(summary["tools"]) == ["read", "shell"]
    assert summary["tools"]["shell"]["success_rate"] == 0.0
    assert summary["tools"]["read"]["duration_ms"] == {"total": 18, "mean": 6.0, "min": 1, "max": 9}
