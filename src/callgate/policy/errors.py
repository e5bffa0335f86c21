"""What a policy could not be made of: one line each, with the place and what would be right.

Rule 1: a problem never stops the loading of anything else; whoever loads decides what to do.
"""

from __future__ import annotations

from enum import StrEnum
from typing import final

from attrs import frozen


@final
class Kind(StrEnum):
    """What sort of problem it is; only a warning leaves everything as it was written."""

    FILE = "file"
    """The file cannot be read or is no TOML: it denies every tool at its tier."""
    RULE = "rule"
    """A rule is wrong: an allow is dropped, anything else denies its tools."""
    DROPPED = "dropped"
    """A sound allow rule of a tier that may not allow."""
    EXAMPLE = "example"
    """A `match` or `not_match` example of a rule does not hold; the rule counts as wrong."""
    TEST = "test"
    """A `[[test]]` of a file does not hold; the rules stay."""
    WARNING = "warning"

    __hash__ = str.__hash__


@final
@frozen
class Problem:
    """One thing that is wrong with a policy.

    >>> print(Problem("p.toml", 3, "unknown key 'commandPrefx'", "commandPrefix"))
    p.toml:3: unknown key 'commandPrefx'; commandPrefix
    """

    file: str
    line: int
    what: str
    fix: str
    kind: Kind = Kind.RULE

    def __str__(self) -> str:
        warning = "warning: " if self.kind is Kind.WARNING else ""
        return f"{self.file}:{self.line}: {warning}{self.what}; {self.fix}"


class PolicyError(ValueError):
    """No policy could be made, or an argument for one makes no sense.

    >>> PolicyError("tier 'usr' is unknown", problems=()).problems
    ()
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class ExtraMissing(ImportError):
    """A library of the extra `policy` is not installed.

    >>> str(ExtraMissing("re2"))
    "rules with patterns need 're2': pip install 'callgate[policy]'"
    """

    def __init__(self, library: str) -> None:
        super().__init__(
            f"rules with patterns need {library!r}: pip install 'callgate[policy]'", name=library
        )
