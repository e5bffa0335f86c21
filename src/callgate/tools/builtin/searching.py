"""The search itself, a program of its own: it can be ended at any moment of any pattern.

Rule 1: the standard library only: it is started by its path, without callgate.
Rule 2: each hit is written when it is found, so that what was found survives an end.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox"})
FILE_BYTES_MAX = 5_000_000
LINE_CHARS_MAX = 400
_SNIFFED = 8_192


def main() -> None:
    """Read the job from standard input, write hits to standard output, a line of JSON each."""
    job = json.load(sys.stdin)
    pattern = re.compile(job["pattern"], re.IGNORECASE if job["ignore_case"] else 0)
    found = 0
    for path in files(job["path"], job["include"]):
        for number, line in hits(path, pattern):
            say({"path": os.path.relpath(path, job["root"]), "line": number, "text": line})
            found += 1
            if found == job["limit"]:
                say({"more": True})
                return
    say({"done": True})


def say(value: dict[str, Any]) -> None:
    """One line of JSON, at once."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def files(start: str, include: str) -> Iterator[str]:
    """The files below a folder, in a fixed order; links are not followed."""
    if os.path.isfile(start):
        yield start
        return
    for folder, folders, names in os.walk(start):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            path = os.path.join(folder, name)
            within = os.path.relpath(path, start)
            fits = fnmatch.fnmatch(name, include) or fnmatch.fnmatch(within, include)
            if fits and not os.path.islink(path) and os.path.isfile(path):
                yield path


def hits(path: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The lines of a text file that match; a binary, a large or a locked one has none."""
    try:
        if os.path.getsize(path) > FILE_BYTES_MAX:
            return
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    if b"\0" in data[:_SNIFFED]:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if pattern.search(line):
            yield number, line.rstrip("\r")[:LINE_CHARS_MAX]


if __name__ == "__main__":
    main()
