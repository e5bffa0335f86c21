"""Frozen values, built fast: for the records that every step makes.

Rule 1: what comes out of a mould is the frozen value itself: it is filled while it is still soft,
and hardens before anybody else has seen it. Nothing keeps the soft form.
Rule 2: a mould does not convert or validate; a class that does is refused, at import.

The constructor of a frozen attrs class sets each field past its own guard, and that costs more than
the rest of a step. A mould is a class of the same layout without the guard, whose instance changes
its class when it is whole (and that is why such a class has no slot for weak references).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from attrs import field, fields, make_class

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


def mould(kind: Callable[P, T]) -> Callable[P, T]:
    """The constructor of a frozen class, with the same arguments, and faster.

    >>> from callgate.kernel.effects import StopExecution
    >>> mould(StopExecution)(1, attempt=2)
    StopExecution(call=1, attempt=2)
    """
    hard: Any = kind
    soft = {}
    for one in fields(hard):
        if one.converter is not None or one.validator is not None:
            raise TypeError(f"{hard.__name__}.{one.name} is checked: a mould would not check it")
        soft[one.name] = field(default=one.default)

    def harden(self: Any) -> None:
        self.__class__ = hard

    made = make_class(
        f"Soft{hard.__name__}",
        soft,
        class_body={"__attrs_post_init__": harden},
        slots=True,
        weakref_slot=False,
        eq=False,
        repr=False,
    )
    return cast("Callable[P, T]", made)
