"""What tools say to the one who builds with them.

Rule 1: each says what is wrong, where, and what would be right; none of them is for the model.
"""

from __future__ import annotations

from typing import final


@final
class MissingExtra(ImportError):
    """A feature needs a library that is not installed.

    >>> str(MissingExtra("@tool", "msgspec", "tools"))
    "@tool needs msgspec, which is not installed: pip install 'callgate[tools]'"
    """

    def __init__(self, feature: str, library: str, extra: str) -> None:
        self.feature, self.extra = feature, extra
        super().__init__(
            f"{feature} needs {library}, which is not installed: pip install 'callgate[{extra}]'",
            name=library,
        )


@final
class UnfitFunction(TypeError):
    """A function whose parameters cannot be described to a model."""

    def __init__(self, function: object, problem: str) -> None:
        self.problem = problem
        name = getattr(function, "__qualname__", repr(function))
        super().__init__(f"@tool cannot make a tool of {name}: {problem}")
