"""Entry point: which command was meant, and its exit code.

Rule 1: a command's module is imported only when it is meant, so that none waits for the libraries
of another. Each has `describe(parser)`, which adds its arguments, and `run(options) -> exit code`.
Rule 2: exit codes: 0 all is well, 1 what was asked does not hold, 2 the asking was wrong, 130 it
was interrupted at the keyboard, 141 whoever read the output has left.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from callgate.cli.streams import leave, prepare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COMMANDS: Final = {
    "demo": "watch a real batch on a small project, and answer its questions",
    "run": "run a model's answer with the built-in tools in a folder",
    "check": "find out what a policy can never do, or the call that shows it can",
    "explain": "say what a policy decides, and which rule decided",
    "diagram": "draw a machine, a policy, or a run",
    "report": "tell a run as one HTML page",
    "explore": "see every state that a few calls can reach",
    "scenario": "play a script of models, people and tools through the scheduler",
    "bench": "measure callgate on this machine",
}
BENCHMARKS: Final = {
    "kernel": "what a call's life costs, and how that grows",
    "asyncio": "what the scheduler costs beside asyncio.gather",
    "policy": "what a decision costs with up to 10,000 rules",
}


_INTERRUPTED: Final = 130
_READER_LEFT: Final = 141
_WRONG: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; Ctrl-C, a reader that leaves and a full disk end it without a traceback."""
    prepare()
    try:
        code = _command(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        leave()
        return _READER_LEFT
    except OSError as error:
        leave()
        print(f"callgate: {error}", file=sys.stderr)
        return _WRONG
    return code


def _command(words: list[str]) -> int:
    about = "A deterministic scheduling kernel for the tool calls of language models."
    if words == ["--version"]:
        print(f"callgate {version('callgate')}")
        return 0
    name, rest = _choose("callgate", about, COMMANDS, words)
    if name == "diagram":
        return _diagram(rest)
    if name != "bench":
        return _run(f"callgate {name}", COMMANDS[name], f"callgate.cli.{name}", rest)
    what, rest = _choose("callgate bench", COMMANDS[name], BENCHMARKS, rest)
    return _run(f"callgate bench {what}", BENCHMARKS[what], f"callgate.cli.bench.{what}", rest)


def _diagram(words: list[str]) -> int:
    """A machine, a run, or which transitions runs took: each is a module of its own."""
    if words[:1] == ["run"]:
        about = "Draw what happened in a run."
        return _run("callgate diagram run", about, "callgate.cli.diagram_run", words[1:])
    if "--coverage" in words:
        about = "Count the transitions that runs took."
        return _run("callgate diagram", about, "callgate.cli.diagram_coverage", words)
    return _run("callgate diagram", COMMANDS["diagram"], "callgate.cli.diagram", words)


def _choose(
    prog: str, about: str, known: Mapping[str, str], words: Sequence[str]
) -> tuple[str, list[str]]:
    """The first word, which must be known, and the rest, which is for whom it names."""
    width = max(map(len, known))
    listed = "\n".join(f"  {name:{width}}  {purpose}" for name, purpose in known.items())
    parser = argparse.ArgumentParser(
        prog=prog,
        description=about,
        epilog=f"commands:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=known, metavar="COMMAND", help="one of those below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    if not words:
        parser.print_help(sys.stderr)
        raise SystemExit(_WRONG)
    chosen = parser.parse_args(words)
    return chosen.command, chosen.arguments


def _run(prog: str, about: str, module: str, words: Sequence[str]) -> int:
    command = import_module(module)
    parser = argparse.ArgumentParser(prog=prog, description=about)
    command.describe(parser)
    code: int = command.run(parser.parse_args(words))
    return code
