"""Where output goes that is too large for a model.

Rule 1: a private folder of its own, made when it is first needed, and left there: a model reads it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import final


@final
class TemporaryOutputs:
    """Saves into a folder: this one, or a new one in the system's temporary folder."""

    def __init__(self, folder: Path | str | None = None) -> None:
        self._folder = None if folder is None else Path(folder)

    def __call__(self, name: str, text: str) -> str:
        """Write a file of this name, and say where it is."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="callgate-output-"))
        file = self._folder / name
        file.touch(mode=0o600)
        file.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
        return str(file)
