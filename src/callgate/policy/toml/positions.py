"""On which line of a TOML file a value stands: tomllib reads the values and forgets the places.

Rule 1: a place is the path of keys and numbers that leads to the value; one that is not known has
the line of the nearest one above it.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

from callgate.policy.errors import ExtraMissing

if TYPE_CHECKING:
    from tree_sitter import Node

Path: TypeAlias = tuple[str | int, ...]
_KEYS: Final = ("bare_key", "quoted_key", "dotted_key")


class Positions:
    """The lines of one file.

    >>> places = Positions('[[rule]]\\ntoolName = "a"\\n\\n[[rule]]\\npriority = 1')
    >>> places.line("rule", 1, "priority"), places.line("rule", 0, "name")
    (5, 1)
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {(): 1}
        self._counts: dict[Path, int] = {}
        self._table(_parse(text), ())

    def line(self, *path: str | int) -> int:
        """The line of this value."""
        for end in range(len(path), -1, -1):
            if path[:end] in self._lines:
                return self._lines[path[:end]]
        return 1

    def _table(self, node: Node, at: Path) -> None:
        for child in node.named_children:
            if child.type == "pair":
                self._pair(child, at)
            elif child.type == "table":
                self._table(child, self._note(child, self._known(_key(child)), at))
            elif child.type == "table_array_element":
                path = self._known(_key(child))
                number = self._counts[path] = self._counts.get(path, -1) + 1
                self._note(child, path, ())
                self._table(child, self._note(child, (*path, number), ()))

    def _known(self, path: Path) -> Path:
        """A dotted header that goes through a list of tables goes into its last one."""
        known: Path = ()
        for key in path[:-1]:
            known = (*known, key)
            if known in self._counts:
                known = (*known, self._counts[known])
        return (*known, *path[-1:])

    def _note(self, node: Node, path: Path, at: Path) -> Path:
        self._lines.setdefault((*at, *path), node.start_point[0] + 1)
        return (*at, *path)

    def _pair(self, node: Node, at: Path) -> None:
        path = self._note(node, _key(node), at)
        self._value(node.named_children[-1], path)

    def _value(self, node: Node, path: Path) -> None:
        if node.type == "inline_table":
            self._table(node, path)
        elif node.type == "array":
            items = [child for child in node.named_children if child.type != "comment"]
            for number, item in enumerate(items):
                self._value(item, self._note(item, (number,), path))


def _parse(text: str) -> Node:
    try:
        core, grammar = import_module("tree_sitter"), import_module("tree_sitter_toml")
    except ImportError as missing:
        raise ExtraMissing(missing.name or "tree_sitter_toml") from missing
    parser = core.Parser(core.Language(grammar.language()))
    root: Node = parser.parse(text.encode("utf-8", "replace")).root_node
    return root


def _key(node: Node) -> Path:
    """The keys that a pair or a header begins with, read by tomllib itself."""
    for child in node.named_children:
        if child.type in _KEYS:
            text = (child.text or b"").decode("utf-8", "replace")
            return _read_key(text)
    return ()


@lru_cache(maxsize=1_024)
def _read_key(text: str) -> Path:
    try:
        value: object = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return (text,)
    path: Path = ()
    while isinstance(value, dict):
        key = next(iter(value))
        path, value = (*path, key), value[key]
    return path
