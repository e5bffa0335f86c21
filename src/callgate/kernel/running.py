"""The moves of a call that may run: scheduled, and executing.

Rule 1: an attempt is started once. What a tool did is never hidden: a call that is stopped keeps
its output, its result and the fact that it ran.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from callgate.kernel.calls import (
    Call,
    Cancelled,
    Errored,
    Executing,
    Scheduled,
    new_executing,
    new_success,
)
from callgate.kernel.effects import (
    OutputShown,
    StopExecution,
    new_execute,
)
from callgate.kernel.frozenjson import Json, weigh
from callgate.kernel.moves import Effects, ask, cancelled, clip, deadline, failed, on
from callgate.kernel.situation import Situation
from callgate.kernel.values import (
    CancelCause,
    Failed,
    Failure,
    Live,
    Ok,
    Stop,
)

# --- scheduled and executing ----------------------------------------------------------------------


@on("scheduled.start may_start")
def _start(call: Scheduled, _: Any, situation: Situation) -> tuple[Call, Effects]:
    facts, attempt = call.facts, call.attempt + 1
    request = facts.request
    limit = request.timeout_ms
    until_ms = deadline(situation, situation.config.timeout_ms if limit is None else limit)
    running = new_executing(facts, call.outcome, attempt, until_ms, None, call.approval_id)
    return running, (new_execute(facts.serial, attempt, request.name, facts.args, facts.revision),)


@on("scheduled.cancel")
def _cancel_scheduled(call: Scheduled, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return cancelled(call, fact, situation), ()


@on("executing.progressed is_current_attempt")
def _progress(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    old = call.live or Live()
    live = Live(
        old.output if fact.output is None else _bounded(fact.output, situation),
        old.pid if fact.pid is None else fact.pid,
        old.progress if fact.progress is None else fact.progress,
    )
    shown = () if fact.output is None else (OutputShown(call.facts.serial, fact.output),)
    return evolve(call, live=live), shown


def _bounded(output: Json, situation: Situation) -> Json:
    """The end of a text; other data whole, or not at all."""
    limit = situation.config.live_output_chars_max
    if isinstance(output, str):
        return output[-limit:]
    return output if weigh(output) <= limit else None


def _stopped(call: Executing, result: Ok | None, situation: Situation) -> Cancelled:
    return Cancelled(
        call.facts,
        call.outcome,
        CancelCause.STOPPED,
        call.reason,
        situation.now_ms - call.facts.since_ms,
        call.attempt,
        result,
        call.live,
    )


def _timed_out(call: Executing, situation: Situation) -> Errored:
    limit = call.facts.request.timeout_ms or situation.config.timeout_ms
    failure = Failure("timeout", f"The tool did not end within {limit} ms.")
    return failed(call, failure, situation, call.outcome, call.attempt)


@on("executing.finished is_current_end is_cancelling")
def _end_cancelled(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    limit = situation.config.result_weight_max
    result = fact.result if type(fact.result) is Ok else None
    if result is not None and weigh(result.content) > limit:
        result = None
    return _stopped(call, result, situation), ()


@on(
    "executing.lost is_current_loss is_cancelling",
    "executing.time_out is_due is_cancelling",
)
def _end_stopped(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    return _stopped(call, None, situation), ()


@on(
    "executing.finished is_current_end is_timing_out",
    "executing.lost is_current_loss is_timing_out",
    "executing.time_out is_due is_timing_out",
)
def _end_timed_out(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    return _timed_out(call, situation), ()


@on("executing.finished is_current_end succeeded")
def _succeed(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    facts = call.facts
    duration_ms = situation.now_ms - facts.since_ms
    return new_success(facts, call.outcome, fact.result, duration_ms, call.attempt), ()


@on("executing.finished is_current_end may_retry")
def _retry(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    wait_ms = situation.config.retry.wait_ms(call.attempt)
    until_ms = situation.now_ms + wait_ms if wait_ms else None
    return Scheduled(call.facts, call.outcome, call.attempt, until_ms, call.approval_id), ()


@on("executing.finished is_current_end")
def _fail(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    if type(fact.result) is Failed:
        failure = fact.result.failure
    else:
        limit = situation.config.result_weight_max
        weight = weigh(fact.result.content)
        text = f"The tool ran, but its result weighs {weight}; at most {limit} is allowed."
        failure = Failure("result_too_large", text)
    return failed(call, failure, situation, call.outcome, call.attempt), ()


@on("executing.lost is_current_loss loss_reruns")
def _rerun(call: Executing, _fact: Any, _: Situation) -> tuple[Call, Effects]:
    return Scheduled(call.facts, call.outcome, call.attempt, None, call.approval_id), ()


@on("executing.lost is_current_loss loss_asks")
def _ask_about_loss(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    return ask(call.facts, call.approval_id + 1, fact.then, situation, call.attempt)


@on("executing.lost is_current_loss")
def _fail_lost(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    text = "The tool was started and its end is not known: it may have run."
    failure = Failure("execution_lost", text)
    return failed(call, failure, situation, call.outcome, call.attempt), ()


@on("executing.cancel !is_cancelling")
def _stop_by_cancel(call: Executing, fact: Any, situation: Situation) -> tuple[Call, Effects]:
    reason = clip(fact.reason, situation.config.text_chars_max)
    if call.stop is not None:  # it was told to stop already; now somebody wants it cancelled
        return evolve(call, stop=Stop.BY_CANCEL, reason=reason), ()
    return _stop(call, Stop.BY_CANCEL, situation, reason)


@on("executing.time_out is_due")
def _stop_by_time(call: Executing, _: Any, situation: Situation) -> tuple[Call, Effects]:
    return _stop(call, Stop.BY_TIME, situation, "")


def _stop(call: Executing, stop: Stop, situation: Situation, reason: str) -> tuple[Call, Effects]:
    until_ms = deadline(situation, situation.config.cancel_grace_ms)
    moved = evolve(call, stop=stop, deadline_ms=until_ms, reason=reason)
    return moved, (StopExecution(call.facts.serial, call.attempt),)
