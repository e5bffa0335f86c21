"""Judging what follows the granted words of a command: harmless by the tables, or a reason to ask.

Rule 1: a table lists what is harmless; what it does not list asks.
"""

from __future__ import annotations

from callgate.policy.shell.commands import Command


def judge(command: Command, granted: int) -> str:
    """Empty if what follows the first `granted` words is harmless, else why it asks."""
    return f"'{command.text}' is not judged yet" if granted < len(command.words) else ""
