"""The name that was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.tools.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIKE: Final = 60.0
"""How alike two names must be, of 100, before one is suggested for the other."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; none where nothing is like it.

    >>> nearest("file_pth", ["dir_path", "file_path", "limit"])
    'file_path'
    >>> nearest("colour", ["limit"]) is None
    True
    """
    try:
        from rapidfuzz import fuzz, process
    except ImportError:
        raise MissingExtra("naming what was meant", "rapidfuzz", "tools") from None
    found = process.extractOne(name, list(known), scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return None if found is None else str(found[0])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The same as the end of a sentence; nothing where nothing is like it.

    >>> did_you_mean("limt", ["limit"])
    ' (did you mean "limit"?)'
    """
    found = nearest(name, known)
    return "" if found is None else f' (did you mean "{found}"?)'
