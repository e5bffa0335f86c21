"""What was asked of a check: the policy, and the properties, from the command line and from a file.

Rule 1: what makes no sense is an error that says what would be right, before anything is tried.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, final

from attrs import frozen

from callgate.cli.policies import source_of
from callgate.policy.loading import Loaded, load_policy
from callgate.testing.loading import Subject
from callgate.testing.property_files import (
    PATTERNED,
    Aim,
    PropertyError,
    mode_of,
    no_wider,
    patterned,
    read_properties,
)
from callgate.testing.standing import STANDING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from callgate.policy.decisions import Mode


@final
@frozen
class Asked:
    """All of it."""

    subject: Subject
    loaded: Loaded
    aims: tuple[Aim, ...]


def asked(options: argparse.Namespace) -> Asked:
    """Read the command line, and the files that it names."""
    files, modes = _hand_back(options.policy, options.mode)
    if not files:
        raise PropertyError("name at least one policy file")
    if options.examples < 0:
        raise PropertyError(f"--examples {options.examples}: a number from 0 was expected")
    loaded = load_policy(*map(source_of, files), defaults=not options.no_defaults)
    label = ", ".join(files)
    subject = Subject(loaded.policy, label, repr(files[0] if len(files) == 1 else label))
    chosen = tuple(map(mode_of, modes)) or None
    aims = [*_of_options(options, chosen)]
    if options.properties:
        read = read_properties(options.properties)
        aims += [Aim(aim.properties, chosen or aim.modes) for aim in read]
    return Asked(subject, loaded, tuple(aims) or tuple(Aim((one,), chosen) for one in STANDING))


def _hand_back(files: list[str], modes: list[str]) -> tuple[list[str], list[str]]:
    """`--mode default policy.toml` takes the file for a mode: give it back."""
    given = [word for word in modes if "." in word or "/" in word or Path(word).is_file()]
    return [*files, *given], [word for word in modes if word not in given]


def _of_options(options: argparse.Namespace, modes: tuple[Mode, ...] | None) -> Iterable[Aim]:
    for key in PATTERNED:
        for text in getattr(options, key):
            yield Aim((patterned(key, text, f"--{key.replace('_', '-')}"),), modes)
    for file in options.no_wider_than:
        yield Aim((no_wider(source_of(file), defaults=not options.no_defaults),), modes)
