"""A file says itself what it is: a record, a vector, or nothing of the kind."""

import json

import pytest

from callgate.journal.loading import load, load_bytes
from callgate.journal.record import RecordError, dumps
from tests.journal.histories import VECTORS


def test_a_record_and_a_vector_of_the_same_run_are_equal(tmp_path):
    for path in VECTORS:
        from_vector = load(path)
        record = tmp_path / "x.jsonl"
        record.write_text(dumps(from_vector), encoding="ascii")
        assert load(record) == from_vector
        steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
        assert len(from_vector.events) == sum("error" not in step for step in steps)


def test_a_pretty_printed_vector_is_a_vector_too():
    text = json.dumps(json.loads(VECTORS[0].read_text(encoding="utf-8")), indent=4)
    assert load_bytes(text.encode(), "f") == load(VECTORS[0])


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "f:1: '' is no line of JSON"),
        (b"{}", "f:1: this tells no run"),
        (b"[1, 2]", "f:1: this tells no run"),
        (b'{"spec": "9", "steps": []}', "spec is '9' (allowed: '0.1')"),
        (b'{"spec": "0.1", "steps": [1]}', "steps is no list of objects"),
        (b'{"spec": "0.1", "steps": [{}]}', "steps[0]: None is no event"),
        (b'{"spec": "0.1", "config": {"a": 1}, "steps": []}', "the config cannot be built"),
    ],
)
def test_anything_else_is_refused(raw, said):
    with pytest.raises(RecordError) as caught:
        load_bytes(raw, "f")
    assert said in str(caught.value)
