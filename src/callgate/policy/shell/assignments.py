"""Which assignments cannot change what a later command does.

Rule 1: a name that is not listed here may change anything: `PATH`, `LD_PRELOAD`, `GIT_*`, `PAGER`.
"""

from __future__ import annotations

import re

from callgate.policy.shell.commands import Word, names

LOCAL_NAME = re.compile(r"[a-z_][a-z0-9_]*|[A-Z]")
"Shell variables of a script: lower case, so that no variable of the environment is meant."
LOCAL_WORDS = names(
    "BASE BRANCH COMMIT COUNT DATE DIR END FILE FILES FIRST HASH INDEX ITEM KEY LAST LINE LOG MSG "
    "NAME NOW NUM OUT OUTPUT PKG PORT RESULT ROOT SHA SIZE SRC START STATUS TAG TEXT TODAY TOTAL "
    "VALUE VERSION"
)
READ_BY_PROGRAMS = re.compile(r".*_proxy|npm_.*|_|histchars|auto_resume")
SAFE_VALUE = re.compile(r"[A-Za-z0-9_.@+-]*")
EXPORTED = frozenset(
    {"LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "LANG", "NO_COLOR"}
    | {"CI", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "TERM"}
    | {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "NODE_ENV", "RUST_BACKTRACE"}
)
"Names that change how a program shows what it does, and not what it does."
EXPORTED_AS = {"TZ": re.compile(r"UTC|GMT|[A-Z][a-z]+/[A-Z][A-Za-z_]+"), "PAGER": re.compile("cat")}
EXPORTED_AS["GIT_PAGER"] = EXPORTED_AS["PAGER"]


def is_local(name: str) -> bool:
    """Is it a variable of the script alone, so that setting it changes no program?

    >>> is_local("count"), is_local("PATH"), is_local("http_proxy")
    (True, False, False)
    """
    listed = LOCAL_NAME.fullmatch(name) is not None or name in LOCAL_WORDS
    return listed and READ_BY_PROGRAMS.fullmatch(name) is None


def is_harmless_export(name: str, value: Word) -> bool:
    """Can a command be given this variable without doing anything else?

    >>> is_harmless_export("LC_ALL", "C"), is_harmless_export("LD_PRELOAD", "x.so")
    (True, False)
    """
    if not isinstance(value, str):
        return False
    shape = EXPORTED_AS.get(name)
    if shape is not None:
        return shape.fullmatch(value) is not None
    return name in EXPORTED and SAFE_VALUE.fullmatch(value) is not None
