"""What is checked: a policy that somebody made, or the file that one stands in.

Rule 1: a file that cannot be read is an error here, never a policy that happens to deny: who checks
a policy must know that it is the one they wrote.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, final

from attrs import frozen

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Context, Mode, Policy, ToolCall
from callgate.policy.errors import PolicyError
from callgate.policy.loading import load_policy
from callgate.testing.situations import Answered, Probe, Raised, answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from callgate.policy.loading import Source


@final
@frozen(eq=False)
class Subject:
    """A policy, and how to speak of it."""

    policy: Policy
    label: str
    given: str
    "As a test would name it."


def opened(policy: Policy | str | Path | Subject) -> Subject:
    """The policy, loaded if it is a path."""
    if isinstance(policy, Subject):
        return policy
    if isinstance(policy, (str, Path)):
        return from_files(policy)
    if not isinstance(policy, Policy):
        raise TypeError(
            f"{type(policy).__name__} has no method decide(call, context); "
            "a policy or the path of a policy file was expected"
        )
    name = type(policy).__name__
    return Subject(policy, name, f"{name}()")


def from_files(*files: Source, defaults: bool = True) -> Subject:
    """The policy of these files; `PolicyError` if one of them is not as its owner wrote it."""
    loaded = load_policy(*files, defaults=defaults)
    if loaded.errors:
        text = "\n".join(map(str, loaded.errors))
        raise PolicyError(f"the policy has errors, so it is not the one that was meant:\n{text}")
    label = ", ".join(str(file[1] if isinstance(file, tuple) else file) for file in files)
    given = str(files[0]) if len(files) == 1 else label
    return Subject(loaded.policy, label, repr(given))


def decided(  # noqa: PLR0913 - what a call and its context are made of
    policy: Policy | str | Path,
    name: str,
    args: Mapping[str, Any] | None = None,
    *,
    mode: Mode | str = Mode.DEFAULT,
    interactive: bool = True,
    agent: str = "",
    server: str | None = None,
    annotations: Mapping[str, Any] | None = None,
    after: Iterable[tuple[Any, ...]] = (),
) -> str:
    """What the policy says to one call: "allow", "ask" or "deny". For tests that keep a finding.

    Each of `after` is an answer to an earlier call: name, args, outcome, and its server if any.

    >>> from callgate.policy.decisions import Decision, Effect
    >>> class AskAll:
    ...     def decide(self, call, context):
    ...         return Decision(Effect.ASK)
    >>> decided(AskAll(), "shell", {"command": "ls"})
    'ask'
    """
    history = tuple(
        Answered(ToolCall(tool, dict(given), *of_server), Outcome(outcome))
        for tool, given, outcome, *of_server in after
    )
    call = ToolCall(name, dict(args or {}), server, dict(annotations or {}))
    probe = Probe(call, Context(Mode(mode), interactive, agent=agent), history)
    said = answer(opened(policy).policy, probe)
    if said is None:
        return "nothing: the answers before it cannot have been given"
    return f"raised {said.error}" if isinstance(said, Raised) else said.effect.value
