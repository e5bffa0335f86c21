"""Properties in a file: `[[property]]` tables, for the command and for the pytest plugin.

    [[property]]
    never_runs = "shell:rm *"
    modes = ["default", "auto_edit"]

Rule 1: a key or a pattern that makes no sense is an error that says what would be right; a property
that is not understood is never passed over.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from callgate.policy.decisions import Mode
from callgate.policy.errors import PolicyError
from callgate.policy.loading import load_policy
from callgate.testing import properties, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from callgate.policy.loading import Source
    from callgate.testing.properties import Property

PATTERNED: Final[dict[str, Callable[[str], Property]]] = {
    "never_runs": properties.never_runs,
    "always_asks": properties.always_asks,
    "never_asks": properties.never_asks,
}
STANDING: Final[dict[str, Property]] = {
    "always_decides": standing.always_decides,
    "deny_is_final": standing.deny_is_final,
    "always_is_narrow": standing.always_is_narrow,
    "modes_are_monotone": standing.modes_are_monotone,
}
KEYS: Final = (*PATTERNED, *STANDING, "no_wider_than")


class PropertyError(ValueError):
    """A property that is none: where, what, and what would be right."""


@final
@frozen
class Aim:
    """Properties to check in some modes; none: in those that they are meant for."""

    properties: tuple[Property, ...]
    modes: tuple[Mode, ...] | None = None


def read_properties(file: str | Path) -> list[Aim]:
    """Read a file of `[[property]]` tables."""
    try:
        tables = tomllib.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PropertyError(f"{file}: {error}") from None
    listed = tables.pop("property", None)
    if tables or not isinstance(listed, list) or not listed:
        odd = f"unknown key {next(iter(tables))!r}" if tables else "it has no [[property]]"
        raise PropertyError(f"{file}: {odd}; a list of [[property]] was expected")
    return [aim for at, one in enumerate(listed, 1) for aim in _of_table(f"{file}: {at}", one)]


def mode_of(word: Any) -> Mode:
    """An approval mode by its name."""
    try:
        return Mode(word)
    except ValueError:
        known = ", ".join(mode.value for mode in Mode)
        raise PropertyError(f"the mode {word!r} is unknown (allowed: {known})") from None


def patterned(key: str, text: Any, where: str) -> Property:
    """A property of a pattern."""
    if not isinstance(text, str):
        raise PropertyError(f"{where}: {text!r} is no text; TOOL or TOOL:WORDS was expected")
    try:
        return PATTERNED[key](text)
    except ValueError as error:
        raise PropertyError(f"{where} {error}") from None


def no_wider(old: Source, *, defaults: bool = True) -> Property:
    """The property that nothing is allowed that the policy of this file did not allow."""
    loaded = load_policy(old, defaults=defaults)
    if loaded.errors:
        listed = "\n".join(map(str, loaded.errors))
        raise PolicyError(f"the old policy has errors:\n{listed}")
    return properties.NoWiderThan(loaded.policy, str(old[1] if isinstance(old, tuple) else old))


def _of_table(where: str, table: Any) -> Iterable[Aim]:
    if not isinstance(table, dict):
        raise PropertyError(f"{where} is no table; [[property]] was expected")
    table = {key.replace("-", "_"): value for key, value in table.items()}
    chosen = table.pop("modes", None)
    if chosen is not None and (not isinstance(chosen, list) or not chosen):
        raise PropertyError(f"{where}: modes = {chosen!r}; a list of modes was expected")
    if not table:
        raise PropertyError(f"{where} says nothing; one of {', '.join(KEYS)} was expected")
    for key, value in table.items():
        if key not in KEYS:
            raise PropertyError(f"{where}: unknown key {key!r}; expected: {', '.join(KEYS)}")
        modes = tuple(map(mode_of, chosen)) if chosen else None
        yield Aim(tuple(_made(where, key, value)), modes)


def _made(where: str, key: str, value: Any) -> Iterable[Property]:
    if key in STANDING:
        if value is not True:
            raise PropertyError(f"{where}: {key} = {value!r}; true was expected")
        yield STANDING[key]
        return
    for item in value if isinstance(value, list) else [value]:
        if key in PATTERNED:
            yield patterned(key, item, f"{where}: {key}")
        else:
            yield no_wider(str(item))
