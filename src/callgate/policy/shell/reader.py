"""Reading the grammar of bash: lists, pipelines, compound commands, redirections, simple commands.

Theory of operation: a strict recursive descent over the part of bash that is understood. It keeps
where each command starts, so that a second parser can be asked whether it sees the same commands.

Rule 1: what is not in this grammar is not understood; nothing is guessed or skipped.
Rule 2: every level, every command and every character counts against a limit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from callgate.policy.shell.assignments import is_local
from callgate.policy.shell.commands import NotUnderstood, Opaque, Word
from callgate.policy.shell.conditions import check_condition
from callgate.policy.shell.redirecting import Findings, Redirecting
from callgate.policy.shell.scanner import META

if TYPE_CHECKING:
    from collections.abc import Callable

DEPTH_MAX = 24
"Levels of substitution, subshell and compound command."
KEYWORD = re.compile(r"[a-z]+|[!{}]|\[\[|\]\]")
REFUSED_KEYWORDS = frozenset({"function", "coproc", "select"})
ENDING_KEYWORDS = frozenset({"then", "do", "done", "fi", "elif", "else", "esac", "in", "}", "]]"})
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")


class Reader(Redirecting):
    """Reads the commands between two places of a text."""

    def __init__(self, text: str, findings: Findings, depth: int) -> None:
        super().__init__(text, findings)
        self.depth = depth

    def read(self) -> None:
        """Read all of the text."""
        self.command_list(frozenset())
        if self.at < self.end:
            self.unexpected()
        if self.documents:
            raise NotUnderstood("a here-document has no end")

    def unexpected(self) -> NoReturn:
        """Raise: what stands here has no place here."""
        raise NotUnderstood(f"{self.text[self.at : self.at + 12]!a} is not understood here")

    def substitution(self, closing: str) -> None:
        """Read the commands inside `$( )`, `<( )`, `( )` or backticks."""
        self.enter()
        self.substitutions += 1
        self.command_list(frozenset())
        self.substitutions -= 1
        if closing:
            self.expect(closing)
        elif self.at < self.end:
            self.unexpected()
        self.depth -= 1

    def enter(self) -> None:
        """One level deeper."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise NotUnderstood(f"commands are nested deeper than {DEPTH_MAX}")

    def expect(self, wanted: str) -> None:
        """Go past exactly this."""
        self.skip_blanks()
        if self.peek(len(wanted)) != wanted:
            raise NotUnderstood(f"{wanted!r} is missing")
        self.at += len(wanted)

    def keyword(self) -> str:
        """The reserved word that may stand here, unquoted and whole; empty if none."""
        found = KEYWORD.match(self.text, self.at, self.end)
        if not found or (found.end() < self.end and self.text[found.end()] not in META):
            return ""
        return found.group()

    def expect_keyword(self, *wanted: str) -> str:
        """Go past one of these reserved words."""
        self.skip_lines()
        found = self.keyword()
        if found not in wanted:
            raise NotUnderstood(f"{' or '.join(wanted)!r} is missing")
        self.at += len(found)
        return found

    def skip_lines(self) -> None:
        """Go past blanks, comments and ends of lines, and the here-documents that follow these."""
        self.skip_blanks()
        while self.peek() == "\n":
            self.at += 1
            self.read_documents()
            self.skip_blanks()

    def command_list(self, until: frozenset[str]) -> None:
        """Commands joined by `;`, `&`, `&&`, `||`, `|` and newlines."""
        self.skip_lines()
        while self.at < self.end and self.peek() != ")" and self.peek(2) not in (";;", ";&"):
            if until and self.keyword() in until:
                return
            self.pipeline()
            self.skip_blanks()
            if self.peek(2) in ("&&", "||", "|&") or self.peek() == "|":
                self.at += 2 if self.peek(2) in ("&&", "||", "|&") else 1
                self.skip_lines()
                if self.at >= self.end or self.peek() in ");|&":
                    raise NotUnderstood("a command is missing after an operator")
            elif self.peek(2) in (";;", ";&"):
                return
            elif self.peek() in (";", "&"):
                self.at += 1
                self.skip_lines()
            elif self.peek() == "\n":
                self.skip_lines()
            elif self.at < self.end and self.peek() != ")":
                self.unexpected()

    def pipeline(self) -> None:
        """One command of a pipeline, with `!` before it."""
        keyword = self.keyword()
        while keyword == "!":
            self.at += 1
            self.skip_blanks()
            keyword = self.keyword()
        if keyword in REFUSED_KEYWORDS or keyword in ENDING_KEYWORDS:
            raise NotUnderstood(f"the reserved word {keyword!r} here")
        compound = COMPOUND.get(self.peek() if self.peek() == "(" else keyword)
        if compound is None:
            self.simple_command()
            return
        self.enter()
        self.at += len(keyword)
        compound(self)
        self.depth -= 1
        self.skip_blanks()
        while self.redirection():
            self.skip_blanks()

    def subshell(self) -> None:
        """`( list )`, and never `(( arithmetic ))`."""
        if self.peek(2) == "((":
            raise NotUnderstood("arithmetic, or a subshell that looks like it")
        self.at += 1
        self.command_list(frozenset())
        self.expect(")")

    def group(self) -> None:
        """`{ list; }`."""
        self.command_list(frozenset({"}"}))
        self.expect_keyword("}")

    def conditional(self) -> None:
        """`if list; then list; [elif ...] [else list;] fi`."""
        keyword = "elif"
        while keyword == "elif":
            self.command_list(frozenset({"then"}))
            self.expect_keyword("then")
            self.command_list(frozenset({"elif", "else", "fi"}))
            keyword = self.expect_keyword("elif", "else", "fi")
        if keyword == "else":
            self.command_list(frozenset({"fi"}))
            self.expect_keyword("fi")

    def loop(self) -> None:
        """`while list; do list; done`, and until."""
        self.command_list(frozenset({"do"}))
        self.body()

    def body(self) -> None:
        """`do list; done`."""
        self.expect_keyword("do")
        self.command_list(frozenset({"done"}))
        self.expect_keyword("done")

    def for_each(self) -> None:
        """`for name in words; do list; done`."""
        self.skip_blanks()
        name = self.word()
        if not isinstance(name, str) or not is_local(name):
            raise NotUnderstood(f"a loop over the variable {self.text_of(name)}")
        self.skip_lines()
        if self.keyword() == "in":
            self.at += 2
            self.skip_blanks()
            while self.at < self.end and self.peek() not in ";\n":
                self.word()
                self.skip_blanks()
        if self.peek() == ";" and self.peek(2) != ";;":
            self.at += 1
        self.body()

    def case(self) -> None:
        """`case word in [(] pattern [| pattern] ) list ;; ... esac`."""
        self.skip_blanks()
        self.word()
        self.expect_keyword("in")
        self.skip_lines()
        while self.keyword() != "esac":
            if self.peek() == "(":
                self.at += 1
            self.pattern()
            self.command_list(frozenset({"esac"}))
            if self.peek(2) in (";;", ";&"):
                self.at += 3 if self.peek(3) == ";;&" else 2
            elif self.keyword() != "esac":
                self.unexpected()
            self.skip_lines()
        self.expect_keyword("esac")

    def pattern(self) -> None:
        """`a | b )`."""
        while True:
            self.skip_blanks()
            self.word()
            self.skip_blanks()
            if self.peek() != "|":
                break
            self.at += 1
        self.expect(")")

    def condition(self) -> None:
        """`[[ ... ]]` with the tests that evaluate no arithmetic."""
        self.findings.starts.append(self.at - 2)
        tokens: list[Word] = []
        while True:
            self.skip_blanks()
            if self.keyword() == "]]":
                break
            if self.peek(3) in ("=~ ", "=~\t"):
                tokens.append("=~")
                self.at += 2
                continue
            operator = self.peek(2) if self.peek(2) in ("&&", "||") else self.peek()
            if operator in ("&&", "||", "(", ")"):
                tokens.append(Opaque(operator))
                self.at += len(operator)
            else:
                tokens.append(self.word())
        self.at += 2
        check_condition(tokens)

    def simple_command(self) -> None:
        """Assignments, words and redirections in any order that bash takes."""
        start, words, assignments = self.at, list[Word](), list[tuple[str, Word]]()
        last = self.at
        while True:
            self.skip_blanks()
            if self.redirection():
                last = self.at
                continue
            if self.at >= self.end or self.peek() in "\n;|&)":
                break
            if self.peek() == "(":
                raise NotUnderstood("a function or an array: '(' after a word")
            assigned = None if words else ASSIGNMENT.match(self.text, self.at, self.end)
            if assigned:
                assignments.append(self.assignment(assigned))
            else:
                words.append(self.argument(is_first=not words))
            last = self.at
        if last == start:
            raise NotUnderstood("a command is missing")
        text = self.text[start:last]
        if words or not all(is_local(name) for name, _ in assignments):
            self.findings.emit(text, tuple(words), tuple(assignments), self.depth)

    def argument(self, *, is_first: bool) -> Word:
        """One word of a command; the place of the first is kept."""
        start = self.at
        if self.keyword() in ("{", "}"):
            raise NotUnderstood("a brace that stands alone")
        word = self.word()
        if self.peek() in ("<", ">") and self.text[start] == "{":
            raise NotUnderstood("a descriptor in a variable")
        if is_first:
            self.findings.starts.append(start)
        return word

    def assignment(self, found: re.Match[str]) -> tuple[str, Word]:
        """`name=value`; an element of an array would evaluate its subscript."""
        if found[2] == "[":
            raise NotUnderstood("an assignment to an element of an array, or a name with '['")
        self.at = found.end()
        at_end = self.at >= self.end or self.peek() in META
        if self.peek() == "(":
            raise NotUnderstood("an array")
        value = "" if at_end else self.word()
        return found[1], value

    def text_of(self, word: Word) -> str:
        """As written, in ASCII, for a reason."""
        return ascii(word if isinstance(word, str) else word.text)


COMPOUND: dict[str, Callable[[Reader], None]] = {
    "(": Reader.subshell,
    "{": Reader.group,
    "if": Reader.conditional,
    "while": Reader.loop,
    "until": Reader.loop,
    "for": Reader.for_each,
    "case": Reader.case,
    "[[": Reader.condition,
}
