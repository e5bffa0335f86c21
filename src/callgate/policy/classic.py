"""The plain policy of the reference: a mode, patterns of what may run unasked, remembered answers.

Rule 1: it never denies but in plan mode; what is not allowed is asked.
Rule 2: a command line of several commands is allowed only if each of its commands is; one with a
substitution, or one that cannot be taken apart, is not.
Rule 3: immutable: an answer to be remembered gives another policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from attrs import evolve, field, frozen

from callgate.kernel.values import Outcome
from callgate.policy.commands import commands_of, first_words
from callgate.policy.decisions import Context, Decision, Effect, Mode, RuleRef, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable

SHELL: Final = "run_shell_command"
_SHELL_NAMES: Final = (SHELL, "ShellTool")
_SELF_ALLOWED: Final = Decision(Effect.ALLOW, reason="the tool needs no confirmation")
_ASK: Final = Decision(Effect.ASK, reason="nothing allows it unasked")
_MODES: Final = {mode: Decision(Effect.ALLOW, RuleRef(name=f"mode {mode.value}")) for mode in Mode}
_ALWAYS: Final = Decision(Effect.ALLOW, RuleRef(name="an earlier answer"))
_PLAN: Final = Decision(
    Effect.DENY,
    RuleRef(name="mode plan"),
    message="In plan mode only what needs no confirmation may run.",
)


@final
@frozen
class Pattern:
    """`NAME`, or `NAME(prefix)` for the shell; a pattern that is neither matches nothing.

    >>> Pattern.parse("ShellTool(git status)")
    Pattern(name='run_shell_command', prefix='git status')
    """

    name: str
    prefix: str | None = None

    @classmethod
    def parse(cls, text: str) -> Pattern | None:
        """Read a pattern; none: it matches nothing."""
        name, opened, rest = text.partition("(")
        if not opened:
            return cls(SHELL if name in _SHELL_NAMES else name)
        if name not in _SHELL_NAMES or not rest.endswith(")"):
            return None
        return cls(SHELL, rest[:-1])


@final
@frozen
class ClassicPolicy:
    """What the reference allows.

    >>> policy = ClassicPolicy.of(["run_shell_command(git)"])
    >>> from callgate import Confirmation
    >>> call = ToolCall(SHELL, {"command": "git log"}, question=Confirmation("exec"))
    >>> policy.decide(call, Context()).effect.value
    'allow'
    """

    names: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    words: frozenset[str] = field(factory=frozenset)
    "First words of commands that were answered with an always."
    servers: frozenset[str | None] = frozenset()
    tools: frozenset[tuple[str | None, str]] = frozenset()

    @classmethod
    def of(cls, allowed: Iterable[str] = ()) -> ClassicPolicy:
        """The policy in which these patterns may run unasked."""
        patterns = [found for text in allowed if (found := Pattern.parse(text)) is not None]
        return cls(
            frozenset(pattern.name for pattern in patterns if pattern.prefix is None),
            frozenset(pattern.prefix for pattern in patterns if pattern.prefix is not None),
        )

    def decide(self, call: ToolCall, context: Context) -> Decision:
        """Allow what needs no question, what the mode allows, and what was allowed before."""
        question = call.question
        if question is None:
            return _SELF_ALLOWED
        mode = context.mode
        if mode is Mode.YOLO:
            return _MODES[mode]
        if mode is Mode.AUTO_EDIT and question.kind in ("edit", "info"):
            return _MODES[mode]
        if call.name in self.names:
            return Decision(Effect.ALLOW, RuleRef(name=f"allowed tool {call.name}"))
        if self._was_allowed(call, question.kind):
            return _ALWAYS
        return _PLAN if mode is Mode.PLAN else _ASK

    def _was_allowed(self, call: ToolCall, kind: str) -> bool:
        if kind == "mcp" and (
            call.server in self.servers or (call.server, call.name) in self.tools
        ):
            return True
        if call.name != SHELL and kind != "exec":
            return False
        command = _command(call)
        if command is None:
            return kind == "exec" and call.name in self.words
        prefixes = self.prefixes if call.name == SHELL else frozenset[str]()
        words = self.words if kind == "exec" else frozenset[str]()
        commands = commands_of(command)
        return bool(commands) and all(
            _begins(part, prefixes) or first_words((part,))[0] in words for part in commands
        )

    def remember(
        self, call: ToolCall, outcome: Outcome, context: Context
    ) -> tuple[ClassicPolicy, Mode]:
        """Widen by what was shown: its first words, its server or tool, or the mode."""
        kind = call.question.kind if call.question is not None else ""
        if kind == "mcp":
            if outcome is Outcome.PROCEED_ALWAYS_SERVER:
                return evolve(self, servers=self.servers | {call.server}), context.mode
            if outcome is Outcome.PROCEED_ALWAYS_TOOL:
                known = self.tools | {(call.server, call.name)}
                return evolve(self, tools=known), context.mode
        elif outcome is Outcome.PROCEED_ALWAYS:
            if kind == "exec":
                return evolve(self, words=self.words | _first_words(call)), context.mode
            if kind in ("edit", "info"):
                return self, Mode.AUTO_EDIT
        return self, context.mode


def _command(call: ToolCall) -> str | None:
    """The command line, if there is one."""
    command = call.args.get("command")
    return command if isinstance(command, str) and command.strip() else None


def _first_words(call: ToolCall) -> frozenset[str]:
    command = _command(call)
    if command is None:
        return frozenset((call.name,))
    parts = commands_of(command, strict=False)
    return frozenset(first_words(parts or (command.strip(),)))


def _begins(command: str, prefixes: frozenset[str]) -> bool:
    return any(command == prefix or command.startswith(f"{prefix} ") for prefix in prefixes)
