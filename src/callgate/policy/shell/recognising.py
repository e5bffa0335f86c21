"""A rough look at a text that was not understood: which commands seem to be in it, for deny rules.

Rule 1: it only ever adds to what a deny may match; nothing is allowed because of it.
"""

from __future__ import annotations

import re
import shlex

from callgate.policy.shell.commands import Command, Layer, NotUnderstood
from callgate.policy.shell.wrappers import WRAPPERS, layers_of

PIECES_MAX = 256
"Pieces of a text that are looked at."
WORDS_MAX = 64
"Words of a piece that are looked at."
SEPARATORS = re.compile(r"\$\(|[;|&\n`(){}]|[<>]\(")
LEADING = re.compile(r"(?:[A-Za-z_]\w*\+?=\S*|!|then|do|else|if|while|until|elif|time)\s+")


def recognised_in(text: str) -> tuple[Command, ...]:
    """The commands that seem to be there, the first one at least.

    >>> [command.words for command in recognised_in("rm -r x; eval $y")]
    [('rm', '-r', 'x'), ('eval', '$y')]
    """
    joined = text.replace("\\\n", "")
    found = list[Command]()
    for piece in SEPARATORS.split(joined)[:PIECES_MAX]:
        words = _words(piece.strip())
        if words:
            found.append(Command(piece.strip(), words, layers=_layers(words)))
    return tuple(found)


def _words(piece: str) -> tuple[str, ...]:
    """The words of one piece; quotes are removed where they match, else dropped."""
    piece = piece[:4096]
    while (leading := LEADING.match(piece)) is not None:
        piece = piece[leading.end() :]
    try:
        words = shlex.split(piece)
    except ValueError:
        words = piece.replace('"', " ").replace("'", " ").replace("\\", "").split()
    return tuple(words[:WORDS_MAX])


def _layers(words: tuple[str, ...]) -> tuple[Layer, ...]:
    """With every wrapper taken off, and if its options are unknown, from every later word on."""
    try:
        return layers_of(words)[0]
    except NotUnderstood:
        starts = [0]
        if words[0].rsplit("/", 1)[-1] in WRAPPERS:
            starts = list(range(len(words)))
        return tuple(Layer(words[start:], 1, "not understood") for start in starts)
