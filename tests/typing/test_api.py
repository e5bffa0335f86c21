"""Programs of other people's: what is right type-checks and runs, and what is wrong does not."""

import re
import subprocess
import sys
from pathlib import Path

from tests.typing import api

WRONG = """
from callgate import Request
from callgate.drivers import Reply, ToolScheduler
from callgate.kernel.calls import AwaitingApproval


def ask(call: AwaitingApproval) -> int:
    return 1


async def main(scheduler: ToolScheduler) -> None:
    ToolScheduler(ask=ask)  # arg-type
    ToolScheduler(on_done=print)  # call-arg
    ToolScheduler(plan="in order")  # arg-type
    scheduler.schedule([{"name": "ls"}])  # list-item
    scheduler.approve(1, "proceed_once")  # arg-type
    Request("c1", "ls").name = "rm"  # misc
    Reply()  # call-arg
    finished = await scheduler.schedule([])
    finished[0].nothing  # attr-defined
"""


def test_the_api_has_types_that_help(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    right = Path(api.__file__)
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(
        [*words, str(right), str(wrong)],
        check=False,
        capture_output=True,
        text=True,
        cwd=right.parents[2],
    )
    found = re.findall(r"wrong\.py:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)
    marked = [
        (str(number), line.partition("  # ")[2])
        for number, line in enumerate(WRONG.split("\n"), 1)
        if "  # " in line
    ]
    assert found == marked, done.stdout
    assert "api.py" not in done.stdout, done.stdout


def test_the_program_runs():
    api.main()
