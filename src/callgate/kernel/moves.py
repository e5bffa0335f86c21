"""What the transitions of a call share: the registry of moves, and the records they end in.

Rule 1: one function for each edge of `lifecycle.py`, found by the edge's own name (state, event,
guards); pure: record, fact and situation in, record and orders out.
Rule 2: nothing is decided in a move: the guards have. The coordinator adds what concerns the batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callgate.kernel.calls import (
    ASKING,
    AwaitingApproval,
    Call,
    Cancelled,
    Errored,
    Facts,
    Scheduled,
    Validating,
    new_awaiting_approval,
)
from callgate.kernel.effects import Order, OutputShown, new_ask_approval
from callgate.kernel.situation import Situation
from callgate.kernel.values import CancelCause, Confirmation, Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

Effects: TypeAlias = "tuple[Order | OutputShown, ...]"
Move: TypeAlias = "Callable[[Any, Any, Situation], tuple[Call, Effects]]"
MOVES: Final[dict[str, Move]] = {}


def on(*names: str) -> Callable[[Move], Move]:
    """Name the edges that a function serves: `state.event` and, after a blank, its guards."""

    def register(move: Move) -> Move:
        for name in names:
            MOVES[name] = move
        return move

    return register


def clip(text: str, limit: int) -> str:
    """A text within its limit; what was cut is said."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... ({len(text) - limit} characters cut)"


def deadline(situation: Situation, wait_ms: int | None) -> int | None:
    """When a wait that begins now is over."""
    return None if wait_ms is None else situation.now_ms + wait_ms


def failed(
    call: Call, failure: Failure, situation: Situation, outcome: Outcome | None, attempt: int = 0
) -> Errored:
    """The record of a call that ends in an error."""
    limit = situation.config.text_chars_max
    if len(failure.message) > limit:
        failure = Failure(failure.type, clip(failure.message, limit), failure.retryable)
    duration_ms = situation.now_ms - call.facts.since_ms
    return Errored(call.facts, outcome, failure, duration_ms, attempt)


def ask(
    facts: Facts, approval_id: int, shown: Confirmation, situation: Situation, attempt: int = 0
) -> tuple[Call, Effects]:
    """Put a question to the person, under a number of its own and with its own deadline."""
    until_ms = deadline(situation, situation.config.approval_timeout_ms)
    waiting = new_awaiting_approval(
        facts,
        approval_id,
        shown,
        situation.epoch,
        ASKING,
        None,
        False,
        until_ms,
        attempt,
    )
    return waiting, (new_ask_approval(facts.serial, approval_id, shown),)


def cancelled(
    call: Validating | AwaitingApproval | Scheduled,
    fact: Any,
    situation: Situation,
    cause: CancelCause = CancelCause.CANCELLED,
    outcome: Outcome | None = None,
) -> Cancelled:
    """The record of a call that ends before (or between) its attempts."""
    return Cancelled(
        call.facts,
        outcome or call.outcome,
        cause,
        clip(fact.reason, situation.config.text_chars_max) if fact is not None else "",
        situation.now_ms - call.facts.since_ms,
        0 if type(call) is Validating else call.attempt,
        shown=call.confirmation if type(call) is AwaitingApproval else None,
    )
