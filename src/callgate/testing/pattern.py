"""Which calls a property speaks of: `TOOL`, or `TOOL:WORDS` for a command that begins so.

Rule 1: words are shell words and match as a command prefix: `shell:git log` means `git log -3` and
not `git logout`. A trailing `*` is any further words, or none; for most properties it says nothing
that the prefix does not say, and reads better.
Rule 2: a tool is meant under all its names: who denies `shell` means `run_shell_command` too.
"""

from __future__ import annotations

import shlex
from typing import Final, Self, final

from attrs import frozen

ALIASES: Final = (
    ("shell", "run_shell_command", "ShellTool"),
    ("replace", "edit_file"),
)
PATH_TOOLS: Final = ("read_file", "write_file", "replace", "edit_file", "list_directory")
"""Known tools that take a path and no command: words after them can only be a mistake."""


def names_of(tool: str) -> tuple[str, ...]:
    """All the names of a tool; the one given comes first.

    >>> names_of("ShellTool")
    ('ShellTool', 'shell', 'run_shell_command')
    """
    for names in ALIASES:
        if tool in names:
            return (tool, *(name for name in names if name != tool))
    return (tool,)


@final
@frozen
class Pattern:
    """A tool, and the words that its command begins with, if any.

    >>> Pattern.parse("shell:git push *")
    Pattern(tool='shell', words=('git', 'push'), open_ended=True)
    >>> str(Pattern.parse("write_file"))
    'write_file'
    >>> Pattern.parse("write_file:rm")
    Traceback (most recent call last):
    ValueError: 'write_file:rm': write_file takes no command; write_file alone was expected
    """

    tool: str
    words: tuple[str, ...] = ()
    open_ended: bool = False
    "Were any further words asked for, with a `*`?"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `TOOL` or `TOOL:WORDS`."""
        tool, colon, rest = text.partition(":")
        tool = tool.strip()
        words = _split(text, rest)
        open_ended = bool(words) and words[-1] == "*"
        words = words[:-1] if open_ended else words
        problem = _problem(tool, bool(colon), words, open_ended=open_ended)
        if problem:
            raise ValueError(f"{text!r}: {problem}")
        return cls(tool, words, open_ended)

    @property
    def takes_commands(self) -> bool:
        """Does it speak of a tool that runs shell commands?"""
        return bool(self.words) or self.tool in ALIASES[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which its tool is called."""
        return names_of(self.tool)

    def __str__(self) -> str:
        if not self.words:
            return self.tool
        return f"{self.tool}:{shlex.join(self.words)}{' *' if self.open_ended else ''}"


def _split(text: str, rest: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(rest))
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}; shell words were expected after the colon") from None


def _problem(tool: str, colon: bool, words: tuple[str, ...], *, open_ended: bool) -> str:
    if not tool or any(letter.isspace() for letter in tool):
        return "TOOL or TOOL:WORDS was expected, such as shell:rm *"
    if "*" in tool:
        return "a property speaks of one tool; its name was expected, without *"
    if tool in PATH_TOOLS and colon:
        return f"{tool} takes no command; {tool} alone was expected"
    odd = next((word for word in words if "*" in word), None)
    if odd is not None:
        return f"{odd!r}: a * stands alone and last, and is any further words, as in shell:rm *"
    if colon and not words and not open_ended:
        return "words of a command were expected after the colon, such as shell:rm *"
    return ""
