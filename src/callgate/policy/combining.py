"""Several policies as one, of rules or in Python.

Rule 1: the strictest decision counts; of equals the first.
"""

from __future__ import annotations

from typing import Final, final

from attrs import frozen

from callgate.policy.decisions import Context, Decision, Effect, Policy, ToolCall
from callgate.policy.errors import PolicyError

_STRICTNESS: Final = {Effect.ALLOW: 0, Effect.ASK: 1, Effect.DENY: 2}


@final
@frozen
class Strictest:
    """Allowed is what every one of these allows."""

    policies: tuple[Policy, ...]

    def decide(self, call: ToolCall, context: Context) -> Decision:
        """The strictest of their decisions."""
        decisions = [policy.decide(call, context) for policy in self.policies]
        return max(decisions, key=lambda decision: _STRICTNESS[decision.effect])


def strictest(*policies: Policy) -> Strictest:
    """These policies as one.

    >>> from callgate.policy.loading import load_policy
    >>> class NoRoot:
    ...     def decide(self, call, context):
    ...         refused = "/" == call.args.get("file_path")
    ...         return Decision(Effect.DENY if refused else Effect.ALLOW, reason="not the root")
    >>> both = strictest(load_policy().policy, NoRoot())
    >>> both.decide(ToolCall("read_file", {"file_path": "/"}), Context()).reason
    'not the root'
    """
    if not policies:
        raise PolicyError("strictest() of no policy: name at least one")
    return Strictest(policies)
