"""A run as a story: what each call did when, when each barrier opened, how each batch ended.

Rule 1: the values of a story are plain and frozen; `telling.py` reads one off a replay.
Rule 2: a phase is what a person sees a call doing, which is finer than its status: a call that is
scheduled waits for the barrier, or, behind the open barrier, for a slot or another attempt.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, final

from attrs import frozen

from callgate.diagrams.runs.wording import duration

if TYPE_CHECKING:
    from callgate.kernel.calls import Call
    from callgate.kernel.values import Request


@final
class Phase(StrEnum):
    """What a call is doing."""

    TURN = "waiting for its turn"
    "In the queue, before it is asked, for a slot, or for another attempt."
    VALIDATING = "validating"
    "The tool or the policy looks at it, at first or after an edit."
    PERSON = "waiting for a person"
    BARRIER = "waiting for the barrier"
    EXECUTING = "executing"
    STOPPING = "stopping"
    "Its tool was told to stop, and has not ended."

    __hash__ = str.__hash__


@final
@frozen(kw_only=True)
class Span:
    """A time that a call spent in one phase."""

    phase: Phase
    start_ms: int
    end_ms: int
    event: int
    "The position of the event that began it."
    attempt: int = 0
    "Which run of the tool; 0: none yet."


@final
@frozen(kw_only=True)
class Opening:
    """A barrier opened: the calls of this wave may start."""

    at_ms: int
    wave: int
    event: int


@final
@frozen(kw_only=True)
class Life:
    """One call from the submission of its batch to its end."""

    serial: int
    request: Request
    batch: int
    "The position of its batch in the story."
    spans: tuple[Span, ...]
    record: Call | None
    "As it was last; none: it was never admitted."
    end_ms: int
    ended: bool
    "False: the record ends before the call does."

    @property
    def attempts(self) -> int:
        """How often its tool was started."""
        return max((span.attempt for span in self.spans), default=0)


@final
@frozen(kw_only=True)
class Chapter:
    """One batch."""

    batch_id: str
    first: int
    "The serial of its first call; 0: it was refused or empty, and got none."
    size: int
    submitted_ms: int
    admitted_ms: int | None = None
    delivered_ms: int | None = None
    rejected: str = ""
    "Why nothing of it ran, if so."
    openings: tuple[Opening, ...] = ()


@final
@frozen(kw_only=True)
class Story:
    """Everything that the pictures of a run show."""

    title: str
    lives: tuple[Life, ...]
    chapters: tuple[Chapter, ...]
    start_ms: int
    end_ms: int
    edges: tuple[tuple[str, int], ...]
    "Each transition that was taken, by its name, and how often; in the order first taken."
    visits: tuple[tuple[str, int], ...] = ()
    "Each state that calls came into, and how many times; in the order first entered."
    by_event: bool = False
    "The run took no time: its times are the positions of its events."
    torn: bool = False
    "The record was cut short by a kill."

    def spell(self, ms: int) -> str:
        """A time, or the difference of two, in words."""
        if self.by_event:
            return f"{ms} event{'' if ms == 1 else 's'}"
        return duration(ms)
