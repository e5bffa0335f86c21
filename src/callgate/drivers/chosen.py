"""What an embedder chose, looked at before anything runs: nothing is found out in the middle.

Rule 1: an error names the choice, its value, and what would be right.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, get_args

from callgate.drivers.cancelling import CancelToken
from callgate.drivers.errors import DriverError
from callgate.drivers.hooks import Hook
from callgate.kernel.config import Config
from callgate.kernel.plans import PlanName, Waves

if TYPE_CHECKING:
    from collections.abc import Iterable


def running_loop() -> asyncio.AbstractEventLoop:
    """The loop that we are in."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise DriverError(
            "a ToolScheduler was built outside of an event loop: build it in an async function, or"
            " use run_batch(requests, tools), which needs none"
        ) from None


def check_functions(**functions: Any) -> None:
    """Each is a function, or not given.

    >>> check_functions(ask="yes")
    Traceback (most recent call last):
    TypeError: ask is 'yes'; a function, or None, was expected
    """
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise TypeError(f"{name} is {function!r}; a function, or None, was expected")


def check_plan(plan: Any) -> None:
    """A plan has a name, or is the waves themselves.

    >>> check_plan("waves")
    """
    if not isinstance(plan, Waves) and plan not in get_args(PlanName):
        names = ", ".join(get_args(PlanName))
        raise ValueError(f"plan is {plan!r}; one of {names}, or Waves, was expected")


def check_batch(plan: Any, batch_id: Any, cancel: Any) -> None:
    """What `schedule` was given beside the requests.

    >>> check_batch(None, 5, None)
    Traceback (most recent call last):
    TypeError: batch_id is 5; a string, or None, was expected
    """
    if plan is not None:
        check_plan(plan)
    if batch_id is not None and type(batch_id) is not str:
        raise TypeError(f"batch_id is {batch_id!r}; a string, or None, was expected")
    if cancel is not None and not isinstance(cancel, CancelToken):
        raise TypeError(f"cancel is {cancel!r}; a CancelToken, or None, was expected")


def check_choices(hooks: Any, config: Any, editor: Any, plan: Any) -> tuple[Hook, ...]:
    """The hooks, if these are some, and the others are what they should be."""
    check_plan(plan)
    if config is not None and not isinstance(config, Config):
        raise TypeError(f"config is {config!r}; a callgate.Config, or None, was expected")
    if editor is not None and not callable(getattr(editor, "edit", None)):
        raise TypeError(f"editor is {editor!r}; a CommandEditor, or None, was expected")
    if isinstance(hooks, Hook):
        raise TypeError("hooks is one Hook; a list of them was expected")
    return tuple(_hooks(hooks))


def _hooks(hooks: Iterable[Any]) -> Iterable[Hook]:
    for place, hook in enumerate(hooks):
        if not isinstance(hook, Hook):
            expected = "a Hook(before=..., after=...) was expected"
            raise TypeError(f"hooks[{place}] is {hook!r}; {expected}")
        yield hook
