"""Matching a command with the words of a prefix: exactly to allow, through disguises to deny.

Rule 1: whole words: `git log` does not match `git logout`.
Rule 2: to allow, the words must be the very words, and nothing before them may change what runs.
Rule 3: to deny, basenames count (`/bin/rm` is `rm`); wrappers and assignments are looked through.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from callgate.policy.shell.commands import Command, Layer, Opaque, Word
from callgate.policy.shell.programs import judge

if TYPE_CHECKING:
    from collections.abc import Sequence

HARMLESS_GIT_OPTIONS = frozenset(
    {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"}
)
VALUED_GIT_OPTIONS = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})


def split_prefix(text: str) -> tuple[str, ...]:
    """The words of a prefix as bash would split them, quotes removed.

    >>> split_prefix("git commit -m 'a b'")
    ('git', 'commit', '-m', 'a b')
    >>> split_prefix("echo 'a")
    Traceback (most recent call last):
        ...
    ValueError: the prefix "echo 'a" has a quote that is not closed; close it, or escape it
    """
    try:
        words = tuple(shlex.split(text, posix=True))
    except ValueError:
        raise ValueError(
            f"the prefix {text!a} has a quote that is not closed; close it, or escape it"
        ) from None
    if not words or not words[0]:
        raise ValueError(
            f"the prefix {text!a} is empty; write at least one word, such as 'git log'"
        )
    return words


def allow_matches(prefix: Sequence[str], command: Command) -> bool:
    """Do these very words start the command, with nothing before them that changes what runs?"""
    return _granted(tuple(prefix), command) > 0


def allow_reason(prefix: Sequence[str], command: Command) -> str | None:
    """None: no match. Empty: it matches and what follows is harmless. Else: why it still asks."""
    granted = _granted(tuple(prefix), command)
    return judge(command, granted) if granted else None


def deny_matches(prefix: Sequence[str], command: Command) -> bool:
    """Does the command start with these words, wrappers, assignments and folders aside?"""
    readings = _readings(command)
    return any(_is_prefix(tuple(prefix), words, unknown=False) for words in readings)


def deny_could_match(prefix: Sequence[str], command: Command) -> bool:
    """Could it, if the words that only bash knows had the right values? Then nobody may be sure."""
    readings = _readings(command)
    return any(_is_prefix(tuple(prefix), words, unknown=True) for words in readings)


def _granted(prefix: tuple[str, ...], command: Command) -> int:
    """How many words of the innermost command the prefix covers; 0 if it does not match."""
    if command.obstacle or not prefix:
        return 0
    for layer in (*command.layers, *_without_git_options(command)):
        reaches = len(prefix) >= layer.reach
        if not layer.closed and reaches and layer.words[: len(prefix)] == prefix:
            return len(command.words) if layer.whole else len(prefix) - layer.reach + 1
    return 0


def _readings(command: Command) -> list[tuple[Word, ...]]:
    """Every way to read it to deny: each layer, and git without the options before its command."""
    readings = [layer.words for layer in command.layers]
    for words in tuple(readings):
        first = words[0] if words else ""
        index = 1
        while isinstance(first, str) and _same(first, "git") and index < len(words):
            word = words[index]
            if isinstance(word, str) and not word.startswith("-"):
                readings.append((first, *words[index:]))
                break
            index += 2 if word in VALUED_GIT_OPTIONS else 1
    return readings


def _without_git_options(command: Command) -> tuple[Layer, ...]:
    """`git --no-pager log` may be granted as `git log`: the option changes nothing that runs."""
    words, last = command.words, command.layers[-1:]
    if not last or last[0].closed or words[:1] != ("git",):
        return ()
    skipped = next((i for i, w in enumerate(words[1:]) if w not in HARMLESS_GIT_OPTIONS), 0)
    return (Layer(("git", *words[1 + skipped :]), 1, ""),) if skipped else ()


def _is_prefix(prefix: tuple[str, ...], words: tuple[Word, ...], *, unknown: bool) -> bool:
    for index, wanted in enumerate(prefix):
        word = words[index] if index < len(words) else None
        if isinstance(word, Opaque):
            if not unknown:
                return False
            if not word.is_one:  # it may be any number of words
                return True
        elif word is None or (word != wanted and not (index == 0 and _same(word, wanted))):
            return False
    return True


def _same(word: str, wanted: str) -> bool:
    """The same program, by the last part of its path."""
    return word.rsplit("/", 1)[-1] == wanted.rsplit("/", 1)[-1]
