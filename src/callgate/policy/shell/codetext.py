"""Commands that take code as text: which text bash would read, and which nobody can know.

Rule 1: code that is a literal word is read as commands; any other makes the whole not understood.
Rule 2: a builtin that evaluates a subscript is code too: `printf -v 'a[$(cmd)]'`.
"""

from __future__ import annotations

import re
from typing import final

from attrs import frozen

from callgate.policy.shell.commands import NotUnderstood, Opaque, Word, names
from callgate.policy.shell.conditions import check_test

SHELLS = frozenset({"bash", "sh", "dash"})
OTHER_SHELLS = names("ash csh fish ksh mksh nu osh powershell pwsh rbash tcsh yash zsh")
SHELL_PATHS = frozenset(f"{folder}/{name}" for folder in ("/bin", "/usr/bin") for name in SHELLS)
SHELL_OPTION = re.compile(r"[-+][aceflnuvx]*o?")
LONG_SHELL_OPTIONS = frozenset({"--norc", "--noprofile", "--login", "--posix"})
REFUSED_BUILTINS = names(
    "alias bind compgen complete compopt coproc enable fc hash let source trap unalias ."
)
SUBSCRIPTS = names(
    "declare export getopts local mapfile printf read readarray readonly typeset unset wait"
)
INTERPRETERS = re.compile(
    r"(python|pypy|perl|ruby|node|nodejs|php|lua|luajit|tclsh|wish|expect|deno|bun|Rscript|R|ghci"
    r"|irb|guile|scheme|racket|sbcl|clisp|erl|elixir|iex|julia|ocaml|scala|groovy|jshell|swift"
    r"|osascript|gnuplot|octave|bc_exec|m4|ed|ex|at|batch|crontab)[0-9.]*"
)
CODE_OPTIONS = frozenset({"-c", "-e", "-E", "-r", "-p", "--eval", "--print", "-pe", "-ne", "-le"})
HARMLESS_ALONE = frozenset({"--version", "-V", "--help", "-h", "-v", "-l"})
CMDLET = re.compile(r"[A-Z][A-Za-z]+-[A-Z][A-Za-z]+")
WRITTEN_CODE = names("awk gawk mawk nawk sed jq")


@final
@frozen
class Code:
    """A text that a command runs as commands."""

    text: str
    is_open: bool
    "May an allow look into it?"
    is_bash: bool = True
    "False for sh, which reads $'...' otherwise."


def code_of(words: tuple[Word, ...]) -> Code | None:
    """The code in the words of one command, none if it takes none; raises if nobody can know it."""
    first = words[0]
    if not isinstance(first, str):
        return None
    name = first.rsplit("/", 1)[-1]
    if CMDLET.fullmatch(name) or name in ("cmd", "cmd.exe"):
        raise NotUnderstood(f"{name!a} is of another shell than bash")
    if name in REFUSED_BUILTINS:
        raise NotUnderstood(f"'{name}' changes what later text means")
    if name in SHELLS or name in OTHER_SHELLS:
        return _of_shell(first, name, words[1:])
    if name == "eval":
        return Code(" ".join(_literals(name, words[1:])), is_open=True)
    if name in ("watch", "ssh", "su", "sg", "runuser", "script", "flock", "parallel"):
        return _of_runner(name, words[1:])
    _check_builtin(name, words[1:])
    if INTERPRETERS.fullmatch(name):
        _check_interpreter(name, words[1:])
    return None


def _literals(name: str, words: tuple[Word, ...]) -> list[str]:
    literal = [word for word in words if isinstance(word, str)]
    if len(literal) < len(words):
        raise NotUnderstood(f"the code that '{name}' runs is not a literal text")
    return literal


def _of_shell(first: str, name: str, words: tuple[Word, ...]) -> Code | None:
    """`bash -c text`; a script by name is a command like others; a program on stdin is unknown."""
    if words == ("--version",):
        return None
    index, has_code = _shell_options(name, words)
    if index >= len(words) or words[index] == "-":
        raise NotUnderstood(f"'{name}' runs what it reads")
    (text,) = _literals(name, words[index : index + 1])
    if name in OTHER_SHELLS and has_code:
        raise NotUnderstood(f"'{name}' is another shell than bash")
    is_open = first == name or first in SHELL_PATHS
    return Code(text, is_open, is_bash=name == "bash") if has_code else None


def _shell_options(name: str, words: tuple[Word, ...]) -> tuple[int, bool]:
    """Where the options of a shell end, and whether -c is one of them."""
    index, has_code = 0, False
    while index < len(words):
        (word,) = _literals(name, words[index : index + 1])
        if not word.startswith(("-", "+")) or word == "-":
            break
        if word in LONG_SHELL_OPTIONS:
            index += 1
        elif SHELL_OPTION.fullmatch(word):
            has_code = has_code or (word[0] == "-" and "c" in word)
            index += 2 if word.endswith("o") else 1
        else:
            raise NotUnderstood(f"the option {word!a} of {name}")
    return index, has_code


def _of_runner(name: str, words: tuple[Word, ...]) -> Code | None:
    """`su -c text`, `script -c text file`, `flock file -c text`: the shell runs the text."""
    for index, word in enumerate(words[:-1]):
        if word in ("-c", "--command") or (name == "script" and word == "-qc"):
            return Code(_literals(name, words[index + 1 : index + 2])[0], is_open=False)
    if name in ("ssh", "watch"):
        return _of_joined(name, words)
    return None


def _of_joined(name: str, words: tuple[Word, ...]) -> Code | None:
    """`ssh host words` and `watch words`: a shell reads the words, joined by blanks."""
    valued = "BbcDEeFIiJLlmOopQRSWw" if name == "ssh" else "nq"
    index = 0
    while index < len(words):
        word = words[index]
        text = word if isinstance(word, str) else "host"
        if not text.startswith("-"):
            break
        index += 2 if len(text) == 2 and text[1] in valued else 1
    joined = words[index + (name == "ssh") :]
    return Code(" ".join(_literals(name, joined)), is_open=False) if joined else None


def _check_builtin(name: str, words: tuple[Word, ...]) -> None:
    """Raise if a builtin would evaluate what it is given."""
    literal = [word for word in words if isinstance(word, str)]
    if name in SUBSCRIPTS:
        texts = literal if name != "printf" else literal[:2]
        options = [text for text in literal if text.startswith(("-", "+"))]
        if any(
            "[" in text and (name != "printf" or "-v" in text or "-v" in literal[0])
            for text in texts
        ):
            raise NotUnderstood(f"'{name}' with a subscript, which is evaluated")
        if name in ("mapfile", "readarray") and any("C" in option for option in options):
            raise NotUnderstood(f"'{name} -C' runs a text")
        if name in ("declare", "typeset", "local") and any(
            set(option) & set("inaA") for option in options
        ):
            raise NotUnderstood(f"'{name}' makes a name that is evaluated")
    elif name in ("[", "test"):
        part = list(words[:-1] if name == "[" else words)
        check_test(part[1:] if part[:1] == ["!"] else part, splits=True)
    elif name == "jobs" and "-x" in literal:
        raise NotUnderstood("'jobs -x' runs a command")


def _check_interpreter(name: str, words: tuple[Word, ...]) -> None:
    """Raise if the program comes from the input, or from a word that is not literal."""
    for index, word in enumerate(words):
        if isinstance(word, Opaque):
            raise NotUnderstood(f"the program that '{name}' runs is not a literal word")
        if word in CODE_OPTIONS:
            _literals(name, words[index + 1 : index + 2])
            return
        if word in HARMLESS_ALONE or (not word.startswith("-") and word):
            return
        if word == "-m":
            return
    raise NotUnderstood(f"'{name}' runs what it reads")
