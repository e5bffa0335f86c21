"""Commands that another command starts for what it finds: `find -exec`, `fd -x`, `git bisect run`.

Rule 1: the outer command asks by its own table; the inner one is listed so that a deny sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.policy.shell.commands import Word

if TYPE_CHECKING:
    from collections.abc import Iterator

ANYWHERE: dict[str, frozenset[str]] = {
    "find": frozenset({"-exec", "-execdir", "-ok", "-okdir"}),
    "fd": frozenset({"-x", "-X", "--exec", "--exec-batch"}),
}
ANYWHERE |= {"gfind": ANYWHERE["find"], "bfs": ANYWHERE["find"], "fdfind": ANYWHERE["fd"]}
LEADING: dict[str, tuple[tuple[str, ...], ...]] = {
    "git": (("bisect", "run"), ("submodule", "foreach")),
    "npm": (("exec",), ("x",)),
    "pnpm": (("exec",), ("dlx",)),
    "yarn": (("exec",), ("dlx",)),
    "uv": (("run",), ("tool", "run")),
    "poetry": (("run",),),
    "pipenv": (("run",),),
    "bundle": (("exec",),),
    "rustup": (("run",),),
}
"Sub-commands after which a command stands."
ENDS = frozenset({";", "+"})


def searched_commands(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """The words of each command that these words start.

    >>> list(searched_commands(("find", ".", "-exec", "rm", "{}", ";")))
    [('rm', '{}')]
    """
    first = words[0]
    name = first.rsplit("/", 1)[-1] if isinstance(first, str) else ""
    starters = ANYWHERE.get(name, frozenset[str]())
    for index, word in enumerate(words):
        if index and word in starters:
            rest = words[index + 1 :]
            end = next((i for i, w in enumerate(rest) if w in ENDS), len(rest))
            if rest[:end]:
                yield rest[:end]
    for leading in LEADING.get(name, ()):
        rest = words[1 + len(leading) :]
        rest = rest[1:] if rest[:1] == ("--",) else rest
        if words[1 : 1 + len(leading)] == leading and rest:
            yield rest
