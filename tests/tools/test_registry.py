"""The registry: exact names, near names, and what is no tool."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.tools.registry import Registry, distance, registry_of, suggestion
from tests.drivers.doubles import Editable, Tool

words = st.text("abc", max_size=6)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["read"], ' Did you mean "read"?'),
        (["shell", "read"], ' Did you mean one of: "read", "shell"?'),
        (["x", "shell", "red", "read"], ' Did you mean one of: "red", "read", "x"?'),
        (["bb", "aa", "cc", "xx"], ' Did you mean one of: "bb", "aa", "cc"?'),
    ],
)
def test_the_nearest_names_and_ties_by_registration(names, text):
    assert suggestion("reed", names) == text


@given(words, words, words)
def test_distance_is_a_metric(one, other, third):
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, third) <= distance(one, other) + distance(other, third)
    assert abs(len(one) - len(other)) <= distance(one, other) <= max(len(one), len(other))


def test_names_are_exact_and_unique():
    registry = Registry([Tool("read"), Tool("write")])
    assert registry.names == ("read", "write")
    assert registry.get("Read") is None
    assert len(registry) == len(list(registry)) == 2
    assert registry_of(registry) is registry
    with pytest.raises(ValueError, match="'read' is registered already"):
        registry.add(Tool("read"))


@pytest.mark.parametrize("nonsense", [print, object(), "read"])
def test_what_is_no_tool_is_refused(nonsense):
    with pytest.raises(TypeError, match="is no tool"):
        Registry([nonsense])


def test_what_a_tool_says_of_itself_is_read_once():
    more = {"server": "docs", "annotations": {"readOnly": True}, "timeout_ms": 5, "parallel": False}
    entry = Registry([Editable("edit", **more)]).get("edit")
    assert (entry.modifiable, entry.server, entry.timeout_ms) == (True, "docs", 5)
    assert (entry.parallel, entry.truncates) == (False, False)
    assert entry.annotations == {"readOnly": True}
    assert not Registry([Tool("read")]).get("read").modifiable
    assert Registry([Tool("run_shell_command")]).get("run_shell_command").truncates
