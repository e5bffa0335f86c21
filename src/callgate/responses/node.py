"""A place in somebody else's JSON: its value, and the path that an error names.

Rule 1: looking is free, and a missing key is null; insisting on something raises with the path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, final

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator


@final
class UnreadableAnswer(ValueError):
    """What a model is said to have answered is in none of the shapes.

    >>> raise UnreadableAnswer("choices[0].message", "is 7", "an object was expected")
    Traceback (most recent call last):
    callgate.responses.node.UnreadableAnswer: choices[0].message is 7; an object was expected
    """

    def __init__(self, path: str, found: str, expected: str) -> None:
        self.path, self.found, self.expected = path, found, expected
        super().__init__(f"{path or 'the answer'} {found}; {expected}")


@final
@frozen
class Node:
    """One place.

    >>> Node({"a": [{"b": 1}]}).get("a").each()[0].get("b").path
    'a[0].b'
    """

    value: Any
    path: str = ""

    def get(self, key: str) -> Node:
        """What stands under a key of an object; null where it is missing."""
        if not isinstance(self.value, dict):
            self.refuse("an object was expected")
        return Node(self.value.get(key), f"{self.path}.{key}" if self.path else key)

    def has(self, *keys: str) -> bool:
        """Is this an object with all of these keys, none of them null?"""
        return isinstance(self.value, dict) and all(self.value.get(key) is not None for key in keys)

    def each(self) -> tuple[Node, ...]:
        """The items of a list; none where it is missing."""
        return tuple(self._items())

    def text(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            self.refuse("a text was expected")
        return self.value

    def refuse(self, expected: str) -> NoReturn:
        """Say what is wrong here."""
        if self.value is None:
            raise UnreadableAnswer(self.path, "is missing", expected)
        shown = repr(self.value)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        raise UnreadableAnswer(self.path, f"is {shown}", expected)

    def _items(self) -> Iterator[Node]:
        if self.value is None:
            return
        if not isinstance(self.value, list):
            self.refuse("a list was expected")
        for index, item in enumerate(self.value):
            yield Node(item, f"{self.path}[{index}]")
