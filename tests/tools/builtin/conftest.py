"""A workspace, and somebody who listens."""

import asyncio

import pytest

from callgate.kernel.frozenjson import freeze_object
from callgate.tools.builtin import Workspace, builtin_tools


class Listener:
    """Output and cancellation in one: keeps what is shown, and can be told to stop."""

    def __init__(self):
        self.chunks, self.pids, self.callbacks = [], [], []
        self.is_cancelled = False
        self.heard, self.asked = asyncio.Event(), asyncio.Event()

    def __call__(self, chunk):
        self.chunks.append(chunk)
        self.heard.set()

    def pid(self, pid):
        self.pids.append(pid)

    def progress(self, part):
        raise AssertionError("no built-in tool says how much is done")

    async def wait(self):
        raise AssertionError("no built-in tool waits for it")

    def on_cancel(self, callback):
        self.callbacks.append(callback)
        self.asked.set()
        if self.is_cancelled:
            callback()

    def cancel(self):
        self.is_cancelled = True
        for callback in self.callbacks:
            callback()


class Tools:
    """The built-in tools of one workspace, to be called by name."""

    def __init__(self, root):
        self.root = root
        self.by_name = {tool.name: tool for tool in builtin_tools(Workspace(root))}

    def build(self, name, **args):
        return self.by_name[name].build(freeze_object(args))

    def run(self, name, **args):
        async def main():
            listener = Listener()
            return await self.build(name, **args).execute(listener, listener)

        return asyncio.run(main())


@pytest.fixture
def space(tmp_path):
    root = tmp_path / "space"
    root.mkdir()
    return root


@pytest.fixture
def tools(space):
    return Tools(space)


@pytest.fixture
def listener():
    return Listener
