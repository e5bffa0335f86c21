"""What stays of output that is too large, and what is said of the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.responses.truncation import WIDTH, Cut, Truncation, file_name, truncate

MARKER = "\n... [CONTENT TRUNCATED] ...\n"


def save_to(folder):
    def save(name, text):
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return save


def test_many_lines_keep_a_fifth_from_the_head(tmp_path):
    lines = [f"line {number}" for number in range(2000)]
    cut = truncate("\n".join(lines), "dir/c1", save_to(tmp_path), Truncation(threshold=100))
    assert cut.path == str(tmp_path / "c1.output")
    assert (tmp_path / "c1.output").read_text() == "\n".join(lines)
    head, tail = cut.content.split("Truncated part of the output:\n")[1].split(MARKER)
    assert head.split("\n") == lines[:200]
    assert tail.split("\n") == lines[-800:]
    assert cut.length == len("\n".join(lines))


def test_the_text_names_the_file_and_how_to_read_it(tmp_path):
    cut = truncate("x" * 500, "c1", save_to(tmp_path), Truncation(threshold=100, lines=1))
    assert cut.content == (
        "Tool output was too large and has been truncated.\n"
        f"The full output has been saved to: {tmp_path}/c1.output\n"
        "To read the complete output, use the read_file tool with the absolute file path above."
        " For large files, you can use the offset and limit parameters to read specific sections:\n"
        "- read_file tool with offset=0, limit=100 to see the first 100 lines\n"
        "- read_file tool with offset=N to skip N lines from the beginning\n"
        "- read_file tool with limit=M to read only M lines at a time\n"
        "The truncated output below shows the beginning and end of the content."
        " The marker '... [CONTENT TRUNCATED] ...' indicates where content was removed.\n"
        "This allows you to efficiently examine different parts of the output"
        " without loading the entire file.\n"
        "Truncated part of the output:\n" + MARKER + "x" * (500 - 4 * WIDTH)
    )


def test_few_long_lines_are_wrapped_and_saved_as_wrapped(tmp_path):
    content = "a" * 250 + "\n\n" + "b" * 120
    cut = truncate(content, "c1", save_to(tmp_path), Truncation(threshold=10, lines=5))
    wrapped = ["a" * 120, "a" * 120, "a" * 10, "", "b" * 120]
    assert (tmp_path / "c1.output").read_text().split("\n") == wrapped
    head, tail = cut.content.split("Truncated part of the output:\n")[1].split(MARKER)
    assert head.split("\n") == wrapped[:1]
    assert tail.split("\n") == wrapped[-4:]


@pytest.mark.parametrize("error", [OSError("disk full"), ValueError("embedded null byte")])
def test_a_failure_to_save_is_noted(error):
    def save(_name, _text):
        raise error

    cut = truncate("1\n2\n3\n4\n5\n6\n7", "c1", save, Truncation(threshold=5, lines=5))
    assert cut.path is None
    assert cut.content == f"1{MARKER}4\n5\n6\n7\n[Note: Could not save full output to file]"


@pytest.mark.parametrize(
    ("limits", "content", "applies"),
    [
        (Truncation(threshold=5), "123456", True),
        (Truncation(threshold=5), "12345", False),
        (Truncation(threshold=5), "\N{GRINNING FACE}" * 5, False),
        (Truncation(threshold=5), ["123456"], False),
        (Truncation(threshold=5), None, False),
        (Truncation(threshold=5, enabled=False), "123456", False),
        (Truncation(threshold=0), "123456", False),
        (Truncation(threshold=-1), "123456", False),
        (Truncation(threshold=5, lines=0), "123456", False),
        (Truncation(), "x" * 4_000_000, False),
        (Truncation(), "x" * 4_000_001, True),
    ],
)
def test_only_large_texts_are_cut(limits, content, applies):
    assert limits.applies_to(content) is applies


@pytest.mark.parametrize(
    ("call_id", "name"),
    [
        ("c1", "c1.output"),
        ("dir/c4", "c4.output"),
        ("../../../../etc/passwd", "passwd.output"),
        ("/etc/", "etc.output"),
        ("..", "...output"),
        ("", ".output"),
    ],
)
def test_an_id_never_leads_out_of_the_folder(call_id, name):
    assert file_name(call_id) == name


@given(st.text(alphabet="ab\n", max_size=600), st.integers(1, 12))
def test_nothing_is_lost_and_the_shown_part_is_bounded(content, lines_max):
    cut = Cut.of(content, lines_max)
    assert cut.whole.replace("\n", "") == content.replace("\n", "")
    head, tail = cut.shown.split(MARKER)
    assert cut.whole.startswith(head)
    assert cut.whole.endswith(tail)
    assert tail.count("\n") + 1 <= lines_max
