"""A story is what happened: checked against scripted runs, and against every vector."""

from collections import Counter
from itertools import pairwise

import pytest

from callgate.diagrams.runs.example import example
from callgate.diagrams.runs.story import Phase
from callgate.diagrams.runs.telling import tell
from callgate.journal.record import Record, replay
from callgate.kernel.effects import BatchAdmitted, Execute, Moved
from tests.diagrams.runs.acting import five, many, one, several
from tests.journal.histories import VECTORS, vector_records


def spans(life):
    return [(span.phase, span.start_ms, span.end_ms, span.attempt) for span in life.spans]


def test_the_story_of_five_calls():
    story = tell(five())
    by_id = {life.request.call_id: life for life in story.lives}
    assert spans(by_id["c1"]) == [
        (Phase.VALIDATING, 0, 40, 0),
        (Phase.BARRIER, 40, 2300, 0),
        (Phase.EXECUTING, 2300, 2650, 1),
    ]
    assert spans(by_id["c2"]) == [
        (Phase.TURN, 0, 40, 0),
        (Phase.VALIDATING, 40, 90, 0),
        (Phase.PERSON, 90, 2300, 0),
        (Phase.EXECUTING, 2300, 4100, 1),
    ]
    assert [span.attempt for span in by_id["c4"].spans] == [0, 0, 0, 1, 0, 2]
    assert by_id["c4"].spans[4].phase is Phase.TURN, "the backoff is no wait for the barrier"
    assert by_id["c5"].spans == ()
    ends = [life.record.status.value for life in story.lives]
    assert ends == ["success", "success", "cancelled", "error", "error"]
    (chapter,) = story.chapters
    assert [(opening.at_ms, opening.wave) for opening in chapter.openings] == [(2300, 0)]
    assert (story.start_ms, story.end_ms, chapter.delivered_ms) == (0, 4100, 4100)
    assert dict(story.visits)["error"] == 2


def test_the_example_of_the_documentation_is_what_a_driver_makes_of_it():
    assert example() == five()


def test_behind_the_open_barrier_a_call_waits_for_a_slot():
    story = tell(several())
    third = story.lives[2]
    assert [span[0] for span in spans(third)][-3:] == [Phase.BARRIER, Phase.TURN, Phase.EXECUTING]
    assert third.spans[-2].start_ms == story.chapters[0].openings[0].at_ms


def test_a_queued_batch_waits_and_its_waves_open_one_after_the_other():
    story = tell(several())
    second = story.chapters[1]
    assert (second.submitted_ms, second.admitted_ms) == (100, 1045)
    assert [opening.wave for opening in second.openings] == [0, 1, 2]
    assert story.lives[4].spans[0].phase is Phase.TURN
    stopped = story.lives[7]
    assert stopped.spans[-1].phase is Phase.STOPPING
    assert stopped.record.status.value == "cancelled"


@pytest.mark.parametrize("position", range(len(VECTORS)), ids=lambda at: VECTORS[at].stem)
def test_every_vector_is_told_without_gaps_and_without_overlaps(position):
    record = vector_records_once()[position]
    story = tell(record)
    started, entered, edges = Counter(), Counter(), Counter()
    for moment in replay(record):
        edges.update(edge.name for edge in moment.edges)
        for effect in moment.step.effects:
            if isinstance(effect, Execute):
                started[effect.call] += 1
            if isinstance(effect, Moved):
                entered[effect.status.value] += 1
            if isinstance(effect, BatchAdmitted):
                entered.update(call.status.value for call in effect.calls)
    assert Counter(dict(story.edges)) == edges
    assert Counter(dict(story.visits)) == entered
    for life in story.lives:
        ran = [s for s in life.spans if s.phase is Phase.EXECUTING]
        assert len({s.attempt for s in ran}) == started[life.serial]
        for before, after in pairwise(life.spans):
            assert before.end_ms == after.start_ms, "time between two spans is lost"
        for span in life.spans:
            assert story.start_ms <= span.start_ms <= span.end_ms <= story.end_ms
            assert span.end_ms > span.start_ms or span.phase is Phase.EXECUTING
        waits = life.serial in queued_at_the_end(record)
        assert life.ended is (life.record.status.is_final if life.record else not waits)


def queued_at_the_end(record):
    """The serials of calls whose batch never had its turn."""
    *_, last = replay(record)
    batches = last.step.state.queued.values()
    return {batch.first + at for batch in batches for at in range(len(batch.requests))}


_RECORDS = []


def vector_records_once():
    if not _RECORDS:
        _RECORDS.extend(vector_records())
    return _RECORDS


def test_a_run_that_is_not_over_is_told_until_now():
    record = five()
    cut = Record(record.config, record.events[:6])
    story = tell(cut)
    assert not story.lives[0].ended
    assert story.lives[0].spans[-1].phase is Phase.BARRIER
    assert story.end_ms == 1530


def test_an_empty_run_is_a_story_too():
    assert tell(Record()).lives == ()


def test_the_story_grows_with_the_run():
    """Counted, not timed: a call is looked at a bounded number of times, whatever the batch."""
    looks = {}
    for size in (50, 500):
        story = tell(many(size))
        looks[size] = sum(len(life.spans) for life in story.lives) / size
    assert looks[500] < 1.5 * looks[50]
    assert len(tell(one()).lives) == 1
