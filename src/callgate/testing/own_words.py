"""Calls out of the policy's own words: what its expressions match, its globs mean, its rules name.

Rule 1: every alternative of an expression is spelt out: the hole is seldom in the first.
Rule 2: what is made here need not match; whoever asks the policy finds out.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from callgate.policy.shell import deny_matches, understand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callgate.testing.vocabulary import Vocabulary

EXPRESSIONS_MAX: Final = 40
SPELT_MAX: Final = 24
"""How many texts one expression is spelt out to."""
_GROUP: Final = re.compile(r"\((?:\?:)?([^()]*)\)([?*]|\{0[^}]*\})?\+?")
_CLASS: Final = re.compile(r"\[(\^?)((?:\\.|[^\]\\])+)\](?:[*+?]|\{[^}]*\})?")
_BRACKETS: Final = {"\\(": "\ue000", "\\)": "\ue001", "\\|": "\ue002"}


@lru_cache(maxsize=100)
def expression_examples(words: Vocabulary) -> tuple[str, ...]:
    """Texts that the policy's expressions match: what they spell, or near to it."""
    found = (
        text for expression in words.expressions[:EXPRESSIONS_MAX] for text in spelt(expression)
    )
    return tuple(dict.fromkeys(text for text in found if text))


def spelt(expression: str) -> tuple[str, ...]:
    """The plainest texts that an expression could mean, one for each alternative.

    >>> spelt("npm (ci|run [a-c]+)$")
    ('npm ci', 'npm run a', 'npm run c')
    """
    text = re.sub(r"\(\?[!=<][^)]*\)|\(\?[a-z]+\)", "", expression)
    for sign, stand_in in _BRACKETS.items():
        text = text.replace(sign, stand_in)
    flat = (one for each in _without_groups(text) for one in each.split("|"))
    plain = (_literal(one) for each in flat for one in _without_classes(each))
    return tuple(dict.fromkeys(plain))[:SPELT_MAX]


def _without_groups(text: str) -> list[str]:
    return _rewritten(text, _one_group_less)


def _without_classes(text: str) -> list[str]:
    return _rewritten(text, _one_class_less)


def _rewritten(text: str, once: Callable[[str], list[str]]) -> list[str]:
    """Each text rewritten until nothing changes, and never more than are kept in the end."""
    texts = [text]
    while True:
        following = [after for one in texts for after in once(one)][:SPELT_MAX]
        if following == texts:
            return texts
        texts = following


def _one_group_less(text: str) -> list[str]:
    group = _GROUP.search(text)
    if group is None:
        return [text]
    ways = [*group[1].split("|"), *([""] if group[2] else [])]
    return [f"{text[: group.start()]}{way}{text[group.end() :]}" for way in ways]


def _one_class_less(text: str) -> list[str]:
    found = _CLASS.search(text)
    if found is None:
        return [text]
    members = ("x",) if found[1] else tuple(dict.fromkeys((found[2][0], found[2][-1])))
    members = ("x",) if {*members} & {"\\", "["} else members
    return [f"{text[: found.start()]}{member}{text[found.end() :]}" for member in members]


def _literal(expression: str) -> str:
    """The text that is left when anchors and quantifiers are taken off."""
    text = re.sub(r"\\[bABzZ]|^\^|\$$", "", expression)
    text = re.sub(r"\\s\*|\.\*|\\S\*|\\w\*|\\d\*", "", text)
    text = re.sub(r"(?<!\\)(?:[?+]|\{\d[^}]*\})", "", text)
    text = re.sub(r"\\s", " ", text)
    text = re.sub(r"\\d", "1", text)
    text = re.sub(r"\\[wS]|(?<!\\)\.$", "x", text)
    text = re.sub(r"\\([^\w\s])", r"\1", text)
    for sign, stand_in in _BRACKETS.items():
        text = text.replace(stand_in, sign[1])
    return text


@lru_cache(maxsize=100)
def argument_examples(words: Vocabulary) -> tuple[dict[str, Any], ...]:
    """Arguments that the policy's expressions over JSON match."""
    found: dict[str, dict[str, Any]] = {}
    for text in (*expression_examples(words), *words.texts):
        for args in _as_arguments(text):
            found.setdefault(json.dumps(args), args)
    return tuple(found.values())


def _as_arguments(text: str) -> Iterator[dict[str, Any]]:
    inner = text.removeprefix("{").removesuffix("}").strip(",")
    if not inner.startswith('"'):
        return
    for end in ("", '"', "1", 'x"', '"x"'):
        try:
            args = json.loads(f"{{{inner}{end}}}")
        except ValueError:
            continue
        yield args
        return


def expression_texts(words: Vocabulary) -> list[st.SearchStrategy[str]]:
    """Texts that the policy's expressions match, at random."""
    return [
        st.from_regex(expression, fullmatch=True).filter(str.isprintable)
        for expression in words.expressions[:EXPRESSIONS_MAX]
        if '"' not in expression
    ]


def path_examples(words: Vocabulary) -> tuple[str, ...]:
    """Paths that the policy's globs mean."""
    globs = (text for text in words.texts if ("/" in text or "*" in text) and " " not in text)
    made = (re.sub(r"\*+/?", "x/", text).rstrip("/") for text in globs)
    return tuple(dict.fromkeys(text for text in made if text))


def running(words: Vocabulary, wanted: Sequence[str]) -> Iterator[str]:
    """Command lines of the policy that run these words: first of all, or somewhere inside."""
    for text in dict.fromkeys((*words.commands, *words.texts, *expression_examples(words))):
        for line in (text, f"{text} x"):
            found = understand(line)
            if not found.is_understood:
                continue
            if any(deny_matches(tuple(wanted), command) for command in found.commands):
                yield line
