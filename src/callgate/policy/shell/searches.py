"""Commands that another command starts for what it finds: `find -exec`, `fd -x`, `git bisect run`.

Rule 1: the outer command asks by its own table; the inner one is listed so that a deny sees it.
"""

from __future__ import annotations

from collections.abc import Iterator

from callgate.policy.shell.commands import Word

FIND_STARTERS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
FD_STARTERS = frozenset({"-x", "-X", "--exec", "--exec-batch"})
ENDS = frozenset({";", "+"})
STARTERS: dict[str, frozenset[str]] = {
    "find": FIND_STARTERS,
    "gfind": FIND_STARTERS,
    "fd": FD_STARTERS,
    "fdfind": FD_STARTERS,
    "git": frozenset({"run", "--exec", "-x", "foreach"}),
    "npm": frozenset({"exec", "x", "--"}),
    "yarn": frozenset({"exec", "dlx", "run"}),
    "pnpm": frozenset({"exec", "dlx"}),
    "uv": frozenset({"run"}),
    "poetry": frozenset({"run"}),
    "cargo": frozenset(),
}


def searched_commands(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """The words of each command that these words start.

    >>> list(searched_commands(("find", ".", "-exec", "rm", "{}", ";")))
    [('rm', '{}')]
    """
    first = words[0]
    name = first.rsplit("/", 1)[-1] if isinstance(first, str) else ""
    starters = STARTERS.get(name, frozenset[str]())
    for index, word in enumerate(words):
        if index and word in starters:
            rest = words[index + 1 :]
            end = next((i for i, w in enumerate(rest) if w in ENDS), len(rest))
            if rest[:end]:
                yield rest[:end]
