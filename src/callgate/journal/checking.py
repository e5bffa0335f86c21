"""Is a decoded value what its fields promise? A damaged record must not become a strange event.

Rule 1: annotations are the law: whatever the codec built is held to the types of its fields.
Rule 2: what a person answered is taken as it is, as the kernel takes it (CALL-1).
Rule 3: free JSON was checked when it was frozen; it is not looked at again.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, get_args

import attrs

from callgate.journal.codec import CLASSES
from callgate.kernel.events import ApprovalAnswered, Event
from callgate.kernel.plans import PLANS
from callgate.kernel.values import Outcome

EVENT_NAMES: Final = tuple(kind.__name__ for kind in get_args(Event))
_FREE: Final = ("Json", "JsonObject")
_ALIASES: Final = {
    "Verdict": "Allow | Ask | Deny | Failed",
    "PlanName": "str",
    "Outcome": "str",
}
_SCALARS: Final[dict[str, tuple[type, ...]]] = {
    "int": (int,),
    "str": (str, Outcome),
    "bool": (bool,),
    "float": (int, float),
    "None": (type(None),),
}
_ANNOTATIONS: Final = {
    kind: tuple((field.name, str(field.type)) for field in attrs.fields(kind))
    for kind in CLASSES.values()
}


def check_fields(value: Any, path: str = "") -> None:
    """Raise `TypeError`, with the path of the field, where a value is not what it should be.

    >>> from callgate import TimePassed
    >>> check_fields(TimePassed(at_ms="7"))
    Traceback (most recent call last):
    TypeError: TimePassed.at_ms is '7' (allowed: int)
    """
    if type(value) is ApprovalAnswered:
        return
    where = path or type(value).__name__
    for name, annotation in _ANNOTATIONS[type(value)]:
        if annotation not in _FREE:
            _check(getattr(value, name), annotation, f"{where}.{name}")
    plan = getattr(value, "plan", None)
    if isinstance(plan, str) and plan not in PLANS:
        raise TypeError(f"{where}.plan is {plan!r:.60} (allowed: {', '.join(PLANS)}, or Waves)")


def _check(value: Any, annotation: str, path: str) -> None:
    if annotation.startswith("tuple[") and isinstance(value, tuple):
        item = annotation.removeprefix("tuple[").removesuffix(", ...]")
        for position, member in enumerate(value):
            _check(member, item, f"{path}[{position}]")
        return
    if not any(_is(value, member) for member in _members(annotation)):
        raise TypeError(f"{path} is {value!r:.60} (allowed: {annotation})")
    if type(value) in _ANNOTATIONS:
        check_fields(value, path)


@cache
def _members(annotation: str) -> tuple[str, ...]:
    names = (part.strip() for part in annotation.split(" | "))
    return tuple(name for part in names for name in _ALIASES.get(part, part).split(" | "))


def _is(value: Any, member: str) -> bool:
    known = CLASSES.get(member)
    if known is not None:
        return type(value) is known
    return type(value) in _SCALARS.get(member, ())
