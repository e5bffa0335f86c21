"""Patterns in linear time: regular expressions of re2, and globs made of them.

Rule 1: no pattern can take more than linear time, whoever wrote it and whatever it meets.
Rule 2: a text that cannot be searched (lone surrogates) is never found by `surely`, and is searched
with its odd characters replaced by `maybe`: an allow needs certainty, a deny does not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, final

from callgate.policy.errors import ExtraMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH_MAX: Final = 2048
"""How long a pattern of a rule may be."""


@final
class Pattern:
    """A regular expression of re2.

    >>> Pattern("git (log|diff)").starts("git log -1")
    True
    """

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str) -> None:
        if len(text) > LENGTH_MAX:
            raise ValueError(f"is {len(text):,} characters long, above {LENGTH_MAX:,}")
        self.text = text
        self._compiled = _compile(text)

    def surely(self, text: str) -> bool:
        """Is it found in this text, which must be one that can be searched?"""
        try:
            return self._compiled.search(text) is not None
        except UnicodeError:
            return False

    def maybe(self, text: str) -> bool:
        """Is it found in this text, as far as that can be told?"""
        return self._compiled.search(_searchable(text)) is not None

    def starts(self, text: str) -> bool:
        """Does this text, which must be one that can be searched, begin with it?"""
        try:
            return self._compiled.match(text) is not None
        except UnicodeError:
            return False

    def may_start(self, text: str) -> bool:
        """Does this text begin with it, as far as that can be told?"""
        return self._compiled.match(_searchable(text)) is not None


def _searchable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=16_384)
def _compile(text: str) -> Any:
    try:
        re2 = import_module("re2")
    except ImportError as missing:
        raise ExtraMissing("re2") from missing
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        detail = error.args[0] if error.args else "no reason given"
        words = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        raise ValueError(f"is no pattern of re2 ({words})") from error
    except UnicodeError as error:
        raise ValueError("has characters that are no text") from error


def is_glob(text: str) -> bool:
    """Does it stand for more than itself?"""
    return any(sign in text for sign in "*?[{")


@lru_cache(maxsize=16_384)
def name_glob(text: str) -> Pattern:
    """A pattern of names: `*` any characters, `?` one.

    >>> name_glob("read_*").surely("read_file"), name_glob("read_*").surely("bread_x")
    (True, False)
    """
    signs = {"*": "(?s:.*)", "?": "(?s:.)"}
    return Pattern("^" + "".join(signs.get(sign, re.escape(sign)) for sign in text) + "$")


@lru_cache(maxsize=16_384)
def path_glob(text: str) -> Pattern:
    """A pattern of paths: `*` and `?` within one name, `**` across folders, `[ab]`, `{a,b}`.

    >>> path_glob("src/**").surely("src/a/b.py"), path_glob("*.py").surely("src/b.py")
    (True, False)
    """
    return Pattern("^" + "".join(_parts(text.removeprefix("./"))) + "$")


def _parts(text: str) -> Iterator[str]:
    at, depth = 0, 0
    while at < len(text):
        sign, size = text[at], 1
        if text.startswith("**/", at):
            yield "(?:(?s:.)*/)?"
            size = 3
        elif text.startswith("**", at):
            yield "(?s:.)*"
            size = 2
        elif sign == "[" and text.find("]", at + 2) > 0:
            size = text.index("]", at + 2) - at + 1
            yield _letters(text[at + 1 : at + size - 1])
        elif sign == "{" and "}" in text[at:]:
            depth += 1
            yield "(?:"
        elif sign == "}" and depth:
            depth -= 1
            yield ")"
        elif sign == "," and depth:
            yield "|"
        else:
            yield {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign))
        at += size


def _letters(text: str) -> str:
    negated = text[0] in "!^"
    listed = re.sub(r"([\\\[\]^&~|])", r"\\\1", text[1:] if negated else text)
    return f"[^/{listed}]" if negated else f"[{listed}]"


def literal_glob(path: str) -> str:
    """The path glob that means exactly this path.

    >>> path_glob(literal_glob("a[1]/*.py")).surely("a[1]/*.py")
    True
    """
    return re.sub(r"([*?\[{},])", r"[\1]", path)
