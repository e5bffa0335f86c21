"""A plain function in a thread of its own, for an event loop that must not wait for it.

Rule 1: a thread for each call, and none of a pool: one that hangs holds up nobody, not even the
end of the program. Python cannot end a thread, so a function that should stop early asks for a
`Cancellation` and looks at it.
Rule 2: what the thread shows reaches the loop in order, and before the function's result.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from typing import TYPE_CHECKING, Any, TypeVar, final

if TYPE_CHECKING:
    from collections.abc import Callable

    from callgate.tools.protocols import Output

Returned = TypeVar("Returned")


async def in_thread(function: Callable[[], Returned], name: str) -> Returned:
    """Run a function in a thread, and wait for it without holding up the loop."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Returned] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            value = context.run(function)
        except BaseException as error:
            failure = error  # the name of an except clause does not live on
            _tell(loop, lambda: _fail(done, failure))
        else:
            _tell(loop, lambda: None if done.done() else done.set_result(value))

    threading.Thread(target=run, name=f"callgate {name}", daemon=True).start()
    return await done


@final
class OutputFromThread:
    """Live output that is shown from a thread."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._loop = asyncio.get_running_loop()

    def __call__(self, chunk: Any) -> None:
        """Show this."""
        _tell(self._loop, lambda: self._output(chunk))

    def pid(self, pid: int) -> None:
        """Name the process that does the work."""
        _tell(self._loop, lambda: self._output.pid(pid))

    def progress(self, part: float) -> None:
        """Say how much is done."""
        _tell(self._loop, lambda: self._output.progress(part))


def _tell(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(callback)


def _fail(done: asyncio.Future[Any], error: BaseException) -> None:
    if done.done():
        return
    if isinstance(error, StopIteration):  # no future takes one
        error = RuntimeError(f"the function raised StopIteration({error.value!r})")
    done.set_exception(error)
