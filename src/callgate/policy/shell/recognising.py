"""A rough look at a text that was not understood: which commands seem to be in it, for deny rules.

Rule 1: it only ever adds to what a deny may match; nothing is allowed because of it.
"""

from __future__ import annotations

import re
import shlex

from callgate.policy.shell.commands import Command, Layer, NotUnderstood
from callgate.policy.shell.wrappers import WRAPPERS, layers_of

PIECES_MAX = 20_000
"Pieces of a text that are looked at."
WORDS_MAX = 512
"Words of a piece that are looked at."
SEPARATORS = re.compile(r"\$\(|[;|&\n`(){}]|[<>]\(")
LEADING = re.compile(r"(?:[A-Za-z_]\w*\+?=\S*|!|then|do|else|if|while|until|elif|time)\s+")


def recognised_in(text: str) -> tuple[tuple[Command, ...], bool]:
    """The commands that seem to be there, the first at least, and whether a limit cut them short.

    >>> [command.words for command in recognised_in("rm -r x; eval $y")[0]]
    [('rm', '-r', 'x'), ('eval', '$y')]
    """
    pieces = [piece.strip() for piece in SEPARATORS.split(text.replace("\\\n", ""))]
    pieces = list(dict.fromkeys(pieces))
    is_cut, found = len(pieces) > PIECES_MAX, list[Command]()
    for piece in pieces[:PIECES_MAX]:
        words = _words(piece)
        is_cut = is_cut or len(words) > WORDS_MAX
        if words:
            words = words[:WORDS_MAX]
            found.append(Command(piece, words, layers=_layers(words)))
    return tuple(found), is_cut


def _words(piece: str) -> tuple[str, ...]:
    """The words of one piece; quotes are removed where they match, else dropped."""
    while (leading := LEADING.match(piece)) is not None:
        piece = piece[leading.end() :]
    try:
        words = shlex.split(piece)
    except ValueError:
        words = piece.replace('"', " ").replace("'", " ").replace("\\", "").split()
    return tuple(words)


def _layers(words: tuple[str, ...]) -> tuple[Layer, ...]:
    """With every wrapper taken off, and if its options are unknown, from every later word on."""
    try:
        return layers_of(words)[0]
    except NotUnderstood:
        starts = [0]
        if words[0].rsplit("/", 1)[-1] in WRAPPERS:
            starts = list(range(len(words)))
        return tuple(Layer(words[start:], 1, "not understood") for start in starts)
