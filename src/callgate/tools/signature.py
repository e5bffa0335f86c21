"""What a function asks for: the arguments of a model, and what only a driver can give.

Rule 1: everything is read once, when the function is decorated, and complained about there.
"""

from __future__ import annotations

import inspect
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, NewType, final, get_args, get_origin
from typing import get_type_hints as type_hints

from attrs import frozen

from callgate.tools.docstrings import documented
from callgate.tools.errors import UnfitFunction
from callgate.tools.protocols import Cancellation, Output

if TYPE_CHECKING:
    from collections.abc import Callable

IdempotencyKey = NewType("IdempotencyKey", str)
"""Ask for one as a parameter: the same for every attempt of a call, never that of another call."""


@final
class Injected(StrEnum):
    """What a driver puts in, and a model never sees."""

    OUTPUT = "output"
    CANCELLATION = "cancellation"
    KEY = "key"


_INJECTED: Final[dict[Any, Injected]] = {
    Output: Injected.OUTPUT,
    Cancellation: Injected.CANCELLATION,
    IdempotencyKey: Injected.KEY,
}


@final
@frozen
class Argument:
    """One argument that a model gives."""

    name: str
    hint: Any
    required: bool
    default: Any = None
    description: str = ""


@final
@frozen
class Signature:
    """All that a function asks for."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    injected: tuple[tuple[str, Injected], ...]
    is_async: bool

    def wants(self, what: Injected) -> bool:
        """Does the function ask for this?"""
        return any(found is what for _, found in self.injected)


def signature_of(function: Callable[..., Any]) -> Signature:
    """Read a function.

    >>> def add(a: int, b: int = 0) -> int: ...
    >>> [argument.name for argument in signature_of(add).arguments]
    ['a', 'b']
    """
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise UnfitFunction(function, "it yields; show output by a parameter of type Output")
    words = documented(function)
    arguments, injected = [], []
    for name, parameter, hint in _parameters(function):
        if (what := _INJECTED.get(_without_none(hint))) is not None:
            injected.append((name, what))
            continue
        required = parameter.default is inspect.Parameter.empty
        default = None if required else parameter.default
        described = words.arguments.get(name, "")
        arguments.append(Argument(name, hint, required, default, described))
    return Signature(
        name=getattr(function, "__name__", type(function).__name__),
        description=words.text,
        arguments=tuple(arguments),
        injected=tuple(injected),
        is_async=inspect.iscoroutinefunction(function),
    )


def _parameters(
    function: Callable[..., Any],
) -> list[tuple[str, inspect.Parameter, Any]]:
    hints = _hints(function)
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UnfitFunction(function, f"{parameter} takes anything; name what it may take")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise UnfitFunction(function, f"{name!r} is positional only; arguments have names")
        if name not in hints:
            raise UnfitFunction(function, f"{name!r} has no type; write {name}: str, or Any")
        found.append((name, parameter, hints[name]))
    return found


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return type_hints(function, localns=_names_around(), include_extras=True)
    except (NameError, TypeError) as error:
        raise UnfitFunction(function, f"its types cannot be read: {error}") from None


def _names_around() -> dict[str, Any]:
    """Names of the function that the decorated one stands in: its hints may use them."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame = frame.f_back
    return {} if frame is None else dict(frame.f_locals)


_OURS: Final = "callgate.tools"


def _without_none(hint: Any) -> Any:
    if get_origin(hint) is Annotated:
        return _without_none(get_args(hint)[0])
    others = [item for item in get_args(hint) if item is not type(None)]
    return others[0] if len(others) == 1 and type(None) in get_args(hint) else hint
