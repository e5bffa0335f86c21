"""What a policy is asked, and what it says: the border between policies and who obeys them.

Rule 1: a policy is pure: the same call in the same context gives the same decision.
Rule 2: a decision says why: the rule that made it, if one did, and a reason for people.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, Self, final, runtime_checkable

from attrs import field, frozen

from callgate.kernel.frozenjson import EMPTY, JsonObject, freeze_object
from callgate.kernel.values import Confirmation, Outcome


@final
class Mode(StrEnum):
    """How much a person lets happen unasked, from least to most.

    >>> [mode.value for mode in Mode]
    ['plan', 'default', 'auto_edit', 'yolo']
    >>> Mode("autoEdit"), Mode("manual")
    (<Mode.AUTO_EDIT: 'auto_edit'>, <Mode.DEFAULT: 'default'>)
    """

    PLAN = "plan"
    DEFAULT = "default"
    AUTO_EDIT = "auto_edit"
    YOLO = "yolo"

    __hash__ = str.__hash__

    @classmethod
    def _missing_(cls, value: object) -> Mode:
        """Two spellings of other people: both are read, neither is written."""
        other = {"autoEdit": cls.AUTO_EDIT, "manual": cls.DEFAULT}
        if isinstance(value, str) and value in other:
            return other[value]
        known = ", ".join(mode.value for mode in cls)
        raise ValueError(f"{value!r} is no mode; one of {known} was expected")


@final
class Effect(StrEnum):
    """The three decisions, from weakest to strongest: deny beats ask, ask beats allow."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"

    __hash__ = str.__hash__


@final
@frozen
class ToolCall:
    """What a policy is asked about.

    >>> ToolCall("shell", {"command": "ls"}).args["command"]
    'ls'
    """

    name: str
    args: JsonObject = field(default=EMPTY, converter=freeze_object)
    server: str | None = None
    "The MCP server that brings the tool, if one does."
    annotations: JsonObject = field(default=EMPTY, converter=freeze_object)
    question: Confirmation | None = None
    "What the tool itself would ask a person; none: it sees no need to."


@final
@frozen
class Context:
    """What the call happens in."""

    mode: Mode = Mode.DEFAULT
    interactive: bool = True
    "Can anybody be asked?"
    workspace: str = "."
    "The folder that paths are relative to and should stay in."
    agent: str = ""
    "The sub-agent that calls, if one does."


@final
@frozen
class RuleRef:
    """Which rule it was, so that a person finds it."""

    file: str = ""
    line: int = 0
    name: str = ""
    tier: str = ""
    priority: int = 0


@final
@frozen
class Part:
    """What was decided about one command of a command line."""

    command: str
    effect: Effect
    rule: RuleRef | None = None
    reason: str = ""


@final
@frozen
class Decision:
    """Allow, ask or deny, and why.

    >>> Decision(Effect.DENY, reason="no network here").effect.value
    'deny'
    """

    effect: Effect
    rule: RuleRef | None = None
    reason: str = ""
    message: str = ""
    "What the model is told beside the denial, in the words of the rule."
    parts: tuple[Part, ...] = ()


@runtime_checkable
class Policy(Protocol):
    """Anything that decides."""

    def decide(self, call: ToolCall, context: Context) -> Decision:
        """Allow, ask or deny this call."""
        ...


@runtime_checkable
class RememberingPolicy(Policy, Protocol):
    """A policy that an "always" changes."""

    def remember(self, call: ToolCall, outcome: Outcome, context: Context) -> tuple[Self, Mode]:
        """The policy and the mode after this answer: wider by what was shown, and no more."""
        ...
