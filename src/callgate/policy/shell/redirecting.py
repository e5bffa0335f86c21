"""Reading redirections and here-documents, and what a reader has found so far.

Rule 1: harmless is to duplicate or close a descriptor, and exactly /dev/null; rules decide the
        rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from callgate.policy.shell.commands import NotUnderstood, Redirection, Word
from callgate.policy.shell.scanner import META, Scanner

OPERATOR = re.compile(r"([0-9]{0,3})(&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>\||>&|>)")
DELIMITER = re.compile(r"'([A-Za-z0-9_]+)'|\"([A-Za-z0-9_]+)\"|([A-Za-z0-9_]+)(?=[\s;|&)]|$)")

Assignments: TypeAlias = tuple[tuple[str, Word], ...]
Emit: TypeAlias = Callable[[str, tuple[Word, ...], Assignments, int], None]


class Findings:
    """What the readers of one text have found so far."""

    def __init__(self, emit: Emit) -> None:
        self.emit = emit
        "Called with the text, the words, the assignments and the depth of each simple command."
        self.redirections: list[Redirection] = []
        self.starts: list[int] = []
        "Where the first word of each command stands."


class Redirecting(Scanner):
    """A scanner that knows redirections."""

    def __init__(self, text: str, findings: Findings) -> None:
        super().__init__(text, 0, len(text))
        self.findings = findings
        self.substitutions = 0
        self.documents: list[tuple[str, bool, bool]] = []

    def redirection(self) -> bool:
        """Read one redirection if one stands here."""
        found = OPERATOR.match(self.text, self.at, self.end)
        if not found or (found[2] in "<>" and self.text[found.end() : found.end() + 1] == "("):
            return False
        self.at = found.end()
        self.skip_blanks()
        operator = found[2]
        if operator in ("<<", "<<-"):
            self.document(operator)
            return True
        target = self.word()
        literal = target if isinstance(target, str) else None
        duplicates = operator in ("<&", ">&") and re.fullmatch(r"-|[0-9]+-?", literal or "")
        if literal is not None and re.match(r"/+dev/+(tcp|udp)\b", literal):
            literal = None  # bash opens a connection
        self.findings.redirections.append(
            Redirection(
                operator,
                literal,
                is_harmless=bool(duplicates) or (literal == "/dev/null" and operator != "<<<"),
                writes=">" in operator,
                is_file=operator != "<<<" and not duplicates,
            )
        )
        return True

    def document(self, operator: str) -> None:
        """The delimiter of a here-document; its lines follow after the end of this one."""
        found = DELIMITER.match(self.text, self.at, self.end)
        if not found or self.substitutions:
            raise NotUnderstood("a here-document with an odd delimiter, or inside a substitution")
        self.at = found.end()
        if self.at < self.end and self.peek() not in META:
            raise NotUnderstood("a here-document with an odd delimiter")
        delimiter = found[1] or found[2] or found[3]
        self.documents.append((delimiter, found[3] is None, operator == "<<-"))
        self.findings.redirections.append(Redirection(operator, None, is_file=False))

    def read_documents(self) -> None:
        """Go past the lines of the here-documents; a `$` in one that expands is not understood."""
        for delimiter, is_literal, strips in self.documents:
            line = ""
            while True:
                if self.at >= self.end:
                    raise NotUnderstood("a here-document has no end")
                newline = self.text.find("\n", self.at, self.end)
                stop = self.end if newline < 0 else newline
                line = self.text[self.at : stop]
                self.at = min(stop + 1, self.end)
                if (line.lstrip("\t") if strips else line) == delimiter:
                    break
                if not is_literal and re.search(r"[$`\\]", line):
                    raise NotUnderstood("an expansion in a here-document")
        self.documents = []
