"""The rules that hold where no file says otherwise, as data.

Rule 1: all of tier `default`: any file's rule comes before them.
Rule 2: no list of safe or of dangerous commands: only a rule or a mode allows.
"""

from __future__ import annotations

from typing import Any, Final

from callgate.policy.decisions import Effect, Mode
from callgate.policy.names import READS, SHELL, WRITES
from callgate.policy.rules import Rule, Tier

FILE: Final = "<defaults>"
PLAN_MESSAGE: Final = "Plan mode: only tools that read may run. Say what you would do instead."


def _rule(number: int, name: str, **what: Any) -> Rule:
    return Rule(name=name, tier=Tier.DEFAULT, file=FILE, line=number, **what)


DEFAULTS: Final = (
    _rule(1, "yolo allows everything", tools=("*",), effect=Effect.ALLOW, priority=998,
          modes=(Mode.YOLO,), allow_redirection=True, outside=True),
    _rule(2, "reads are allowed", tools=READS, effect=Effect.ALLOW, priority=50),
    _rule(3, "plan only reads", tools=("*",), effect=Effect.DENY, priority=40,
          modes=(Mode.PLAN,), message=PLAN_MESSAGE),
    _rule(4, "auto_edit writes in the workspace", tools=WRITES, effect=Effect.ALLOW, priority=15,
          modes=(Mode.AUTO_EDIT,), contained=True),
    _rule(5, "writes ask", tools=WRITES, effect=Effect.ASK, priority=10),
    _rule(6, "the shell asks", tools=(SHELL,), effect=Effect.ASK, priority=10),
    _rule(7, "anything else asks", tools=("*",), effect=Effect.ASK, priority=0),
)  # fmt: skip
"""The built-in rules; `line` counts them."""
