"""Tools made of functions: what a model is shown, what it may say, and how the function is run."""

from __future__ import annotations

import asyncio
import enum
import functools
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import jsonschema
import msgspec
import pytest
from pydantic import BaseModel

from callgate.kernel.frozenjson import freeze_object
from callgate.tools.decorator import FunctionTool, IdempotencyKey, tool
from callgate.tools.errors import MissingExtra, UnfitFunction
from callgate.tools.protocols import (
    Cancellation,
    InvalidArguments,
    Kind,
    ModifiableTool,
    Output,
    Question,
    Tool,
    ToolResult,
)


class Recorder:
    """Keeps what a tool shows."""

    def __init__(self):
        self.chunks = []

    def __call__(self, chunk):
        self.chunks.append(chunk)

    def pid(self, pid):
        self.chunks.append(("pid", pid))

    def progress(self, part):
        self.chunks.append(("progress", part))


class Never:
    is_cancelled = False

    async def wait(self):
        await asyncio.Event().wait()

    def on_cancel(self, callback):
        pass


def run(owner, args, output=None, **more):
    async def main():
        invocation = owner.build(freeze_object(args))
        return await invocation.execute(Never(), output or Recorder(), **more)

    return asyncio.run(main())


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@attrs.frozen
class Point:
    x: int
    y: int = 0


@dataclass
class Line:
    ends: list[Point]
    colour: Colour = Colour.RED


class Node(msgspec.Struct):
    value: int
    children: list[Node] = []


@tool
def everything(  # noqa: PLR0913, PLR0917 - one parameter for each kind of type
    text: str,
    count: int,
    ratio: float,
    line: Line,
    mode: Literal["read", "write"] = "read",
    colour: Colour | None = None,
    path: Path = Path("a.txt"),
    table: dict[str, Point] | None = None,
    size: Annotated[int, msgspec.Meta(ge=1, le=9, description="from 1 to 9")] = 3,
    free: Any = None,
):
    """Take everything.

    The longer story.

    Args:
        text: what is said
        count (int): how often
            it is said
        size: not this one

    Returns:
        what it was given
    """
    return [text, count, ratio, line, mode, colour, path, table, size, free]


GOOD = {"text": "t", "count": 1, "ratio": 2, "line": {"ends": [{"x": 1}]}}


def test_a_function_is_a_tool_and_stays_a_function():
    @tool
    def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    assert isinstance(add, Tool)
    assert not isinstance(add, ModifiableTool)
    assert (add.name, add.display_name, add.description, add.kind) == (
        "add",
        "add",
        "Add.",
        "other",
    )
    assert add(2) == 3
    assert (add.parallel, add.can_update_output, add.wants_key) == (True, False, False)


def test_the_schema_says_what_is_accepted():
    schema = everything.schema
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)
    assert schema["required"] == ["text", "count", "ratio", "line"]
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert properties["text"] == {"type": "string", "description": "what is said"}
    assert properties["count"]["description"] == "how often it is said"
    assert properties["mode"] == {"type": "string", "enum": ["read", "write"], "default": "read"}
    assert properties["size"]["description"] == "from 1 to 9"
    assert properties["path"] == {"type": "string", "format": "path", "default": "a.txt"}
    ends = properties["line"]["properties"]["ends"]
    assert ends["items"]["additionalProperties"] is False
    assert everything.description.startswith("Take everything.\n\nThe longer story.")
    assert "Args" not in everything.description


def test_a_type_that_contains_itself_keeps_its_reference():
    @tool
    def grow(tree: Node):
        return tree.value

    jsonschema.Draft202012Validator.check_schema(grow.schema)
    jsonschema.validate({"tree": {"value": 1, "children": [{"value": 2}]}}, grow.schema)
    assert list(grow.schema["$defs"]) == ["Node"]
    assert run(grow, {"tree": {"value": 1, "children": [{"value": 2}]}}).value == 1


def test_types_of_the_function_around_are_known():
    @attrs.frozen
    class Local:
        x: int

    @tool
    def use(local: Local):
        return str(local.x)

    assert run(use, {"local": {"x": 3}}) == "3"


def test_methods_are_functions_too():
    class Account:
        def __init__(self, owner):
            self.owner = owner

        def greet(self, name: str) -> str:
            """Greet."""
            return f"{self.owner} greets {name}"

    assert run(tool(Account("Ada").greet), {"name": "Bob"}) == "Ada greets Bob"


def test_arguments_arrive_as_the_types_that_were_asked_for():
    got = run(everything, {**GOOD, "colour": "blue", "table": {"a": {"x": 2}}}).value
    line = Line([Point(1)], Colour.RED)
    path = Path("a.txt")
    assert got == ["t", 1, 2.0, line, "read", Colour.BLUE, path, {"a": Point(2)}, 3, None]


def test_free_json_can_be_changed_by_the_function():
    @tool
    def change(data: dict, more: Any):
        data["x"].append(2)
        more.append(3)
        return [data, more]

    assert run(change, {"data": {"x": [1]}, "more": []}).value == [{"x": [1, 2]}, [3]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": "12"}, '"count" is "12": expected `int`, got `str`.'),
        ({"count": True}, '"count" is true: expected `int`, got `bool`.'),
        ({"text": None}, '"text" is null: expected `str`, got `null`.'),
        ({"mode": "wite"}, '"mode" is "wite"; allowed: "read", "write" (did you mean "write"?).'),
        ({"colour": "rde"}, '"colour" is "rde"; allowed: "red", "blue" (did you mean "red"?).'),
        ({"size": 10}, '"size" is 10: expected `int` <= 9.'),
        ({"txt": "t"}, 'There is no argument "txt" (did you mean "text"?); there are: "text", '),
        (
            {"line": {"ends": [{"x": 1}, {"x": "s"}]}},
            '"line.ends[1].x" is "s": expected `int`, got `str`.',
        ),
        ({"line": {"ends": [{}]}}, '"line.ends[0]" is {}: object missing required field `x`.'),
        ({"line": {"ends": [], "color": "red"}}, '"line" has no "color" (did you mean "colour"?).'),
        ({"line": {"ends": [{"x": 1, "z": 1}]}}, '"line.ends[0]" has no "z".'),
        ({"table": {"k": {"x": 1, "q": 1}}}, '"table.k" has no "q".'),
        (
            {"line": {"ends": [], "colour": "x"}},
            '"line.colour" is "x"; allowed: "red", "blue".',
        ),
        ({"path": 7}, '"path" is 7'),
        ({"text": ["x" * 500]}, '"text" is ["xxx'),
    ],
)
def test_bad_arguments_are_named_with_value_and_expectation(change, words):
    with pytest.raises(InvalidArguments) as caught:
        everything.build(freeze_object({**GOOD, **change}))
    message = str(caught.value)
    assert message.startswith('Invalid arguments for "everything": ')
    assert words in message
    assert len(message) < 400


def test_all_problems_are_told_at_once():
    with pytest.raises(InvalidArguments) as caught:
        everything.build(freeze_object({"count": "x", "line": {"ends": []}, "rato": 1}))
    assert str(caught.value) == (
        'Invalid arguments for "everything": There is no argument "rato" (did you mean "ratio"?);'
        ' there are: "text", "count", "ratio", "line", "mode", "colour", "path", "table", "size",'
        ' "free". "text" is missing (what is said). "count" is "x": expected `int`, got `str`.'
        ' "ratio" is missing.'
    )


@pytest.mark.parametrize(
    ("args", "fits"),
    [(GOOD, True), ({**GOOD, "x": 1}, False), ({**GOOD, "mode": "x"}, False), ({}, False)],
)
def test_schema_and_validation_agree(args, fits):
    is_valid = jsonschema.Draft202012Validator(everything.schema).is_valid(args)
    assert is_valid is fits
    if not fits:
        with pytest.raises(InvalidArguments):
            everything.build(freeze_object(args))


def untyped(a):
    """No type."""


def anything(*args: int):
    """Any number."""


def positional(a: int, /):
    """By position."""


def two_classes(a: Point | Line):
    """Which of the two?"""


def a_thread(a: threading.Thread):
    """No data."""


def yields(a: int):
    yield a


def unknown_type(a: Missing):  # noqa: F821 - that is the point
    """Not there."""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (untyped, "'a' has no type; write a: str"),
        (anything, "*args: "),
        (positional, "'a' is positional only"),
        (two_classes, "'a' has a type that no schema can be made of"),
        (a_thread, "'a' has a type that no schema can be made of"),
        (yields, "it yields"),
        (unknown_type, "name 'Missing' is not defined"),
        (functools.partial(yields), "it yields"),
        (functools.partial(untyped, 1), "its types cannot be read"),
    ],
)
def test_unfit_functions_are_refused_when_decorated(function, words):
    with pytest.raises(UnfitFunction) as caught:
        tool(function)
    assert words in str(caught.value)
    assert getattr(function, "__name__", "functools.partial") in str(caught.value)


def test_a_plain_function_runs_in_a_thread_of_its_own_and_an_async_one_in_the_loop():
    here = threading.current_thread()

    @tool
    def plain() -> str:
        return str(threading.current_thread() is here)

    @tool
    async def loop() -> str:
        return str(threading.current_thread() is here)

    assert run(plain, {}) == "False"
    assert run(loop, {}) == "True"


def test_a_function_that_hangs_holds_up_nobody(tmp_path):
    program = """
import asyncio, threading
from callgate.tools.decorator import tool
hung = threading.Event()
@tool
def hang() -> str:
    hung.set()
    threading.Event().wait()
@tool
def quick() -> str:
    return "done"
async def main():
    tasks = [asyncio.ensure_future(hang.build({}).execute(None, None)) for _ in range(100)]
    await asyncio.sleep(0)
    print(await quick.build({}).execute(None, None), hung.wait())
    for task in tasks:
        task.cancel()
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "done True\n"
    assert done.stderr == ""


@pytest.mark.parametrize("error", [ValueError("why"), StopIteration(3)])
def test_what_a_function_raises_is_raised(error):
    @tool
    def fails() -> str:
        raise error

    with pytest.raises((ValueError, RuntimeError), match=r"why|StopIteration\(3\)"):
        run(fails, {})


def test_output_cancellation_and_key_are_injected():
    @tool
    def sync_work(n: int, out: Output, stop: Cancellation, key: IdempotencyKey):
        for number in range(n):
            out(f"{number}")
        out.progress(0.5)
        out.pid(7)
        return f"{key} {stop.is_cancelled}"

    @tool
    async def async_work(out: Output, stop: Cancellation | None = None):
        out("now")
        return str(stop.is_cancelled)

    assert sync_work.can_update_output
    assert sync_work.wants_key
    assert list(sync_work.schema["properties"]) == ["n"]
    recorder = Recorder()
    assert run(sync_work, {"n": 3}, recorder, key="4.1") == "4.1 False"
    assert recorder.chunks == ["0", "1", "2", ("progress", 0.5), ("pid", 7)]
    assert run(async_work, {}, recorder) == "False"
    assert recorder.chunks[-1] == "now"
    assert async_work.schema["properties"] == {}
    with pytest.raises(InvalidArguments):
        sync_work.build(freeze_object({"n": 1, "key": "mine"}))


class Answer(BaseModel):
    rows: int


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("text", "text"),
        ("", ""),
        (None, None),
        (b"raw", b"raw"),
        ({"text": "part"}, {"text": "part"}),
        (["a", {"text": "b"}], ["a", {"text": "b"}]),
    ],
)
def test_content_stays_what_it_is(value, content):
    @tool
    def give():
        return value

    assert run(give, {}) == content


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"rows": 3}, '{"rows": 3}'),
        ([1, 2], "[1, 2]"),
        (["a", "b"], '["a", "b"]'),
        ([], "[]"),
        (42, "42"),
        (True, "true"),
        (Line([Point(1)]), '{"ends": [{"x": 1, "y": 0}], "colour": "red"}'),
        (Answer(rows=2), '{"rows": 2}'),
        (Path("/a"), '"/a"'),
    ],
)
def test_other_values_become_json_that_a_model_can_read(value, text):
    @tool
    def give():
        return value

    result = run(give, {})
    assert isinstance(result, ToolResult)
    assert result.content == text
    assert result.value is value


def test_a_tool_result_is_left_alone():
    result = ToolResult("x", display="y")

    @tool
    async def give():
        return result

    assert run(give, {}) is result


def asked(owner, args):
    answer = owner.build(freeze_object(args)).should_confirm()
    if asyncio.iscoroutine(answer):
        return asyncio.run(answer)
    return answer


def test_confirm_options():
    def act(command: str):
        """Act."""

    async def later(command: str):
        return "exec" if "rm" in command else None

    own = Question("info", {"prompt": "Sure?"})
    assert asked(tool(act), {"command": "ls"}) is None
    question = asked(tool(confirm=True)(act), {"command": "ls"})
    assert (question.kind, question.details) == ("info", {"prompt": "act(command='ls')"})
    question = asked(tool(confirm="exec")(act), {"command": "ls"})
    assert (question.kind, question.details) == ("exec", {"command": "ls"})
    question = asked(tool(confirm="mcp", server="s")(act), {"command": "ls"})
    assert question.details == {"serverName": "s", "toolName": "act", "toolDisplayName": "act"}
    assert asked(tool(confirm=lambda command: own)(act), {"command": "ls"}) is own
    assert asked(tool(confirm=lambda command: False)(act), {"command": "ls"}) is None
    assert asked(tool(confirm=later)(act), {"command": "rm x"}).kind == "exec"
    assert asked(tool(confirm=later)(act), {"command": "ls"}) is None
    with pytest.raises(ValueError, match="confirm of 'act' said 'maybe'"):
        asked(tool(confirm=lambda command: "maybe")(act), {"command": "ls"})
    with pytest.raises(ValueError, match="confirm is 'maybe'; a function, or True, False"):
        tool(confirm="maybe")


def test_every_option_is_kept():
    @tool(
        name="n",
        display_name="N",
        description="d",
        kind="edit",
        timeout_ms=5,
        server="s",
        annotations={"readOnlyHint": False},
        is_output_markdown=True,
        truncates=True,
    )
    def act():
        """Not this."""

    assert isinstance(act, FunctionTool)
    assert (act.name, act.display_name, act.description, act.kind) == ("n", "N", "d", Kind.EDIT)
    assert (act.timeout_ms, act.server, act.truncates, act.parallel) == (5, "s", True, False)
    assert act.annotations == {"readOnlyHint": False}
    assert act.is_output_markdown is True
    assert tool(kind="edit", parallel=True)(act.function).parallel is True
    with pytest.raises(TypeError, match="colour"):
        tool(colour="red")


def test_a_line_for_a_person_is_one_short_line():
    line = everything.build(freeze_object({**GOOD, "text": "a\nb" * 100})).describe()
    assert "\n" not in line
    assert len(line) <= 120


def test_without_the_library_the_extra_is_named(tmp_path):
    program = """
import sys
sys.modules["msgspec"] = None
from callgate.tools.decorator import tool
from callgate.tools.errors import MissingExtra
try:
    @tool
    def f(): ...
except MissingExtra as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    text = "@tool needs msgspec, which is not installed: pip install 'callgate[tools]'\n"
    assert done.stdout == text
    assert issubclass(MissingExtra, ImportError)
