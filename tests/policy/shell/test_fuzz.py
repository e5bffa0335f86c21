"""Lines that nobody thought of: disguises by construction, and soups of what a shell finds special.

Rule 1: bash is the oracle. What is allowed is run, and must leave no marker.
"""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.policy.shell.deciding import is_allowed
from tests.policy.shell.hostile import HARMLESS_PREFIXES
from tests.policy.shell.oracle import BASH, has_effect, leave_no_template

needs_bash = pytest.mark.skipif(BASH is None, reason="the oracle is a real bash: there is none")
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
SPELLINGS = (
    *(
        "touch",
        "'touch'",
        '"touch"',
        "to'u'ch",
        "t\\ouch",
        "$'touch'",
        "$(echo touch)",
        "`echo touch`",
    ),
    *("/usr/bin/touch", "${x:-touch}", "/usr/bin/touc?", "$'\\x74ouch'", "to\\\nuch"),
)
WRAPPERS = (
    *(
        "env ",
        "timeout 9 ",
        "nice -n 1 ",
        "command ",
        "nohup ",
        "time ",
        "exec ",
        "xargs -r0 ",
        "eval ",
    ),
    *("LC_ALL=C ", "env LC_ALL=C ", "setsid -w ", "stdbuf -oL ", "builtin command ", "! ", "\\\n"),
)
AROUND = (
    *("ls; {}", "ls && {}", "false || {}", "ls | {}", "{} & wait", "({})", "{{ {}; }}", "ls\n{}\n"),
    *("echo $({})", "echo `ls; {}`", 'echo "$({})"', "cat <({})", "x=$({})", "ls $(echo $({}))"),
    *(
        "if true; then {}; fi",
        "for i in 1; do {}; done",
        "case a in *) {};; esac",
        "[[ -n $({}) ]]",
    ),
    *("while {}; do break; done", "cat <<E\n$({})\nE", "echo ${{x:-$({})}}", "echo $((1+$({})1))"),
)
SPECIAL = (
    *(
        "touch marker",
        "$(touch marker)",
        "`touch marker`",
        "touch",
        "marker",
        "a[$(touch marker)]",
        "'",
    ),
    *(
        '"',
        "\\",
        "$",
        "`",
        "$(",
        ")",
        "(",
        "{",
        "}",
        "${",
        "x",
        "a",
        "1",
        ";",
        "&",
        "&&",
        "|",
        "||",
    ),
    *(
        "\n",
        "\\\n",
        " ",
        " ",
        " ",
        "\t",
        "<",
        "<<",
        "<<<",
        "<(",
        ">(",
        "<<E\n",
        "\nE\n",
        "<<'E'\n",
        ">",
    ),
    *(
        "2>&1",
        "/dev/null",
        "#",
        "!",
        "[[",
        "]]",
        "-eq",
        "-v",
        "=",
        "+=",
        "==",
        "-n",
        "-e",
        "-o",
        "if",
    ),
    *(
        "then",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "case",
        "esac",
        ";;",
        "$'",
        '$"',
        "\\'",
        '\\"',
        "*",
        "?",
    ),
    *(
        "[",
        "]",
        "~",
        "{a,b}",
        "$x",
        "$((",
        "))",
        "${x:-",
        "#}",
        "@",
        "%",
        "&>",
        "|&",
        "x='touch marker'",
    ),
    *("'touch marker'", '"touch marker"', "-c", "--", "w marker", "-omarker", "-exec", "{}", "\\;"),
    *('BEGIN{system("touch marker")}', 'print > "marker"', "./bin/ls", "PATH=bin:$PATH", "\r", "é"),
)
STARTS = (
    *(
        "ls",
        "echo",
        "cat",
        "sed",
        "awk",
        "sort",
        "find",
        "git log",
        "test",
        "[",
        "printf",
        "read",
        "env",
    ),
    *(
        "export",
        "declare",
        "timeout 9",
        "xargs",
        "bash -c",
        "eval",
        "command",
        "time",
        "tar",
        "uniq",
    ),
)


@pytest.fixture(scope="module", autouse=True)
def no_template_is_left():
    """The folder that lines are run in goes away."""
    yield
    leave_no_template()


@st.composite
def disguised(draw):
    """A line that runs `touch marker`, wrapped and nested in some way."""
    wrappers = "".join(draw(st.lists(st.sampled_from(WRAPPERS), max_size=2)))
    line = f"{wrappers}{draw(st.sampled_from(SPELLINGS))} marker"
    for around in draw(st.lists(st.sampled_from(AROUND), max_size=2)):
        line = around.format(line)
    return line


@given(disguised())
@settings(max_examples=1_000, deadline=None, suppress_health_check=SLOW)
def test_no_disguise_is_allowed(line):
    assert not is_allowed(line, HARMLESS_PREFIXES)


@needs_bash
def test_disguises_are_real_lines():
    """Most of them do make the marker, so that the test above means something."""
    spellings = itertools.cycle(SPELLINGS)
    lines = [around.format(f"{next(spellings)} marker") for around in AROUND * 2]
    lines += [f"{wrapper}touch marker" for wrapper in WRAPPERS]
    assert sum(map(has_effect, lines)) >= 0.75 * len(lines)


@needs_bash
@given(
    st.sampled_from(STARTS),
    st.lists(st.tuples(st.sampled_from(SPECIAL), st.sampled_from(("", "", " "))), max_size=8),
)
@settings(max_examples=600, deadline=None, suppress_health_check=SLOW)
def test_what_is_allowed_of_a_soup_leaves_no_marker(start, pieces):
    line = f"{start} " + "".join(text + blank for text, blank in pieces)
    if is_allowed(line, HARMLESS_PREFIXES) and ("marker" in line or "bin" in line):
        assert not has_effect(line), line
