"""The sequence diagram and the trace: complete, well-formed, and deaf to hostile texts."""

import json
import re
from itertools import pairwise

import pytest

from callgate.diagrams.runs.perfetto import perfetto
from callgate.diagrams.runs.sequence import sequence
from callgate.diagrams.runs.speech import BREAK, HEARD, SAID, words
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.runs.wording import one_line
from callgate.journal.record import Record
from callgate.kernel.effects import Effect
from callgate.kernel.events import Event
from tests.diagrams.runs.acting import five, hostile, many, several
from tests.journal.histories import HOSTILE, vector_records

NAME = "(owner|gate|policy|person|tool)"
TEXT = r"(?:[\w .,:!?()/*+='-]|#\d+;)+"
TEXTS = f"{TEXT}(?:{BREAK}{TEXT})*"
LINE = re.compile(
    rf"    (?:participant {NAME} as {TEXT}|{NAME}(?:->>|-->>){NAME}: {TEXTS}"
    rf"|Note over {NAME}(?:,{NAME})?: {TEXT})"
)


@pytest.mark.parametrize("make", [five, several, hostile, lambda: many(100)])
def test_every_line_is_a_message_and_nothing_else(make):
    first, *lines = sequence(make()).splitlines()
    assert first == "sequenceDiagram"
    for line in lines:
        assert LINE.fullmatch(line), line


def test_every_vector_is_told_and_every_kind_of_event_and_effect_is_said_or_left_out_on_purpose():
    for record in vector_records():
        assert all(LINE.fullmatch(line) for line in sequence(record).splitlines()[1:])
    silent = {kind.__name__ for kind in Event.__args__} - {kind.__name__ for kind in HEARD}
    assert silent == {"TimePassed"}
    unsaid = {kind.__name__ for kind in Effect.__args__} - {kind.__name__ for kind in SAID}
    assert unsaid == {"BatchAdmitted", "Moved", "OutputShown", "Ignored"}


def test_the_messages_stand_in_order():
    lines = [line.strip() for line in sequence(five()).splitlines()]
    order = [
        "gate->>person: may c2 run? (exec)",
        "person-->>gate: c3: cancel (1.5 s)",
        "person-->>gate: c2: proceed once (2.3 s)",
        "Note over gate,tool: the barrier opens",
        "gate->>tool: run c1",
        "gate->>tool: run c4, attempt 2",
        "gate->>owner: batch b1 is done",
    ]
    places = [lines.index(line) for line in order]
    assert places == sorted(places)


def test_what_is_past_the_limit_is_counted():
    full = sequence(five(), messages_max=1_000).splitlines()
    short = sequence(five(), messages_max=9).splitlines()
    assert len(short) == 6 + 9 + 1
    assert short[-1].strip() == f"Note over gate: {len(full) - 6 - 9} more messages are left out"
    record = five()
    torn = Record(record.config, record.events, torn="{")
    assert sequence(torn).splitlines()[-1].endswith("cut short by a kill")


@pytest.mark.parametrize("text", [*HOSTILE, "end", "a;b", "# 1", "x\nend\ny"])
def test_no_text_is_syntax(text):
    assert re.fullmatch(TEXT, words(text))
    assert " end " not in f" {words(text)} "


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_invisible_is_spelled(text):
    shown = one_line(text)
    assert shown.isprintable()
    shown.encode("utf-8")


@pytest.mark.parametrize("make", [five, several, hostile, lambda: many(100)])
def test_the_trace_is_what_perfetto_reads(make):
    story = tell(make())
    trace = json.loads(perfetto(story))
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(slices) == sum(len(life.spans) for life in story.lives)
    for event in trace["traceEvents"]:
        assert event["ph"] in "XiM"
        assert type(event["ts"]) is int
        assert event["ts"] >= 0
        assert event["pid"] >= 1
        assert event["ph"] != "X" or event["dur"] >= 0
        assert event["ph"] != "i" or event["s"] in "tp"
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"]
               if e["name"] == "thread_name"}  # fmt: skip
    assert len(threads) == len(story.lives)
    tracks = {}
    for event in slices:
        tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    for track, events in tracks.items():
        assert track in threads
        for before, after in pairwise(events):
            assert before["ts"] + before["dur"] == after["ts"], "slices of a thread do not overlap"
