"""What a model is told of a call that did not run to its end.

Rule 1: these words are an interface, as much as a name is: a model reads them.
Rule 2: the kernel keeps causes; the words for them live here and nowhere else.
"""

from __future__ import annotations

from typing import Final

from callgate.kernel.values import CancelCause

QUEUED: Final = "Tool call cancelled while in queue."
"""Said of a batch that was cancelled before it was admitted."""

_CAUSES: Final = {
    CancelCause.DECLINED: "User did not allow tool call",
    CancelCause.EXPIRED: "Nobody answered the question in time, and silence is a no.",
    CancelCause.CANCELLED: "Tool call cancelled by user.",
    CancelCause.STOPPED: "User cancelled tool execution.",
}


def cancelled_text(cause: CancelCause, reason: str = "") -> str:
    """What the model reads in the place of a result; a person's own reason stands behind ours.

    >>> cancelled_text(CancelCause.STOPPED)
    '[Operation Cancelled] Reason: User cancelled tool execution.'
    >>> cancelled_text(CancelCause.DECLINED, "use the staging server")
    '[Operation Cancelled] Reason: User did not allow tool call: use the staging server'
    """
    said = f"[Operation Cancelled] Reason: {_CAUSES[cause]}"
    return f"{said.removesuffix('.')}: {reason}" if reason else said
