"""`callgate demo`: a real batch on a real project in a folder of its own, and you are asked.

Rule 1: nothing outside of the temporary folder is touched, and the folder is removed afterwards.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from callgate.cli.demo_project import CALLS, lay_out
from callgate.cli.policies import policy_of
from callgate.cli.terminal.session import Session, console_for_people, person_is_there
from callgate.drivers.scheduler import ToolScheduler
from callgate.kernel.values import Request
from callgate.tools.builtin import builtin_tools

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    answers = parser.add_mutually_exclusive_group()
    answers.add_argument("--yes", action="store_true", help="answer every question with yes")
    answers.add_argument(
        "--no-input", action="store_true", help="ask nobody: what would ask is refused"
    )


def run(options: argparse.Namespace) -> int:
    """Lay the project out, run the batch, say what came of it."""
    console = console_for_people()
    interactive = options.yes or (person_is_there() and not options.no_input)
    with tempfile.TemporaryDirectory(prefix="callgate-demo-") as folder:
        lay_out(Path(folder))
        _introduce(console, yes=options.yes, interactive=interactive)
        return asyncio.run(_work(folder, console, yes=options.yes, interactive=interactive))


def _introduce(console: Console, *, yes: bool, interactive: bool) -> None:
    console.print(
        Text.assemble(
            ("callgate demo", "bold"),
            "  A model asked for four tool calls in a small project:\n"
            "read a file, search, fix a mistake, run the tests.",
        )
    )
    if yes:
        console.print("Every question is answered with yes.\n")
    elif interactive:
        console.print("Two of them need you. Say yes, no, always, or edit what it wrote.\n")
    else:
        console.print("Nobody can be asked here, so what would ask is refused (see --yes).\n")


async def _work(folder: str, console: Console, *, yes: bool, interactive: bool) -> int:
    session = Session(console, yes=yes)
    requests = [
        Request(f"call-{number}", name, args, parallel=name not in ("edit_file", "shell"))
        for number, (name, args) in enumerate(CALLS, 1)
    ]
    async with ToolScheduler(
        tools=builtin_tools(folder),
        policy=policy_of(()),
        interactive=interactive,
        workspace=folder,
        **session.watchers(),
    ) as scheduler:
        await session.run(scheduler, requests, plan="waves")
    return 0
