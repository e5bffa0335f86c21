"""How a list of prefixes decides about a command line: the smallest policy over understanding."""

import functools

from callgate.policy.shell import allow_reason, split_prefix, understand

_words = functools.cache(split_prefix)


def why_not(text, prefixes):
    """Empty if every part is allowed by one of the prefixes, else the first reason why not."""
    understanding = understand(text)
    if understanding.not_understood:
        return f"not understood: {understanding.not_understood}"
    for redirection in understanding.redirections:
        if not redirection.is_harmless:
            return f"redirection {redirection.operator} {redirection.target}"
    for command in understanding.commands:
        reasons = [allow_reason(_words(prefix), command) for prefix in prefixes]
        if "" not in reasons:
            matched = [reason for reason in reasons if reason]
            return matched[0] if matched else f"no prefix for {command.text}"
    return ""


def is_allowed(text, prefixes):
    """Do the prefixes allow it?"""
    return not why_not(text, prefixes)
