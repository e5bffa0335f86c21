"""A command line taken apart at its operators: as much of a shell as the classic policy needs.

Rule 1: fail closed: what cannot be taken apart, or runs another command inside a word, is nothing.
Rule 2: quotes are respected; what stands inside them separates nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATORS: Final = frozenset(";|&\n")
_OPERATORS: Final = ("&&", "||", "|&", ";", "|", "&", "\n")
_QUOTES: Final = frozenset("'\"")
_BLANKS: Final = frozenset(" \t")
_SHIELDS: Final = _QUOTES | {"\\"}
_WORD_ENDS: Final = frozenset(" <>")
_WORD: Final = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+""", re.DOTALL)


class _Refused(Exception):
    """This command line is not understood."""


def commands_of(line: str, *, strict: bool = True) -> tuple[str, ...]:
    """The commands of a line, in order, blanks between words made one; empty: not understood.

    Not strict: substitutions are passed over, for the first words of what a person has seen.

    >>> commands_of("git  status && ls | grep 'a;b'")
    ('git status', 'ls', "grep 'a;b'")
    >>> commands_of("echo $(rm x)")
    ()
    """
    try:
        return tuple(_Splitter(line, strict).split())
    except _Refused:
        return ()


def first_words(commands: Iterable[str]) -> tuple[str, ...]:
    """The first word of each command, with its quotes.

    >>> first_words(["git log", "'my tool' x"])
    ('git', "'my tool'")
    """
    return tuple(
        found.group() if (found := _WORD.match(command)) else command.split(" ", 1)[0]
        for command in commands
    )


class _Splitter:
    """One pass over a line."""

    def __init__(self, line: str, strict: bool) -> None:
        self.line = line.strip()
        self.strict = strict
        self.at = 0
        self.part: list[str] = []

    def split(self) -> list[str]:
        """Collect commands until the line ends."""
        found: list[str] = []
        while self.at < len(self.line):
            letter = self.line[self.at]
            if letter in _SEPARATORS and not self._is_redirection(letter):
                self._end(found, self._operator())
            else:
                self._take(letter)
        self._end(found, "")
        return found

    def _end(self, found: list[str], operator: str) -> None:
        command = "".join(self.part).strip()
        self.part = []
        if command:
            found.append(command)
        elif operator not in ("", "\n") or not found:
            raise _Refused  # an operator with nothing before it

    def _operator(self) -> str:
        for operator in _OPERATORS:
            if self.line.startswith(operator, self.at):
                self.at += len(operator)
                self._skip_blanks(operator)
                return operator
        raise _Refused

    def _skip_blanks(self, operator: str) -> None:
        while self.at < len(self.line) and self.line[self.at].isspace():
            self.at += 1
        # A line may end after `;` and `&`; after the others another command must come.
        if self.at == len(self.line) and operator in ("&&", "||", "|", "|&"):
            raise _Refused

    def _is_redirection(self, letter: str) -> bool:
        """`2>&1` and `&>file` name files; they separate nothing."""
        before = self.part[-1] if self.part else ""  # an escaped `\>` is a letter like others
        if letter != "&":
            return letter == "|" and before == ">"
        return before in ("<", ">") or self.line.startswith("&>", self.at)

    def _take(self, letter: str) -> None:
        if letter in _QUOTES:
            self._quoted(letter)
            return
        self._refuse_substitution(letter)
        self._refuse_unclear(letter)
        if letter == "\\":
            if self.at + 1 >= len(self.line):
                raise _Refused
            pair = self.line[self.at : self.at + 2]
            self.part += [] if pair == "\\\n" else [pair]  # a line goes on: the shell sees neither
            self.at += 2
            return
        if letter in _BLANKS:
            if self.part and self.part[-1] != " ":
                self.part.append(" ")
        else:
            self.part.append(letter)
        self.at += 1

    def _quoted(self, quote: str) -> None:
        start = self.at
        self.at += 1
        while self.at < len(self.line) and self.line[self.at] != quote:
            if quote == '"':
                self._refuse_substitution(self.line[self.at], ("$(",))
                self.at += self.line[self.at] == "\\"
            self.at += 1
        if self.at >= len(self.line):
            raise _Refused  # the quote is never closed
        self.at += 1
        self.part.append(self.line[start : self.at])

    def _refuse_unclear(self, letter: str) -> None:
        """Where a shell might see quotes or commands otherwise than this pass does."""
        if not self.strict:
            return
        if letter == "(" and self.part[-1:] != ["\\$"]:
            raise _Refused  # a function may have the name of an allowed command
        if self.line.startswith("$'", self.at):
            raise _Refused  # inside it a backslash escapes the quote
        if letter == "#" and (not self.part or self.part[-1] in _WORD_ENDS):
            comment = self.line[self.at :].partition("\n")[0]
            if not _SHIELDS.isdisjoint(comment):
                raise _Refused  # in a comment they shield nothing

    def _refuse_substitution(
        self, letter: str, openings: tuple[str, ...] = ("$(", "<(", ">(")
    ) -> None:
        if self.strict and (letter == "`" or self.line[self.at : self.at + 2] in openings):
            raise _Refused
