"""`callgate explain`: what a policy says of a call, and which rule says so.

Rule 1: exit 0 when every call was answered, 2 when there is no policy or the asking was wrong, and
then nothing is printed but the reason, on standard error.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callgate.cli.explaining.stream import Malformed, answer, read_call, read_json
from callgate.cli.explaining.tree import show
from callgate.cli.policies import source_of
from callgate.kernel.errors import KernelError
from callgate.policy.decisions import Context, Mode, ToolCall
from callgate.policy.errors import ExtraMissing, PolicyError
from callgate.policy.loading import load_policy
from callgate.policy.rules import Tier

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager
    from typing import BinaryIO

    from callgate.policy.engine import RulePolicy

_OK: Final = 0
_WRONG: Final = 2


class _UsageError(ValueError):
    """The asking was wrong: why."""


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    tiers = ", ".join(tier.value for tier in Tier)
    parser.add_argument(
        "--policy",
        nargs="+",
        action="extend",
        default=[],
        metavar="[TIER=]FILE",
        help=f"rules in TOML; tiers: {tiers} (default: user)",
    )
    parser.add_argument(
        "--mode",
        default=Mode.DEFAULT.value,
        metavar="MODE",
        help=f"one of {', '.join(mode.value for mode in Mode)}",
    )
    parser.add_argument("--non-interactive", action="store_true", help="nobody can be asked")
    parser.add_argument("--no-defaults", action="store_true", help="without the built-in rules")
    parser.add_argument(
        "--dir", default=".", metavar="WORKSPACE", help="what paths are relative to"
    )
    parser.add_argument("--jsonl", metavar="FILE", help="calls, one a line; - is standard input")
    parser.add_argument("name", nargs="?", metavar="NAME", help="a tool")
    parser.add_argument("args", nargs="?", metavar="ARGS_JSON", help="its arguments (default: {})")


def run(options: argparse.Namespace) -> int:
    """Explain one call to a person, or many to a program."""
    try:
        if options.jsonl is not None and options.name is not None:
            raise _UsageError("give calls with --jsonl or name a tool, not both")
        _hand_back(options)
        context = _context(options)
        call = None if options.jsonl is not None else _call(options)
        policy = _policy(options)
        source = nullcontext() if options.jsonl is None else _open(options.jsonl)
    except (_UsageError, PolicyError, ExtraMissing) as error:
        print(f"callgate explain: {error}", file=sys.stderr)
        return _WRONG
    if call is not None:
        show(call, context, policy.decide(call, context))
        return _OK
    with source as lines:
        if lines is not None:
            _answer(lines, policy, context)
    return _OK


def _answer(lines: BinaryIO, policy: RulePolicy, context: Context) -> None:
    try:
        answer(lines, sys.stdout, policy, context)
    except BrokenPipeError:  # whoever read has enough; nothing is left to be flushed at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _hand_back(options: argparse.Namespace) -> None:
    """`--policy FILE... NAME ARGS` takes NAME for a file: give back what is none."""
    words = options.policy
    if options.jsonl is not None or options.name is not None:
        return
    given = [n for n, word in enumerate(words) if n and not _is_file(word)]
    if given and len(words) - given[0] <= 2:
        options.policy, tail = words[: given[0]], words[given[0] :]
        options.name, options.args = tail[0], tail[1] if len(tail) > 1 else None


def _is_file(word: str) -> bool:
    file = word.partition("=")[2] or word
    return file.endswith(".toml") or os.path.exists(file)


def _context(options: argparse.Namespace) -> Context:
    try:
        mode = Mode(options.mode)
    except ValueError:
        known = ", ".join(each.value for each in Mode)
        raise _UsageError(f"the mode {options.mode!r} is unknown (allowed: {known})") from None
    if not Path(options.dir).is_dir():
        raise _UsageError(f"--dir {options.dir!r} is no folder")
    return Context(mode, not options.non_interactive, str(Path(options.dir).absolute()))


def _call(options: argparse.Namespace) -> ToolCall:
    if options.name is None:
        raise _UsageError("name a tool, or give calls with --jsonl")
    try:
        if options.name.startswith("{") and options.args is None:
            return read_call(options.name)
        args = read_json("{}" if options.args is None else options.args)
        return ToolCall(options.name, args)
    except (Malformed, TypeError, KernelError) as error:
        raise _UsageError(f"the arguments cannot be read: {error}") from None


def _open(file: str) -> AbstractContextManager[BinaryIO]:
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except (OSError, ValueError) as error:
        raise _UsageError(f"--jsonl {file!r} cannot be read: {error}") from None


def _policy(options: argparse.Namespace) -> RulePolicy:
    sources = [source_of(word) for word in options.policy]
    loaded = load_policy(*sources, defaults=not options.no_defaults)
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    if not loaded.parsed and (sources or options.no_defaults):
        raise PolicyError("no policy could be loaded")
    return loaded.policy
