"""The layout engine: Graphviz, from the wheel by default.

Rule 1: `wheel` is the Graphviz that pygraphviz carries: the same coordinates on every machine.
Rule 2: `dot` is the reader's own program; it is asked for by name, because its version, and so the
picture's bytes, are the machine's.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from enum import StrEnum
from functools import cache
from importlib import metadata
from typing import Any, final

from callgate.diagrams.errors import MissingEngine, NoDot


@final
class Engine(StrEnum):
    """Who computes coordinates."""

    WHEEL = "wheel"
    DOT = "dot"

    __hash__ = str.__hash__


def run_engine(source: str, engine: Engine) -> tuple[str, str]:
    """The layout as JSON text, and the name and version of who made it."""
    return _by_program(source) if engine is Engine.DOT else _by_wheel(source)


def _by_wheel(source: str) -> tuple[str, str]:
    try:
        import pygraphviz
    except ImportError as error:
        raise MissingEngine("svg and png", "pygraphviz") from error
    graph: Any = pygraphviz.AGraph(string=source)
    try:
        text: bytes = graph.draw(format="json", prog="dot")
    finally:
        graph.close()
    return text.decode("utf-8"), wheel_version()


def wheel_version() -> str:
    """The wheel's name and version, without loading it; empty if it is not there."""
    try:
        return f"pygraphviz {metadata.version('pygraphviz')}"
    except metadata.PackageNotFoundError:
        return ""


def _by_program(source: str) -> tuple[str, str]:
    program = shutil.which("dot")
    if program is None:
        raise NoDot("there is no program `dot` on the PATH")
    done = subprocess.run(  # noqa: S603 - the reader asked for it by name
        [program, "-Tjson"], input=source, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoDot(f"{program} failed: {done.stderr.strip() or done.returncode}")
    return done.stdout, _version(program)


@cache
def _version(program: str) -> str:
    done = subprocess.run([program, "-V"], capture_output=True, text=True, check=True)  # noqa: S603
    found = re.search(r"version (\S+)", done.stderr)
    return f"graphviz {found[1]}" if found else "graphviz"
