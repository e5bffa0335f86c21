"""Reading the words of bash: quotes, escapes and expansions, character by character.

Rule 1: every `$` and every backtick is accounted for here, or the text is not understood.
Rule 2: what stands inside a substitution is handed to the reader of commands, never skipped.
Rule 3: a control character, an odd space or an invisible character makes the text not understood.
"""

from __future__ import annotations

import re
import unicodedata

from callgate.policy.shell.commands import NotUnderstood, Opaque, Word

META = frozenset(" \t\n;|&()<>")
ODD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})
UNUSUAL = re.compile(r"[^\n\t -~]")
PLAIN_EXPANSION = re.compile(
    r"""\$(?:
        (?P<name>[A-Za-z_][A-Za-z0-9_]*|[0-9@*!$-])
      | (?P<number>[?\#]|\{\#[A-Za-z_][A-Za-z0-9_]*\}|\(\([0-9+*/%\ ()-]+\)\))
      | \{(?P<braced>[A-Za-z_][A-Za-z0-9_]*|[0-9]+)
          (?:\[(?:[0-9]+|[@*])\])?
          (?: :?[-+][A-Za-z0-9_./,:@%+=-]* | (?:\#\#?|%%?)[A-Za-z0-9_./,:@+=*?-]* )?
        \}
    )""",
    re.VERBOSE,
)
DANGEROUS_AFTER_DOLLAR = frozenset("({[\\")
ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "e": "\x1b"}


def refuse_odd_characters(text: str) -> None:
    """Raise if a character might be a blank to one reader and a letter to another.

    >>> refuse_odd_characters("echo caf\\u00e9")
    """
    for character in UNUSUAL.findall(text):
        if unicodedata.category(character) in ODD_CATEGORIES:
            raise NotUnderstood(
                f"the character U+{ord(character):04X} is a control or an odd space"
            )


class Scanner:
    """A place in a text, and the word that starts there. The reader of commands is built on it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.at = start
        self.end = end

    def peek(self, length: int = 1) -> str:
        """The next characters, fewer at the end."""
        return self.text[self.at : min(self.at + length, self.end)]

    def skip_blanks(self) -> None:
        """Go past blanks, joined lines and a comment."""
        while self.at < self.end:
            if self.peek() in (" ", "\t"):
                self.at += 1
            elif self.peek(2) == "\\\n":
                self.at += 2
            elif self.peek() == "#":
                newline = self.text.find("\n", self.at, self.end)
                self.at = self.end if newline < 0 else newline
            else:
                return

    def substitution(self, closing: str) -> None:
        """Read the commands up to `closing`; the reader of commands says how."""
        raise NotImplementedError

    def word(self) -> Word:
        """Read one word from here to the next separator."""
        start = self.at
        shape = _Shape()
        while self.at < self.end:
            character = self.peek()
            if character in "<>" and self.peek(2)[1:] == "(":
                if self.at != start:
                    raise NotUnderstood("a process substitution inside a word")
                self.at += 2
                self.substitution(")")
                shape.expand(many=False)
                shape.is_file = True
            elif character in META:
                break
            else:
                self._piece(character, shape, start)
        raw = self.text[start : self.at]
        if not raw:
            raise NotUnderstood("a word is missing")
        if shape.braced and ("," in raw or ".." in raw):
            shape.opaque, shape.many = True, True
        if not shape.opaque or raw in ("[", "[["):
            return "".join(shape.value) if not shape.opaque else raw
        plain = "".join(shape.value)
        return Opaque(
            raw,
            is_one=not shape.many,
            is_file=shape.is_file and not (shape.many or plain),
            is_number=shape.numbers and not plain,
        )

    def _piece(self, character: str, shape: _Shape, start: int) -> None:
        """One piece of an unquoted stretch: a quote, an expansion, an escape or a letter."""
        if character == "'":
            closing = self.text.find("'", self.at + 1, self.end)
            if closing < 0:
                raise NotUnderstood("a single quote is not closed")
            shape.add(self.text[self.at + 1 : closing])
            self.at = closing + 1
        elif character == '"':
            self._double_quoted(shape)
        elif character == "\\":
            self._escape(shape)
        elif character == "$" and self.peek(2) == "$'":
            self._ansi_quoted(shape)
        elif character == "$" and self.peek(2) == '$"':
            raise NotUnderstood('a translated string, $"..."')
        elif character in "$`":
            self._expansion(shape, quoted=False)
        else:
            self._letter(character, shape, start)

    def _letter(self, character: str, shape: _Shape, start: int) -> None:
        """A letter that stands for itself, unless it starts a pattern, a brace or a home."""
        if character in "*?[":
            shape.opaque, shape.many = True, True
        elif character == "{":
            shape.braced = True
        elif character == "~" and (self.at == start or self.text[self.at - 1] in "=:"):
            shape.opaque = True
        shape.add(character)
        self.at += 1

    def _escape(self, shape: _Shape) -> None:
        if self.at + 1 >= self.end:
            raise NotUnderstood("a backslash at the end")
        following = self.text[self.at + 1]
        if following == "\n" and not shape.quoted:
            # Bash joins here, operators and reserved words too; a second parser would split.
            raise NotUnderstood("a line that is joined inside a word")
        if following != "\n":
            shape.add(following)
        self.at += 2

    def _ansi_quoted(self, shape: _Shape) -> None:
        """`$'...'` with the simple escapes only: the others are a way to spell anything."""
        self.at += 2
        while self.peek() != "'":
            character = self.peek()
            if not character:
                raise NotUnderstood("a quote $' is not closed")
            if character == "\\":
                character = ANSI.get(self.peek(2)[1:], "")
                if not character:
                    raise NotUnderstood("an escape by number or control in $'...'")
                self.at += 1
            shape.add(character)
            self.at += 1
        self.at += 1

    def _double_quoted(self, shape: _Shape) -> None:
        self.at += 1
        shape.quoted = True
        while self.peek() != '"':
            character = self.peek()
            if not character:
                raise NotUnderstood("a double quote is not closed")
            if character in "$`":
                self._expansion(shape, quoted=True)
            elif character == "\\" and self.peek(2)[1:] in ("$", "`", '"', "\\", "\n"):
                self._escape(shape)
            else:
                shape.add(character)
                self.at += 1
        shape.quoted = False
        self.at += 1

    def _expansion(self, shape: _Shape, *, quoted: bool) -> None:
        """A `$` or a backtick: known, followed, a plain dollar, or not understood."""
        if self.peek() == "`":
            shape.expand(many=not quoted)
            self._backticks()
            return
        found = PLAIN_EXPANSION.match(self.text, self.at, self.end)
        if found:
            is_list = found["name"] in ("@", "*") or "[" in found.group()
            is_number = found["number"] is not None
            shape.expand(many=is_list or not (quoted or is_number), number=is_number)
            self.at = found.end()
        elif self.peek(2) == "$(" and self.peek(3) != "$((":
            shape.expand(many=not quoted)
            self.at += 2
            self.substitution(")")
        elif self.peek(2)[1:] > "~" or self.peek(2)[1:] in DANGEROUS_AFTER_DOLLAR:
            raise NotUnderstood(f"the expansion {self.text[self.at : self.at + 20]!a}")
        else:
            shape.add("$")
            self.at += 1

    def _backticks(self) -> None:
        closing = self.text.find("`", self.at + 1, self.end)
        if closing < 0:
            raise NotUnderstood("a backtick is not closed")
        if "\\" in self.text[self.at : closing]:
            raise NotUnderstood("a backslash inside backticks")
        outer, self.end = self.end, closing
        self.at += 1
        self.substitution("")
        self.end = outer
        self.at = closing + 1


class _Shape:
    """What is known of a word while it is read."""

    def __init__(self) -> None:
        self.value: list[str] = []
        self.opaque = False
        self.many = False
        self.braced = False
        self.quoted = False
        self.numbers = True
        self.is_file = False

    def add(self, text: str) -> None:
        """Text that stands for itself."""
        self.value.append(text)

    def expand(self, *, many: bool, number: bool = False) -> None:
        """A part that only bash will know."""
        self.opaque = True
        self.many = self.many or many
        self.numbers = self.numbers and number
