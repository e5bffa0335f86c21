"""The line that says what is being measured, while somebody watches.

Rule 1: it goes to standard error, and only to a terminal; the empty text takes it away.
"""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Show this in the place of what was said before."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
