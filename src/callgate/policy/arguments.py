"""The arguments of a call as text, for `argsPattern`.

Rule 1: compact JSON, keys sorted, no blanks: equal arguments are the same text.
Rule 2: for an allow, `"key":` is a top-level argument. What stands inside a nested object, a string
or an odd key never looks like one, and an argument the pattern does not name cannot satisfy it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from attrs import frozen

from callgate.policy.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.kernel.frozenjson import Json, JsonObject

_NAMED: Final = re.compile(r'\\?"((?:[^"\\]|\\[^"\w])+)\\?"\\?:')
_HIDDEN: Final = "\0"


def compact(args: Mapping[str, Json]) -> str:
    """The arguments as compact JSON.

    >>> compact({"b": 1, "a": {"y": "é"}})
    '{"a":{"y":"é"},"b":1}'
    """
    return json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def top_level(args: Mapping[str, Json]) -> str:
    r"""The same, with every key that is no plain top-level one made unlike a key.

    >>> top_level({"b": 1, "a": {"y": 2}})
    '{"a":{\x00y\x00:2},"b":1}'
    """
    pairs = []
    for key in sorted(args):
        name = json.dumps(key, ensure_ascii=False)
        plain = name == f'"{key}"'
        pairs.append(f"{name if plain else _hide(key)}:{_nested(args[key])}")
    return "{" + ",".join(pairs) + "}"


def _nested(value: Json) -> str:
    if isinstance(value, dict):
        pairs = [f"{_hide(key)}:{_nested(value[key])}" for key in sorted(value)]
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(_nested, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _hide(key: str) -> str:
    inner = json.dumps(key, ensure_ascii=False)[1:-1].replace('\\"', _HIDDEN)
    return f"{_HIDDEN}{inner}{_HIDDEN}"


def _name(key: str) -> Pattern:
    """The name of an argument in a pattern, which may itself be one: `"(file|dir)_path":`."""
    try:
        return Pattern(f"^(?:{key})$")
    except ValueError:
        return Pattern(f"^{re.escape(key)}$")


@frozen
class ArgsPattern:
    """A pattern of a rule, searched in the arguments."""

    pattern: Pattern
    keys: tuple[Pattern, ...]
    "The top-level arguments that it names; none: it speaks of any text."

    @classmethod
    def of(cls, text: str) -> ArgsPattern:
        """Read one; raises ValueError.

        >>> len(ArgsPattern.of('"file_path":"src/').keys)
        1
        """
        return cls(Pattern(text), tuple(_name(key) for key in dict.fromkeys(_NAMED.findall(text))))

    def allows(self, args: JsonObject) -> bool:
        r"""Is it surely there, in the arguments that it names alone as well as in all?

        >>> from callgate.kernel.frozenjson import JsonObject
        >>> wanted = ArgsPattern.of('"path":"src/.*\\.py"')
        >>> wanted.allows(JsonObject({"path": "src/a.py"}))
        True
        >>> wanted.allows(JsonObject({"path": "src/secret", "zip": "x.py"}))
        False
        """
        if not self.pattern.surely(top_level(args)):
            return False
        if not self.keys:
            return True
        return self.pattern.surely(top_level({key: args[key] for key in args if self._names(key)}))

    def _names(self, key: str) -> bool:
        return any(name.surely(key) for name in self.keys)

    def touches(self, args: JsonObject) -> bool:
        """Is it there, at any depth?

        >>> from callgate.kernel.frozenjson import freeze_object
        >>> ArgsPattern.of('"force":true').touches(freeze_object({"o": {"force": True}}))
        True
        """
        return self.pattern.maybe(compact(args))
