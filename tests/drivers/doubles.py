"""Tools in memory, whose end the test decides, and a scheduler in virtual time."""

import asyncio

from callgate import Request
from callgate.drivers.scheduler import ToolScheduler
from callgate.drivers.virtual import VirtualLoop
from callgate.tools.protocols import IdeAnswer, Kind, Question, ToolResult


def play(scene, **choices):
    """Run an async scene in virtual time; nothing may be left behind."""
    loop = VirtualLoop()
    try:

        async def whole():
            outcome = await scene()
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, f"tasks were left behind: {left}"
            return outcome

        return loop.run_until_complete(whole())
    finally:
        loop.close()


def asks(*ids, name="tool", **args):
    return [Request(call_id, name, args) for call_id in ids]


async def settle(rounds=12):
    """Let everything go on that can."""
    for _ in range(rounds):
        await asyncio.sleep(0)


class Tool:
    """A tool that does what it was given: a value, a function, or waits to be told."""

    kind = Kind.OTHER
    schema = None
    is_output_markdown = False

    def __init__(self, name="tool", does=None, question=None, can_update_output=True, **more):
        self.name = self.display_name = name
        self.does = does
        self.question = question
        self.can_update_output = can_update_output
        self.running = {}
        self.started = []
        self.asked = []
        vars(self).update(more)

    def build_for(self, call_id, args):
        if "bad" in args:
            raise ValueError("bad arguments")
        return Invocation(self, call_id, args)

    def build(self, args):
        return self.build_for("", args)


class Editable(Tool):
    def file_path(self, args):
        return args.get("path", "a.txt")

    def current_content(self, args):
        return "old\n"

    def proposed_content(self, args):
        return args.get("content", "new\n")

    def updated_args(self, args, content):
        return {**args, "content": content}


class Invocation:
    def __init__(self, tool, call_id, args):
        self.tool, self.call_id, self.args = tool, call_id, args

    def describe(self):
        return f"{self.tool.name} {dict(self.args)}"

    def should_confirm(self):
        self.tool.asked.append(self.call_id)
        question = self.tool.question
        return question(self) if callable(question) else question

    def execute(self, cancel, output, **more):
        self.tool.started.append((self.call_id, dict(self.args), *more.values()))
        does = self.tool.does
        if does is None:
            end = asyncio.get_running_loop().create_future()
            self.tool.running[self.call_id] = end
            return self.until(end)
        if callable(does):
            return does(self, cancel, output)
        return self.giving(does)

    async def until(self, end):
        return await end

    async def giving(self, value):
        return value


EXEC = Question("exec", {"command": "ls"})
__all__ = [
    "EXEC",
    "Editable",
    "IdeAnswer",
    "Invocation",
    "Question",
    "Tool",
    "ToolResult",
    "ToolScheduler",
    "asks",
    "play",
    "settle",
]
