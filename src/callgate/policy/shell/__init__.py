"""Understanding a bash command line well enough to let it run, or saying that it is not understood.

General layout: `commands` (values), `understanding` (the way in), `prefix` (matching), `programs` (tables).
"""

from callgate.policy.shell.commands import Command, Layer, Opaque, Redirection, Understanding, Word
from callgate.policy.shell.prefix import (
    allow_matches,
    allow_reason,
    deny_could_match,
    deny_matches,
    split_prefix,
)
from callgate.policy.shell.programs import judge
from callgate.policy.shell.understanding import understand

__all__ = [
    "Command",
    "Layer",
    "Opaque",
    "Redirection",
    "Understanding",
    "Word",
    "allow_matches",
    "allow_reason",
    "deny_could_match",
    "deny_matches",
    "judge",
    "split_prefix",
    "understand",
]
