"""The policy and the mode that are in force now, which several schedulers may share.

Rule 1: the only place that changes; what a policy itself remembers is another, immutable policy.
Rule 2: a change reaches every scheduler that listens: whoever waits there is looked at again.
"""

from __future__ import annotations

import os
from os import PathLike
from typing import TYPE_CHECKING, final

from attrs import evolve

from callgate.policy.classic import ClassicPolicy
from callgate.policy.decisions import Context, Decision, Mode, Policy, RememberingPolicy, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from callgate.kernel.values import Outcome


@final
class PolicyInForce:
    """Give the same one to several schedulers, and an "always" in one counts in all.

    >>> shared = PolicyInForce()
    >>> shared.mode.value
    'default'
    """

    def __init__(
        self,
        policy: Policy | str | PathLike[str] | None = None,
        mode: Mode | str = Mode.DEFAULT,
        *,
        interactive: bool = True,
        workspace: str = ".",
    ) -> None:
        self.policy: Policy = _policy_of(policy)
        self.context = Context(Mode(mode), interactive, workspace)
        self._listeners: list[Callable[[], None]] = []

    @property
    def mode(self) -> Mode:
        """The approval mode."""
        return self.context.mode

    def decide(self, call: ToolCall) -> Decision:
        """Ask the policy."""
        return self.policy.decide(call, self.context)

    def remember(self, call: ToolCall, outcome: Outcome, by: Callable[[], None]) -> None:
        """Keep an always. `by` has been told by its kernel; the other listeners are told here."""
        if not isinstance(self.policy, RememberingPolicy):
            return
        self.policy, mode = self.policy.remember(call, outcome, self.context)
        self.context = evolve(self.context, mode=mode)
        self._tell(but=by)

    def set_mode(self, mode: Mode | str) -> None:
        """Another mode, from now on; also the same one makes everybody look again."""
        self.context = evolve(self.context, mode=Mode(mode))
        self._tell()

    def set_policy(self, policy: Policy) -> None:
        """Another policy, from now on."""
        self.policy = _policy_of(policy)
        self._tell()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call this after each change."""
        self._listeners.append(listener)

    def forget(self, listener: Callable[[], None]) -> None:
        """Do not call this any more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _tell(self, but: Callable[[], None] | None = None) -> None:
        for listener in tuple(self._listeners):
            if listener != but:
                listener()


def _policy_of(policy: Policy | str | PathLike[str] | None) -> Policy:
    """A policy, the policy of a TOML file, or the classic one.

    An embedder is told of a bad file at once: here nobody would read what is wrong with it.
    """
    if policy is None:
        return ClassicPolicy.of()
    if not isinstance(policy, (str, PathLike)):
        if not callable(getattr(policy, "decide", None)):
            expected = "a policy (with decide(call, context)) or a TOML file was expected"
            raise TypeError(f"policy is {policy!r}; {expected}")
        return policy
    # late: only who has a file waits for the libraries that read it
    from callgate.policy.errors import PolicyError
    from callgate.policy.loading import load_policy

    loaded = load_policy(os.fspath(policy))
    if loaded.errors:
        raise PolicyError("; ".join(str(problem) for problem in loaded.errors))
    return loaded.policy
