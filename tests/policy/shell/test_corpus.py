"""The hostile corpus is never allowed and really is hostile; the harmless one is allowed."""

import os
import shutil

import pytest

from callgate.policy.shell import understand
from tests import programs
from tests.policy.shell.deciding import is_allowed, why_not
from tests.policy.shell.harmless import HARMLESS, READING
from tests.policy.shell.hostile import HARMLESS_PREFIXES, HOSTILE, LINES
from tests.policy.shell.oracle import BASH, has_effect, leave_no_template

# Programs of the hostile lines, each with the package that brings it; one name says both.
NEEDED = {
    **dict.fromkeys(
        [
            "git",
            "rg",
            "tar",
            "gawk",
            "mawk",
            "jq",
            "tree",
            "sed",
            "ed",
            "vim",
            "make",
            "npm",
            "perl",
            "python3",
        ]
    ),
    **dict.fromkeys(
        [
            "rsync",
            "curl",
            "zip",
            "unzip",
            "less",
            "bzip2",
            "strace",
            "sqlite3",
            "patch",
            "dash",
            "sudo",
        ]
    ),
    "rg": "ripgrep",
    "fdfind": "fd-find",
    "node": "nodejs",
    "ssh": "openssh-client",
    "xz": "xz-utils",
    "gzip": "gzip",
    "xxd": "xxd",
    "iconv": "libc-bin",
    **dict.fromkeys(("prlimit", "choom", "linux64", "flock"), "util-linux"),
    "script": "bsdutils",
}
MISSING = [program for program in NEEDED if shutil.which(program) is None]
SHARDS = 24
RUN = LINES if os.environ.get("CI") else LINES[::6]
"Running a line costs a tenth of a second: every sixth here, every line in CI (CI=1)."


@pytest.fixture(scope="module", autouse=True)
def no_template_is_left():
    """The folder that lines are run in goes away."""
    yield
    leave_no_template()


def test_the_corpora_are_as_large_as_promised():
    assert len(HOSTILE) >= 40
    assert all(len(lines) >= 3 for lines in HOSTILE.values())
    assert len(LINES) >= 600
    assert len(HARMLESS) >= 150


@pytest.mark.parametrize("technique", HOSTILE)
def test_no_list_of_harmless_prefixes_allows_a_hostile_line(technique):
    allowed = [line for line in HOSTILE[technique] if is_allowed(line, HARMLESS_PREFIXES)]
    assert allowed == []


@pytest.fixture(scope="module")
def every_program():
    """In CI what is missing is installed; elsewhere the test below is skipped without it."""
    for program in MISSING:
        assert programs.find((program,), NEEDED[program] or program)


@pytest.mark.skipif(BASH is None, reason="the oracle is a real bash, and there is none here")
@pytest.mark.skipif(
    bool(MISSING) and not os.environ.get("CI"),
    reason=f"outside CI the oracle may lack programs; here it lacks {MISSING}",
)
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.usefixtures("every_program")
def test_each_hostile_line_has_its_effect_in_a_real_bash(shard):
    without = [pair for pair in RUN[shard::SHARDS] if not has_effect(pair[1])]
    assert without == []


def test_ninety_eight_percent_of_the_harmless_lines_are_allowed():
    refused = {line: why_not(line, prefixes) for prefixes, line in HARMLESS}
    refused = {line: reason for line, reason in refused.items() if reason}
    assert len(refused) <= 0.02 * len(HARMLESS), refused


@pytest.mark.parametrize("line", [line for _, line in HARMLESS])
def test_every_command_of_a_harmless_line_is_needed(line):
    """Nothing is allowed by an empty list: what was understood was also decided."""
    understanding = understand(line)
    if understanding.commands:
        assert not is_allowed(line, [])


def test_a_harmless_line_with_a_hostile_command_is_not_allowed():
    for _, line in HARMLESS:
        for joined in (f"{line.rstrip()}\ntouch marker", f"touch marker; {line}"):
            assert not is_allowed(joined, READING), joined
