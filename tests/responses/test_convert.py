"""Every branch of the conversion, and whatever else Python can return."""

import json
import subprocess
import sys
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import PurePosixPath

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pmap, pvector

from callgate.kernel.frozenjson import freeze
from callgate.responses.convert import SUCCEEDED, error_parts, parts_of, with_error
from callgate.responses.plain import DEPTH_MAX, plain, text_of

PNG = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
PDF = {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://x"}}


def said(response):
    return {"functionResponse": {"id": "c1", "name": "read", "response": response}}


def output(text):
    return said({"output": text})


CASES = {
    "string": ("it", [output("it")]),
    "empty string": ("", [output("")]),
    "list of one string": (["it"], [output("it")]),
    "list of one is unwrapped once": ([["a"]], [output(SUCCEEDED), {"text": "a"}]),
    "list of one null": ([None], [output(SUCCEEDED)]),
    "empty list": ([], [output(SUCCEEDED)]),
    "list": (["a", PNG, None, ""], [output(SUCCEEDED), {"text": "a"}, PNG, {"text": ""}]),
    "list of falsy items": ([0, False], [output(SUCCEEDED), 0, False]),
    "tuple": (("a", "b"), [output(SUCCEEDED), {"text": "a"}, {"text": "b"}]),
    "text part": ({"text": "t"}, [output("t")]),
    "list of one text part": ([{"text": "t"}], [output("t")]),
    "empty text part": ({"text": ""}, [output("")]),
    "null text part": ({"text": None}, [output(SUCCEEDED)]),
    "inline": (PNG, [output("Binary content of type image/png was processed."), PNG]),
    "list of one inline": ([PNG], [output("Binary content of type image/png was processed."), PNG]),
    "file": (PDF, [output("Binary content of type application/pdf was processed."), PDF]),
    "inline without type": (
        {"inlineData": {}},
        [output("Binary content of type unknown was processed."), {"inlineData": {}}],
    ),
    "inline that is no object": (
        {"inlineData": "x"},
        [output("Binary content of type unknown was processed."), {"inlineData": "x"}],
    ),
    "type of the second": (
        {"inlineData": {"mimeType": ""}, **PDF},
        [
            output("Binary content of type application/pdf was processed."),
            {"inlineData": {"mimeType": ""}, **PDF},
        ],
    ),
    "null inline": ({"inlineData": None, "text": "t"}, [output("t")]),
    "function response": (
        {"functionResponse": {"id": "zz", "name": "other", "response": {"output": "kept"}}},
        [said({"output": "kept"})],
    ),
    "function response before binary": (
        {"functionResponse": {"response": {"a": 1}}, **PNG},
        [said({"a": 1})],
    ),
    "function response with content": (
        {"functionResponse": {"response": {"content": [{"text": "a"}, PNG, "b", None]}}},
        [output("ab")],
    ),
    "function response with empty content": (
        {"functionResponse": {"response": {"content": []}}},
        [output("")],
    ),
    "function response with odd content": (
        {"functionResponse": {"response": {"content": "c"}}},
        [said({"content": "c"})],
    ),
    "function response without response": ({"functionResponse": {}}, [said(None)]),
    "function response of nothing": ({"functionResponse": None}, [output(SUCCEEDED)]),
    "function call": ({"functionCall": {"name": "x"}}, [output(SUCCEEDED)]),
    "empty object": ({}, [output(SUCCEEDED)]),
    "null": (None, [output(SUCCEEDED)]),
    "number": (42, [output(SUCCEEDED)]),
}


@pytest.mark.parametrize("case", CASES)
def test_each_branch_of_the_conversion(case):
    content, parts = CASES[case]
    assert parts_of("c1", "read", content) == parts
    assert parts_of("c1", "read", freeze(content)) == parts, "and in the kernel's own form"


def test_errors_and_partial_results():
    assert error_parts("c1", "read", "no") == [said({"error": "no"})]
    partial = parts_of("c1", "read", [*("a", "b"), PNG])
    assert with_error(partial, "E")[0] == said({"output": SUCCEEDED, "error": "E"})
    assert with_error(partial, "E")[1:] == partial[1:]
    assert partial[0] == output(SUCCEEDED), "the parts that were given are unchanged"
    bare = parts_of("c1", "read", {"functionResponse": {}})
    assert with_error(bare, "E") == [said({"error": "E"})]
    odd = parts_of("c1", "read", {"functionResponse": {"response": 7}})
    assert with_error(odd, "E") == [said({"output": 7, "error": "E"})]


class Liar(dict):
    def items(self):
        raise ZeroDivisionError

    def __str__(self):
        raise BaseException("not even a text")

    __repr__ = __str__


class Colour(Enum):
    RED = ("r", 1)


@attrs.frozen
class Point:
    x: int
    y: object = None


@dataclass
class Size:
    width: float


CYCLE: list = []
CYCLE.extend([CYCLE, CYCLE])
DOUBLED: list = []
for _ in range(50):
    DOUBLED = [DOUBLED, DOUBLED]
DEEP: list = []
for _ in range(5000):
    DEEP = [DEEP, 1]

ODD = {
    "bytes": (b"hi", {"inlineData": {"mimeType": "application/octet-stream", "data": "aGk="}}),
    "nan": ([float("nan"), float("-inf"), 1.5], ["nan", "-inf", 1.5]),
    "large number": (1 << 20_000, hex(1 << 20_000)),
    "enum": (Colour.RED, ["r", 1]),
    "attrs": (Point(1, Size(2.0)), {"x": 1, "y": {"width": 2.0}}),
    "set": ({"b", "a", 3}, [3, "a", "b"]),
    "pmap": (pmap({"k": pvector([1])}), {"k": [1]}),
    "ordered": (OrderedDict({1: 2, None: 3}), {"1": 2, "None": 3}),
    "time": (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
    "path": (PurePosixPath("/a/b"), "/a/b"),
    "object": (object(), "<object>"),
    "function": (len, "<built-in function len>"),
    "class": (Point, "<class 'Point'>"),
    "liar": ({"a": Liar(x=1)}, {"a": "<Liar that has no text>"}),
    "exception": (ValueError("why"), "why"),
}


@pytest.mark.parametrize("case", ODD)
def test_whatever_python_returns_becomes_json(case):
    value, expected = ODD[case]
    got = plain(value)
    if case == "class":
        assert got.startswith("<class ")
    else:
        assert got == expected
    json.dumps(parts_of("c1", "read", value), allow_nan=False)


@pytest.mark.parametrize("value", [CYCLE, DOUBLED, DEEP, {"deep": DEEP}])
def test_endless_values_end(value):
    copied = plain(value)
    freeze(copied)  # within the limits of the kernel
    assert "left out" in json.dumps(copied)


def test_addresses_never_show():
    assert text_of(lambda: None) == text_of(lambda: None)
    assert "0x" not in text_of(x for x in ())


def test_depth_that_the_kernel_takes_is_kept():
    value = "leaf"
    for _ in range(DEPTH_MAX):
        value = [value, 1]
    assert plain(value) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["functionResponse", "response", "content", "inlineData", "text"])
            | st.text(max_size=3),
            inner,
            max_size=3,
        )
    ),
)


@given(JSON)
def test_any_json_gives_parts_that_answer_the_call(content):
    before = json.dumps(content)
    parts = parts_of("c1", "read", content)
    assert json.dumps(content) == before
    first, *rest = parts
    assert set(first) == {"functionResponse"}
    assert (first["functionResponse"]["id"], first["functionResponse"]["name"]) == ("c1", "read")
    assert None not in rest
    assert not any(isinstance(part, str) for part in rest)
    error = with_error(parts, "E")[0]["functionResponse"]["response"]
    assert error["error"] == "E"


def test_same_bytes_for_every_hash_seed():
    program = (
        "from callgate.responses.plain import plain; import json;"
        "print(json.dumps(plain({'set': {'a', 'b', 'c', 1, None, ('x',)}, 'object': object()})))"
    )
    written = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(written) == 1
