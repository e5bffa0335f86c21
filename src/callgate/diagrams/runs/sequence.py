"""A run as a sequence diagram in Mermaid: who said what to whom, in order.

Rule 1: what is left out past the limit is said in the diagram.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from callgate.diagrams.runs.speech import (
    GATE,
    HEARD,
    OWNER,
    PARTICIPANTS,
    SAID,
    TOOL,
    said_of_end,
    words,
)
from callgate.diagrams.runs.wording import duration
from callgate.journal.record import Record, replay
from callgate.kernel.effects import Ignored, Moved
from callgate.kernel.events import BatchSubmitted
from callgate.kernel.state import initial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.kernel.state import KernelState

MESSAGES_MAX: Final = 400
"Mermaid draws no more than some hundred messages that a person could follow."


def sequence(record: Record, *, messages_max: int = MESSAGES_MAX) -> str:
    """Write the sequence diagram of a run.

    >>> from callgate import BatchSubmitted, Request
    >>> asked = BatchSubmitted(batch_id="b1", requests=[Request("c1", "ls")], at_ms=0)
    >>> print(sequence(Record(events=[asked])).splitlines()[-1].strip())
    gate->>policy: may c1 run?
    """
    lines = ["sequenceDiagram"]
    lines += [f"    participant {name} as {words}" for name, words in PARTICIPANTS]
    messages = list(Speaker(record).speak())
    lines += [f"    {message}" for message in messages[:messages_max]]
    left_out = len(messages) - messages_max
    if left_out > 0:
        lines.append(f"    Note over gate: {left_out} more messages are left out")
    if record.torn:
        lines.append("    Note over gate: the record was cut short by a kill")
    return "\n".join(lines) + "\n"


@final
class Speaker:
    """Says a run, one message after the other."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.state: KernelState = initial(record.config)
        self.labels: dict[int, str] = {}
        self.opened: tuple[int, int] | None = None

    def speak(self) -> Iterator[str]:
        """Each message, as a line of Mermaid."""
        start_ms: int | None = None
        for moment in replay(self.record):
            before, self.state = self.state, moment.step.state
            start_ms = self.state.now_ms if start_ms is None else start_ms
            late = self.state.now_ms > before.now_ms and bool(self.labels)
            self._learn(moment.event, before)
            when = duration(self.state.now_ms - start_ms) if late else ""
            yield from self._heard(moment.event, when)
            yield from self._barrier()
            for effect in moment.step.effects:
                yield from self._said(effect)

    def _learn(self, event: Any, before: KernelState) -> None:
        if isinstance(event, BatchSubmitted) and self.state.next_serial > before.next_serial:
            for serial, request in enumerate(event.requests, before.next_serial):
                self.labels[serial] = words(request.call_id, 24)

    def _barrier(self) -> Iterator[str]:
        batch = self.state.batch
        if batch is None or not batch.is_open:
            return
        opened = (batch.outline.first, batch.wave)
        if opened != self.opened:
            self.opened = opened
            wave = f" of wave {batch.wave + 1}" if len(batch.outline.ends) > 1 else ""
            yield f"Note over {GATE},{TOOL}: the barrier{wave} opens"

    def name_of(self, serial: Any) -> str:
        """How a call is called in the diagram."""
        return self.labels.get(serial, "a call that is gone") if type(serial) is int else "no call"

    def _heard(self, event: Any, when: str) -> Iterator[str]:
        hear = HEARD.get(type(event))
        if hear is not None:
            source, text = hear(self, event)
            arrow = "->>" if source == OWNER else "-->>"
            yield f"{source}{arrow}{GATE}: {text}" + (f" ({when})" if when else "")
        elif when:
            yield f"Note over {GATE}: at {when}"

    def _said(self, effect: Any) -> Iterator[str]:
        say = SAID.get(type(effect))
        if say is not None:
            target, text = say(self, effect)
            yield f"{GATE}->>{target}: {text}"
        elif isinstance(effect, Moved) and effect.status.is_final:
            yield f"Note over {GATE}: {said_of_end(self, effect)}"
        elif isinstance(effect, Ignored):
            yield f"Note over {GATE}: ignored, {words(effect.why)}"
