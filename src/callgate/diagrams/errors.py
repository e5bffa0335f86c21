"""What can go wrong when something is drawn, in words that say what would work."""

from __future__ import annotations

from typing import Final, final

TEXT_FORMATS: Final = ("mermaid", "dot", "plantuml", "markdown", "scxml", "json")


class DiagramError(Exception):
    """Something cannot be drawn."""


@final
class NoSuchMachine(DiagramError):
    """The machine that was asked for cannot be found, or is none."""


@final
class MissingEngine(DiagramError):
    """A library that this format needs is not there, or has no wheel for this machine."""

    def __init__(self, wanted: str, library: str) -> None:
        """Say what was wanted and which library draws it."""
        self.wanted = wanted
        self.library = library
        super().__init__(
            f"{wanted} needs {library}: pip install 'callgate[diagrams]' (it has no wheel for musl "
            f"and for Windows on ARM); these formats need nothing: {', '.join(TEXT_FORMATS)}"
        )


@final
class NoDot(DiagramError):
    """`--engine dot` was asked for, and the machine's own Graphviz is not there or fails."""

    def __init__(self, problem: str) -> None:
        """Say what is wrong with it."""
        super().__init__(
            f"--engine dot: {problem} (install Graphviz, or leave --engine out: "
            "the wheel of callgate[diagrams] brings its own)"
        )


@final
class MissingLetters(DiagramError):
    """The shipped font has no shape for a letter, so a PNG would drop it."""

    def __init__(self, letters: str) -> None:
        """Name the letters."""
        self.letters = letters
        named = ", ".join(f"U+{ord(letter):04X}" for letter in letters)
        super().__init__(
            f"png: the font that callgate ships has no {letters!r} ({named}); "
            "write svg, which the reader's own fonts complete"
        )
