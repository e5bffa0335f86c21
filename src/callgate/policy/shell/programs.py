"""Judging what follows the granted words of a command: harmless by the tables, or a reason to ask.

Rule 1: a program of a table is harmless only with the options that its table lists.
Rule 2: a program of no table takes any argument; one of a table only literal ones.
Rule 3: the granted words stand as they are; only what follows them is judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.policy.shell.commands import Command, Opaque, Word
from callgate.policy.shell.options import Options, Problem, problems_of
from callgate.policy.shell.tables_builtin import BUILTINS
from callgate.policy.shell.tables_dev import (
    ALONE,
    DEV_TABLE,
    PROGRAM_RUNNERS,
    SUBCOMMANDS,
    runner_problem,
)
from callgate.policy.shell.tables_git import GIT, GIT_ALONE, GIT_OPTIONS
from callgate.policy.shell.tables_system import SYSTEM_TABLE
from callgate.policy.shell.tables_text import TEXT_TABLE
from callgate.policy.shell.texts import sed_problem

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE: dict[str, Options] = TEXT_TABLE | SYSTEM_TABLE | DEV_TABLE
SEDS = frozenset({"sed", "gsed", "ssed"})
SED_LONG = (
    "quiet silent regexp-extended separate unbuffered null-data posix debug sandbox line-length= "
    "expression= version help"
)


def judge(command: Command, granted: int) -> str:
    """Empty if what follows the first `granted` words is harmless, else why it asks.

    >>> from callgate.policy.shell.understanding import understand
    >>> judge(understand("sort -r names").commands[0], 1)
    ''
    >>> judge(understand("sort -o out names").commands[0], 1)
    "sort: the option '-o' is not known to be harmless"
    """
    if not command.words:
        return command.obstacle or "only assignments"
    if granted >= len(command.words):
        return ""
    name = command.name
    if name is None:
        return "the command itself is not a literal word"
    base = name.rsplit("/", 1)[-1]
    reason = _reason(base, command.words, granted)
    return f"{base}: {reason}" if reason else ""


def is_in_table(name: str) -> bool:
    """Is there a table for this program? Then its words must be literal."""
    return (
        name in TABLE
        or name in SEDS
        or name in BUILTINS
        or name == "git"
        or name in SUBCOMMANDS
        or PROGRAM_RUNNERS.fullmatch(name) is not None
    )


def _reason(name: str, words: tuple[Word, ...], granted: int) -> str:
    if name in BUILTINS:
        problem = BUILTINS[name](words, granted)
        return problem[1] if problem and problem[0] >= granted else ""
    if not is_in_table(name):
        return ""
    for index, word in enumerate(words):
        if index >= granted and isinstance(word, Opaque) and not word.is_file:
            return f"{word.text!a} may become any option or operand"
    literal = tuple("/dev/fd/63" if isinstance(word, Opaque) else word for word in words)
    if name == "git":
        return _subcommand(GIT, GIT_OPTIONS, GIT_ALONE, literal, granted)
    if name in SUBCOMMANDS:
        return _subcommand(SUBCOMMANDS[name], Options(), ALONE, literal, granted)
    if name in SEDS:
        return _last(_sed(literal), granted)
    if name == "tar" and len(literal) > 1 and literal[1][:1] not in ("-", ""):
        literal = (literal[0], f"-{literal[1]}", *literal[2:])
    if name in TABLE:
        return _last(problems_of(TABLE[name], literal, 1), granted)
    return runner_problem(literal, granted)


def _last(problems: Sequence[Problem], granted: int) -> str:
    """The first problem that the granted words do not cover."""
    return next((reason for place, reason in problems if place >= granted), "")


def _subcommand(
    table: dict[str, Options],
    before: Options,
    alone: frozenset[str],
    words: tuple[str, ...],
    granted: int,
) -> str:
    """Options of the program, a sub-command, and what that takes."""
    index = 1
    while index < len(words) and words[index].startswith("-"):
        if words[index] in alone and len(words) == index + 1:
            return ""
        if index >= granted:
            found = problems_of(before, words[: index + 1], index)
            if found:
                return found[0][1]
        index += 1
    if index >= len(words):
        return ""
    options = table.get(words[index])
    if options is not None and options.is_named and index >= granted:
        return f"{words[index]!a} moves or deletes files, and the rule does not name it"
    if options is not None:
        return _last(problems_of(options, words, index + 1), granted)
    if index >= granted:
        return f"{words[index]!a} is not known to be harmless"
    return _last(problems_of(Options(), words, index + 1), granted)


def _sed(words: tuple[str, ...]) -> list[Problem]:
    """The options of sed, and each of its scripts."""
    scripts = list[str]()

    def script(name: str, value: str) -> str:
        if name not in ("e", "expression"):
            return ""
        scripts.append(value)
        return sed_problem([value])

    def first_script(operands: Sequence[tuple[int, str]]) -> Problem | None:
        if scripts or not operands:
            return None
        reason = sed_problem([operands[0][1]])
        return (operands[0][0], reason) if reason else None

    options = Options(
        "nErsuz", "le", SED_LONG, harmful="in-place file", values=script, check=first_script
    )
    return problems_of(options, words, 1)
