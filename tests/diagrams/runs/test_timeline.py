"""The timeline is readable: nothing over anything, nothing outside, the same bytes everywhere."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from attrs import evolve

from callgate.diagrams.errors import MissingLetters
from callgate.diagrams.raster import png
from callgate.diagrams.runs.scale import Scale
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.runs.timeline import WIDTH, Ink, ending, fit, timeline
from callgate.diagrams.themes import Theme
from callgate.journal.record import Record
from callgate.kernel.events import Batches
from callgate.kernel.values import Failed, Failure
from tests.diagrams.runs.acting import (
    Acting,
    CancelRequested,
    Part,
    Request,
    five,
    hostile,
    many,
    one,
    several,
)
from tests.journal.histories import vector_records

SVG = "{http://www.w3.org/2000/svg}"


def crowded():
    """A wave for each call, so that openings stand close; and ends with much to say."""
    long = Failed(Failure("x", "no such host, and a great many words about why there is none"))
    parts = [
        Part(Request(f"c{n}", "tool"), validated_ms=1, runs=((9 if n < 9 else 300, long),))
        for n in range(10)
    ]
    return Acting().submit("b", parts, plan="sequential").run()


RUNS = {
    "crowded": crowded,
    "one": one,
    "five": five,
    "several": several,
    "many": lambda: many(100),
    "bad": hostile,
}


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    story = tell(RUNS[request.param]())
    return story, parsed(timeline(story))


def parsed(text):
    """The picture as elements; it was drawn here, so it is no stranger's XML."""
    return ElementTree.fromstring(text)  # noqa: S314


def box_of(text):
    """The place that a line of text takes: its own `textLength` is what it is drawn with."""
    x, y = float(text.get("x")), float(text.get("y"))
    width, size = float(text.get("textLength")), float(text.get("font-size"))
    x -= {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
    return (x, y - 0.75 * size, x + width, y + 0.22 * size)


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def view(root):
    return [float(part) for part in root.get("viewBox").split()]


def test_no_text_stands_on_another(run):
    boxes = [(box_of(text), text.text) for text in run[1].iter(f"{SVG}text")]
    for at, (box, words) in enumerate(boxes):
        for other, others in boxes[at + 1 :]:
            assert apart(box, other), f"{words!r} stands on {others!r}"


def test_no_words_stand_on_a_bar(run):
    marks = [rect for rect in run[1].iter(f"{SVG}rect") if "cg-span" in rect.get("class", "")]
    bars = [
        (
            float(r.get("x")),
            float(r.get("y")),
            float(r.get("x")) + float(r.get("width")),
            float(r.get("y")) + float(r.get("height")),
        )
        for r in marks
    ]
    assert len(marks) == sum(len(life.spans) for life in run[0].lives)
    for text in run[1].iter(f"{SVG}text"):
        if text.text and not text.text.isdigit():
            assert all(apart(box_of(text), bar) for bar in bars), text.text


def test_nothing_is_outside_and_nothing_is_tiny(run):
    _, root = run
    _, _, width, height = view(root)
    assert width == WIDTH
    for text in root.iter(f"{SVG}text"):
        x, y, right, bottom = box_of(text)
        assert x >= 0
        assert y >= 0
        assert right <= width
        assert bottom <= height
        assert float(text.get("font-size")) * 800 / width >= 11
    for rect in root.iter(f"{SVG}rect"):
        place = [float(rect.get(name, 0)) for name in ("x", "y", "width", "height")]
        assert place[0] + place[2] <= width + 0.1
        assert place[1] + place[3] <= height + 0.1


def test_every_call_has_its_row_and_every_end_its_sign(run):
    story, root = run
    ends = [element for element in root.iter() if "cg-end" in element.get("class", "")]
    legend = len({life.record.status for life in story.lives if life.record and life.ended})
    assert len(ends) == len(story.lives) + legend
    barriers = [p for p in root.iter(f"{SVG}path") if "cg-barrier" in p.get("class", "")]
    assert len(barriers) == sum(len(chapter.openings) for chapter in story.chapters)


def test_ends_differ_by_shape_not_by_colour_alone():
    root = parsed(timeline(tell(five())))
    ends = [element for element in root.iter() if "cg-end" in element.get("class", "")]
    shapes = {re.search(r"cg-fill-(\w+)", e.get("class")).group(1): e.tag for e in ends}
    assert shapes == {"good": f"{SVG}circle", "bad": f"{SVG}path", "calm": f"{SVG}rect"}


def test_attempts_and_reasons_are_written_out():
    root = parsed(timeline(tell(five())))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"1", "2", "declined", "no such host", "barrier opens"} <= set(words)
    tips = [tip.text for tip in root.iter(f"{SVG}title")]
    assert "c4 fetch_url: https://example.org: executing, attempt 2, 500 ms, from 3.2 s" in tips


def test_the_limit_and_what_it_leaves_out():
    root = parsed(timeline(tell(many(60)), rows_max=20))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert "40 more calls are left out of this picture" in words
    assert any(word.startswith("60 calls") for word in words)


def test_a_run_that_took_no_time_is_told_by_its_events():
    timed = five()
    still = Record(timed.config, [evolve(e, at_ms=0) for e in timed.events if e.at_ms < 2900])
    story = tell(still)
    assert story.by_event
    assert story.end_ms == len(still.events) - 1
    words = [text.text for text in parsed(timeline(story)).iter(f"{SVG}text")]
    assert words[0].endswith(" · 7 events")
    phases = {span.phase.value for life in story.lives for span in life.spans}
    assert {"waiting for a person", "waiting for the barrier", "executing"} <= phases


def test_a_record_cut_short_says_so():
    record = five()
    torn = Record(record.config, record.events[:5], torn='{"Time')
    assert "the record was cut short by a kill" in timeline(tell(torn))
    assert "not ended" in timeline(tell(torn))


def test_every_vector_can_be_drawn():
    for record in vector_records():
        root = parsed(timeline(tell(record)))
        assert view(root)[3] < 900
    parsed(timeline(tell(Record())))


def test_a_queued_batch_that_was_rejected_was_never_admitted():
    acting = Acting().submit("b1", [Part(Request("c1", "a"))])
    acting.submit("b2", [Part(Request("c2", "a"))], at_ms=5)
    acting.later(9, lambda at: CancelRequested(scope=Batches(["b2"]), at_ms=at))
    story = tell(acting.run())
    assert [ending(life) for life in story.lives] == ["", "never admitted"]
    words = [text.text for text in parsed(timeline(story)).iter(f"{SVG}text")]
    assert {"batch b2, rejected", "never admitted"} <= set(words)


def test_png_is_drawn_in_both_themes_and_refuses_letters_it_lacks():
    for theme in (Theme.LIGHT, Theme.DARK):
        assert png(timeline(tell(five()), theme=theme)).startswith(b"\x89PNG")
    run = Acting().submit("b", [Part(Request("c1", "tool", {"q": "\u6f22"}))]).run()
    with pytest.raises(MissingLetters, match=r"U\+6F22"):
        png(timeline(tell(run), theme=Theme.LIGHT))


def test_ticks_are_round_and_apart():
    for span_ms in (0, 1, 7, 950, 4_100, 61_000, 3_600_000, 10**9):
        ticks = list(Scale(0, span_ms, 100, 700).ticks())
        assert 1 <= len(ticks) <= 10
        gaps = [b[0] - a[0] for a, b in pairwise(ticks)]
        assert all(gap >= 69.9 for gap in gaps)
        assert len({label for _, label in ticks}) == len(ticks)


def test_fit_never_exceeds_the_room():
    ink = Ink()
    for room in range(0, 120, 7):
        assert ink.width(fit("some longer words here", room, ink)) <= room


SCRIPT = """
import sys
from callgate.diagrams.runs.perfetto import perfetto
from callgate.diagrams.runs.sequence import sequence
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.runs.timeline import timeline
from callgate.diagrams.report.page import report
from tests.diagrams.runs.acting import hostile, several
for record in (several(), hostile()):
    story = tell(record)
    for text in (timeline(story), sequence(record), perfetto(story), report(record)):
        sys.stdout.buffer.write(text.encode("utf-8"))
"""


def test_every_view_has_the_same_bytes_under_every_hash_seed():
    def drawn(seed):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", SCRIPT]
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    first = drawn("0")
    assert len(first) > 100_000
    assert first == drawn("1") == drawn("2")
