"""The trace of a play: events as they happen, in the words of the format.

Rule 1: what happens while the play is taken down is not part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callgate.drivers.finished import FinishedCall
    from callgate.kernel.calls import Call
    from callgate.kernel.state import KernelState


@final
class Trace:
    """Collects events."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.is_over = False

    def note(self, ev: str, **fields: Any) -> None:
        """Something happened."""
        if not self.is_over:
            self.events.append({"ev": ev, **fields})

    def update(self, calls: Sequence[Call]) -> None:
        """All calls of the batch at work."""
        shown = []
        for call in calls:
            entry = {"id": call.facts.request.call_id, "status": call.status.value}
            if call.outcome is not None:
                entry["outcome"] = call.outcome.value
            shown.append(entry)
        self.note("update", calls=shown)

    def complete(self, finished: Sequence[FinishedCall]) -> None:
        """A batch was delivered."""
        self.note("complete", calls=[_shown(call) for call in finished])


def final_state(state: KernelState) -> dict[str, Any]:
    """What was still going on at the end."""
    batch = state.batch
    calls = batch.calls if batch is not None and not batch.is_delivering else ()
    active = [[call.facts.request.call_id, call.status.value] for call in calls]
    return {"active": active, "queued": len(state.queued)}


def _shown(call: FinishedCall) -> dict[str, Any]:
    response = call.response
    return {
        "id": call.call_id,
        "name": call.name,
        "status": call.status.value,
        "outcome": None if call.outcome is None else call.outcome.value,
        "response": {
            "parts": response.parts,
            "display": response.display,
            "error": response.error,
            "error_type": response.error_type,
        },
    }
