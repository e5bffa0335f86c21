"""Where a path ends, as the operating system would find it: the border to the file system.

Rule 1: this is the one file of the room that reads the file system, and it only looks at links.
Everything else in a decision is a pure function of the call, the context and what is said here.
Rule 2: where the path *ends* counts, `..` taken after links; the way there does not.
Rule 3: what cannot be told is never inside. Names compare byte by byte: case, Unicode forms and
percent signs are letters. What changes between the decision and the run is not seen: this is a
gate, not a sandbox.
"""

from __future__ import annotations

import os
import stat
from enum import StrEnum
from functools import lru_cache
from typing import Final, final

from attrs import frozen

LINKS_MAX: Final = 40
"""How many links are followed; the same number as Linux."""
BYTES_MAX: Final = 4095
NAME_BYTES_MAX: Final = 255
MAGIC: Final = ("/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr")
"""Links that mean something else to each process: nobody can say where they end."""


@final
class Where(StrEnum):
    """On which side of the workspace's border a path ends."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"

    __hash__ = str.__hash__


@final
@frozen
class Place:
    """A path, and where it ends."""

    text: str
    where: Where
    end: str = ""
    "Absolute; empty if it cannot be told."
    relative: str = ""
    "From the workspace, if it ends inside."
    why: str = ""
    "Why it is not inside, for people."

    @property
    def is_inside(self) -> bool:
        """In the workspace, for certain."""
        return self.where is Where.INSIDE

    @property
    def is_guarded(self) -> bool:
        """In a folder whose files run by themselves: `.git` holds hooks and configuration."""
        return ".git" in self.relative.split("/")

    @property
    def lexical(self) -> str:
        """The path as it is spelt, without blanks in its way: only a deny reads it."""
        return os.path.normpath(self.text) if self.text else ""


def place(text: object, workspace: str, start: str = "") -> Place:
    """Where this path ends, taken from `start` (a folder; the workspace itself, if none).

    >>> place("~/.ssh/id_rsa", "/tmp").where
    <Where.OUTSIDE: 'outside'>
    """
    if not isinstance(text, str):
        return Place("", Where.UNKNOWN, why="the path is no text")
    refusal = _refusal(text)
    if refusal:
        return Place(text, Where.UNKNOWN, why=refusal)
    if text.startswith("~"):
        return Place(text, Where.OUTSIDE, why=f"{text!r} is in a home folder")
    root = root_of(workspace)
    try:
        end = _end(os.path.join(start or root, text))
    except (OSError, ValueError) as error:
        return Place(text, Where.UNKNOWN, why=f"{text!r} cannot be resolved ({_words(error)})")
    if end == root or end.startswith(root.rstrip("/") + "/"):
        relative = end[len(root) :].lstrip("/") or "."
        return Place(text, Where.INSIDE, end, relative)
    return Place(text, Where.OUTSIDE, end, why=f"{text!r} is outside the workspace")


def _refusal(text: str) -> str:
    if not text:
        return "the path is empty"
    if "\0" in text:
        return "the path has a NUL in it"
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError:
        return "the path has characters that are no text"
    if len(encoded) > BYTES_MAX or any(len(name) > NAME_BYTES_MAX for name in encoded.split(b"/")):
        return "the path is too long"
    return ""


def _words(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


@lru_cache(maxsize=64)
def _absolute(workspace: str, _folder: str) -> str:
    return os.path.realpath(workspace)


def root_of(workspace: str) -> str:
    """The workspace itself, links resolved. A policy asks about one again and again."""
    return _absolute(workspace, "" if os.path.isabs(workspace) else os.getcwd())


def _end(path: str) -> str:
    """Walk as the kernel does; a name that does not exist yet is where it would be made."""
    at, ahead, links = "/", [*reversed(path.split("/"))], 0
    while ahead:
        name = ahead.pop()
        if name in ("", "."):
            continue
        if name == "..":
            at = os.path.dirname(at)
            continue
        step = os.path.join(at, name)
        if step.startswith(MAGIC) and any(step == m or step.startswith(m + "/") for m in MAGIC):
            raise ValueError("it means something else to each process")
        kind = _kind(step)
        if kind == "link":
            links += 1
            if links > LINKS_MAX:
                raise ValueError("too many links")
            target = os.readlink(step)
            ahead.extend(reversed(target.split("/")))
            at = "/" if target.startswith("/") else at
            continue
        if kind == "other" and any(rest not in ("", ".") for rest in ahead):
            raise ValueError(f"{name!r} is no folder")
        at = step
    return at


def _kind(path: str) -> str:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return "missing"
    if stat.S_ISLNK(mode):
        return "link"
    return "folder" if stat.S_ISDIR(mode) else "other"
