"""The short names of the room: there when they are asked for, and loading nothing before that."""

import subprocess
import sys

import pytest

import callgate.tools
from callgate.tools.builtin import builtin_tools
from callgate.tools.decorator import tool


def test_short_names_are_the_long_ones():
    assert callgate.tools.tool is tool
    assert callgate.tools.builtin_tools is builtin_tools
    assert dir(callgate.tools) == ["builtin_tools", "tool"]


def test_an_unknown_name_says_what_there_is():
    with pytest.raises(AttributeError, match="has no 'toool'; it has builtin_tools, tool"):
        _ = callgate.tools.toool


def test_a_driver_needs_no_library_of_an_extra():
    code = (
        "import sys, callgate.drivers; print({'msgspec', 'rapidfuzz', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
