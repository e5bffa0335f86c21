"""What a bash command line was understood to be: the values that rules are matched against.

Rule 1: a word is a `str` only if bash would pass exactly that text; any other word is `Opaque`.
Rule 2: every command that bash could start for this text is in `commands`, or `not_understood` says
        why nobody may rely on the list.
Rule 3: values only; nothing here reads, matches or decides.
"""

from __future__ import annotations

from typing import TypeAlias, final

from attrs import field, frozen


@final
@frozen
class Opaque:
    """A word whose value only bash will know: `"$HOME"`, `*.py`, `~`, `$(date)`."""

    text: str
    "As written."
    is_one: bool = False
    "Is it exactly one word whatever its value, because it is quoted?"
    is_file: bool = False
    "Is it the name of a descriptor, `<(ls)`, and so never an option?"
    is_number: bool = False
    "Can it be nothing but digits: `$?`, `$#`, `$((1 + 2))`?"


Word: TypeAlias = str | Opaque


@final
@frozen
class Layer:
    """One way to read a command: as written, or with a wrapper taken off.

    `timeout 5 sudo ls` has three: `timeout 5 sudo ls`, `sudo ls` and `ls`.
    """

    words: tuple[Word, ...]
    reach: int = 1
    "How many of the words lead up to and include the innermost command's first."
    closed: str = ""
    "Why an allow must not look this deep (a wrapper that changes what runs); empty: it may."
    whole: bool = False
    "Does it hold the code of the innermost command, so that only all of its words grant it?"


@final
@frozen
class Command:
    """One command that bash would start."""

    text: str
    "As written."
    words: tuple[Word, ...]
    "The innermost command: wrappers taken off, quotes removed."
    assignments: tuple[str, ...] = ()
    "The names assigned before it, harmless ones too."
    wrappers: tuple[str, ...] = ()
    "The names of the wrappers seen through, outermost first."
    depth: int = 0
    "How many substitutions, subshells and `bash -c` it stands in."
    layers: tuple[Layer, ...] = ()
    "Every way to read it, the outermost first; the last one is `words`."
    obstacle: str = ""
    "Why no prefix can allow it (`PATH=` before it); empty: one may."

    @property
    def name(self) -> str | None:
        """The first word; none if it is not literal, or if there are only assignments."""
        first = self.words[0] if self.words else None
        return first if isinstance(first, str) else None


@final
@frozen
class Redirection:
    """One redirection of a command line."""

    operator: str
    target: str | None
    "The file as written without quotes; none if it is not literal, or relative after a `cd`."
    is_harmless: bool = False
    "Is it a duplicate or a close of a descriptor, or exactly /dev/null?"
    writes: bool = False
    is_file: bool = True
    "False for a here-document or here-string: no file is named."


@final
@frozen
class Understanding:
    """A command line, understood or not.

    >>> Understanding(not_understood="a here-document").is_understood
    False
    """

    commands: tuple[Command, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    not_understood: str = ""
    "Why not, for a person; empty: understood."
    recognised: tuple[Command, ...] = field(default=())
    "If it was not understood, the commands that seem to be there: a deny rule still counts."

    is_cut: bool = False
    "Did a limit cut `recognised` short? Then a deny must be taken to match what is missing."

    @property
    def is_understood(self) -> bool:
        """Are `commands` and `redirections` all there is?"""
        return not self.not_understood


def names(text: str) -> frozenset[str]:
    """The words of a table, written as one text so that it reads as a list.

    >>> sorted(names("b a"))
    ['a', 'b']
    """
    return frozenset(text.split())


class NotUnderstood(Exception):
    """Raised inside this folder only; `understand` turns it into a reason."""
