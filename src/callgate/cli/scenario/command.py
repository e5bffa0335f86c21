"""`callgate scenario FILE|-` and `--jsonl FILE|-`: scenarios in, traces out.

Rule 1: a trace is written and flushed before the next scenario is read.
Rule 2: what cannot be played is said to be so, and stops nobody else.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from callgate.cli.scenario.checking import NotAScenario, check
from callgate.cli.scenario.player import play

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", help="a scenario as JSON; - is standard input")
    parser.add_argument(
        "--jsonl", action="store_true", help="one scenario a line, one trace a line"
    )


def run(options: argparse.Namespace) -> int:
    """Play what the file holds."""
    try:
        with _opened(options.file) as source:
            return _play_lines(source) if options.jsonl else _play_one(source)
    except OSError as error:
        print(f"{options.file}: {error.strerror}", file=sys.stderr)
        return 2


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with open(name, "rb") as source:
        yield source


def _play_one(source: BinaryIO) -> int:
    answer = _answer(source.read())
    if "error" in answer:
        print(answer["error"], file=sys.stderr)
        return 2
    print(json.dumps(answer))
    return 0


def _play_lines(source: BinaryIO) -> int:
    code = 0
    for line in source:
        if not line.strip():
            continue
        answer = _answer(line)
        code = 2 if "error" in answer else code
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()
    return code


def _answer(text: bytes) -> dict[str, Any]:
    name = None
    try:
        scenario = _parse(text)
        told = scenario.get("name") if isinstance(scenario, dict) else None
        name = told if isinstance(told, str) else None
        check(scenario)
        return play(scenario)
    except NotAScenario as error:
        return {"name": name, "error": str(error)}
    except Exception as error:  # a bug of ours must not stop the scenarios behind it
        return {"name": name, "error": f"could not be played: {type(error).__name__}: {error}"}


def _parse(text: bytes) -> Any:
    try:
        return json.loads(
            text.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        raise NotAScenario(f"no JSON: {error}") from error


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        _refuse_constant(text)
    return number


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number that JSON can hold")
