"""The tests that `[[ ]]`, `[` and `test` may hold: of files and strings, never of arithmetic.

Rule 1: `-v`, `-R` and `-eq` and its like evaluate a subscript, which runs commands: only numbers
        may stand there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.policy.shell.commands import NotUnderstood, Opaque, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuwxzGLNOS")
BINARY = frozenset({"=", "==", "!=", "=~", "-nt", "-ot", "-ef"})
NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
JOINS = frozenset({"&&", "||", "(", ")"})


def check_condition(tokens: Sequence[Word]) -> None:
    """Raise unless every part between `&&`, `||`, `!` and brackets is a harmless test."""
    part: list[Word] = []
    for word in (*tokens, Opaque("&&")):
        if isinstance(word, Opaque) and word.text in JOINS:
            check_test(part, splits=False)
            part = []
        elif word != "!" or part:
            part.append(word)


def check_test(part: Sequence[Word], *, splits: bool) -> None:
    """Raise unless this is no test, a word, a unary test or a binary one that runs nothing.

    Args:
        part: the words.
        splits: may an unquoted expansion become several words, as in `[ ]`?
    """
    if splits and any(isinstance(w, Opaque) and not (w.is_one or w.is_number) for w in part):
        raise NotUnderstood("a test of an expansion without quotes")
    if len(part) <= 1:
        return
    if len(part) == 2 and part[0] in UNARY:
        return
    if len(part) == 3 and part[1] in BINARY:
        return
    if len(part) == 3 and part[1] in NUMERIC and (splits or all(map(_is_number, part[::2]))):
        return  # `[` takes only numbers there and evaluates nothing
    raise NotUnderstood("a test that may evaluate arithmetic")


def _is_number(word: Word) -> bool:
    return word.is_number if isinstance(word, Opaque) else word.lstrip("+-").isdecimal()
