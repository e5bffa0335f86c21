"""Fields that must be of one kind: converters, so that nothing else can enter a state.

Rule 1: a converter always runs; attrs' validators can be switched off for a whole process.
"""

from __future__ import annotations

from math import isfinite

from callgate.kernel.errors import shown


def text(value: object) -> str:
    """A string."""
    if isinstance(value, str):
        return value
    raise TypeError(f"a text is {shown(value)}; a string was expected")


def flag(value: object) -> bool:
    """True or False, and no other truth."""
    if type(value) is bool:
        return value
    raise TypeError(f"a flag is {shown(value)}; True or False was expected")


def whole_or_none(value: object) -> int | None:
    """A whole number, or nothing."""
    if value is None or type(value) is int:
        return value
    raise TypeError(f"a number is {shown(value)}; a whole number or None was expected")


def finite_or_none(value: object) -> float | None:
    """A finite number, or nothing."""
    if value is None or (type(value) in (int, float) and isfinite(value)):  # type: ignore[arg-type]
        return value  # type: ignore[return-value]
    raise TypeError(f"a progress is {shown(value)}; a finite number or None was expected")
