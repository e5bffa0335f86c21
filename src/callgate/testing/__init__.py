"""The test kit: find out what a policy, a plan or a driver can never do.

General layout: `pattern`, `techniques`, `commands` and `calls` make the calls; `properties` and
`standing` say what must hold; `search` and `proving` try to break it; `machine` runs whole batches
through the kernel. Each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callgate.testing.calls import hostile_arguments as hostile_arguments
    from callgate.testing.calls import tool_calls as tool_calls
    from callgate.testing.commands import commands as commands
    from callgate.testing.drivers import DriverFailed as DriverFailed
    from callgate.testing.drivers import check_driver as check_driver
    from callgate.testing.faults import World as World
    from callgate.testing.loading import decided as decided
    from callgate.testing.machine import PolicyMachine as PolicyMachine
    from callgate.testing.pattern import Pattern as Pattern
    from callgate.testing.plans import PlanFailed as PlanFailed
    from callgate.testing.plans import check_plan as check_plan
    from callgate.testing.properties import Property as Property
    from callgate.testing.properties import always_asks as always_asks
    from callgate.testing.properties import holds as holds
    from callgate.testing.properties import never_asks as never_asks
    from callgate.testing.properties import never_runs as never_runs
    from callgate.testing.properties import no_wider_than as no_wider_than
    from callgate.testing.results import PropertyFailed as PropertyFailed
    from callgate.testing.results import Result as Result
    from callgate.testing.search import check_policy as check_policy
    from callgate.testing.search import examine as examine
    from callgate.testing.standing import always_decides as always_decides
    from callgate.testing.standing import always_is_narrow as always_is_narrow
    from callgate.testing.standing import deny_is_final as deny_is_final
    from callgate.testing.standing import modes_are_monotone as modes_are_monotone
    from callgate.testing.strategies import batches as batches
    from callgate.testing.strategies import confirmations as confirmations
    from callgate.testing.strategies import histories as histories
    from callgate.testing.strategies import requests as requests

_HOME: Final = {
    "calls": ("hostile_arguments", "tool_calls"),
    "commands": ("commands",),
    "loading": ("decided",),
    "pattern": ("Pattern",),
    "properties": ("Property", "always_asks", "holds", "never_asks", "never_runs", "no_wider_than"),
    "results": ("PropertyFailed", "Result"),
    "search": ("check_policy", "examine"),
    "machine": ("PolicyMachine",),
    "plans": (
        "PlanFailed",
        "check_plan",
    ),
    "drivers": (
        "DriverFailed",
        "check_driver",
    ),
    "faults": ("World",),
    "strategies": (
        "batches",
        "confirmations",
        "histories",
        "requests",
    ),
    "standing": ("always_decides", "always_is_narrow", "deny_is_final", "modes_are_monotone"),
}
_MODULE: Final = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)  # noqa: PLE0605 - a list, made of the table above


class MissingExtra(ImportError):
    """The test kit needs libraries that callgate itself does not."""

    @classmethod
    def of(cls, error: ModuleNotFoundError, what: str = "the test kit") -> MissingExtra:
        """What to install for it."""
        return cls(f"{what} needs {error.name}: pip install 'callgate[testing]'", name=error.name)


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"callgate.testing has no {name!r}; it has {', '.join(__all__)}")
    try:
        return getattr(import_module(f"callgate.testing.{_MODULE[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name not in ("hypothesis", "pytest"):
            raise
        raise MissingExtra.of(error, f"callgate.testing.{name}") from error


def __dir__() -> list[str]:
    return __all__
