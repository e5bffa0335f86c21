"""A decorated async function that looks at no `Cancellation` ends when it is stopped."""

import asyncio

from callgate import Config
from callgate.tools import decorator
from tests.drivers.doubles import ToolScheduler, asks, play


def test_an_async_function_ends_when_its_time_is_up():
    @decorator.tool
    async def hang() -> str:
        """Never end."""
        await asyncio.Event().wait()
        return "never"

    async def scene():
        async with ToolScheduler([hang], config=Config(timeout_ms=1_000)) as scheduler:
            return await scheduler.schedule(asks("a", name="hang"))

    (call,) = play(scene)
    assert call.response.error_type == "timeout"
