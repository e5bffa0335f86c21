"""Reading, listing and searching real files: bounded, contained, and clear when they cannot."""

import asyncio
import base64
import os
import socket
import time

import pytest

from callgate.tools.builtin import Workspace, builtin_tools
from callgate.tools.builtin.reading import LINE_BYTES_MAX, LINES_MAX, TEXT_BYTES_MAX
from callgate.tools.builtin.search import search_text
from callgate.tools.builtin.workspace import OutsideWorkspace
from callgate.tools.protocols import InvalidArguments, ModifiableTool, Tool

BIG = 300_000


def test_all_are_tools_with_a_schema(tools):
    assert all(isinstance(tool, Tool) for tool in tools.by_name.values())
    modifiable = [name for name, tool in tools.by_name.items() if isinstance(tool, ModifiableTool)]
    assert modifiable == ["write_file", "edit_file"]
    for tool in tools.by_name.values():
        assert tool.description
        assert all(item["description"] for item in tool.schema["properties"].values())


# --- read_file ------------------------------------------------------------------------------------


def test_a_text_is_read_as_it_is(tools, space):
    (space / "a.txt").write_bytes("één\r\nzwei\n\nend".encode())
    assert tools.run("read_file", file_path="a.txt") == "één\r\nzwei\n\nend"
    (space / "empty").write_text("")
    assert tools.run("read_file", file_path="empty") == ""


def test_lines_can_be_chosen(tools, space):
    (space / "a.txt").write_text("".join(f"{n}\n" for n in range(10)))
    text = tools.run("read_file", file_path="a.txt", offset=2, limit=3)
    assert text == "2\n3\n4\n[Lines 3 to 5 are shown; go on with offset=5]"
    assert tools.run("read_file", file_path="a.txt", offset=8, limit=3) == "8\n9\n"
    text = tools.run("read_file", file_path="a.txt", offset=10)
    assert text == "[The file has 10 lines; there are none after 10]"


def test_a_big_file_is_read_in_bounded_pieces(tools, space):
    (space / "big").write_text("x\n" * BIG)
    text = tools.run("read_file", file_path="big")
    assert text.endswith(f"[Lines 1 to {LINES_MAX} are shown; go on with offset={LINES_MAX}]")
    text = tools.run("read_file", file_path="big", offset=BIG - 1)
    assert text == "x\n"
    (space / "wide").write_text(("y" * 7_999 + "\n") * 500)
    text = tools.run("read_file", file_path="wide")
    assert len(text) <= TEXT_BYTES_MAX + 100
    assert "go on with offset=125]" in text


def test_a_line_without_end_is_cut(tools, space):
    with (space / "line").open("wb") as file:
        file.truncate(0)
        file.write(b"a" * 5_000_000 + b"\nnext\n")
    text = tools.run("read_file", file_path="line")
    assert text == "a" * LINE_BYTES_MAX + "... [line cut]\nnext\n"


def test_pictures_come_as_they_are_and_other_binaries_are_refused(tools, space):
    (space / "a.png").write_bytes(b"\x89PNG\0")
    data = base64.b64encode(b"\x89PNG\0").decode()
    part = tools.run("read_file", file_path="a.png")
    assert part == {"inlineData": {"mimeType": "image/png", "data": data}}
    (space / "a.bin").write_bytes(b"ab\0c")
    result = tools.run("read_file", file_path="a.bin")
    assert result.error.message == "a.bin is binary (4 bytes): it cannot be read as text."
    with (space / "huge.png").open("wb") as file:
        file.truncate(10_000_001)
    result = tools.run("read_file", file_path="huge.png")
    assert result.error.type == "file_too_large"
    (space / "a.svg").write_text("<svg/>")
    assert tools.run("read_file", file_path="a.svg") == "<svg/>"
    (space / "latin").write_bytes(b"caf\xe9")
    assert tools.run("read_file", file_path="latin") == "caf\N{REPLACEMENT CHARACTER}"


def test_what_is_no_file_says_so_and_never_hangs(tools, space):
    (space / "folder").mkdir()
    os.mkfifo(space / "pipe")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(space / "socket"))
    server.close()
    for name, words in [
        ("missing", "File not found: "),
        ("folder", "folder is a folder, not a file."),
        ("pipe", "pipe is no regular file."),
        ("socket", "socket is no regular file."),
        ("a.txt/b", "File not found"),
    ]:
        result = tools.run("read_file", file_path=name)
        assert words in result.error.message
        assert result.content is None


def test_bad_numbers_are_refused(tools):
    with pytest.raises(InvalidArguments, match='"limit" is 0'):
        tools.build("read_file", file_path="a", limit=0)
    with pytest.raises(InvalidArguments, match='"offset" is -1'):
        tools.build("read_file", file_path="a", offset=-1)


# --- the workspace --------------------------------------------------------------------------------


@pytest.fixture
def secret(space):
    path = space.parent / "secret"
    path.write_text("secret")
    (space / "link").symlink_to(path)
    (space / "up").symlink_to("..")
    (space / "loop").symlink_to("loop")
    (space / "inside").symlink_to("folder")
    (space / "folder").mkdir()
    (space / "folder" / "a.txt").write_text("inside")
    return path


@pytest.mark.parametrize(
    "path",
    [
        *("../secret", "folder/../../secret", "link", "up/secret", "/etc/passwd", "~/x", "~root/x"),
        *("loop", "loop/a", "", "a\0b", "x" * 5000, "../space-not/../secret", "../spacesecret"),
    ],
)
def test_nothing_leads_out(tools, secret, path):
    result = tools.run("read_file", file_path=path)
    assert result.error.type == "path_not_in_workspace"
    with pytest.raises(OutsideWorkspace):
        tools.build("write_file", file_path=path, content="x")
    assert secret.read_text() == "secret"


@pytest.mark.parametrize("path", ["folder/a.txt", "inside/a.txt", "up/space/folder/a.txt"])
def test_where_a_path_ends_counts_not_the_way(tools, secret, path):
    assert tools.run("read_file", file_path=path) == "inside"
    assert tools.run("read_file", file_path=str(tools.root / path)) == "inside"


def test_a_workspace_may_be_told_to_let_out(space, secret):
    read = builtin_tools(Workspace(space, allow_outside=True))[0]
    invocation = read.build({"file_path": "../secret"})
    assert asyncio.run(invocation.execute(None, None)) == "secret"


def test_a_workspace_is_a_folder(tmp_path):
    with pytest.raises(NotADirectoryError, match="missing"):
        Workspace(tmp_path / "missing")


# --- list_directory -------------------------------------------------------------------------------


def test_a_folder_is_listed(tools, secret, space):
    (space / "broken").symlink_to("nowhere")
    text = tools.run("list_directory")
    assert text.split("\n") == [
        "folder/",
        "inside/ (link)",
        "up/ (link)",
        "broken (link)",
        "link (link)",
        "loop (link)",
    ]
    (space / "folder" / "a.txt").unlink()
    assert tools.run("list_directory", dir_path="folder") == "[folder is empty]"
    assert "File not found" in tools.run("list_directory", dir_path="no").error.message


def test_a_large_folder_is_bounded(tools, space):
    for number in range(1_005):
        (space / f"{number:04}").touch()
    lines = tools.run("list_directory").split("\n")
    assert len(lines) == 1_001
    assert lines[-1] == "[5 more of 1005 entries are not shown]"


# --- search_text ----------------------------------------------------------------------------------


@pytest.fixture
def forest(space):
    (space / "b").mkdir()
    (space / ".git").mkdir()
    (space / "a.py").write_text("import os\nx = 1\r\nIMPORT sys\n")
    (space / "b" / "c.txt").write_text("import c\n")
    (space / ".git" / "config").write_text("import git\n")
    (space / "binary").write_bytes(b"import\0")
    os.mkfifo(space / "pipe")
    (space / "link.py").symlink_to("a.py")
    return space


def test_lines_are_found_in_order(tools, forest):
    assert tools.run("search_text", pattern="^import") == "a.py:1: import os\nb/c.txt:1: import c"
    found = tools.run("search_text", pattern="import", ignore_case=True, include="*.py")
    assert found == "a.py:1: import os\na.py:3: IMPORT sys"
    assert tools.run("search_text", pattern="import", dir_path="b") == "b/c.txt:1: import c"
    assert tools.run("search_text", pattern="x = 1$", dir_path="a.py") == "No line matches."
    assert tools.run("search_text", pattern="x = 1", dir_path="a.py") == "a.py:2: x = 1"


def test_hits_are_bounded(tools, space):
    (space / "a").write_text("x" * 1_000 + "\n" + "x\n" * 500)
    lines = tools.run("search_text", pattern="x").split("\n")
    assert len(lines) == 201
    assert lines[-1] == "[200 lines are shown; there may be more]"
    assert len(lines[0]) < 500


def test_a_bad_pattern_or_folder_is_told(tools):
    assert "no regular expression" in tools.run("search_text", pattern="(").error.message
    assert (
        tools.run("search_text", pattern="x", dir_path="..").error.type == "path_not_in_workspace"
    )
    assert (
        "File not found: no" in tools.run("search_text", pattern="x", dir_path="no").error.message
    )


CATASTROPHE = r"(a+)+$"


def test_a_pattern_that_takes_for_ever_is_ended(space, listener):
    (space / "1").write_text("aa\n")
    (space / "2").write_text("a" * 60 + "b\n")

    async def main():
        search = search_text(Workspace(space), seconds_max=1.0)
        return await search.build({"pattern": CATASTROPHE}).execute(listener(), None)

    start = time.monotonic()
    text = asyncio.run(main())
    assert time.monotonic() - start < 15
    assert text == "1:1: aa\n[The search was ended after 1 s; there may be more]"


def test_a_search_can_be_cancelled(space, listener):
    (space / "2").write_text("a" * 60 + "b\n")

    async def main():
        listening = listener()
        search = search_text(Workspace(space)).build({"pattern": CATASTROPHE})
        task = asyncio.ensure_future(search.execute(listening, None))
        await listening.asked.wait()
        listening.cancel()
        return await task

    assert asyncio.run(main()) == "[The search was cancelled; there may be more]"


def test_the_end_of_a_search_is_left_to_asyncio(tools, caplog):
    for _ in range(40):
        tools.run("search_text", pattern="^nothing is like this$")
    assert caplog.messages == [], "somebody else took the news of a process's end"
