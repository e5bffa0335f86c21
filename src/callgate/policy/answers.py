""" "Always" as a rule: exactly what the person was shown, and no wider.

Rule 1: "always" means this call again: the same command line in the same folder, the same file, or
the same arguments. Only "always this tool" and "always this server" name more, and grant that.
Rule 2: a file is the one that was meant: the answer holds where the path ends, not how it is spelt.
Rule 3: the answer holds in the workspace in which it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Effect, Mode
from callgate.policy.facts import Facts
from callgate.policy.names import READS, WRITES, canonical, short_name
from callgate.policy.paths import root_of
from callgate.policy.patterns import literal_glob
from callgate.policy.rules import Rule, Tier

if TYPE_CHECKING:
    from typing import Any

    from callgate.policy.decisions import Context, ToolCall

FROM_MODE: Final = {mode: tuple(Mode)[number:] for number, mode in enumerate(Mode)}
"""An answer holds in the mode it was given in, and in those that let more happen."""


def answer_rule(call: ToolCall, outcome: Outcome, context: Context) -> Rule | None:
    """The rule that this answer is; none if it is no "always", or names nothing to hold on to."""
    if not outcome.is_always:
        return None
    facts = Facts(call, context)
    server = facts.server
    if outcome is Outcome.PROCEED_ALWAYS_SERVER and server is not None:
        return _rule(context, server, tools=("*",))
    if outcome is Outcome.PROCEED_ALWAYS_TOOL:
        return _rule(context, server, tools=(_tool(call, server),), contained=_writes(call))
    return _this_again(facts, server)


def _this_again(facts: Facts, server: str | None) -> Rule | None:
    call, context = facts.call, facts.context
    names = (_tool(call, server),)
    places = facts.argument_places
    if any(not place.end for place in places):
        return None
    paths = tuple(literal_glob(place.end) for place in facts.places if place.end)
    outside = bool(facts.astray)
    if facts.is_shell:
        text = (facts.command or "").strip()
        if not text or not facts.understanding.is_understood:
            return None
        return _rule(
            context, server, tools=names, exacts=(text,), paths=paths, outside=outside,
            allow_redirection=bool(facts.redirections),
        )  # fmt: skip
    if short_name(call) in (*READS, *WRITES) and paths:
        return _rule(context, server, tools=names, paths=paths, outside=outside)
    return _rule(
        context, server, tools=names, args_exact=facts.arguments, paths=paths, outside=outside
    )


def _tool(call: ToolCall, server: str | None) -> str:
    return canonical(call.name) if server is None else short_name(call)


def _writes(call: ToolCall) -> bool:
    return call.server is None and short_name(call) in WRITES


def _rule(context: Context, server: str | None, **what: Any) -> Rule:
    return Rule(
        effect=Effect.ALLOW,
        tier=Tier.USER,
        name="always",
        server=server,
        agent=context.agent or None,
        workspace=root_of(context.workspace),
        modes=FROM_MODE[context.mode],
        **what,
    )
