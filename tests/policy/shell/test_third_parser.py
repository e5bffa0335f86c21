"""A third parser, shfmt, as a witness: does it see the commands that were understood?

Rule 1: it is no part of the gate (a process a line would cost more than the decision); here it can
        only find that the two parsers of the gate are wrong in the same way.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from callgate.policy.shell.reader import Reader
from callgate.policy.shell.redirecting import Findings
from callgate.policy.shell.understanding import understand
from tests.policy.shell.harmless import HARMLESS

BESIDE_PYTHON = Path(sys.executable).with_name("shfmt")
SHFMT = str(BESIDE_PYTHON) if BESIDE_PYTHON.exists() else shutil.which("shfmt")
LINES = sorted({line for _, line in HARMLESS if understand(line).is_understood})
STARTS = {"DeclClause": "Pos", "TestClause": "Pos", "TimeClause": "Pos", "LetClause": "Pos"}


def seen_by_shfmt(text):
    """Where shfmt sees the first words of commands, in bytes."""
    done = subprocess.run(
        [SHFMT, "-ln", "bash", "--to-json"], input=text.encode(), capture_output=True, check=True
    )
    found, waiting = [], [(json.loads(done.stdout), False)]
    while waiting:
        node, is_timed = waiting.pop()
        if isinstance(node, list):
            waiting.extend((child, is_timed) for child in node)
        elif isinstance(node, dict):
            kind = node.get("Type")
            words = node.get("Args")
            if kind == "CallExpr" and words and not is_timed:
                found.append(words[0]["Pos"].get("Offset", 0))
            elif kind in STARTS:
                found.append(node["Pos"].get("Offset", 0))
            timed = kind == "TimeClause" or (is_timed and kind is None)
            waiting.extend((child, timed) for child in node.values())
    return sorted(found)


def seen_by_the_reader(text):
    """Where the reader sees them."""
    findings = Findings(lambda *_: None)
    Reader(text, findings, 0).read()
    return sorted(len(text[:start].encode()) for start in findings.starts)


@pytest.mark.skipif(SHFMT is None, reason="shfmt has no wheel for every platform: not installed")
@pytest.mark.parametrize("line", LINES)
def test_a_third_parser_sees_the_same_commands(line):
    assert seen_by_shfmt(line) == seen_by_the_reader(line)
