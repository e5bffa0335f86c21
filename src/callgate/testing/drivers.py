"""A user's own driver: does it obey, in order, once each, and lose nothing, whatever goes wrong?

Rule 1: the driver is judged by what really happened in a simulated world, never by its own words.
Rule 2: a failure names its seed: the same seed plays the same faults again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, Protocol

from callgate.testing.faults import MAY_RUN, Does, World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from callgate.kernel.values import Request

RUNS: Final = 50
BATCHES_MAX: Final = 3
QUIET_ROUNDS: Final = 50
"""Rounds of the event loop in which nothing happens before the next gate opens."""
SILENCE_S: Final = 5.0
"""How long a driver with threads or timers of its own may be silent."""


class Driver(Protocol):
    """What a driver is to this check. `cancel(call_id)` and `aclose()` are used if it has them."""

    def schedule(self, requests: Sequence[Request], /) -> Awaitable[Iterable[Any]]:
        """Finished calls, in request order, each with `call_id` and `status`."""
        ...


class DriverFailed(AssertionError):
    """A driver broke its contract; `seed` plays the same again."""

    def __init__(self, seed: int, broken: Sequence[str]) -> None:
        self.seed, self.broken = seed, tuple(broken)
        text = "\n  ".join(broken)
        super().__init__(f"seed {seed}:\n  {text}\nagain: check_driver(..., seed={seed}, runs=1)")


def check_driver(make_driver: Callable[[World], Any], *, seed: int = 0, runs: int = RUNS) -> None:
    """Raise `DriverFailed` if the driver breaks its contract in one of these simulated runs.

    Args:
        make_driver: called in a running event loop with a `World`; a driver made of the world's
            `tools`, `policy` and `ask`.
        seed: of the first run; each run has the next one.
        runs: how many worlds to try.

    >>> from callgate.drivers.scheduler import ToolScheduler
    >>> check_driver(
    ...     lambda world: ToolScheduler(world.tools, policy=world.policy, ask=world.ask), runs=3)
    """
    for number in range(seed, seed + runs):
        broken = asyncio.run(_run(make_driver, World(number)))
        if broken:
            raise DriverFailed(number, broken)


async def _run(make_driver: Callable[[World], Any], world: World) -> list[str]:
    driver = make_driver(world)
    if asyncio.iscoroutine(driver):
        driver = await driver
    batches = [world.batch(number) for number in range(world.random.randint(1, BATCHES_MAX))]
    tasks = [asyncio.ensure_future(driver.schedule(batch)) for batch in batches]
    ended = await _pump(world, driver, tasks)
    if not ended:
        stuck = [f"batch {at} never ended" for at, task in enumerate(tasks) if not task.done()]
        world.broken.extend(stuck)
    for batch, task in zip(batches, tasks, strict=True):
        _judge(world, batch, task)
    await _close(world, driver, tasks)
    return world.broken


async def _pump(world: World, driver: Any, tasks: list[asyncio.Future[Any]]) -> bool:
    """Open one gate after another until all is done; cancel what would never end."""
    loop = asyncio.get_running_loop()
    silent_since = loop.time()
    while not all(task.done() for task in tasks):
        for _ in range(QUIET_ROUNDS):
            await asyncio.sleep(0)
        if world.open_one() or _cancel_lost(world, driver):
            silent_since = loop.time()
        elif loop.time() - silent_since > SILENCE_S:
            return False
        else:
            await asyncio.sleep(0.001)
    return True


def _cancel_lost(world: World, driver: Any) -> bool:
    """Nobody waits at a gate: what runs now was lost, and somebody loses patience."""
    if not hasattr(driver, "cancel"):
        return False
    for call_id in world.started:
        lost = world.scripts[call_id][1] is Does.IS_LOST
        if lost and call_id not in world.ended and call_id not in world.cancelled:
            world.cancelled.add(call_id)
            driver.cancel(call_id)
            return True
    return False


def _judge(world: World, batch: Sequence[Request], task: asyncio.Future[Any]) -> None:
    """Every call has its one end, in order, and it is the end that it really had."""
    if not task.done():
        return
    error = None if task.cancelled() else task.exception()
    if task.cancelled() or error is not None:
        world.broken.append(f"the batch of {len(batch)} calls ended with {error!r}, not with calls")
        return
    finished = list(task.result())
    wanted, got = [request.call_id for request in batch], [one.call_id for one in finished]
    if got != wanted:
        world.broken.append(f"asked for {wanted}, and got {got}")
        return
    for one in finished:
        wrong = _wrong_end(world, one)
        if wrong:
            world.broken.append(wrong)


def _wrong_end(world: World, one: Any) -> str:
    call_id, status = one.call_id, str(getattr(one.status, "value", one.status))
    says, does = world.scripts[call_id]
    if says not in MAY_RUN:
        return f"{call_id} may not run, and ended as {status}" if status == "success" else ""
    if call_id not in world.started:
        return f"{call_id} was allowed, and its tool was never started"
    if call_id in world.cancelled:
        wanted = "cancelled"
    else:
        wanted = "error" if does is Does.RAISES else "success"
    if status != wanted:
        return f"{call_id} {does.value}, and ended as {status}, not {wanted}"
    return ""


async def _close(world: World, driver: Any, tasks: list[asyncio.Future[Any]]) -> None:
    """Nothing that the driver started may be left when it is closed."""
    for task in tasks:
        task.cancel()
    if not hasattr(driver, "aclose"):
        return
    closing = asyncio.ensure_future(driver.aclose())
    while not closing.done():
        await asyncio.sleep(0)
        world.open_one()
    closing.result()
    await asyncio.gather(*tasks, return_exceptions=True)
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    if left:
        names = sorted(getattr(task.get_coro(), "__qualname__", "a task") for task in left)
        world.broken.append(f"{len(left)} tasks are left after aclose(): {', '.join(names)}")
