"""Edits: in the person's editor, inline, and what becomes of bad ones."""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import pytest

from callgate.drivers.editor import CommandEditor
from callgate.drivers.errors import EditorFailed
from callgate.policy.decisions import Decision, Effect
from tests.drivers.doubles import Editable, Question, ToolScheduler, asks, play, settle
from tests.processes import is_alive

EDIT = Question("edit")


class Editor:
    def __init__(self, content=None, error=None):
        self.content, self.error, self.seen = content, error, []

    async def edit(self, *, path, current, proposed):
        self.seen.append((path, current, proposed))
        await asyncio.sleep(60)
        if self.error:
            raise self.error
        return proposed if self.content is None else self.content


def edited(editor, *answers, **choices):
    """Play a call through these answers, a minute apart."""
    tool = Editable(does=lambda call, *_: call.giving(dict(call.args)), question=EDIT)

    async def scene():
        watch = {"on_error": lambda *_: None}
        async with ToolScheduler([tool], editor=editor, **watch, **choices) as scheduler:
            batch = scheduler.schedule(asks("a", path="d/a.txt", content="new\n"))
            shown = []
            for outcome, edit in answers:
                await asyncio.sleep(61)
                shown.append(scheduler.state.batch.calls[0])
                assert scheduler.approve("a", outcome, edit=edit)
            return (await batch)[0], shown

    return play(scene)


def test_what_runs_is_what_was_shown_last():
    editor = Editor("from the editor\n")
    call, shown = edited(editor, ("modify_with_editor", None), ("proceed_once", None))
    assert editor.seen == [("d/a.txt", "old\n", "new\n")]
    assert shown[1].approval_id == 2
    details = shown[1].confirmation.details
    assert details["newContent"] == "from the editor\n"
    assert details["fileName"] == "a.txt"
    assert "+from the editor" in details["fileDiff"]
    assert call.value == call.args == {"path": "d/a.txt", "content": "from the editor\n"}


def test_an_unchanged_file_is_an_answer_too():
    call, shown = edited(Editor(), ("modify_with_editor", None), ("proceed_once", None))
    assert [waiting.approval_id for waiting in shown] == [1, 2]
    assert call.value["content"] == "new\n"


def test_an_editor_that_fails_has_changed_nothing():
    call, shown = edited(
        Editor(error=EditorFailed("exit code 1")),
        ("modify_with_editor", None),
        ("proceed_once", None),
    )
    assert [waiting.approval_id for waiting in shown] == [1, 1]
    assert call.value["content"] == "new\n"


def test_an_inline_edit_runs_at_once_the_empty_text_too():
    call, _ = edited(None, ("proceed_once", ""))
    assert (call.value["content"], call.outcome) == ("", "proceed_once")


class Picky(Editable):
    def build_for(self, call_id, args):
        if args.get("content") == "BAD":
            raise ValueError("content is BAD")
        return super().build_for(call_id, args)


def test_an_invalid_edit_ends_the_call():
    async def scene():
        async with ToolScheduler([Picky(question=EDIT)]) as scheduler:
            batch = scheduler.schedule(asks("a", content="good"))
            scheduler.approve("a", "proceed_once", edit="BAD")
            return (await batch)[0]

    call = play(scene)
    assert call.response.error_type == "invalid_tool_params"
    assert (call.response.error, call.outcome) == ("content is BAD", None)


class NoSecrets:
    def decide(self, call, context):
        bad = "secret" in str(call.args.get("content"))
        return Decision(Effect.DENY if bad else Effect.ASK, message="no secrets")


def test_an_edited_call_is_put_to_the_policy_again():
    async def scene():
        tool = Editable(question=EDIT)
        async with ToolScheduler([tool], policy=NoSecrets()) as scheduler:
            batch = scheduler.schedule(asks("a", content="good"))
            scheduler.approve("a", "proceed_once", edit="a secret")
            (call,) = await batch
            return call, tool.started

    call, started = play(scene)
    assert call.response.error == "Tool execution denied by policy. no secrets"
    assert started == []


def test_a_refused_edit_shows_what_was_shown_last():
    call, _ = edited(Editor("edited\n"), ("modify_with_editor", None), ("cancel", None))
    display = call.response.display
    assert (display["originalContent"], display["newContent"]) == ("old\n", "edited\n")


def test_without_an_editor_the_answer_does_not_count():
    async def scene():
        async with ToolScheduler([Editable(question=EDIT)]) as scheduler:
            scheduler.schedule(asks("a"))
            assert not scheduler.approve("a", "modify_with_editor")
            await settle()
            assert scheduler.approve("a", "cancel")

    play(scene)


# --- a real process -------------------------------------------------------------------------------


def script(tmp_path, body):
    file = tmp_path / "editor.py"
    file.write_text(f"import sys, os, stat\npath = sys.argv[1]\n{body}\n")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}"


def use(command, proposed="proposed\n"):
    editor = CommandEditor.from_environment({"VISUAL": command, "EDITOR": "false"})
    return asyncio.run(editor.edit(path="some/file.md", current="old\n", proposed=proposed))


def test_the_persons_own_editor(tmp_path):
    seen = tmp_path / "seen"
    body = (
        f"text = open(path).read()\n"
        f"mode = stat.S_IMODE(os.stat(path).st_mode)\n"
        f"open({str(seen)!r}, 'w').write(f'{{path}} {{mode:o}} {{text!r}}')\n"
        f"open(path, 'w').write(text.upper())"
    )
    assert use(script(tmp_path, body)) == "PROPOSED\n"
    path, mode, text = seen.read_text().split(" ", 2)
    assert (Path(path).name, mode, text) == ("file.md", "600", "'proposed\\n'")
    assert not Path(path).parent.exists()


def test_a_file_that_was_removed_is_empty(tmp_path):
    assert use(script(tmp_path, "os.remove(path)")) == ""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("sys.exit(3)", "ended with exit code 3"),
        ("open(path, 'wb').write(b'\\xff')", "is no UTF-8"),
    ],
)
def test_what_an_editor_can_do_wrong(tmp_path, body, text):
    with pytest.raises(EditorFailed, match=text):
        use(script(tmp_path, body))


def test_an_editor_that_is_not_there():
    with pytest.raises(EditorFailed, match="could not be started"):
        use("no-such-editor --wait")


def test_a_cancelled_edit_leaves_neither_editor_nor_files(tmp_path):
    os.mkfifo(tmp_path / "open")
    begun = f"open({str(tmp_path / 'open')!r}, 'w').write(f'{{os.getpid()}} {{path}}')"
    command = script(tmp_path, f"{begun}\nimport time\ntime.sleep(1000)")

    async def scene():
        editor = CommandEditor(*shlex.split(command))
        tool = Editable(question=EDIT)
        async with ToolScheduler([tool], editor=editor) as scheduler:
            batch = scheduler.schedule(asks("a"))
            assert scheduler.approve("a", "modify_with_editor")
            opened = await asyncio.to_thread((tmp_path / "open").read_text)
            scheduler.cancel_all("enough")
            return (await batch)[0].status.value, *opened.split(" ", 1)

    status, pid, path = asyncio.run(scene())
    assert status == "cancelled"
    assert not is_alive(int(pid))
    assert not Path(path).parent.exists()
