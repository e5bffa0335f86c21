"""Tables: builtins of bash that can change what later commands do, or evaluate what they are given.

Rule 1: a name that is set must be a variable of the script alone (see `assignments`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from callgate.policy.shell.assignments import is_harmless_export, is_local
from callgate.policy.shell.commands import Opaque, Word
from callgate.policy.shell.options import Problem

Judged = Sequence[Word]
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PRINTF_STORES = re.compile(r"%[^A-Za-z%]*n")


def _printf(words: Judged, _granted: int) -> Problem | None:
    """`-v` and `%n` store into a name, whose subscript is evaluated; so the format must be "
    "literal."""
    place = 2 if len(words) > 2 and words[1] == "--" else 1
    if len(words) <= place:
        return None
    shape = words[place]
    if isinstance(shape, Opaque):
        begins_plain = re.match(r'"[^-$`"\\]', shape.text) and shape.is_one
        return None if begins_plain else (place, "the format of printf is not literal")
    if (shape.startswith("-") and place == 1) or PRINTF_STORES.search(shape):
        return len(words) - 1, f"printf may store into a name: {shape!a}"
    return None


def _names(flags: str, valued: str) -> Callable[[Judged, int], Problem | None]:
    """A builtin whose operands are names that it sets."""

    def judged(words: Judged, _granted: int) -> Problem | None:
        index = 1
        while index < len(words):
            word = words[index]
            if isinstance(word, Opaque):
                return index, f"{word.text!a} may be any option or name"
            if word.startswith("-") and len(word) > 1:
                letter = word[-1]
                if set(word[1:-1]) - set(flags) or letter not in flags + valued:
                    return index, f"the option {word!a} is not known to be harmless"
                index += 2 if letter in valued else 1
                continue
            if not is_local(word):
                return index, f"{word!a} may be a variable that programs read"
            index += 1
        return None

    return judged


def _declared(flags: str) -> Callable[[Judged, int], Problem | None]:
    """`export NAME=value` and its like."""

    def judged(words: Judged, _granted: int) -> Problem | None:
        for index, word in enumerate(words[1:], start=1):
            if isinstance(word, Opaque):
                name, equals, _ = word.text.partition("=")
                if equals and word.is_one and is_local(name) and words[0] != "export":
                    continue
                return index, f"{word.text!a} may set any variable"
            if word.startswith("-"):
                if set(word[1:]) - set(flags):
                    return index, f"the option {word!a} is not known to be harmless"
                continue
            name, _, value = word.partition("=")
            fine = is_harmless_export(name, value) if words[0] == "export" else is_local(name)
            if not fine:
                return index, f"{name}= may change what a command does"
        return None

    return judged


def _only(pattern: str) -> Callable[[Judged, int], Problem | None]:
    """A builtin that takes only words of this form."""
    form = re.compile(pattern)

    def judged(words: Judged, _granted: int) -> Problem | None:
        for index, word in enumerate(words[1:], start=1):
            shown = word.text if isinstance(word, Opaque) else word
            if not form.fullmatch(shown) or (isinstance(word, Opaque) and shown != "$!"):
                return index, f"{shown!a} is not known to be harmless"
        return None

    return judged


BUILTINS: dict[str, Callable[[Judged, int], Problem | None]] = {
    "printf": _printf,
    "read": _names("rseE", "dnNtpua"),
    "mapfile": _names("t", "dnOsuc"),
    "readarray": _names("t", "dnOsuc"),
    "unset": _names("v", ""),
    "getopts": _only(r"[A-Za-z:]+|[a-z_]+"),
    "wait": _only(r"[0-9]+|%[0-9]+|-n|-f|\$!"),
    "export": _declared("p"),
    "declare": _declared("prlu"),
    "typeset": _declared("prlu"),
    "local": _declared("rlu"),
    "readonly": _declared("p"),
    "set": _only(
        r"[-+][euxvfCn]*o?|pipefail|errexit|nounset|xtrace|noglob|noclobber|--|[A-Za-z0-9_./]+"
    ),
    "shopt": _only(r"-[pq]|nullglob|dotglob|nocaseglob|globstar|failglob"),
    "jobs": _only(r"-[lprs]+|%[0-9]+"),
    "exec": _only(r"(?!)"),
    "umask": _only(r"-[Sp]"),
    "ulimit": _only(r"-[a-zA-Z]+"),
}
