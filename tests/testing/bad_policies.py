"""Policies with one hole each, as people write them, and the property that the hole breaks.

Rule 1: each hole is a class of mistakes; its docstring says which. The search must find every one
with its default settings, and show a call that a person can read.
"""

import fnmatch
import json
import re
import shlex

from attrs import evolve, frozen

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Decision, Effect, Mode
from callgate.testing import (
    always_asks,
    always_decides,
    always_is_narrow,
    deny_is_final,
    modes_are_monotone,
    never_asks,
    never_runs,
    no_wider_than,
)

ALLOW, DENY = Decision(Effect.ALLOW), Decision(Effect.DENY)
SHELLS = ("shell", "run_shell_command", "ShellTool")
CHAIN = re.compile(r"&&|\|\||[;|&\n]")


def ask(context):
    return Decision(Effect.ASK if context.interactive else Effect.DENY)


def text(call):
    command = call.args.get("command")
    return command if isinstance(command, str) else ""


def is_shell(call):
    return call.name in SHELLS and call.server is None


class Base:
    """What the others share: a shell is judged by `shell`, everything else is asked about."""

    def decide(self, call, context):
        return self.shell(call, context) if is_shell(call) else ask(context)


class DeniesOneNameOnly:
    """A wide allow beside a deny of one of the tool's names."""

    def decide(self, call, context):
        if call.name == "shell" and "rm" in text(call):
            return DENY
        return ALLOW if call.name in SHELLS else ask(context)


class DeniesTheFirstWord(Base):
    """Only the first command of a line is looked at."""

    def shell(self, call, context):
        return DENY if text(call).split()[:1] == ["rm"] else ALLOW


class AllowsByStartOfText(Base):
    """`startswith` is no prefix of words, and knows no chains."""

    def shell(self, call, context):
        return ALLOW if text(call).startswith("git status") else ask(context)


class ExpressionWithoutAnchors(Base):
    """`search` finds the harmless word anywhere."""

    allowed = re.compile(r"git (status|log)")

    def shell(self, call, context):
        return ALLOW if self.allowed.search(text(call)) else ask(context)


class ExpressionWithoutAnEnd(Base):
    """`match` anchors the start alone."""

    allowed = re.compile(r"ls( -l)?")

    def shell(self, call, context):
        return ALLOW if self.allowed.match(text(call)) else ask(context)


class SplitsChainsByBlanks(Base):
    """`ls;rm x` has no blank before the rm."""

    def shell(self, call, context):
        words = text(call).split()
        return DENY if "rm" in words else ALLOW


class SplitsChainsOnly(Base):
    """Chains are split; substitutions are not seen."""

    def shell(self, call, context):
        parts = [part.split() for part in CHAIN.split(text(call))]
        return ALLOW if all(part[:1] in (["ls"], ["echo"]) for part in parts) else ask(context)


class QuotesAreNotRead(Base):
    """Words are compared as written: 'rm' in quotes is not rm."""

    def shell(self, call, context):
        if re.search(r"(?<![\w'\"\\/-])rm(?![\w'\"-])", text(call)):
            return DENY
        return ALLOW if re.fullmatch(r"[\w '\".-]*", text(call)) else ask(context)


class PathsAreNotRead(Base):
    """/usr/bin/rm is not `rm` to it."""

    def shell(self, call, context):
        if not re.fullmatch(r"[\w /.-]*", text(call)):
            return ask(context)
        return DENY if text(call).split()[:1] == ["rm"] else ALLOW


class TrustsWrappers(Base):
    """env is harmless; what it runs is not looked at."""

    harmless = ("ls", "env", "cat")

    def shell(self, call, context):
        plain = re.fullmatch(r"[\w /.-]*", text(call))
        return (
            ALLOW
            if plain and text(call).split()[:1] != [] and (text(call).split()[0] in self.harmless)
            else ask(context)
        )


class TrustsXargs(Base):
    """Every command of a pipe is checked, but not what xargs runs."""

    harmless = ("ls", "echo", "xargs")

    def shell(self, call, context):
        if not re.fullmatch(r"[\w |/.-]*", text(call)):
            return ask(context)
        parts = [part.split() for part in text(call).split("|")]
        return ALLOW if all(part and part[0] in self.harmless for part in parts) else ask(context)


class TrustsGit(Base):
    """The prefix git allows `git -c alias.x='!rm'`."""

    def shell(self, call, context):
        try:
            words = shlex.split(text(call), posix=False)
        except ValueError:
            return ask(context)
        if CHAIN.search(text(call)) or "$" in text(call) or "`" in text(call):
            return ask(context)
        return ALLOW if words[:1] == ["git"] else ask(context)


class DeniesGitPushByWords(Base):
    """`git -C . push` pushes too."""

    def shell(self, call, context):
        if not re.fullmatch(r"[\w =./-]*", text(call)):
            return ask(context)
        words = text(call).split()
        if words[:2] == ["git", "push"]:
            return DENY
        return ALLOW if words[:1] == ["git"] else ask(context)


class TrustsAutoEdit(Base):
    """A mode that is about files lets commands through."""

    def shell(self, call, context):
        return ALLOW if context.mode is Mode.AUTO_EDIT else ask(context)


class AllowsWhereNobodyIsAsked(Base):
    """Without a person to ask it lets pass what it would have asked about."""

    def shell(self, call, context):
        return ask(context) if context.interactive else ALLOW


class SearchesTheJson(Base):
    """A pattern over the JSON of the arguments finds a nested harmless command."""

    allowed = re.compile(r'"command":"ls"')

    def shell(self, call, context):
        written = json.dumps(call.args, sort_keys=True, separators=(",", ":"))
        return ALLOW if self.allowed.search(written) else ask(context)


class AllowsByGlob:
    """`*_file` was meant for reading."""

    def decide(self, call, context):
        return ALLOW if fnmatch.fnmatch(call.name, "*_file") else ask(context)


class TrustsAnnotations:
    """Any server can say of itself that it only reads."""

    def decide(self, call, context):
        return ALLOW if call.annotations.get("readOnlyHint") else ask(context)


class TrustsAServersName:
    """A server that calls itself internal is believed."""

    def decide(self, call, context):
        return ALLOW if call.server == "internal" else ask(context)


class GlobOfPaths:
    """`src/*` by fnmatch goes up and out again."""

    def decide(self, call, context):
        path = str(call.args.get("file_path", ""))
        inside = call.name == "write_file" and fnmatch.fnmatch(path, "src/*")
        return ALLOW if inside else ask(context)


@frozen
class Remembering:
    """A base for policies that keep answers; `kept` holds what they made of them."""

    kept: tuple = ()
    mode: Mode | None = None

    def decide(self, call, context):
        return ALLOW if self.covers(call) else ask(context)

    def remember(self, call, outcome, context):
        if not Outcome(outcome).is_always:
            return self, context.mode
        return evolve(self, kept=(*self.kept, self.made_of(call))), self.mode or context.mode


class RemembersTheToolOnly(Remembering):
    """An always to `ls` allows the whole shell."""

    def made_of(self, call):
        return call.name

    def covers(self, call):
        return call.name in self.kept


class RemembersTheStartOfText(Remembering):
    """An always to `ls` allows `ls && rm x`."""

    def made_of(self, call):
        return (call.name, text(call) or str(dict(call.args)))

    def covers(self, call):
        written = text(call) or str(dict(call.args))
        return any(call.name == name and written.startswith(start) for name, start in self.kept)


class ForgetsTheServer(Remembering):
    """An always to one server's tool allows another server's tool of that name."""

    def made_of(self, call):
        return (call.name, json.dumps(call.args, sort_keys=True))

    def covers(self, call):
        return (call.name, json.dumps(call.args, sort_keys=True)) in self.kept


class AnAlwaysIsYolo(Remembering):
    """One always takes the session to yolo, which allows all that was denied."""

    def decide(self, call, context):
        if context.mode is Mode.YOLO:
            return ALLOW
        if call.name == "write_file":
            return DENY
        return ask(context)

    def made_of(self, call):
        return call.name

    mode = Mode.YOLO

    def remember(self, call, outcome, context):
        return self, Mode.YOLO


@frozen
class AnAlwaysEndsADeny(Remembering):
    """After any always its deny rules are gone."""

    def decide(self, call, context):
        if call.name == "write_file" and not self.kept:
            return DENY
        return ask(context)

    def made_of(self, call):
        return call.name


class PlanAllowsMore:
    """A stricter mode allows what a laxer one asks about."""

    def decide(self, call, context):
        return ALLOW if context.mode is Mode.PLAN and call.name == "shell" else ask(context)


class AsksForLongCommands(Base):
    """Never asks, it was said; with two words it does."""

    def shell(self, call, context):
        return ALLOW if text(call) == "ls" else ask(context)


class DeniesWhatShouldAsk(Base):
    """Always asks, it was said; where the command has an option it denies."""

    def shell(self, call, context):
        return DENY if " -" in text(call) else ask(context)


class RaisesOnOddArguments(Base):
    """A command that is no text."""

    def shell(self, call, context):
        return ALLOW if call.args["command"].strip() == "ls" else ask(context)


class AsksNobody(Base):
    """It asks where nobody can be asked."""

    def shell(self, call, context):
        return Decision(Effect.ASK)


class DenyOfOneCommand(Base):
    """A deny that a chain takes away."""

    def shell(self, call, context):
        words = text(call).split()
        if words[:1] == ["curl"]:
            return DENY
        return ALLOW


class Narrow(Base):
    """What the wider one below is compared with."""

    def shell(self, call, context):
        return ALLOW if text(call) == "git log" else ask(context)


class Wider(Base):
    """One more command than before."""

    def shell(self, call, context):
        return ALLOW if text(call) in ("git log", "git push") else ask(context)


NO_RM = never_runs("shell:rm *")
BAD = [
    (DeniesOneNameOnly(), NO_RM),
    (DeniesTheFirstWord(), NO_RM),
    (AllowsByStartOfText(), NO_RM),
    (ExpressionWithoutAnchors(), NO_RM),
    (ExpressionWithoutAnEnd(), NO_RM),
    (SplitsChainsByBlanks(), NO_RM),
    (SplitsChainsOnly(), NO_RM),
    (QuotesAreNotRead(), NO_RM),
    (PathsAreNotRead(), NO_RM),
    (TrustsWrappers(), NO_RM),
    (TrustsXargs(), NO_RM),
    (TrustsGit(), NO_RM),
    (DeniesGitPushByWords(), never_runs("shell:git push")),
    (TrustsAutoEdit(), NO_RM),
    (AllowsWhereNobodyIsAsked(), NO_RM),
    (SearchesTheJson(), NO_RM),
    (AllowsByGlob(), never_runs("write_file")),
    (TrustsAnnotations(), never_runs("delete_all")),
    (TrustsAServersName(), never_runs("delete_all")),
    (GlobOfPaths(), never_runs("write_file")),
    (RemembersTheToolOnly(), always_is_narrow),
    (RemembersTheToolOnly(), NO_RM),
    (RemembersTheStartOfText(), always_is_narrow),
    (ForgetsTheServer(), always_is_narrow),
    (AnAlwaysIsYolo(), never_runs("write_file")),
    (AnAlwaysEndsADeny(), deny_is_final),
    (PlanAllowsMore(), modes_are_monotone),
    (AsksForLongCommands(), never_asks("shell:ls")),
    (DeniesWhatShouldAsk(), always_asks("shell:git push *")),
    (RaisesOnOddArguments(), always_decides),
    (AsksNobody(), always_decides),
    (DenyOfOneCommand(), deny_is_final),
    (Wider(), no_wider_than(Narrow())),
]
