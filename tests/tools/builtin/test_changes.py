"""Writing and editing real files: what was shown is what is written, whole or not at all."""

import asyncio
import os
import resource
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.kernel.frozenjson import freeze_object
from callgate.kernel.values import Outcome
from callgate.tools.builtin.changing import ChangingTool
from callgate.tools.builtin.diffs import LINES_MAX, unified
from callgate.tools.builtin.files import EDIT_BYTES_MAX
from callgate.tools.protocols import InvalidArguments

YES = Outcome.PROCEED_ONCE


def execute(invocation, listener):
    async def main():
        listening = listener()
        return await invocation.execute(listening, listening)

    return asyncio.run(main())


def test_a_new_file_is_written_with_its_folders(tools, space):
    result = tools.run("write_file", file_path="a/b/c.txt", content="one\n")
    assert (space / "a/b/c.txt").read_text() == "one\n"
    assert result.content == "Created a/b/c.txt: 4 characters."
    assert result.display["fileDiff"] == "--- Current\n+++ Proposed\n@@ -0,0 +1 @@\n+one\n"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((space / "a/b/c.txt").stat().st_mode) == 0o666 & ~mask


def test_the_model_is_told_the_difference_where_it_is_short(tools, space):
    (space / "a.txt").write_text("one\ntwo\n")
    args = {"file_path": "a.txt", "old_string": "one", "new_string": "1"}
    told = tools.run("edit_file", **args).content
    assert told == "Changed a.txt.\n--- Current\n+++ Proposed\n@@ -1,2 +1,2 @@\n-one\n+1\n two"
    told = tools.run("write_file", file_path="a.txt", content="x\n" * 5_000).content
    assert told == "Changed a.txt."
    told = tools.run("write_file", file_path="a.txt", content="x\n" * 5_000).content
    assert told == "a.txt has this text already."


def test_half_a_character_is_refused(tools, space):
    with pytest.raises(InvalidArguments, match=r"character 1 of the new text of a\.txt is half"):
        tools.build("write_file", file_path="a.txt", content="x\ud83d")


def test_a_question_shows_the_change(tools, space):
    (space / "a.txt").write_text("one\ntwo\n")
    question = tools.build("write_file", file_path="a.txt", content="one\n2").should_confirm()
    assert question.kind == "edit"
    assert question.details == {
        "fileName": "a.txt",
        "filePath": str(space / "a.txt"),
        "fileDiff": (
            "--- Current\n+++ Proposed\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
            "\\ No newline at end of file\n"
        ),
        "originalContent": "one\ntwo\n",
        "newContent": "one\n2",
        "isNewFile": False,
    }


def test_mode_newlines_and_mark_are_kept(tools, space):
    path = space / "run.bat"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    path.chmod(0o751)
    tools.run("edit_file", file_path="run.bat", old_string="one\ntwo", new_string="1\n2\n3")
    assert path.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n3\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    tools.run("write_file", file_path="run.bat", content="a\r\nb\n")
    assert path.read_bytes() == b"\xef\xbb\xbfa\r\nb\r\n"


def test_a_file_of_mixed_newlines_keeps_the_rest_byte_by_byte(tools, space):
    path = space / "mixed"
    path.write_bytes(b"one\r\ntwo\nthree\rfour")
    tools.run("edit_file", file_path="mixed", old_string="two\n", new_string="2\n")
    assert path.read_bytes() == b"one\r\n2\nthree\rfour"


def test_links_stay_links(tools, space):
    (space / "real").write_text("old")
    (space / "link").symlink_to("real")
    tools.run("write_file", file_path="link", content="new")
    assert (space / "link").is_symlink()
    assert (space / "real").read_text() == "new"


def test_a_text_must_be_there_exactly_as_often_as_said(tools, space):
    (space / "a.py").write_text("def one():\n    pass\n\ndef two():\n    pass\n")

    def fails(words, **args):
        with pytest.raises(InvalidArguments) as caught:
            tools.build("edit_file", file_path="a.py", **args)
        assert words in str(caught.value)

    fails(
        'is not in a.py. The nearest line, 1, is "def one():"'.replace('"d', "'d").replace(
            ':"', ":'"
        ),
        old_string="def  one():",
        new_string="",
    )
    fails("is in a.py 2 times, 1 expected", old_string="    pass\n", new_string="")
    fails(
        "is in a.py 2 times, 3 expected", old_string="pass", new_string="", expected_replacements=3
    )
    fails("are equal", old_string="pass", new_string="pass")
    fails('"old_string" is empty, but a.py has a text', old_string="", new_string="x")
    with pytest.raises(InvalidArguments, match=r"b\.py does not exist"):
        tools.build("edit_file", file_path="b.py", old_string="x", new_string="y")
    args = {"old_string": "pass", "new_string": "return", "expected_replacements": 2}
    tools.run("edit_file", file_path="a.py", **args)
    assert (space / "a.py").read_text().count("return") == 2
    tools.run("edit_file", file_path="new/b.py", old_string="", new_string="y")
    assert (space / "new/b.py").read_text() == "y"


def test_replacement_is_literal(tools, space):
    (space / "a").write_text(r"a.b \1 {x}")
    tools.run("edit_file", file_path="a", old_string=r"\1 {x}", new_string=r"\g<0> {y} $1")
    assert (space / "a").read_text() == r"a.b \g<0> {y} $1"


@pytest.mark.parametrize("name", ["write_file", "edit_file"])
def test_what_is_no_text_is_never_changed(tools, space, name):
    (space / "folder").mkdir()
    (space / "binary").write_bytes(b"a\0b")
    (space / "latin").write_bytes(b"caf\xe9")
    os.mkfifo(space / "pipe")
    with (space / "huge").open("wb") as file:
        file.truncate(EDIT_BYTES_MAX + 1)
    args = {"content": "x"} if name == "write_file" else {"old_string": "a", "new_string": "b"}
    for path, words in [
        ("folder", "folder is a folder"),
        ("binary", "binary is binary"),
        ("latin", "latin is no UTF-8 text"),
        ("pipe", "pipe is no regular file"),
        ("huge", "at most"),
    ]:
        with pytest.raises(InvalidArguments, match=words):
            tools.build(name, file_path=path, **args)
    assert (space / "binary").read_bytes() == b"a\0b"


def test_a_change_that_a_person_agreed_to_is_not_made_to_another_file(tools, space, listener):
    path = space / "a.txt"
    path.write_text("one\ntwo\n")
    invocation = tools.build("edit_file", file_path="a.txt", old_string="one", new_string="1")
    question = invocation.should_confirm()
    question.told(YES, None)
    path.write_text("one\nTWO\n")
    result = execute(invocation, listener)
    assert result.error.type == "file_changed"
    assert "a.txt changed after it was shown: nothing was written" in result.error.message
    assert path.read_text() == "one\nTWO\n"
    again = tools.build("edit_file", file_path="a.txt", old_string="one", new_string="1")
    again.should_confirm().told(YES, None)
    assert execute(again, listener).error is None
    assert path.read_text() == "1\nTWO\n"


def test_a_file_that_vanishes_or_appears_after_the_yes_is_noticed(tools, space, listener):
    path = space / "a.txt"
    new = tools.build("write_file", file_path="a.txt", content="mine")
    new.should_confirm().told(YES, None)
    path.write_text("theirs")
    assert execute(new, listener).error.type == "file_changed"
    assert path.read_text() == "theirs"
    old = tools.build("write_file", file_path="a.txt", content="mine")
    old.should_confirm().told(YES, None)
    path.unlink()
    assert execute(old, listener).error.type == "file_changed"
    assert not path.exists()


def test_without_a_person_two_edits_of_one_file_both_count(tools, space, listener):
    path = space / "a.txt"
    path.write_text("one\ntwo\n")
    first = tools.build("edit_file", file_path="a.txt", old_string="one", new_string="1")
    second = tools.build("edit_file", file_path="a.txt", old_string="two", new_string="2")
    first.should_confirm()
    second.should_confirm()
    execute(first, listener)
    execute(second, listener)
    assert path.read_text() == "1\n2\n"
    third = tools.build("edit_file", file_path="a.txt", old_string="1", new_string="one")
    path.write_text("x\n")
    assert execute(third, listener).error.type == "edit_not_possible"


def test_a_link_that_is_turned_outside_after_the_yes_is_not_followed(tools, space, listener):
    outside = space.parent / "outside.txt"
    outside.write_text("safe")
    (space / "in.txt").write_text("safe")
    (space / "link").symlink_to("in.txt")
    invocation = tools.build("write_file", file_path="link", content="x")
    invocation.should_confirm().told(YES, None)
    (space / "link").unlink()
    (space / "link").symlink_to(outside)
    assert execute(invocation, listener).error.type == "path_not_in_workspace"
    assert outside.read_text() == "safe"


@pytest.mark.parametrize(
    ("name", "args"),
    [("write_file", {"content": "new\n"}), ("edit_file", {"old_string": "o", "new_string": "n"})],
)
def test_what_a_person_edits_is_what_is_written(tools, space, listener, name, args):
    path = space / "a.txt"
    path.write_text("old\n")
    tool = tools.by_name[name]
    asked = freeze_object({"file_path": "a.txt", **args})
    assert isinstance(tool, ChangingTool)
    assert tool.file_path(asked) == str(path)
    assert tool.current_content(asked) == "old\n"
    assert tool.proposed_content(asked) in ("new\n", "nld\n")
    edited = freeze_object(tool.updated_args(asked, "edited\n"))
    assert execute(tool.build(edited), listener).error is None
    assert path.read_text() == "edited\n"
    path.write_text("")
    empty = freeze_object(
        tool.updated_args(
            freeze_object({**asked, "old_string": ""}) if name == "edit_file" else asked,
            "from nothing",
        )
    )
    if name == "write_file":
        with pytest.raises(InvalidArguments, match="changed after it was shown"):
            tool.build(empty)
    else:
        execute(tool.build(empty), listener)
        assert path.read_text() == "from nothing"


@pytest.mark.parametrize(
    ("name", "args"),
    [("write_file", {"content": "new\n"}), ("edit_file", {"old_string": "o", "new_string": "n"})],
)
def test_an_edit_of_what_was_shown_is_not_written_over_something_else(tools, space, name, args):
    path = space / "a.txt"
    path.write_text("old\n")
    tool = tools.by_name[name]
    asked = freeze_object({"file_path": "a.txt", **args})
    tool.build(asked).should_confirm()
    path.write_text("older\n")
    edited = freeze_object(tool.updated_args(asked, "edited\n"))
    with pytest.raises(InvalidArguments, match="changed after it was shown"):
        tool.build(edited)
    assert path.read_text() == "older\n"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tools, space, listener):
    (space / "a.txt").write_text("old")
    invocation = tools.build("write_file", file_path="a.txt", content="new" * 100_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        result = execute(invocation, listener)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.error.type == "file_system_error"
    assert "File too large" in result.error.message
    assert [path.name for path in space.iterdir()] == ["a.txt"]
    assert (space / "a.txt").read_text() == "old"


def test_a_cancelled_change_is_not_made(tools, space, listener):
    invocation = tools.build("write_file", file_path="a.txt", content="new")

    async def main():
        listening = listener()
        listening.cancel()
        return await invocation.execute(listening, listening)

    assert asyncio.run(main()).error.type == "cancelled"
    assert not (space / "a.txt").exists()


# --- diffs ----------------------------------------------------------------------------------------


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "\r"]), max_size=30).map("\n".join)


@given(LINES, LINES, st.booleans(), st.booleans())
def test_a_diff_leads_from_the_one_to_the_other(one, other, ends, also):
    head = "".join(f"{n}\n" for n in range(20))
    one, other = head + one + "\n" * ends, head + other + "\n" * also
    diff = unified(one, other)
    if one == other:
        assert diff == ""
        return
    assert rebuilt(one, diff) == other


def rebuilt(current, diff):
    """Apply a unified diff by its own line numbers."""
    source, out, at = current.split("\n"), [], 0
    if source[-1] == "":
        source.pop()
    body = diff.split("\n")[2:-1]
    ends_without = False
    for index, line in enumerate(body):
        if line.startswith("@@"):
            start = line.split()[1].lstrip("-").split(",")
            first = int(start[0]) - (0 if start[1:] == ["0"] else 1)
            out += source[at:first]
            at = first
        elif line.startswith("\\"):
            ends_without = body[index - 1][0] in "+ "
        elif line.startswith("+"):
            out.append(line[1:])
        else:
            assert source[at] == line[1:]
            if line.startswith(" "):
                out.append(line[1:])
            at += 1
    touched_end = at == len(source)
    out += source[at:]
    without = ends_without if touched_end else not current.endswith("\n")
    return "\n".join(out) + ("" if without or not out else "\n")


def test_a_change_in_a_large_file_is_found_quickly():
    lines = [f"{number}\n" for number in range(500_000)]
    changed = [*lines[:250_000], "new\n", *lines[250_001:]]
    assert unified("".join(lines), "".join(changed)) == (
        "--- Current\n+++ Proposed\n@@ -249998,7 +249998,7 @@\n 249997\n 249998\n 249999\n"
        "-250000\n+new\n 250001\n 250002\n 250003\n"
    )


def test_a_change_that_nobody_could_read_is_counted():
    text = unified("a\n" * LINES_MAX, "b\n" * LINES_MAX)
    assert text == f"--- Current\n+++ Proposed\n({LINES_MAX} lines become {LINES_MAX}: not shown)\n"
