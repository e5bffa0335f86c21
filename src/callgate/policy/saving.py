"""Answers of "always" in a file: every answer of every writer, or an error; never half of one.

Rule 1: one writer at a time (a lock that the system takes away from the dead), and the whole file
is replaced at once: whoever is killed in between leaves the old file or the new one.
Rule 2: a file that cannot be read is left alone: starting it afresh would lose what it forbids.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, final

from attrs import evolve, frozen

from callgate.policy.errors import ExtraMissing, PolicyError
from callgate.policy.rules import Tier
from callgate.policy.toml.files import read_text
from callgate.policy.toml.writing import as_table, as_toml

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from callgate.kernel.values import Outcome
    from callgate.policy.decisions import Context, Decision, Mode, ToolCall
    from callgate.policy.engine import RulePolicy
    from callgate.policy.rules import Rule

WAIT_S: Final = 10
"""How long a writer waits for the others."""
HEADER: Final = '# Written by callgate: what was answered with "always".\n\n'


@final
@frozen
class SavingPolicy:
    """A policy whose "always" answers are saved too, for every later session."""

    policy: RulePolicy
    file: Path

    def decide(self, call: ToolCall, context: Context) -> Decision:
        """As the policy decides."""
        return self.policy.decide(call, context)

    def remember(self, call: ToolCall, outcome: Outcome, context: Context) -> tuple[Self, Mode]:
        """Remember, and save. What cannot be saved still holds for the session."""
        wider, mode = self.policy.remember(call, outcome, context)
        added = wider.answers[len(self.policy.answers) :]
        if added:
            try:
                save_answers(self.file, added)
            except (OSError, PolicyError) as error:
                text = f"the answer holds for this session only: {error}"
                warnings.warn(text, RuntimeWarning, stacklevel=2)
        return evolve(self, policy=wider), mode


def save_answers(file: Path, answers: Iterable[Rule]) -> None:
    """Add these answers to a file; those that it has are not added again.

    Raises:
        PolicyError: the file is no policy; it is left as it is.
        TimeoutError: other writers kept it for too long.
    """
    target = Path(os.path.realpath(file))
    with _lock(target):
        old = target.read_bytes() if target.exists() else HEADER.encode()
        content = read_text(str(file), old, Tier.USER)
        if not content.is_parsed:
            raise PolicyError(f"{file} is no policy, and was left as it is", content.problems)
        known = [as_table(rule) for rule in content.answers]
        new = [table for table in map(_answer, answers) if table not in map(_without, known)]
        if new:
            gap = b"" if old.endswith(b"\n\n") else b"\n"
            _replace(target, old + gap + as_toml(new, "always").encode())


def _answer(rule: Rule) -> dict[str, object]:
    return _without(as_table(rule))


def _without(table: dict[str, object]) -> dict[str, object]:
    """An answer always allows, and its file's tier says whose it is."""
    return {key: value for key, value in table.items() if key not in ("decision", "priority")}


def _lock(target: Path) -> AbstractContextManager[object]:
    try:
        filelock = import_module("filelock")
    except ImportError as missing:
        raise ExtraMissing("filelock") from missing
    lock: AbstractContextManager[object] = filelock.FileLock(f"{target}.lock", timeout=WAIT_S)
    return lock


def _replace(target: Path, content: bytes) -> None:
    """All or nothing: written beside it, flushed to the disk, and put in its place."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            Path(name).chmod(target.stat().st_mode & 0o777)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
