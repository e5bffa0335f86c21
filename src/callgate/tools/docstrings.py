"""What a docstring says of a function and of its arguments, in Google's or Sphinx's style."""

from __future__ import annotations

import inspect
import re
from typing import Final, final

from attrs import frozen

_SECTION: Final = re.compile(r"^(Args|Arguments|Parameters|Params):\s*$")
_OTHER_SECTION: Final = re.compile(r"^[A-Z][A-Za-z ]*:\s*$")
_ARGUMENT: Final = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_SPHINX: Final = re.compile(r"^:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")


@final
@frozen
class Documented:
    """A docstring, taken apart."""

    text: str
    "All of it but the arguments."
    arguments: dict[str, str]


def documented(function: object) -> Documented:
    """Read a function's docstring.

    >>> def add(a: int) -> int:
    ...     '''Add one.
    ...
    ...     Args:
    ...         a: to what
    ...            it is added
    ...     '''
    >>> documented(add)
    Documented(text='Add one.', arguments={'a': 'to what it is added'})
    """
    text: list[str] = []
    arguments: dict[str, list[str]] = {}
    inside, name, depth = False, "", 0
    for line in (inspect.getdoc(function) or "").splitlines():
        indent = len(line) - len(line.lstrip())
        if _SECTION.match(line):
            inside, name, depth = True, "", 0
        elif (found := _SPHINX.match(line)) is not None:
            name, inside = found[1], False
            arguments[name] = [found[2]]
        elif inside and line.strip() and (indent == 0 or _OTHER_SECTION.match(line)):
            inside, name = False, ""
            text.append(line)
        elif inside:
            depth = depth or indent
            found = _ARGUMENT.match(line.strip()) if indent == depth else None
            if found is not None:
                name = found[1]
                arguments[name] = [found[2]]
            elif name:
                arguments[name].append(line.strip())
        elif name and indent and line.strip():
            arguments[name].append(line.strip())
        else:
            name = ""
            text.append(line)
    said = {key: " ".join(filter(None, lines)) for key, lines in arguments.items()}
    return Documented("\n".join(text).strip(), said)
