"""What was raised, as data; and what is never caught.

Rule 1: whatever a tool, a policy, a hook or an observer raises, `BaseException` too, is theirs and
becomes a value. Only what ends the process, or the task that it runs in, goes on.
"""

from __future__ import annotations

from typing import Final

from callgate.kernel.values import Failure
from callgate.responses.plain import text_of

GO_ON: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)
UNHANDLED: Final = "unhandled_exception"


def text_of_error(error: BaseException) -> str:
    """Its own words; its kind, if it has none.

    >>> text_of_error(ValueError("no such file")), text_of_error(ValueError())
    ('no such file', 'ValueError')
    """
    return text_of(error) if error.args else type(error).__name__ or "error"


def failure_of(error: BaseException, kind: str = UNHANDLED, *, retryable: bool = False) -> Failure:
    """The failure that stands for an exception."""
    return Failure(kind, text_of_error(error), retryable)
