"""Rows of the scenario format, one by one: what each key and each step comes to."""

import pytest

from callgate.cli.scenario.checking import check
from callgate.cli.scenario.player import play

READ = {"name": "read"}
SH = {"name": "sh", "confirm": "exec"}
EDIT = {"name": "edit", "confirm": "edit", "modifiable": True}
IDE = {"name": "ide", "confirm": "edit", "modifiable": True, "ide": True}
NOW = {"name": "now", "execute": "immediate"}


class Played:
    """A trace, and questions to it."""

    def __init__(self, steps, tools, config):
        scenario = {"name": "row", "tools": tools, "config": config, "steps": steps}
        check(scenario)
        self.trace = play(scenario)
        self.events = self.trace["events"]

    def of(self, kind):
        return [event for event in self.events if event["ev"] == kind]

    @property
    def ignored(self):
        return [event["step"] for event in self.of("ignored")]

    @property
    def started(self):
        return [event["id"] for event in self.of("execute")]

    @property
    def rejected(self):
        return [(event["batch"], event["error"]) for event in self.of("schedule_rejected")]

    @property
    def ended(self):
        return {call["id"]: call for event in self.of("complete") for call in event["calls"]}

    def statuses(self, call_id):
        found = []
        for event in self.of("update"):
            for call in event["calls"]:
                if call["id"] == call_id and found[-1:] != [call["status"]]:
                    found.append(call["status"])
        return found


def run(*steps, tools=(READ, SH, EDIT, IDE, NOW), **config):
    return Played(list(steps), list(tools), config)


def batch(name, *calls, **more):
    requests = [
        {"call_id": call[0], "name": call[1], "args": call[2] if len(call) > 2 else {}}
        for call in calls
    ]
    return {"op": "schedule", "batch": name, "requests": requests, **more}


def confirm(call_id, outcome="proceed_once", **more):
    return {"op": "confirm", "call_id": call_id, "outcome": outcome, **more}


def finish(call_id, **more):
    return {"op": "finish", "call_id": call_id, **more}


def ide(call_id, status="accepted", **more):
    return {"op": "ide", "call_id": call_id, "status": status, **more}


def abort(name):
    return {"op": "abort", "batch": name}


def told(call):
    return call["response"]["parts"][0]["functionResponse"]["response"]


# --- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "is_ignored"),
    [
        (confirm("c"), True),
        (confirm("c", "cancel"), True),
        (ide("c"), True),
        (ide("c", "rejected"), True),
        (ide("c", raises="gone"), False),
    ],
)
def test_an_approval_is_used_up_by_its_first_answer(second, is_ignored):
    played = run(batch("b", ("c", "ide")), confirm("c"), second, finish("c"))
    assert played.ignored == ([2] if is_ignored else [])
    assert played.started == ["c"]
    assert played.ended["c"]["status"] == "success"


@pytest.mark.parametrize("outcome", ["banana", "", "answer_instead", "PROCEED_ONCE"])
def test_an_outcome_nobody_knows_is_ignored(outcome):
    played = run(batch("b", ("c", "sh")), confirm("c", outcome), confirm("nobody"))
    assert played.ignored == [1, 2]
    assert played.trace["final"]["active"] == [["c", "awaiting_approval"]]


def test_an_answer_before_the_question_is_ignored():
    slow = {**SH, "confirm_gate": True}
    played = run(
        batch("b", ("c", "sh")),
        batch("q", ("d", "sh")),
        confirm("c"),
        confirm("d"),
        {"op": "release_confirm", "call_id": "c"},
        confirm("c"),
        tools=[slow],
    )
    assert played.ignored == [2, 3]
    assert played.started == ["c"]


def test_a_lost_ide_leaves_the_person():
    played = run(batch("b", ("c", "ide")), ide("c", raises="gone"), confirm("c"))
    assert (played.ignored, played.started) == ([], ["c"])


@pytest.mark.parametrize(("code", "is_stale"), [(0, True), (1, False)])
def test_the_ide_answers_what_it_was_shown(code, is_stale):
    played = run(
        batch("b", ("c", "ide")),
        confirm("c", "modify_with_editor"),
        ide("c", content="from the IDE"),
        editor_exit=code,
    )
    assert played.ignored == ([2] if is_stale else [])
    assert played.started == ([] if is_stale else ["c"])
    if not is_stale:
        assert played.of("execute")[0]["args"] == {"content": "from the IDE"}


@pytest.mark.parametrize("content", ["", "x"])
def test_what_the_ide_made_of_it_runs(content):
    played = run(batch("b", ("c", "ide", {"content": "1"})), ide("c", content=content))
    assert played.of("execute")[0]["args"]["content"] == content


def test_an_ide_that_rejects_is_a_no():
    played = run(batch("b", ("c", "ide")), ide("c", "rejected", content="x"))
    assert played.ended["c"]["outcome"] == "cancel"


@pytest.mark.parametrize(
    ("outcome", "status", "text"),
    [
        ("proceed_once", "error", "hook failed"),
        ("proceed_always", "error", "hook failed"),
        ("modify_with_editor", "error", "hook failed"),
        ("cancel", "cancelled", "[Operation Cancelled] Reason: User did not allow tool call"),
    ],
)
def test_a_tool_that_fails_when_it_is_told(outcome, status, text):
    tools = [{**EDIT, "on_confirm_raises": "hook failed"}]
    played = run(batch("b", ("c", "edit")), confirm("c", outcome), tools=tools)
    ended = played.ended["c"]
    assert (ended["status"], ended["outcome"]) == (status, outcome)
    assert told(ended)["error"] == text


@pytest.mark.parametrize(
    ("tool", "config", "is_ignored"),
    [("edit", {}, False), ("edit", {"editor": None}, True), ("sh", {}, True)],
)
def test_the_editor_is_for_those_who_can_use_it(tool, config, is_ignored):
    played = run(
        batch("b", ("c", tool)), confirm("c", "modify_with_editor"), confirm("c"), **config
    )
    assert played.ignored == ([1] if is_ignored else [])
    assert played.started == ["c"]


def test_an_editor_that_leaves_the_file_as_it_is_rebuilds_all_the_same():
    played = run(batch("b", ("c", "edit")), confirm("c", "modify_with_editor"), confirm("c"))
    assert played.of("execute")[0]["args"] == {"content": "new\n"}


@pytest.mark.parametrize("payload", [{"newContent": None}, {}, None, "text", {"other": 1}])
def test_no_content_is_no_edit(payload):
    step = confirm("c", payload=payload)
    played = run(batch("b", ("c", "edit", {"content": "1"})), step)
    assert played.of("execute")[0]["args"] == {"content": "1"}


def test_inline_content_means_nothing_to_others():
    payload = {"newContent": "x"}
    played = run(batch("b", ("c", "sh", {"command": "ls"})), confirm("c", payload=payload))
    assert played.of("execute")[0]["args"] == {"command": "ls"}


@pytest.mark.parametrize("by_editor", [True, False])
def test_an_edit_that_cannot_be_built_leaves_no_outcome(by_editor):
    picky = {**EDIT, "build_error_if": {"arg": "content", "equals": "BAD", "message": "is BAD"}}
    step = (
        confirm("c", "modify_with_editor")
        if by_editor
        else confirm("c", payload={"newContent": "BAD"})
    )
    played = run(batch("b", ("c", "edit")), step, tools=[picky], editor_content="BAD")
    ended = played.ended["c"]
    assert (ended["status"], ended["outcome"]) == ("error", None)
    assert ended["response"]["error_type"] == "invalid_tool_params"
    assert ended["response"]["error"] == "is BAD"


def test_a_refused_edit_is_shown_as_it_was_shown_last():
    start = batch("b", ("c", "edit", {"file_path": "d/f.txt", "content": "1"}))
    display = run(start, confirm("c", "cancel")).ended["c"]["response"]["display"]
    assert display == {
        "fileDiff": "initial diff",
        "fileName": "f.txt",
        "originalContent": "old\n",
        "newContent": "1",
    }
    edited = run(
        start, confirm("c", "modify_with_editor"), abort("b"), editor_content="old\n"
    ).ended["c"]["response"]["display"]
    assert edited["newContent"] == "old\n"
    assert edited["fileDiff"] not in ("", "initial diff")


# --- policy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "released"),
    [
        ("proceed_always", []),
        ("proceed_always_tool", ["same"]),
        ("proceed_always_server", ["same", "sibling"]),
    ],
)
def test_an_always_to_a_server_is_put_to_all_who_wait(outcome, released):
    find = {"name": "find", "confirm": "mcp", "server": "docs"}
    tools = [find, {**find, "name": "grep"}, {**find, "name": "find2", "server": "x"}]
    played = run(
        batch("b", ("a", "find"), ("same", "find"), ("sibling", "grep"), ("other", "find2")),
        confirm("a", outcome),
        tools=tools,
    )
    waiting = [call_id for call_id, status in played.trace["final"]["active"] if "await" in status]
    assert [call_id for call_id in ("same", "sibling") if call_id not in waiting] == released
    assert "other" in waiting


def test_a_change_of_mode_is_put_to_all_who_wait_and_asks_them_again():
    flaky = {**EDIT, "confirm_raises_from": {"call": 2, "message": "again"}}
    played = run(
        batch("b", ("a", "edit"), ("b", "flaky"), ("c", "sh")),
        {"op": "set_mode", "mode": "auto_edit"},
        tools=[EDIT, {**flaky, "name": "flaky"}, SH],
    )
    assert played.trace["final"]["active"] == [
        ["a", "scheduled"],
        ["b", "awaiting_approval"],
        ["c", "awaiting_approval"],
    ]


def test_the_tool_is_asked_in_every_mode():
    tools = [{**SH, "confirm_raises": "cannot tell"}]
    played = run(batch("b", ("c", "sh")), tools=tools, approval_mode="yolo")
    assert played.ended["c"]["response"]["error"] == "cannot tell"


@pytest.mark.parametrize(
    ("command", "runs"),
    [("git", True), ("git log", True), ("gitx", False), ("git a && rm b", False), (7, False)],
)
def test_prefixes(command, runs):
    shell = {"name": "run_shell_command", "confirm": "exec"}
    played = run(
        batch("b", ("c", "run_shell_command", {"command": command})),
        tools=[shell],
        allowed_tools=["ShellTool(git)", "FakeTool", "web(x)"],
    )
    assert played.started == (["c"] if runs else [])


# --- cancelling -----------------------------------------------------------------------------------


def test_an_abort_ends_what_has_not_started_at_once():
    slow = {**SH, "name": "slow", "confirm_gate": True}
    played = run(
        batch("b", ("free", "read"), ("asked", "sh"), ("slow", "slow"), ("next", "read")),
        abort("b"),
        {"op": "release_confirm", "call_id": "slow"},
        confirm("asked"),
        tools=[READ, SH, slow],
    )
    assert played.started == []
    assert {call["status"] for call in played.ended.values()} == {"cancelled"}
    assert played.ended["free"]["outcome"] == "proceed_always"
    assert told(played.ended["slow"])["error"].endswith("Tool call cancelled by user.")
    assert played.ignored == [3]


@pytest.mark.parametrize(
    ("mode", "output"),
    [
        ({"mode": "wait_abort_resolve"}, "partial output"),
        ({"mode": "wait_abort_resolve", "result": "half"}, "half"),
        ({"mode": "wait_abort"}, None),
    ],
)
def test_what_a_tool_returns_after_the_abort_is_kept(mode, output):
    played = run(batch("b", ("c", "x")), abort("b"), tools=[{"name": "x", "execute": mode}])
    ended = played.ended["c"]
    error = "[Operation Cancelled] Reason: User cancelled tool execution."
    expected = {"error": error} if output is None else {"output": output, "error": error}
    assert (ended["status"], told(ended)) == ("cancelled", expected)
    assert ended["response"]["display"] == output
    assert ended["response"]["error"] is None


def test_a_failure_after_the_abort_is_only_cancelled():
    failed = {"llmContent": "x", "error": {"message": "m"}}
    played = run(batch("b", ("c", "read")), abort("b"), finish("c", result=failed))
    assert list(told(played.ended["c"])) == ["error"]


def test_a_batch_whose_switch_is_off():
    queue_text = "Tool call cancelled while in queue."
    played = run(
        abort("off"),
        batch("off", ("a", "read")),
        batch("b", ("b", "read")),
        batch("q", ("c", "read"), signal_of="off"),
        batch("e", signal_of="off"),
    )
    assert played.statuses("a") == ["validating", "cancelled"]
    assert played.rejected == [("q", queue_text)]


def test_a_batch_whose_switch_is_off_asks_nobody():
    asks = {**READ, "name": "asks", "confirm_aborts": "q"}
    played = run(abort("b"), batch("b", ("a", "asks")), batch("q", ("c", "now")), tools=[asks, NOW])
    assert played.ended["c"]["status"] == "success"


def test_one_switch_for_two_batches():
    played = run(
        batch("b", ("a", "sh")),
        batch("q", ("b", "read"), signal_of="b"),
        batch("r", ("c", "read")),
        abort("b"),
    )
    assert [batch for batch, _ in played.rejected] == ["q"]
    assert played.ended["a"]["status"] == "cancelled"
    assert played.trace["final"] == {"active": [["c", "executing"]], "queued": 0}


def test_a_question_may_abort_its_batch_before_it_answers_or_raises():
    asks = {**SH, "name": "asks", "confirm_aborts": "b", "confirm_raises": "x"}
    played = run(batch("b", ("a", "asks"), ("b", "read")), tools=[asks, READ])
    assert [call["status"] for call in played.ended.values()] == ["cancelled", "cancelled"]


def test_cancel_all_is_for_now_only():
    played = run(
        batch("b", ("a", "read")),
        batch("q", ("b", "read")),
        {"op": "cancel_all"},
        finish("a"),
        batch("r", ("c", "now")),
    )
    assert played.rejected == [("q", "Tool call cancelled while in queue.")]
    assert [played.ended[call_id]["status"] for call_id in "ac"] == ["cancelled", "success"]


# --- batches and observers ------------------------------------------------------------------------


def test_the_same_id_twice_and_an_empty_batch_in_the_queue():
    played = run(
        batch("b", ("a", "read")),
        batch("e"),
        batch("twice", ("x", "now"), ("x", "now")),
        batch("q", ("c", "now")),
        finish("a"),
    )
    assert [name for name, _ in played.rejected] == ["twice"]
    assert list(played.ended) == ["a", "c"]


def test_ids_start_afresh():
    played = run(batch("b", ("a", "now")), batch("c", ("a", "read")), finish("a", result="again"))
    first, second = played.of("complete")
    assert told(first["calls"][0]) == {"output": "ok"}
    assert told(second["calls"][0]) == {"output": "again"}


def test_observers_that_raise_stop_nothing():
    played = run(
        batch("b", ("a", "now")),
        batch("c", ("b", "now")),
        on_update={"raise_at": [0, 2]},
        on_complete=[{"raises": "complete failed"}],
    )
    failed = [(event["handler"], event["error"]) for event in played.of("handler_failed")]
    assert failed == [
        ("update", "update handler failed"),
        ("update", "update handler failed"),
        ("complete", "complete failed"),
    ]
    assert list(played.ended) == ["a", "b"]


def test_the_completion_observer_may_not_wait_for_itself():
    entry = {"schedule": batch_of("n", ("b", "now")), "await": True, "raises": "after all"}
    played = run(batch("b", ("a", "now")), batch("c", ("c", "now")), on_complete=[entry])
    assert [name for name, _ in played.rejected] == ["n"]
    assert [event["error"] for event in played.of("handler_failed")] == ["after all"]
    assert list(played.ended) == ["a", "c"]


def batch_of(name, *calls):
    found = batch(name, *calls)
    del found["op"]
    return found


def test_a_completion_observer_at_its_gate_is_busy():
    played = run(
        batch("b", ("a", "now")),
        batch("c", ("b", "now")),
        batch("d", ("c", "now"), signal_of="off"),
        abort("off"),
        {"op": "release_complete"},
        {"op": "release_complete"},
        on_complete=[{"gate": True, "schedule": batch_of("n", ("d", "read"))}],
    )
    assert [name for name, _ in played.rejected] == ["d"]
    assert played.trace["final"]["active"] == [["d", "executing"]]
    order = [event["ev"] for event in played.events if event["ev"] in ("step", "complete")]
    assert order == ["step", "complete", "step", "step", "step", "step", "complete", "step"]


def test_a_delivered_batch_is_not_active():
    played = run(batch("b", ("a", "now")), batch("c", ("b", "now")), on_complete=[{"gate": True}])
    assert played.trace["final"] == {"active": [], "queued": 1}


def test_observers_that_are_not_given_see_nothing():
    tools = [{"name": "x", "can_update_output": True, "execute": {"chunks": ["1"]}}]
    for name, kind in [("update", "update"), ("output", "output"), ("complete", "complete")]:
        played = run(batch("b", ("a", "x")), finish("a"), tools=tools, **{f"{name}_handler": False})
        assert played.of(kind) == []
        assert played.started == ["a"]


def test_an_update_may_schedule_and_one_that_is_empty_is_no_delivery():
    played = run(
        batch("b", ("a", "now")),
        on_update={"schedule_at": {"0": batch_of("n", ("b", "now")), "1": batch_of("e")}},
        on_complete=[{}, {"raises": "second"}],
    )
    assert list(played.ended) == ["a", "b"]
    assert [event["error"] for event in played.of("handler_failed")] == ["second"]


# --- results and output ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "response", "display"),
    [
        ("text", {"output": "text"}, "text"),
        ("", {"output": ""}, ""),
        (None, {"output": "Tool execution succeeded."}, None),
        (5, {"output": "Tool execution succeeded."}, None),
        ([], {"output": "Tool execution succeeded."}, None),
        (["one"], {"output": "one"}, None),
        ({"text": "t"}, {"output": "t"}, None),
        ({"llmContent": "m", "returnDisplay": {"a": [1]}}, {"output": "m"}, {"a": [1]}),
        ({"error": None}, {"output": "Tool execution succeeded."}, None),
        ({"llmContent": "m", "error": None}, {"output": "m"}, None),
        (
            {"functionResponse": {"id": "z", "name": "z", "response": {"a": 1}}},
            {"a": 1},
            None,
        ),
        (
            {"inlineData": {"mimeType": "image/png"}},
            {"output": "Binary content of type image/png was processed."},
            None,
        ),
        (
            {"fileData": {"fileUri": "x"}},
            {"output": "Binary content of type unknown was processed."},
            None,
        ),
    ],
)
def test_results(result, response, display):
    ended = run(batch("b", ("c", "read")), finish("c", result=result)).ended["c"]
    first = ended["response"]["parts"][0]["functionResponse"]
    assert first == {"id": "c", "name": "read", "response": response}
    assert ended["response"]["display"] == display
    assert ended["status"] == "success"


@pytest.mark.parametrize(
    ("error", "text", "kind"),
    [
        ({"message": "m", "type": "t"}, "m", "t"),
        ({"message": "m"}, "m", None),
        ({}, "", None),
        ({"message": None, "type": None}, "", None),
    ],
)
def test_errors_as_values(error, text, kind):
    result = {"llmContent": "dropped", "returnDisplay": "dropped", "error": error}
    ended = run(batch("b", ("c", "read")), finish("c", result=result)).ended["c"]
    assert ended["response"] == {
        "parts": [
            {"functionResponse": {"id": "c", "name": "read", "response": {"error": text}}},
        ],
        "display": text,
        "error": text,
        "error_type": kind,
    }


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ({"execute": "raise"}, "boom"),
        ({"execute": "raise_sync"}, "sync boom"),
        ({"execute": {"mode": "raise", "message": ""}}, ""),
        ({"confirm_raises": "c"}, "c"),
        ({"confirm_raises_non_error": "n"}, "n"),
        ({"confirm_raises_from": {"call": 1, "message": "f"}}, "f"),
    ],
)
def test_exceptions(tool, text):
    played = run(batch("b", ("c", "x"), ("d", "now")), tools=[{"name": "x", **tool}, NOW])
    response = played.ended["c"]["response"]
    assert (response["error"], response["error_type"]) == (text, "unhandled_exception")
    assert played.ended["d"]["status"] == "success"


@pytest.mark.parametrize("key", ["build_error", "build_raises_non_error"])
def test_building_that_raises(key):
    played = run(batch("b", ("c", "x")), tools=[{"name": "x", key: "no"}])
    assert played.statuses("c") == ["error"]
    assert played.ended["c"]["response"]["error_type"] == "invalid_tool_params"


@pytest.mark.parametrize(
    ("equals", "value", "raises"),
    [(1, 1, True), (1, True, False), ([1], [1], True), (None, None, True), ("a", "b", False)],
)
def test_building_that_raises_for_a_value(equals, value, raises):
    tool = {"name": "x", "build_error_if": {"arg": "k", "equals": equals, "message": "no"}}
    played = run(batch("b", ("c", "x", {"k": value}), ("d", "x")), tools=[tool])
    assert (played.statuses("c")[0] == "error") is raises
    assert played.statuses("d")[0] == "validating"


def test_output_while_it_runs_and_never_after():
    talks = {"name": "x", "can_update_output": True, "execute": {"chunks": [None, {"a": 1}]}}
    emit = {"op": "emit", "call_id": "c", "chunk": [1, None]}
    played = run(
        emit, batch("b", ("c", "x")), emit, abort("b"), emit, finish("c"), emit, tools=[talks]
    )
    chunks = [event["chunk"] for event in played.of("output")]
    assert chunks == [None, {"a": 1}, (1, None), (1, None)]


@pytest.mark.parametrize(
    ("content", "is_cut"),
    [("x" * 10, False), ("x" * 11, True), ("\N{SNAKE}" * 10, False), (["x" * 11], False)],
)
def test_truncation_counts_code_points_of_a_text(content, is_cut):
    shell = {"name": "run_shell_command"}
    played = run(
        batch("b", ("c", "run_shell_command")),
        finish("c", result=content),
        tools=[shell],
        truncation={"threshold": 10, "lines": 5},
    )
    assert played.trace.get("files", {}) == ({"c.output": content} if is_cut else {})
    assert ("<TMP>/c.output" in str(told(played.ended["c"]))) is is_cut


def test_truncation_without_a_folder():
    played = run(
        batch("b", ("c", "run_shell_command")),
        finish("c", result="x" * 11),
        tools=[{"name": "run_shell_command"}],
        truncation={"threshold": 10, "lines": 5, "dir": "missing"},
    )
    assert "files" not in played.trace
    assert told(played.ended["c"])["output"].endswith("Could not save full output to file]")
