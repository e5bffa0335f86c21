"""The way in: a text becomes the commands that bash would start, or a reason why nobody can tell.

Rule 1: pure and total: any object is answered, nothing raises, every limit is a reason.
"""

from __future__ import annotations

from callgate.policy.shell.commands import Understanding


def understand(text: object) -> Understanding:
    """What this command line would start; never raises."""
    if not isinstance(text, str):
        return Understanding(
            not_understood=f"a command must be a string, not {type(text).__name__}"
        )
    return Understanding(not_understood="the reader is not built yet")
