"""Tools: what they are to a driver, how they are found, and how one is made of a function.

General layout: `protocols` says what a tool is; `decorator` makes one of a typed function;
`builtin` has files, search, edits and a shell; `registry` finds them by name. The names here are
loaded when they are first used: a driver with tools of its own needs no extra.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callgate.tools.builtin import builtin_tools as builtin_tools
    from callgate.tools.decorator import tool as tool

_HOME: Final = {"builtin_tools": "builtin", "tool": "decorator"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"callgate.tools has no {name!r}; it has {', '.join(sorted(_HOME))}")
    return getattr(import_module(f"callgate.tools.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
