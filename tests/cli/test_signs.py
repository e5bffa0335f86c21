"""No command dies of a locale: what an encoding lacks is printed as the nearest sign."""

import os
import subprocess
import sys

import pytest

RUN = "import sys; from callgate.cli.main import main; sys.exit(main(sys.argv[1:]))"


def said(encoding, *words, columns=80):
    """What a command prints where standard output has this encoding."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": str(columns)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], env=environment, capture_output=True, check=True
    )
    return done.stdout.decode(encoding)


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_a_machine_is_shown_in_every_encoding(encoding, columns):
    shown = said(encoding, "diagram", "call", columns=columns)
    assert "* => Validating" in shown
    assert "Success +" in shown
    assert "Error x" in shown
    whole = said("utf-8", "diagram", "call", columns=columns)
    assert shown.count("?") == whole.count("?"), "every sign of ours has a nearest one"
    assert list(map(len, shown.splitlines())) == list(map(len, whole.splitlines()))


def test_what_has_no_sign_is_a_question_mark():
    shown = said("ascii", "diagram", "tests.diagrams.machines:Awkward")
    assert "?tat" in shown


def test_a_file_is_utf_8_whatever_the_terminal_is(tmp_path):
    path = tmp_path / "call.mmd"
    said("ascii", "diagram", "tests.diagrams.machines:Awkward", "-o", str(path))
    assert "état" in path.read_text("utf-8")
