"""How the options of a program are read: clusters, values, abbreviations, operands.

Rule 1: an option is harmless only if it is listed, an abbreviation only if it cannot mean a
        harmful one.
Rule 2: words that a prefix granted are read for their meaning, and not judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, final

from attrs import field, frozen

from callgate.policy.shell.commands import Opaque, Word, names

Problem: TypeAlias = tuple[int, str]
"Which word asks, and why."
Check: TypeAlias = Callable[[Sequence[tuple[int, str]]], "Problem | None"]
"Judges the operands, each with its place."
OPTION = re.compile("--?[A-Za-z]")


@final
@frozen
class Options:
    """The harmless options of a program.

    >>> sort = Options("nr", "k", "reverse key=", harmful="output")
    >>> read(sort, ("sort", "-rnk2", "--rev", "file"), 1)
    >>> read(sort, ("sort", "-ro", "file"), 1)
    (1, "the option '-ro' is not known to be harmless")
    """

    flags: str = ""
    "Short options without a value."
    valued: str = ""
    "Short options with a value, in the next word or the same."
    long: frozenset[str] = field(default="", converter=names)
    "Long options: `name`, `name=` with a value, `name?` with a value only after `=`."
    operands: int | None = None
    "How many operands at most; none: any number."
    harmful: frozenset[str] = field(default="", converter=names)
    "Long options that an abbreviation must not mean."
    words: frozenset[str] = field(default="", converter=names)
    "Whole words that are options: `-name=` with a value in the next word, `-print` without."
    numeric: bool = False
    "Is -5 an option?"
    check: Check | None = None
    values: Callable[[str, str], str] | None = None
    "Judges the value of an option: its name and value in, a reason out."
    asks_operands: str = "an operand may name an output"
    needs: frozenset[str] = field(default="", converter=names)
    "With operands it is harmless only if one of these is given."
    undone: frozenset[str] = field(default="", converter=names)
    "Of what is needed, what does not count beside one of `undoes`."
    undoes: frozenset[str] = field(default="", converter=names)
    stops: bool = False
    "Do options end at the first operand?"
    ends: bool = True
    "Do options end at `--`?"
    is_named: bool = False
    "A sub-command that a rule must name: one for the program alone does not grant it."
    attached: str = ""
    "Short options with a value in the same word or none: the next word is never theirs."
    apart: str = ""
    "Short options whose value is the next word, whatever letters follow; or a number right there."


def read(options: Options, words: Sequence[Word], start: int) -> Problem | None:
    """The last problem of these words from `start` on; none if all are harmless."""
    problems = list(problems_of(options, words, start))
    return problems[-1] if problems else None


def problems_of(options: Options, words: Sequence[Word], start: int) -> list[Problem]:
    """Every word that asks."""
    found, operands, given = list[Problem](), list[tuple[int, str]](), set[str]()
    index, ended = start, False
    while index < len(words):
        word = words[index]
        if isinstance(word, Opaque):
            found.append((index, f"{word.text!a} may become any option or operand"))
            index += 1
            continue
        width = 1
        if not ended and word == "--":
            ended = options.ends
        elif not ended and word in ("-", "") and "-" not in options.words:
            operands.append((index, word))
        elif not ended and (word[:1] == "-" or f"{word}" in options.words):
            width, reason = _one(options, words, index, given)
            if reason:
                found.append((min(index + width, len(words)) - 1, reason))
        else:
            operands.append((index, word))
            ended = ended or options.stops
        index += width
    if options.needs and operands and not _has_needed(options, given):
        found.append((operands[-1][0], options.asks_operands))
    if options.operands is not None and len(operands) > options.operands:
        found.append((operands[-1][0], options.asks_operands))
    problem = options.check(operands) if options.check is not None else None
    return [*found, problem] if problem else found


def _one(options: Options, words: Sequence[Word], index: int, given: set[str]) -> tuple[int, str]:
    """One option: how many words it takes, and why it asks; its names are added to `given`."""
    word = str(words[index])
    following = words[index + 1] if index + 1 < len(words) else ""
    value = following if isinstance(following, str) else ""
    if word in options.words:
        return 1, ""
    if f"{word}=" in options.words:
        return 2, _value(options, word, value)
    if f"{word.partition('=')[0]}=" in options.words and "=" in word:
        return 1, _value(options, word, word.partition("=")[2])
    if options.numeric and word[1:].isdecimal():
        return 1, ""
    if word.startswith("--"):
        return _long(options, word, value, given)
    return _cluster(options, word, value, given)


def _cluster(options: Options, word: str, following: str, given: set[str]) -> tuple[int, str]:
    """Short options in one word."""
    width = 1
    for place, letter in enumerate(word[1:], start=2):
        rest = word[place:]
        given.add(letter)
        if letter in options.valued:
            return (1, _value(options, letter, rest)) if rest else _next(options, letter, following)
        if letter in options.attached:
            return width, _value(options, letter, rest) if rest else ""
        if letter in options.apart:
            if rest.isdecimal():
                return width, ""
            width += 1
        elif letter not in options.flags:
            return 1, f"the option {word!a} is not known to be harmless"
    return width, ""


def _long(options: Options, word: str, following: str, given: set[str]) -> tuple[int, str]:
    name, equals, value = word[2:].partition("=")
    refused = f"the option {word!a} is not known to be harmless"
    known = {entry.rstrip("=?"): entry for entry in sorted(options.long)}
    if name not in known:
        meant = sorted(entry for entry in known if entry.startswith(name))
        harmful = any(entry.startswith(name) for entry in options.harmful)
        if len(name) < 3 or not meant or harmful:
            return 1, refused
        name = meant[0]
    entry = known[name]
    given.add(name)
    if equals:
        return 1, (_value(options, name, value) if entry[-1] in "=?" else refused)
    if entry[-1] == "=":
        return _next(options, name, following)
    return 1, ""


def _has_needed(options: Options, given: set[str]) -> bool:
    """Is one of the needed options there, and not taken back by another?"""
    needed = given & options.needs
    return bool(needed - options.undone if given & options.undoes else needed)


def _next(options: Options, name: str, value: str) -> tuple[int, str]:
    """A value in the next word: some programs would rather take it for an option."""
    if OPTION.match(value):
        return 2, f"the value {value!a} looks like an option"
    return 2, _value(options, name, value)


def _value(options: Options, name: str, value: str) -> str:
    return options.values(name, value) if options.values is not None else ""
