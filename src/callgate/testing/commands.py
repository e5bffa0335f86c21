"""Shell commands that mean the same: one command, spelt, wrapped, chained and hidden in every way.

Rule 1: what is made here runs the words it was made of; `techniques.py` says why that is known.
Rule 2: `deliberate` lists each way once, the plainest first; `commands` combines them for a search.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar, final

from attrs import frozen
from hypothesis import strategies as st

from callgate.testing.techniques import (
    BETWEEN,
    COMMENTS,
    LINES,
    PRIVILEGED,
    WRAPPERS,
    Technique,
    quote,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HARMLESS: Final = ("ls", "true", "git status")
FURTHER: Final = ("", "x", "-r x", "-rf /", "--force", "a b", "'a b'", "-- x", "*", "../x", "$HOME")
"""Further words of a command that is forbidden whatever follows it."""
DEPTH_MAX: Final = 3
T = TypeVar("T")
_PLAIN: Final = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


@final
@frozen
class Command:
    """A command line, and how it runs what it runs."""

    text: str
    technique: str = "plain"

    def inside(self, technique: Technique, benign: str) -> Command:
        """The same, one layer deeper."""
        before = "" if self.technique == "plain" else f"{self.technique}, "
        return Command(technique.write(self.text, benign), f"{before}{technique.name}")


def spell(words: Sequence[str]) -> str:
    """The words as a person would write them.

    >>> spell(["rm", "a b", "*.o"])
    "rm 'a b' '*.o'"
    """
    return " ".join(word if _PLAIN.fullmatch(word) else quote(word) for word in words)


def spellings(words: Sequence[str]) -> Iterator[Command]:
    """One simple command in all its spellings."""
    first, rest = words[0], spell(words[1:])
    tail = f" {rest}" if rest else ""
    yield Command(spell(words))
    for option in BETWEEN.get(first, ()) if rest else ():
        yield Command(f"{first} {option}{tail}", f"{first} {option.split()[0]} before it")
    if not _PLAIN.fullmatch(first):
        return
    if "/" not in first:
        yield Command(f"/usr/bin/{first}{tail}", "by its path")
    yield Command(f"'{first}'{tail}", "in single quotes")
    yield Command(f'"{first}"{tail}', "in double quotes")
    yield Command(f"\\{first}{tail}", "with a backslash")
    yield Command(f"{first[:1]}''{first[1:]}{tail}", "with empty quotes inside")
    yield Command(f"{first[:1]}\\\n{first[1:]}{tail}", "over two lines")
    yield Command(f"$'\\x{ord(first[0]):02x}{first[1:]}'{tail}", "in ANSI-C quotes")
    yield Command(f"{first[:1]}${{unset_name}}{first[1:]}{tail}", "with an empty expansion")
    yield Command(f"$(echo {first}){tail}", "printed by $( )")
    yield Command(f"`echo {first}`{tail}", "printed by backticks")
    yield Command(f"name={first}; $name{tail}", "in a variable")
    yield Command(f" \t{first}{tail}", "after blanks")
    if rest:
        yield Command(f"{first}  {rest}", "with two blanks")
        yield Command(f"{first}\t{rest}", "with a tab")
        yield Command(f"{first}${{IFS}}{rest}", "with ${IFS}")
        yield Command(f"{first} \\\n{rest}", "continued")


def is_simple(command: Command) -> bool:
    """Is it one simple command, which a wrapper can take? A variable set before is lost in it."""
    return not command.technique.startswith("in a variable")


def deliberate(words: Sequence[str], benign: Sequence[str] = HARMLESS) -> Iterator[Command]:
    """Each spelling, and each technique around the plain one with each harmless command."""
    yield from spellings(words)
    plain = Command(spell(words))
    for technique in (*COMMENTS, *WRAPPERS, *PRIVILEGED, *LINES):
        if not technique.applies_to(plain.text):
            continue
        several = benign if "{benign}" in technique.template else benign[:1]
        for harmless in several:
            yield plain.inside(technique, harmless)


def commands(words: Sequence[str], benign: Sequence[str] = HARMLESS) -> st.SearchStrategy[Command]:
    """Any combination: a spelling, in wrappers, in up to three lines around it.

    >>> from hypothesis import given, settings
    >>> @settings(max_examples=5, database=None)
    ... @given(commands(["rm", "x"]))
    ... def test(command):
    ...     assert command.text and command.technique
    >>> test()
    """
    return _commands(tuple(words), tuple(benign))


@lru_cache(maxsize=1_000)  # a strategy is dear to make, and a search draws from it a thousand times
def _commands(words: tuple[str, ...], benign: tuple[str, ...]) -> st.SearchStrategy[Command]:
    lines = st.tuples(one_of_these(LINES), one_of_these(benign))
    parts = st.tuples(
        one_of_these(tuple(spellings(words))),
        st.lists(one_of_these(WRAPPERS), max_size=2),
        st.lists(lines, max_size=DEPTH_MAX),
    )
    return parts.map(lambda drawn: _combine(*drawn))


def one_of_these(items: Sequence[T]) -> st.SearchStrategy[T]:
    """As `sampled_from`, of items that are too many to be printed with the strategy."""
    return st.integers(0, len(items) - 1).map(lambda number: items[number])


def _combine(
    command: Command, wrappers: list[Technique], lines: list[tuple[Technique, str]]
) -> Command:
    for wrapper in wrappers if is_simple(command) else ():
        command = command.inside(wrapper, "")
        if not wrapper.is_program:
            break  # a word of the shell, a pipe, a redirection: no wrapper takes that
    for line, harmless in lines:
        if not line.applies_to(command.text):
            continue
        command = command.inside(line, harmless)
        if line.ends:
            break
    return command


def further_words(*, operands_only: bool = False) -> tuple[str, ...]:
    """What may follow the words of a pattern."""
    plain = ("", "x", "a b", "a.txt")
    return plain if operands_only else FURTHER


def with_further(words: Sequence[str], further: str) -> list[str]:
    """A pattern's words and what follows them, as shell words."""
    return [*words, *shlex.split(further)]
