"""What was asked of a check: the policy, and the properties, from the command line and from a file.

Rule 1: a key, a mode or a pattern that makes no sense is an error that says what would be right; a
property that is not understood is never passed over.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from callgate.policy.decisions import Mode
from callgate.policy.errors import PolicyError
from callgate.policy.loading import Loaded, load_policy
from callgate.policy.rules import Tier
from callgate.testing import MissingExtra

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from callgate.testing.loading import Subject
    from callgate.testing.properties import Property

PATTERNED: Final = ("never_runs", "always_asks", "never_asks")
STANDING: Final = ("always_decides", "deny_is_final", "always_is_narrow", "modes_are_monotone")


class UsageError(ValueError):
    """The asking was wrong: why."""


@final
@frozen
class Aim:
    """Properties to check in some modes; none: in those that they are meant for."""

    properties: tuple[Property, ...]
    modes: tuple[Mode, ...] | None = None


@final
@frozen
class Asked:
    """All of it."""

    subject: Subject
    loaded: Loaded
    aims: tuple[Aim, ...]


def asked(options: argparse.Namespace) -> Asked:
    """Read the command line, and the files that it names."""
    try:
        from callgate.testing.loading import Subject
    except ModuleNotFoundError as error:
        raise MissingExtra.of(error) from error
    files, modes = _hand_back(options.policy, options.mode)
    if not files:
        raise UsageError("name at least one policy file")
    if options.examples < 0:
        raise UsageError(f"--examples {options.examples} is no number of calls")
    loaded = load_policy(*map(source, files), defaults=not options.no_defaults)
    label = ", ".join(files)
    subject = Subject(loaded.policy, label, repr(files[0] if len(files) == 1 else label))
    chosen = tuple(map(_mode, modes)) or None
    aims = [*_of_options(options, chosen)]
    if options.properties:
        aims += _of_file(options.properties, chosen)
    return Asked(subject, loaded, tuple(aims) or _standing(chosen))


def _standing(modes: tuple[Mode, ...] | None) -> tuple[Aim, ...]:
    import callgate.testing as kit

    return tuple(Aim((getattr(kit, name),), modes) for name in STANDING[:3])


def _hand_back(files: list[str], modes: list[str]) -> tuple[list[str], list[str]]:
    """`--mode default policy.toml` takes the file for a mode: give it back."""
    given = [word for word in modes if "." in word or "/" in word or Path(word).is_file()]
    return [*files, *given], [word for word in modes if word not in given]


def source(word: str) -> tuple[str, str]:
    """A tier and a file."""
    tier, found, file = word.partition("=")
    if found and (tier in list(Tier) or not Path(word).exists()):
        return tier, file
    return Tier.USER.value, word


def _mode(word: Any) -> Mode:
    try:
        return Mode(word)
    except ValueError:
        known = ", ".join(mode.value for mode in Mode)
        raise UsageError(f"the mode {word!r} is unknown (allowed: {known})") from None


def _of_options(options: argparse.Namespace, modes: tuple[Mode, ...] | None) -> Iterable[Aim]:
    for key in PATTERNED:
        for text in getattr(options, key):
            yield Aim((_patterned(key, text, f"--{key.replace('_', '-')}"),), modes)
    for file in options.no_wider_than:
        yield Aim((_no_wider(file, defaults=not options.no_defaults),), modes)


def _patterned(key: str, text: Any, where: str) -> Property:
    import callgate.testing as kit

    if not isinstance(text, str):
        raise UsageError(f"{where}: {text!r} is no text; TOOL or TOOL:WORDS was expected")
    try:
        made: Property = getattr(kit, key)(text)
    except ValueError as error:
        raise UsageError(f"{where} {error}") from None
    return made


def _no_wider(file: str, *, defaults: bool = True) -> Property:
    from callgate.testing.properties import NoWiderThan

    old = load_policy(source(file), defaults=defaults)
    if old.errors:
        raise PolicyError(f"the old policy has errors:\n{chr(10).join(map(str, old.errors))}")
    return NoWiderThan(old.policy, file)


def _of_file(file: str, modes: tuple[Mode, ...] | None) -> list[Aim]:
    try:
        tables = tomllib.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--properties {file}: {error}") from None
    listed = tables.pop("property", None)
    if tables or not isinstance(listed, list) or not listed:
        odd = f"unknown key {next(iter(tables))!r}" if tables else "it has no [[property]]"
        raise UsageError(f"--properties {file}: {odd}; a list of [[property]] was expected")
    return [
        aim for number, one in enumerate(listed, 1) for aim in _of_table(file, number, one, modes)
    ]


def _of_table(file: str, number: int, table: Any, modes: tuple[Mode, ...] | None) -> Iterable[Aim]:
    where = f"{file}: property {number}"
    known = (*PATTERNED, *STANDING, "no_wider_than")
    if not isinstance(table, dict):
        raise UsageError(f"{where} is no table; [[property]] was expected")
    table = {key.replace("-", "_"): value for key, value in table.items()}
    chosen = table.pop("modes", None)
    if chosen is not None and not isinstance(chosen, list):
        raise UsageError(f"{where}: modes = {chosen!r}; a list of modes was expected")
    own = tuple(map(_mode, chosen)) if chosen else None
    if not table:
        raise UsageError(f"{where} says nothing; one of {', '.join(known)} was expected")
    for key, value in table.items():
        if key not in known:
            raise UsageError(
                f"{where}: unknown key {key!r}; one of {', '.join(known)} was expected"
            )
        yield Aim(_properties(where, key, value), modes or own)


def _properties(where: str, key: str, value: Any) -> tuple[Property, ...]:
    import callgate.testing as kit

    if key in STANDING:
        if value is not True:
            raise UsageError(f"{where}: {key} = {value!r}; true was expected")
        return (getattr(kit, key),)
    items = value if isinstance(value, list) else [value]
    if key == "no_wider_than":
        return tuple(_no_wider(str(item)) for item in items)
    return tuple(_patterned(key, item, f"{where}: {key}") for item in items)
