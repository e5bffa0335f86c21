"""Events of every kind with hostile texts, and real histories: what a record must carry."""

import json
from pathlib import Path

from hypothesis import strategies as st

from callgate import Ask, Confirmation, Request
from callgate.journal.loading import load
from callgate.kernel import events as e
from callgate.kernel import values as v
from callgate.kernel.plans import Waves

VECTORS = sorted((Path(__file__).parents[2] / "statemachine_spec" / "vectors").glob("*.json"))
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\ud800 alone \udfff",
    "line\nline\r\n\u2028\u2029\x85",
    "\x00\x1b[31m\x7f\ufeff",
    "\u202eright to left",
    '"; #1; %%{init: {}}%% -->>',
    "]]>&amp;&#x27;'`${x}",
]
SURROGATES = st.characters(min_codepoint=0, max_codepoint=0x10FFFF)
texts = st.sampled_from(HOSTILE) | st.text(alphabet=SURROGATES, max_size=8)
numbers = st.integers(0, 2**63)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
objects = st.dictionaries(texts, json_values, max_size=3)
failures = st.builds(v.Failure, texts, texts, st.booleans())
confirmations = st.builds(Confirmation, texts, objects, st.booleans(), st.booleans(), st.booleans())
verdicts = st.one_of(
    st.builds(v.Allow, texts),
    st.builds(Ask, confirmations, texts),
    st.builds(v.Deny, texts, texts),
    st.builds(v.Failed, failures),
)
requests = st.builds(
    Request,
    texts,
    texts,
    objects,
    st.none() | st.builds(v.Unknown, texts) | st.builds(v.Invalid, texts),
    st.booleans(),
    st.none() | numbers,
)
plans = st.sampled_from(["classic", "waves", "sequential"]) | st.builds(
    Waves, st.lists(st.integers(1, 9), max_size=3), st.booleans()
)
_FIELDS = {
    "batch_id": texts,
    "requests": st.lists(requests, max_size=3),
    "plan": plans,
    "at_ms": st.integers(),
    "call": numbers,
    "revision": numbers,
    "epoch": numbers,
    "approval_id": numbers,
    "attempt": numbers,
    "verdict": verdicts,
    "outcome": st.sampled_from([*v.Outcome, "banana"]),
    "reason": texts,
    "edit": json_values,
    "failure": st.none() | failures,
    "content": json_values,
    "failed": st.booleans(),
    "built": st.one_of(
        st.builds(v.Rebuilt, objects, confirmations),
        st.builds(v.Deny, texts),
        st.builds(v.Failed, failures),
    ),
    "output": json_values,
    "pid": st.none() | numbers,
    "progress": st.none() | st.floats(0, 1),
    "then": st.sampled_from(["fail", "rerun"]) | confirmations,
    "scope": st.one_of(
        st.builds(e.OneCall, numbers),
        st.builds(e.Batches, st.lists(texts, max_size=2)),
        st.just(e.Everything()),
    ),
    "ok": st.booleans(),
}
_RESULTS = {
    e.ApprovalAnswered: st.none() | st.builds(v.Ok, json_values),
    e.ExecutionFinished: st.builds(v.Ok, json_values) | st.builds(v.Failed, failures),
}
KINDS = e.Event.__args__


def _event(kind):
    names = [field.name for field in kind.__attrs_attrs__]
    fields = {name: _FIELDS[name] for name in names if name != "result"}
    if "result" in names:
        fields["result"] = _RESULTS[kind]
    return st.builds(kind, **fields)


events = st.one_of([_event(kind) for kind in KINDS])


def vector_records():
    """The histories of all vectors, each a legal run."""
    return [load(path) for path in VECTORS]


def vector(name):
    """A vector as JSON."""
    return json.loads(next(p for p in VECTORS if p.stem == name).read_text(encoding="utf-8"))
