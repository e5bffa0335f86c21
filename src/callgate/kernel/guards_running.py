"""The named predicates of a call that is scheduled or runs.

Rule 1: as in `guards.py`: a guard reads, and never acts or fails.
"""

from __future__ import annotations

from typing import Any

from callgate.kernel.calls import Executing
from callgate.kernel.frozenjson import weigh
from callgate.kernel.guards import guard
from callgate.kernel.situation import Situation
from callgate.kernel.values import Confirmation, Failed, Ok, Stop

_BY_CANCEL, _BY_TIME = Stop.BY_CANCEL, Stop.BY_TIME


@guard
def is_due(call: Any, _fact: Any, situation: Situation) -> bool:
    """Its deadline has come."""
    return call.deadline_ms is not None and bool(call.deadline_ms <= situation.now_ms)


@guard
def may_start(call: Any, _fact: Any, situation: Situation) -> bool:
    """No backoff holds it any more."""
    return call.deadline_ms is None or bool(call.deadline_ms <= situation.now_ms)


@guard
def is_current_attempt(call: Any, fact: Any, _: Situation) -> bool:
    """It speaks of the attempt that runs."""
    return bool(fact.attempt == call.attempt)


@guard
def is_current_end(call: Any, fact: Any, _: Situation) -> bool:
    """It ends the attempt that runs, with a result or a failure."""
    return fact.attempt == call.attempt and type(fact.result) in (Ok, Failed)


@guard
def is_current_loss(call: Any, fact: Any, _: Situation) -> bool:
    """The attempt that ran was lost, and the driver says what then."""
    if fact.attempt != call.attempt:
        return False
    return type(fact.then) is Confirmation or (
        isinstance(fact.then, str) and fact.then in ("fail", "rerun")
    )


@guard
def names_unstarted_attempt(call: Any, fact: Any, _: Situation) -> bool:
    """No attempt of this number was ever started, or the current one is not told in full."""
    if type(fact.attempt) is not int or fact.attempt < 1:
        return True
    running = type(call) is Executing
    return bool(fact.attempt > call.attempt or (running and fact.attempt == call.attempt))


@guard
def is_cancelling(call: Any, _fact: Any, _: Situation) -> bool:
    """It was told to stop because somebody cancelled."""
    return bool(call.stop is _BY_CANCEL)


@guard
def is_timing_out(call: Any, _fact: Any, _: Situation) -> bool:
    """It was told to stop because its time was up."""
    return bool(call.stop is _BY_TIME)


@guard
def succeeded(_call: Any, fact: Any, situation: Situation) -> bool:
    """The tool returned, and its result is within the limit."""
    limit = situation.config.result_weight_max
    return type(fact.result) is Ok and weigh(fact.result.content) <= limit


@guard
def may_retry(call: Any, fact: Any, situation: Situation) -> bool:
    """The failure is marked retryable and attempts are left."""
    if type(fact.result) is not Failed or not fact.result.failure.retryable:
        return False
    return bool(call.attempt < situation.config.retry.attempts_max)


@guard
def loss_reruns(_call: Any, fact: Any, _: Situation) -> bool:
    """The driver knows that running again is safe."""
    return bool(fact.then == "rerun")


@guard
def loss_asks(_call: Any, fact: Any, _: Situation) -> bool:
    """A person decides what to do about the loss."""
    return type(fact.then) is Confirmation
