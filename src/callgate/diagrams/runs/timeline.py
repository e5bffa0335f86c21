"""A run as a timeline: one row a call, one bar a phase, a line where each barrier opened.

Rule 1: an end is told by its shape and by words, never by colour alone; so is waiting (thin),
working (full) and stopping (hollow).
Rule 2: what is left out is said in the picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import evolve

from callgate.diagrams.canvas import Canvas, Ink, Pen, number, points
from callgate.diagrams.runs.scale import Scale
from callgate.diagrams.runs.story import Phase
from callgate.diagrams.runs.wording import CUT, one_line, summary
from callgate.diagrams.themes import Theme
from callgate.kernel.calls import Cancelled, Errored, Success
from callgate.kernel.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.diagrams.runs.story import Chapter, Life, Span, Story

WIDTH: Final = 864.0
ROWS_MAX: Final = 200
"More calls than these are counted, not drawn, unless more are asked for."
_PAD: Final = 16.0
_HEAD: Final = 74.0
_ROW: Final = 26.0
_BATCH: Final = 30.0
_FOOT: Final = 34.0
_BAR: Final = 15.0
_HEIGHTS: Final = {Phase.TURN: 3.0, Phase.PERSON: 9.0, Phase.BARRIER: 9.0}
"Of waiting, which is thinner than working."
_LABEL_MAX: Final = 250.0
_NOTES: Final = 118.0
"Room at the right for the glyph of an end and the words for it."

_ID: Final = Ink(size=13, bold=True)
_CALL: Final = Ink(size=13)
_SOFT: Final = Ink(role="soft", size=12)
_TITLE: Final = Ink(size=14, bold=True)
_LINE: Final = Ink(role="bad-line", size=12, bold=True)
FILLS: Final = {
    Phase.TURN: "edge",
    Phase.VALIDATING: "validating",
    Phase.PERSON: "person",
    Phase.BARRIER: "barrier",
    Phase.EXECUTING: "executing",
    Phase.STOPPING: "page",
}
OUTLINES: Final = {Phase.BARRIER: "edge", Phase.STOPPING: "executing"}
"What makes a bar visible whose fill is near to the page."
ENDS: Final = {
    Status.SUCCESS: "good",
    Status.ERROR: "bad",
    Status.CANCELLED: "calm",
}


def timeline(story: Story, *, theme: Theme = Theme.AUTO, rows_max: int = ROWS_MAX) -> str:
    """Draw the timeline of a run as SVG.

    Args:
        story: what happened, from `tell`.
        theme: light, dark, or as the reader's system says.
        rows_max: how many calls are drawn; the others are counted below.
    """
    return _Timeline(story, theme, rows_max).draw()


def ending(life: Life) -> str:
    """How a call ended, in a few words; empty: it has not."""
    match life.record:
        case Success(attempt=0):
            return "answered in its place"
        case Success():
            return ""
        case Errored(failure=failure):
            return one_line(failure.message or failure.type)
        case Cancelled(cause=cause, reason=reason):
            return one_line(reason) if reason else cause.value
        case _:
            return "never admitted" if life.ended else "not ended"


def fit(text: str, width: float, ink: Ink) -> str:
    """The text, cut so that it is no wider."""
    if ink.width(text) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if ink.width(text[:middle].rstrip() + CUT) <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + CUT if low else ""


class _Timeline:
    """The drawing of one story."""

    def __init__(self, story: Story, theme: Theme, rows_max: int) -> None:
        self.story = story
        self.lives = story.lives[:rows_max]
        self.batches = sorted({life.batch for life in self.lives})
        self.names = len(story.chapters) > 1
        left = _PAD + self._label_width() + 12
        right = WIDTH - _PAD - _NOTES
        self.scale = Scale(story.start_ms, story.end_ms, left, right, story.by_event)
        self.bottom = _HEAD + _ROW * len(self.lives) + _BATCH * len(self.batches)
        left_out = len(story.lives) > len(self.lives) or story.torn
        height = self.bottom + _FOOT + (20 if left_out else 0)
        self.canvas = Canvas(
            (WIDTH, height),
            title=f"Timeline of {one_line(story.title)}",
            description=self._counted(),
            theme=theme,
        )

    def draw(self) -> str:
        """All of it, from back to front."""
        self.canvas.text((_PAD, 24), self._counted(), _TITLE)
        self._legend()
        self._axis()
        y = _HEAD
        for batch in self.batches:
            y = self._batch(batch, y)
        self._foot()
        return self.canvas.render()

    # --- around the rows --------------------------------------------------------------------------

    def _label_width(self) -> float:
        widths = [
            _ID.width(_id(life)) + 8 + _CALL.width(summary(life.request)) for life in self.lives
        ]
        if self.names:
            chapters = (self.story.chapters[batch] for batch in self.batches)
            widths += [_SOFT.width(self._named(chapter)) for chapter in chapters]
        return min(_LABEL_MAX, max(widths, default=0) + 1)

    def _counted(self) -> str:
        ends = [life.record.status if life.record else None for life in self.story.lives]
        calls = f"{len(ends)} call{'' if len(ends) == 1 else 's'}"
        told = [
            f"{ends.count(status)} {word}"
            for status, word in (
                (Status.SUCCESS, "succeeded"),
                (Status.ERROR, "failed"),
                (Status.CANCELLED, "cancelled"),
            )
            if status in ends
        ]
        spent = self.story.spell(self.story.end_ms - self.story.start_ms)
        return " · ".join([calls, *told, spent])

    def _legend(self) -> None:
        seen = {span.phase for life in self.lives for span in life.spans}
        x = _PAD
        for phase in (phase for phase in Phase if phase in seen):
            self._bar(phase, x, 22, 48, "cg-legend")
            self.canvas.text((x + 28, 52), phase.value, _SOFT)
            x += 28 + _SOFT.width(phase.value) + 18
        ends = {life.record.status for life in self.lives if life.record and life.ended}
        x = WIDTH - _PAD
        for status in (status for status in reversed(ENDS) if status in ends):
            x -= _SOFT.width(status.value)
            self.canvas.text((x, 24), status.value, _SOFT)
            self._glyph(status, x - 12, 20)
            x -= 36

    def _axis(self) -> None:
        for x, label in self.scale.ticks():
            top, bottom = number(_HEAD - 4), number(self.bottom + 4)
            self.canvas.path(f"M{number(x)} {top}V{bottom}", Pen(line="grid", thick=1))
            self.canvas.text(
                (x, self.bottom + 20), label, Ink(role="soft", size=12, anchor="middle")
            )

    def _foot(self) -> None:
        left_out = len(self.story.lives) - len(self.lives)
        words = [f"{left_out} more calls are left out of this picture"] if left_out else []
        words += ["the record was cut short by a kill"] if self.story.torn else []
        if words:
            self.canvas.text((_PAD, self.bottom + _FOOT + 6), "; ".join(words), _SOFT)

    # --- one batch --------------------------------------------------------------------------------

    def _batch(self, batch: int, y: float) -> float:
        chapter = self.story.chapters[batch]
        lives = [life for life in self.lives if life.batch == batch]
        top, bottom = y + _BATCH - 6, y + _BATCH + _ROW * len(lives)
        if self.names:
            label = fit(self._named(chapter), self.scale.left - _PAD - 12, _SOFT)
            self.canvas.text((_PAD, y + 20), label, _SOFT)
        rows = [(life, y + _BATCH + _ROW * row + _ROW / 2) for row, life in enumerate(lives)]
        for life, middle in rows:
            self._row(life, middle)
        self._openings(chapter, top, bottom - 4)
        for life, middle in rows:
            self._end(life, middle)
        return bottom

    def _named(self, chapter: Chapter) -> str:
        return f"batch {one_line(chapter.batch_id)}" + (", rejected" if chapter.rejected else "")

    def _openings(self, chapter: Chapter, top: float, bottom: float) -> None:
        free = self.scale.left - 4
        for opening in chapter.openings:
            x = self.scale.x(opening.at_ms)
            self.canvas.path(
                f"M{number(x)} {number(top)}V{number(bottom)}",
                Pen(line="bad-line", thick=1.3, dashed=True),
                mark="cg-barrier",
            )
            label = "barrier opens" if len(chapter.openings) == 1 else f"wave {opening.wave + 1}"
            width = _LINE.width(label)
            at = min(max(x - width / 2, free), WIDTH - _PAD - width)
            if at <= x <= at + width:
                self.canvas.text((at, top - 4), label, _LINE)
                free = at + width + 8

    # --- one call ---------------------------------------------------------------------------------

    def _row(self, life: Life, y: float) -> None:
        # A row can be read without its label: what it is, and each bar, stand in tooltips too.
        told = f"{_id(life)} {summary(life.request)}"
        id_width = _ID.width(_id(life))
        self.canvas.text((_PAD, y + 4), _id(life), _ID)
        room = self.scale.left - 12 - _PAD - id_width - 8
        self.canvas.text(
            (_PAD + id_width + 8, y + 4), fit(summary(life.request), room, _CALL), _CALL
        )
        for span in life.spans:
            self._span(span, life, y, told)

    def _span(self, span: Span, life: Life, y: float, told: str) -> None:
        x = self.scale.x(span.start_ms)
        width = max(2.0, self.scale.x(span.end_ms) - x)
        self._bar(span.phase, x, width, y, "cg-span")
        since = self.story.spell(span.start_ms - self.story.start_ms)
        spent = self.story.spell(span.end_ms - span.start_ms)
        attempt = f", attempt {span.attempt}" if life.attempts > 1 and span.attempt else ""
        self.canvas.tooltip(f"{told}: {span.phase.value}{attempt}, {spent}, from {since}")
        label, ink = str(span.attempt), Ink(role="page", size=12, bold=True)
        if attempt and span.phase is Phase.EXECUTING and width > ink.width(label) + 8:
            self.canvas.text((x + 5, y + 4), label, ink)

    def _bar(self, phase: Phase, x: float, width: float, y: float, mark: str) -> None:
        height = _HEIGHTS.get(phase, _BAR)
        box = (x, y - height / 2, width, height)
        pen = Pen(fill=FILLS[phase])
        if phase in OUTLINES:
            is_hollow = phase is Phase.STOPPING
            pen = evolve(pen, line=OUTLINES[phase], thick=1.6 if is_hollow else 1, dashed=is_hollow)
        self.canvas.rect(box, pen, radius=min(3, width / 2, height / 2), mark=mark)

    def _end(self, life: Life, y: float) -> None:
        x = self.scale.x(life.end_ms) + 13
        if life.ended and life.record is not None:
            self._glyph(life.record.status, x, y)
        elif life.ended:
            self.canvas.circle((x, y), 5, Pen(line="calm-line"), mark="cg-end")
        else:
            self.canvas.path(
                points([(x - 4, y - 5), (x + 5, y), (x - 4, y + 5)]),
                Pen(fill="executing"),
                mark="cg-end",
            )
        left = x + 13
        words = fit(ending(life), WIDTH - _PAD - left, _SOFT)
        if words:
            # Nothing shines through the words: neither the grid nor a barrier's line.
            self.canvas.rect((left - 3, y - 8, _SOFT.width(words) + 6, 16), Pen(fill="page"))
            self.canvas.text((left, y + 4), words, _SOFT)

    def _glyph(self, status: Status, x: float, y: float) -> None:
        """Success a disc with a tick, error an octagon with a cross, cancelled a bar in a box."""
        tone = ENDS[status]
        pen, stroke = Pen(fill=tone, line=f"{tone}-line"), Pen(line=f"{tone}-line", thick=1.8)
        match tone:
            case "good":
                self.canvas.circle((x, y), 7, pen, mark="cg-end")
                marks = [[(x - 3.2, y + 0.2), (x - 0.8, y + 2.8), (x + 3.4, y - 2.6)]]
            case "bad":
                self.canvas.path(points(list(_octagon(x, y, 7.4))), pen, mark="cg-end")
                marks = [[(x - 2.8, y - 2.8), (x + 2.8, y + 2.8)]]
                marks += [[(x - 2.8, y + 2.8), (x + 2.8, y - 2.8)]]
            case _:
                self.canvas.rect((x - 6.5, y - 6.5, 13, 13), pen, radius=2, mark="cg-end")
                marks = [[(x - 3.4, y), (x + 3.4, y)]]
        for mark in marks:
            self.canvas.path(points(mark).removesuffix("Z"), stroke)


def _octagon(x: float, y: float, radius: float) -> Iterator[tuple[float, float]]:
    near, far = radius * 0.414, radius
    signs = ((1, -1), (1, 1), (-1, 1), (-1, -1))
    for sx, sy in signs:
        first, second = (x + sx * near, y + sy * far), (x + sx * far, y + sy * near)
        yield from ((first, second) if sx * sy < 0 else (second, first))


def _id(life: Life) -> str:
    return one_line(life.request.call_id, 24)
