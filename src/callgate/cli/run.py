"""`callgate run BATCH.json`: a model's answer, run with the built-in tools in a folder.

Rule 1: standard output is the results as JSON, and nothing else; the board goes to standard error.
Rule 2: exit code 0 if every call succeeded, 1 if one did not, 2 if nothing could be run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callgate.cli.policies import policy_of
from callgate.cli.terminal.session import Session, console_for_people, person_is_there
from callgate.drivers.errors import DriverError
from callgate.drivers.scheduler import ToolScheduler
from callgate.journal.recorder import Recorder
from callgate.kernel.config import Config
from callgate.kernel.errors import KernelError
from callgate.policy.decisions import Mode
from callgate.policy.errors import PolicyError
from callgate.responses.asked import Shape, shape_of
from callgate.responses.node import Node
from callgate.responses.requests import requests_of
from callgate.responses.shapes import in_shape
from callgate.tools.builtin import builtin_tools

if TYPE_CHECKING:
    from callgate.drivers.finished import FinishedCall
    from callgate.kernel.values import Request
    from callgate.policy.decisions import Policy

_WRONG = 2


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("batch", metavar="BATCH.json", help="a model's answer; - reads stdin")
    parser.add_argument("--dir", type=Path, default=Path(), help="the folder the tools work in")
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in Mode],
        default=Mode.DEFAULT.value,
        help="what may run unasked (default: %(default)s)",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PATTERN",
        help="allow a tool, or `shell(git status)`: commands that begin so; may be repeated",
    )
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="[TIER=]FILE",
        help="rules in TOML, beside the built-in ones; may be repeated",
    )
    parser.add_argument("--no-input", action="store_true", help="ask nobody: refuse what would ask")
    parser.add_argument("--plan", choices=["classic", "waves", "sequential"], default="classic")
    parser.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="of each tool")
    parser.add_argument("--max-parallel", type=_whole, metavar="N", help="tools at once")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep every event, to replay")


def _seconds(text: str) -> int:
    """Seconds as whole milliseconds."""
    try:
        milliseconds = round(float(text) * 1_000)
    except (ValueError, OverflowError):
        milliseconds = 0
    if milliseconds < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: seconds above 0 were expected")
    return milliseconds


def _whole(text: str) -> int:
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tools: 1 or more was expected")
    return number


def run(options: argparse.Namespace) -> int:
    """Read the batch, run it, print its results."""
    if not options.dir.is_dir():
        return _refuse(f"--dir {options.dir}: no such folder")
    try:
        answer = json.loads(_read(options.batch))
        requests = requests_of(answer)
        shape = shape_of(Node(answer)) or Shape.CALLGATE
    except RecursionError:
        return _refuse(f"{options.batch}: it is nested too deeply to be an answer of a model")
    except (OSError, ValueError) as error:
        return _refuse(f"{options.batch}: {error}")
    try:
        policy = policy_of(options.policy, options.allow)
        finished = asyncio.run(_work(options, requests, policy))
    except FileExistsError:
        return _refuse(f"--record {options.record}: it exists already: name a new file")
    except (DriverError, KernelError, PolicyError, OSError, ValueError) as error:
        return _refuse(str(error))
    json.dump(_results(shape, finished), sys.stdout, indent=2)
    print()
    return 0 if all(call.ok for call in finished) else 1


def _refuse(why: str) -> int:
    print(f"callgate run: {why}", file=sys.stderr)
    return _WRONG


def _read(batch: str) -> str:
    if batch == "-":
        return sys.stdin.read()
    return Path(batch).read_text(encoding="utf-8")


async def _work(
    options: argparse.Namespace, requests: list[Request], policy: Policy
) -> list[FinishedCall]:
    with ExitStack() as stack:
        record = None
        config = Config(max_parallel=options.max_parallel, timeout_ms=options.timeout)
        if options.record is not None:
            record = stack.enter_context(Recorder(options.record, config))
        session = Session(console_for_people())
        async with ToolScheduler(
            tools=builtin_tools(options.dir),
            policy=policy,
            mode=options.mode,
            workspace=str(options.dir.resolve()),
            interactive=person_is_there() and not options.no_input,
            config=config,
            record=record,
            **session.watchers(),
        ) as scheduler:
            return await session.run(scheduler, requests, plan=options.plan)


def _results(shape: Shape, finished: list[FinishedCall]) -> dict[str, Any]:
    return {
        "shape": shape.value,
        "results": in_shape(shape, finished),
        "calls": [_call(call) for call in finished],
    }


def _call(call: FinishedCall) -> dict[str, Any]:
    return {
        "id": call.call_id,
        "name": call.name,
        "status": call.status.value,
        "outcome": None if call.outcome is None else call.outcome.value,
        "duration_ms": call.duration_ms,
        "error": call.response.error,
        "error_type": call.response.error_type,
    }
