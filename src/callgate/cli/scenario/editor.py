"""An editor without a person.

Rule 1: no real editor is run, whatever the environment says.
"""

from __future__ import annotations

from typing import final

from callgate.drivers.errors import EditorFailed


@final
class StandInEditor:
    """An editor without a person: it leaves what the scenario says."""

    def __init__(self, content: str | None, code: int) -> None:
        self._content = content
        self._code = code

    def edit(self, *, path: str, current: str, proposed: str) -> str:  # noqa: ARG002 - a protocol
        """What it left; raises if it failed."""
        if self._code != 0:
            raise EditorFailed(f"the editor ended with exit code {self._code}")
        return proposed if self._content is None else self._content
