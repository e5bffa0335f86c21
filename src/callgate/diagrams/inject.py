"""Diagrams inside a document, between markers, kept fresh by a command.

Rule 1: what stands between the markers is replaced whole, and nothing else is touched: injecting
twice changes nothing the second time. A file keeps its line ends.
Rule 2: a marker inside a block of code is an example, not a marker.

A block names its machine and its options as the command does:

    <!-- callgate diagram call --format mermaid --detail low -->
    <!-- end callgate diagram -->
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from callgate.diagrams.errors import TEXT_FORMATS, DiagramError

if TYPE_CHECKING:
    from collections.abc import Callable

_END: Final = "<!-- end callgate diagram -->"
_START: Final = re.compile(
    r"^[ \t]*<!-- callgate diagram (?P<words>.+?) -->[ \t]*(?P<end>\r?)$", re.M
)
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_NAMES: Final = {"plantuml": "plantuml", "scxml": "xml"}


def injected(document: str, drawn: Callable[[list[str]], tuple[str, str]]) -> str:
    """The document with every block drawn anew.

    Args:
        document: Markdown with at least one block.
        drawn: from the words of a marker to the format and the text of its diagram.
    """
    parts: list[str] = []
    at = 0
    for start in _START.finditer(document):
        if len(_FENCE.findall(document, at, start.start())) % 2:
            continue
        end = document.find(_END, start.end())
        if end < 0:
            raise DiagramError(f"line {_line(document, start.start())}: no {_END} follows")
        inner = _START.search(document, start.end(), end)
        if inner:
            raise DiagramError(f"line {_line(document, inner.start())}: a block inside a block")
        block = f"\n\n{_block(*drawn(_words(document, start)))}\n"
        parts += [document[at : start.start("end")], block.replace("\n", f"{start['end']}\n")]
        at = end
    if not parts:
        raise DiagramError(
            f"no block: write <!-- callgate diagram call --format mermaid -->, and {_END} below it"
        )
    return "".join([*parts, document[at:]])


def _words(document: str, start: re.Match[str]) -> list[str]:
    try:
        return shlex.split(start["words"])
    except ValueError as error:
        at = _line(document, start.start())
        raise DiagramError(f"line {at}: {error} in {start['words']!r}") from error


def _block(form: str, text: str) -> str:
    if form == "markdown":
        return text
    if form not in TEXT_FORMATS:
        raise DiagramError(
            f"{form} cannot stand in a document: write it with -o and link to it "
            f"(these can: {', '.join(TEXT_FORMATS)})"
        )
    return f"```{_NAMES.get(form, form)}\n{text}```\n"


def _line(document: str, at: int) -> int:
    return document.count("\n", 0, at) + 1
