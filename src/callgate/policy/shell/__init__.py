"""Understanding a bash command line well enough to let it run, or saying that nobody can.

General layout: `commands` (values), `understanding` (the way in), `scanner` and `reader` (the
grammar), `tree` (the second parser), `wrappers` and `codetext` (commands inside commands), `prefix`
(matching), `programs` and the tables beside it (what options do).
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
