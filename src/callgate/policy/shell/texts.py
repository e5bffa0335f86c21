"""Programs in other languages that stand in a command: awk and sed.

Rule 1: a program is harmless if every statement of it is known to only read and print.
Rule 2: where two readings differ, it asks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

AWK_REFUSED = re.compile(r"\b(system|getline|extension)\b|@|>>|\|&|\\\n")
AWK_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
AWK_REGEX_AFTER = frozenset("({};,!~&|\n")  # never after ')': that may be a division
SED_TEXT = re.compile(r"[^\n\\]*(?:\\[^\n][^\n\\]*)*(?:\n|$)")
SED_ADDRESS = re.compile(r"[0-9]+(?:~[0-9]+)?|\$|[+~][0-9]+")
SED_SIMPLE = frozenset("=dDgGhHlnNpPxz")
SED_FLAGS = frozenset("gpiImM0123456789")
SED_BRACKET = re.compile(r"\[\^?\]?(?:[^\]\[\\\n]|\[:[a-z]+:\]|\\[^\]\[\n])*\]")
SED_LABEL = re.compile(r"[ \t]*[A-Za-z0-9_]*[ \t]*(?=[;\n}]|$)")


def awk_problem(program: str) -> str:
    """Why this awk program asks; empty if it only reads and prints.

    >>> awk_problem("$3 > 5 { print $1 }"), bool(awk_problem('{ print > "x" }'))
    ('', True)
    """
    found = AWK_REFUSED.search(program)
    if found:
        return f"the awk program uses {found.group()!a}"
    if ">" not in program and "|" not in program.replace("||", ""):
        return ""
    return _awk_redirects(program)


def _awk_redirects(program: str) -> str:
    """Does a `>` or `|` stand where it writes? Comparisons stand in brackets or outside braces."""
    index, braces, brackets, before = 0, 0, 0, "\n"
    while index < len(program):
        character = program[index]
        if character == '"':
            found = AWK_STRING.match(program, index)
            if not found:
                return "the awk program has a string that is not closed"
            index, before = found.end(), '"'
            continue
        if character in "#/":
            if character == "#" or before not in AWK_REGEX_AFTER:
                return "the awk program compares or writes beside a comment or a '/'"
            closing = re.compile(r"/(?:[^/\\\n\[\"]|\\.)*/").match(program, index)
            if not closing:
                return "the awk program has a pattern that is not understood"
            index, before = closing.end(), "/"
            continue
        braces += (character == "{") - (character == "}")
        brackets += (character == "(") - (character == ")")
        if program.startswith("||", index):
            index, before = index + 2, "|"
            continue
        if character == "|" or (character == ">" and braces > 0 and brackets <= 0):
            return f"the awk program may write: {program[index : index + 12]!a}"
        if not character.isspace():
            before = character
        index += 1
    return ""


def sed_problem(scripts: Sequence[str]) -> str:
    """Why these sed scripts ask; empty if they only edit what is printed.

    >>> sed_problem(["s/a/b/g;1,5p"]), bool(sed_problem(["s/a/b/e"])), bool(sed_problem(["1w x"]))
    ('', True, True)
    """
    script = "\n".join(scripts)
    try:
        _Sed(script).read()
    except _SedProblem as problem:
        return str(problem)
    return ""


class _SedProblem(Exception):
    """This script asks."""


class _Sed:
    """Reads a script command by command, and stops at the first that is not known."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.at = 0

    def peek(self) -> str:
        """The next character, empty at the end."""
        return self.script[self.at : self.at + 1]

    def skip(self, characters: str) -> None:
        """Go past any of these."""
        while self.peek() and self.peek() in characters:
            self.at += 1

    def ask(self) -> None:
        """Raise: this is not known."""
        rest = self.script[self.at : self.at + 12]
        raise _SedProblem(f"the sed command {rest!a} is not known to be harmless")

    def read(self) -> None:
        """All commands."""
        while True:
            self.skip(" \t\n;{}")
            if not self.peek():
                return
            if self.peek() == "#":
                newline = self.script.find("\n", self.at)
                self.at = len(self.script) if newline < 0 else newline
                continue
            self.address()
            self.skip(" \t")
            if self.peek() == ",":
                self.at += 1
                self.skip(" \t")
                self.address()
            self.skip(" \t!")
            self.command()

    def address(self) -> None:
        """A line, the last line, or a pattern."""
        found = SED_ADDRESS.match(self.script, self.at)
        if found:
            self.at = found.end()
        elif self.peek() == "/":
            self.delimited("/")
            self.skip("IM")

    def delimited(self, delimiter: str, *, is_pattern: bool = True) -> None:
        """From one delimiter to the next; one inside brackets does not count."""
        self.at += 1
        while self.peek() != delimiter:
            if self.peek() in ("", "\n"):
                self.ask()
            if self.peek() == "[" and is_pattern:
                found = SED_BRACKET.match(self.script, self.at)
                if not found:
                    self.ask()
                self.at = found.end() if found else self.at
                continue
            self.at += 2 if self.peek() == "\\" else 1
            if self.script[self.at - 1 : self.at] == "\n":
                self.ask()
        self.at += 1

    def command(self) -> None:
        """One command after its address."""
        letter = self.peek()
        if letter in ("s", "y"):
            self.at += 1
            delimiter = self.peek()
            if not delimiter or delimiter.isalnum() or delimiter in "\\\n ;{}[]":
                self.ask()
            self.delimited(delimiter)
            self.at -= 1
            self.delimited(delimiter, is_pattern=False)
            while self.peek() and self.peek() in SED_FLAGS and letter == "s":
                self.at += 1
            self.end_of_command()
        elif letter and letter in SED_SIMPLE:
            self.at += 1
            self.end_of_command()
        elif letter in ("q", "Q"):
            self.at += 1
            self.skip(" 0123456789")
            self.end_of_command()
        elif letter in (":", "b", "t", "T"):
            self.at += 1
            label = SED_LABEL.match(self.script, self.at)
            if not label:
                self.ask()
            self.at = label.end() if label else self.at
        elif letter in ("a", "i", "c"):
            self.text()
        elif letter not in ("{", ""):
            self.ask()

    def text(self) -> None:
        """`a text`: to the end of the line, and no further."""
        found = SED_TEXT.match(self.script, self.at + 1)
        if not found or self.script[found.end() - 2 : found.end()] == "\\\n":
            self.ask()
        self.at = found.end() if found else self.at

    def end_of_command(self) -> None:
        """Only a separator may follow."""
        self.skip(" \t")
        if self.peek() not in ("", ";", "\n", "}", "#"):
            self.ask()
