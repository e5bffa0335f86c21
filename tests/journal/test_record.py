"""A record is read back equal, the same bytes everywhere; damage is named with its line."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate import Config, Retry, TimePassed, initial, step
from callgate.journal.codec import CLASSES
from callgate.journal.record import Record, RecordError, dumps, loads, read, replay
from callgate.journal.recorder import Recorder
from tests.journal.histories import HOSTILE, KINDS, VECTORS, events, vector_records

LATE = Config(max_parallel=2, retry=Retry(attempts_max=3, backoff_ms=5))
GOOD = dumps(Record(LATE, [TimePassed(at_ms=1), TimePassed(at_ms=2)]))
BIG = "x" * 2_000


@given(st.lists(events, max_size=6), st.sampled_from([Config(), LATE]))
def test_any_history_is_read_back_equal(history, config):
    text = dumps(Record(config, history))
    assert loads(text) == Record(config, history)
    assert dumps(loads(text)) == text
    assert text.isascii(), "lone surrogates and line separators are escaped"
    assert text.count("\n") == len(text.splitlines()) == 1 + len(history), "one line each"


def test_every_kind_of_event_is_generated_and_every_vector_replays():
    assert {kind.__name__ for kind in KINDS} <= set(CLASSES)
    records = vector_records()
    assert len(records) == len(VECTORS) >= 165
    for record in records:
        assert loads(dumps(record)) == record
        assert len(list(replay(record))) == len(record.events)


def test_replay_takes_the_steps_that_were_taken():
    for record in vector_records():
        state = initial(record.config)
        for moment in replay(record):
            taken = step(state, moment.event)
            assert moment.step == taken
            state = taken.state


def test_a_recorder_writes_what_dumps_would(tmp_path):
    record = vector_records()[0]
    path = tmp_path / "run.jsonl"
    with Recorder(path, record.config) as recorder:
        for position, event in enumerate(record.events):
            recorder(event)
            assert read(path).events == record.events[: position + 1], "on the disk already"
    assert path.read_text(encoding="ascii") == dumps(record)
    with pytest.raises(FileExistsError):
        Recorder(path)
    Recorder(path, overwrite=True).close()
    assert read(path) == Record()


@pytest.mark.parametrize("cut", range(1, len(GOOD.splitlines()[-1])))
def test_a_last_line_cut_short_is_left_out_and_said(cut):
    record = loads(GOOD[: -1 - cut], "run.jsonl")
    assert record.events == (TimePassed(at_ms=1),)
    assert GOOD.rstrip("\n").endswith(record.torn + GOOD[-1 - cut : -1])
    assert record.torn


def test_a_last_line_without_its_end_is_kept_if_it_is_whole():
    record = loads(GOOD[:-1])
    assert record == loads(GOOD)
    assert record.torn == ""


HEADER, FIRST, SECOND = GOOD.splitlines(keepends=True)
DAMAGE = {
    "nothing": ("", "f:1: nothing stands here"),
    "no header": (FIRST, "f:1: no header of a record"),
    "torn header": (HEADER[:20], "f:1: "),
    "another format": (HEADER.replace("callgate.record", "x"), "f:1: no header of a record"),
    "another version": (HEADER.replace('"version":1', '"version":2'), "f:1: the version is 2"),
    "more in the header": (HEADER.replace('{"format"', '{"a":1,"format"'), "f:1: the header holds"),
    "bad config": (HEADER.replace('"max_parallel":2', '"max_parallel":0'), "max_parallel is 0"),
    "unknown config": (HEADER.replace("max_parallel", "max_paralel"), "max_paralel"),
    "damage inside": (HEADER + FIRST[:-3] + "\n" + SECOND, "f:2: "),
    "damage before a torn end": (HEADER + "garbage\n" + FIRST[:-5], "f:2: "),
    "damage at the end": (HEADER + FIRST + SECOND[:-3] + "\n", "f:3: "),
    "blank line": (HEADER + "\n" + FIRST, "f:2: '' is no line of JSON"),
    "header again": (HEADER + HEADER, "f:2: "),
    "no such event": (HEADER + '{"TimePast":{"at_ms":1}}\n', "f:2: {'TimePast'"),
    "a value is no event": (HEADER + '{"Allow":{}}\n', "is no event (allowed: one key, of Batch"),
    "two events": (HEADER + '{"TimePassed":{"at_ms":1},"PolicyChanged":{"at_ms":1}}\n', "one key"),
    "no such field": (HEADER + '{"TimePassed":{"at":1}}\n', "f:2: the event cannot be built"),
    "a field lacks": (HEADER + '{"TimePassed":{}}\n', "f:2: the event cannot be built"),
    "a list": (HEADER + "[1]\n", "f:2: [1] is no event"),
    "text as time": (HEADER + '{"TimePassed":{"at_ms":"1"}}\n', "at_ms is '1' (allowed: int)"),
    "true as time": (HEADER + '{"TimePassed":{"at_ms":true}}\n', "at_ms is True (allowed: int)"),
    "no number": (HEADER + '{"TimePassed":{"at_ms":NaN}}\n', "NaN is no JSON"),
    "a key twice": (HEADER + '{"TimePassed":{"at_ms":1,"at_ms":2}}\n', "'at_ms' stands there tw"),
    "wrong class inside": (
        HEADER + '{"CancelRequested":{"scope":{"Allow":{}},"at_ms":1}}\n',
        "scope is Allow(rule='') (allowed: OneCall | Batches | Everything)",
    ),
    "no such plan": (
        HEADER + '{"BatchSubmitted":{"batch_id":"b","requests":[],"plan":"x","at_ms":1}}\n',
        "plan is 'x' (allowed: classic, waves, sequential, or Waves)",
    ),
    "too deep": (HEADER + "[" * 100_000 + "\n", "f:2: "),
    "no text": (HEADER.encode() + b'{"\xff":1}\n', "f:2: "),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_an_error_with_its_line(name):
    text, said = DAMAGE[name]
    with pytest.raises(RecordError) as caught:
        loads(text, "f")
    assert said in str(caught.value)
    assert str(caught.value).startswith("f:")


@given(st.data())
def test_whatever_bytes_are_read_or_refused_with_a_line(data):
    raw = bytearray(GOOD.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    said = "f:"
    try:
        loads(bytes(raw), "f")
    except RecordError as wrong:
        said = str(wrong)
    assert said.startswith("f:")


def test_an_event_that_no_kernel_took_is_named_by_its_line():
    text = HEADER + FIRST + '{"DeliveryAcknowledged":{"batch_id":"b","at_ms":2}}\n'
    assert [len(m.step.effects) for m in replay(loads(text, "f"))] == [0, 1]
    unknown = HEADER + '{"AnswerTold":{"call":9,"approval_id":1,"at_ms":2}}\n'
    with pytest.raises(RecordError, match=r"^f:2: the kernel refuses this event: call 9"):
        list(replay(loads(unknown, "f")))


WRITE = """
import sys
from callgate import *
from callgate.journal.record import Record, dumps
texts = eval(sys.stdin.read())
requests = [Request(f"c{n}", t, {t: n, "b": n, "a": [t]}) for n, t in enumerate(texts)]
sys.stdout.write(dumps(Record(Config(), [
    BatchSubmitted(batch_id="b", requests=requests, at_ms=0),
    CallValidated(call=1, revision=1, epoch=0, verdict=Ask(Confirmation("exec")), at_ms=1)])))
"""


def test_the_same_bytes_under_every_hash_seed():
    def written(seed):
        return subprocess.run(
            [sys.executable, "-c", WRITE],
            input=ascii(HOSTILE).encode(),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout

    first = written("0")
    assert first == written("1") == written("2")
    assert len(loads(first).events) == 2
