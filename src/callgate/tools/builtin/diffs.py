"""The difference between two texts, for a person.

Rule 1: the cost is that of what changed, not of the file: equal heads and tails are cut off first.
"""

from __future__ import annotations

import difflib
import re
from typing import Final

CONTEXT: Final = 3
LINES_MAX: Final = 20_000
"""Above so many changed lines the difference is counted, not shown: nobody reads it."""
_HUNK: Final = re.compile(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def unified(current: str, proposed: str) -> str:
    """A unified diff.

    >>> print(unified("a\\nb\\n", "a\\nc\\n"), end="")
    --- Current
    +++ Proposed
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    """
    old, new = _lines(current), _lines(proposed)
    head = _equal(old, new)
    tail = _equal(old[head:][::-1], new[head:][::-1])
    start = max(0, head - CONTEXT)
    end = max(0, tail - CONTEXT)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if len(old) + len(new) > LINES_MAX:
        return f"--- Current\n+++ Proposed\n({len(old)} lines become {len(new)}: not shown)\n"
    lines = difflib.unified_diff(old, new, "Current", "Proposed", n=CONTEXT)
    return "".join(_shifted(line, start) for line in lines)


def _lines(text: str) -> list[str]:
    """Only newlines end a line: other marks of Unicode are characters like any other."""
    lines = text.split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def _equal(old: list[str], new: list[str]) -> int:
    pairs = zip(old, new, strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new))
    )


def _shifted(line: str, start: int) -> str:
    found = _HUNK.match(line)
    if found is not None and start:
        was, now = int(found[1]) + start, int(found[3]) + start
        return f"@@ -{was}{found[2] or ''} +{now}{found[4] or ''} @@\n"
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
