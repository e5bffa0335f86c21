"""One question to a policy, with all that came before it; and what it was answered.

Rule 1: an "always" counts only where a person could have given it: the policy must have said ask.
Rule 2: what a policy raises is an answer too; it never ends a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from attrs import evolve, field, frozen

from callgate.policy.decisions import (
    Context,
    Decision,
    Effect,
    Policy,
    RememberingPolicy,
    ToolCall,
)

if TYPE_CHECKING:
    from callgate.kernel.values import Outcome


@final
@frozen
class Answered:
    """A person was asked about this call before, and said this."""

    call: ToolCall
    outcome: Outcome


@final
@frozen
class Probe:
    """One call to put to a policy."""

    call: ToolCall
    context: Context = field(factory=Context)
    history: tuple[Answered, ...] = ()
    technique: str = ""
    "How the call does what it does, where that is not plain."
    exact: bool = True
    "Is it the plain form, which a policy can be expected to recognise?"


@final
@frozen
class Raised:
    """The policy raised."""

    error: str


@final
@frozen
class Arrived:
    """A policy after a history, and the context that it left."""

    policy: Policy
    context: Context


def arrive(policy: Policy, probe: Probe) -> Arrived | None:
    """Where the history leads; none: it cannot have happened."""
    context = probe.context
    for answered in probe.history:
        if not isinstance(policy, RememberingPolicy):
            return None
        said = ask(policy, answered.call, context)
        if not isinstance(said, Decision) or said.effect is not Effect.ASK:
            return None
        policy, mode = policy.remember(answered.call, answered.outcome, context)
        context = evolve(context, mode=mode)
    return Arrived(policy, context)


def ask(policy: Policy, call: ToolCall, context: Context) -> Decision | Raised:
    """What the policy says to this call."""
    try:
        said = policy.decide(call, context)
    except Exception as error:  # whatever a user's policy raises
        return Raised(f"{type(error).__name__}: {error}"[:200])
    if not isinstance(said, Decision):
        return Raised(f"decide returned a {type(said).__name__}; a Decision was expected")
    return said


def answer(policy: Policy, probe: Probe) -> Decision | Raised | None:
    """What the policy says at the end of the history; none: there is no such history."""
    there = arrive(policy, probe)
    return None if there is None else ask(there.policy, probe.call, there.context)
