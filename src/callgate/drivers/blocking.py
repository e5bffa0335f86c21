"""For people without asyncio, and for one call alone.

Rule 1: the same scheduler underneath; nothing here knows what a call is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from callgate.drivers.errors import DriverError
from callgate.drivers.scheduler import ToolScheduler

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callgate.drivers.cancelling import CancelToken
    from callgate.drivers.finished import FinishedCall
    from callgate.kernel.values import Request
    from callgate.tools.protocols import Tool
    from callgate.tools.registry import Registry


def run_batch(
    requests: Request | Iterable[Request], tools: Registry | Iterable[Tool], **choices: Any
) -> list[FinishedCall]:
    """Run a batch to its end, and give its finished calls in request order.

    Args:
        requests: one call, or a list of them.
        tools: what may be called.
        choices: whatever `ToolScheduler` takes. `ask` may be a plain function that blocks; without
            it nobody can be asked, and what would ask is refused.

    Raises:
        DriverError: called from inside an event loop, which it would block.

    >>> from callgate import Request
    >>> from callgate.tools.decorator import tool
    >>> @tool
    ... def add(one: int, other: int) -> int:
    ...     return one + other
    >>> requests = [Request("c1", "add", {"one": 1, "other": 2}), Request("c2", "add", {"one": 1})]
    >>> for call in run_batch(requests, [add], mode="yolo"):
    ...     print(call, call.value, call.response.error)
    FinishedCall('c1', 'add', success) 3 None
    FinishedCall('c2', 'add', error) None ...
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_run(requests, tools, choices))
    raise DriverError(
        "run_batch() was called inside an event loop, which it would block:"
        " await ToolScheduler(...).schedule(requests) there"
    )


async def _run(
    requests: Request | Iterable[Request], tools: Registry | Iterable[Tool], choices: dict[str, Any]
) -> list[FinishedCall]:
    choices.setdefault("interactive", choices.get("ask") is not None)
    async with ToolScheduler(tools, **choices) as scheduler:
        return await scheduler.schedule(requests)


async def execute_tool_call(
    request: Request,
    tools: Registry | Iterable[Tool],
    *,
    cancel: CancelToken | None = None,
    **choices: Any,
) -> FinishedCall:
    """Run one call to its end, asking nobody: what would ask is refused at once.

    Args:
        request: the call.
        tools: what may be called.
        cancel: a switch that cancels it.
        choices: whatever else `ToolScheduler` takes.

    >>> from callgate import Request
    >>> from callgate.tools.decorator import tool
    >>> @tool(confirm="exec")
    ... def remove(path: str) -> None: ...
    >>> call = asyncio.run(execute_tool_call(Request("c1", "remove", {"path": "x"}), [remove]))
    >>> print(call.response.error)
    Tool execution ...
    """
    choices.setdefault("interactive", False)
    async with ToolScheduler(tools, **choices) as scheduler:
        (finished,) = await scheduler.schedule(request, cancel=cancel)
        return finished
