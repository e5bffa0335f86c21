"""The calls that a policy is tried with: what a model could send, and what an attacker would.

Rule 1: smallest first, so that the first call that breaks a property is one to show.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve
from hypothesis import strategies as st

from callgate.policy.decisions import Context, ToolCall
from callgate.testing.commands import (
    HARMLESS,
    Command,
    commands,
    deliberate,
    further_words,
    one_of_these,
    spell,
    with_further,
)
from callgate.testing.own_words import (
    argument_examples,
    expression_examples,
    expression_texts,
    path_examples,
    running,
)
from callgate.testing.pattern import ALIASES, names_of
from callgate.testing.situations import Probe
from callgate.testing.techniques import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callgate.policy.decisions import Mode
    from callgate.testing.pattern import Pattern
    from callgate.testing.vocabulary import Vocabulary

BENIGN_MAX: Final = 6
_DECOYS: Final = 12
ANNOTATIONS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"readOnlyHint": True},
    {"destructiveHint": False},
    {"idempotentHint": True},
    {"openWorldHint": False},
)
"""What a server may say of its tools; nobody checks that it is true."""
PATHS: Final = (
    "a.txt",
    "src/a.py",
    "../a.txt",
    "/etc/passwd",
    "~/.ssh/id_rsa",
    ".git/hooks/pre-commit",
    "src/../../a.txt",
    ".env",
    "",
    "a\0b",
    "/dev/null",
)


def contexts(modes: Sequence[Mode]) -> tuple[Context, ...]:
    """Each mode, with a person to ask and without."""
    return tuple(Context(mode, interactive) for interactive in (True, False) for mode in modes)


def benign(words: Vocabulary) -> tuple[str, ...]:
    """Commands that the policy seems to speak of, and some that every policy knows."""
    matched = [text for text in expression_examples(words) if text.isprintable()][:BENIGN_MAX]
    return tuple(dict.fromkeys((*words.commands[:BENIGN_MAX], *matched, *HARMLESS)))


# --- calls of a pattern ---------------------------------------------------------------------------


def plain_calls(pattern: Pattern, *, operands_only: bool = False) -> Iterator[ToolCall]:
    """Calls that are just what the pattern says."""
    name = pattern.tool
    if not pattern.takes_commands:
        yield ToolCall(name, {"file_path": "a.txt"})
        yield ToolCall(name, {})
        return
    if not pattern.words:
        yield from (ToolCall(name, {"command": text}) for text in HARMLESS)
        return
    for further in further_words(operands_only=operands_only):
        text = next(deliberate(with_further(pattern.words, further))).text
        yield ToolCall(name, {"command": text})


def pattern_probes(pattern: Pattern, modes: Sequence[Mode], words: Vocabulary) -> Iterator[Probe]:
    """Calls of the pattern, deliberately: each technique, name, decoy, and context."""
    everywhere = contexts(modes)
    for call in plain_calls(pattern):
        yield from (Probe(call, context) for context in everywhere)
        for agent in words.agents:
            known = (evolve(context, agent=agent) for context in everywhere)
            yield from (Probe(call, context, exact=False) for context in known)
    for call in _other_shapes(pattern, words):
        yield from (Probe(call, context, exact=False) for context in everywhere)
    interactive = everywhere[: len(modes)]
    for command in _pattern_commands(pattern, words):
        call = ToolCall(pattern.tool, {"command": command.text})
        for context in interactive:
            yield Probe(call, context, technique=command.technique, exact=False)


def _pattern_commands(pattern: Pattern, words: Vocabulary) -> Iterator[Command]:
    if not pattern.takes_commands:
        return
    if pattern.words:
        known = benign(words)
        for text in running(words, pattern.words):
            yield Command(text, "a command of the policy")
        for text in _starting(pattern, known):
            yield Command(text, "it starts another")
        yield from deliberate(pattern.words, known)
        yield from deliberate((*pattern.words, "x"), known[:2])
        return
    for text in words.commands:
        yield Command(text, "a command of the policy")
        yield Command(f"{text} x", "a command of the policy")
    for text in expression_examples(words):
        yield Command(text, "a match of an expression of the policy")


def _starting(pattern: Pattern, known: Sequence[str]) -> Iterator[str]:
    """What the words may start, if they are those of a program that starts others."""
    start = spell(pattern.words)
    for text in known:
        yield f"{start} {text}"
        yield f"{start} -c {quote(text)}"
        yield f"{start} 5 {text}"


def _other_shapes(pattern: Pattern, words: Vocabulary) -> Iterator[ToolCall]:
    """The same under other names, of servers, with annotations, decoys and odd arguments."""
    first = next(plain_calls(pattern))
    for name in pattern.names[1:]:
        yield ToolCall(name, first.args)
    for marks in (*ANNOTATIONS[1:], *words.annotations):
        yield ToolCall(pattern.tool, first.args, annotations=marks)
    for server in (*words.servers, "some_server"):
        yield ToolCall(pattern.tool, first.args, server=server)
    for args in _decoys(dict(first.args), words):
        yield ToolCall(pattern.tool, args)
    if not pattern.takes_commands:
        for args in argument_examples(words):
            yield ToolCall(pattern.tool, args)
        for path in (*PATHS, *(text for text in words.texts if "/" in text or "." in text)):
            yield ToolCall(pattern.tool, {"file_path": path})
        for path in path_examples(words):
            yield ToolCall(pattern.tool, {"file_path": path})


def _decoys(args: dict[str, Any], words: Vocabulary) -> Iterator[dict[str, Any]]:
    """The same arguments, with harmless ones where a careless expression finds them first."""
    for text in benign(words):
        yield args | {"a": {"command": text}}
        yield args | {"a": f'"command":"{text}"'}
        yield args | {"z": text}
    for path in words.texts[:40]:
        if "/" in path or "." in path:
            yield args | {"a": {"file_path": path}}
    yield args | {"dir_path": "."}
    yield args | {"dir_path": "/"}


def pattern_search(
    pattern: Pattern, modes: Sequence[Mode], words: Vocabulary
) -> st.SearchStrategy[Probe]:
    """Calls of the pattern, at random."""
    somewhere = st.sampled_from(contexts(modes))
    names = st.sampled_from(pattern.names)
    if not pattern.words:
        args = arguments(words, takes_commands=pattern.takes_commands)
        return st.builds(_search_probe, names, args, somewhere, st.just(""))
    known = benign(words)
    texts = st.one_of(
        [commands(with_further(pattern.words, further), known) for further in further_words()]
    )
    decoy = st.sampled_from([None, None, None, *range(_DECOYS)])
    drawn = st.tuples(names, texts, decoy, somewhere)
    return drawn.map(lambda parts: _disguise(*parts, words=words))


def _disguise(
    name: str, command: Command, decoy: int | None, context: Context, *, words: Vocabulary
) -> Probe:
    args: dict[str, Any] = {"command": command.text}
    if decoy is not None:
        args = next(islice(_decoys(args, words), decoy, None), args)
    return _search_probe(name, args, context, command.technique)


def _search_probe(name: str, args: dict[str, Any], context: Context, technique: str) -> Probe:
    return Probe(ToolCall(name, args), context, technique=technique, exact=False)


# --- any calls ------------------------------------------------------------------------------------


def any_probes(modes: Sequence[Mode], words: Vocabulary) -> Iterator[Probe]:
    """Calls of every tool that the policy could mean."""
    for call in any_calls(words):
        yield from (Probe(call, context) for context in contexts(modes))


def any_calls(words: Vocabulary) -> Iterator[ToolCall]:
    """A few calls of each tool; of the shell, each command that the policy speaks of."""
    for name in words.tools:
        if name in ALIASES[0]:
            yield ToolCall(name, {"command": "x"})
        else:
            yield ToolCall(name, {"file_path": "a.txt"})
            yield ToolCall(name, {"x": 1})
            for args in argument_examples(words):
                yield ToolCall(name, args)
    yield from _marked(words)
    for text in chain.from_iterable(_around(command) for command in _known_commands(words)):
        yield ToolCall("shell", {"command": text})
    for path in dict.fromkeys((*PATHS, *path_examples(words))):
        for name in ("read_file", "write_file"):
            yield ToolCall(name, {"file_path": path})


def _marked(words: Vocabulary) -> Iterator[ToolCall]:
    """Tools of servers, and of those that say something of themselves."""
    for server in words.servers:
        yield ToolCall("some_other_tool", {"x": 1}, server=server)
    for marks in (*ANNOTATIONS[1:], *words.annotations):
        yield ToolCall("some_other_tool", {"x": 1}, annotations=marks)
        yield ToolCall("some_other_tool", {"x": 1}, server="srv", annotations=marks)


def _known_commands(words: Vocabulary) -> Iterable[str]:
    return dict.fromkeys((*words.commands, *HARMLESS, *expression_examples(words)))


def _around(command: str) -> tuple[str, ...]:
    chained = (f"{command} && {command}", f"{command} && x")
    return (command, f"{command} x", f"{command}x", *chained, f"{command} > x")


def any_search(modes: Sequence[Mode], words: Vocabulary) -> st.SearchStrategy[Probe]:
    """Any call of any tool, at random."""
    somewhere = st.sampled_from(contexts(modes))
    return st.builds(Probe, tool_calls(words), somewhere)


@lru_cache(maxsize=100)  # a strategy is dear to make, and a search draws from it a thousand times
def tool_calls(words: Vocabulary | None = None) -> st.SearchStrategy[ToolCall]:
    """Calls of tools, as a policy is asked about them."""
    known = words.tools if words else ("read_file", "shell", "write_file", "other")
    usual = st.sampled_from([name for name in known if name not in ALIASES[0]])
    shells = st.sampled_from(names_of("shell"))
    servers = st.sampled_from((None, "srv", *(words.servers if words else ())))
    marks = st.sampled_from((*ANNOTATIONS, *(words.annotations if words else ())))
    return st.one_of(
        st.builds(ToolCall, usual, arguments(words), servers, marks),
        st.builds(ToolCall, shells, arguments(words, takes_commands=True)),
    )


@lru_cache(maxsize=100)
def arguments(
    words: Vocabulary | None = None, *, takes_commands: bool = False
) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments, usual ones and hostile ones."""
    if takes_commands:
        usual = _command_texts(words).map(lambda text: {"command": text})
    else:
        paths = (*PATHS, *(path_examples(words) if words else ()))
        named = [
            *({"file_path": path} for path in paths),
            *(argument_examples(words) if words else ()),
        ]
        usual = one_of_these(named)
    return st.one_of(usual, hostile_arguments())


def _command_texts(words: Vocabulary | None) -> st.SearchStrategy[str]:
    known = list(_known_commands(words)) if words else list(HARMLESS)
    one = one_of_these([text for command in known for text in _around(command)])
    joined = st.tuples(one, st.sampled_from((" && ", "; ", " | ", "\n")), one).map("".join)
    spelt = [commands(text.split() or ["x"], tuple(known[:4])) for text in known[:20]]
    matched = expression_texts(words) if words else []
    return st.one_of(one, joined, st.one_of(spelt).map(lambda command: command.text), *matched)


@lru_cache(maxsize=1)
def hostile_arguments() -> st.SearchStrategy[dict[str, Any]]:
    """What a schema would not expect: other types, nested keys, odd names, odd letters."""
    odd = ("", "\0", "\r", "\u00a0", "\u202e", "\ufeff", "a" * 300, '"', "\\", "\ud800")
    plain = (None, True, 0, -1, 2**70, 0.5, *HARMLESS, *odd)
    keys = st.sampled_from(("command", "file_path", "dir_path", "Command", "a", "command\0", ""))
    leaf = st.sampled_from(plain)
    nested = st.one_of(
        leaf, st.lists(leaf, max_size=2), st.dictionaries(keys, leaf, max_size=2), st.just(_DEEP)
    )
    return st.dictionaries(keys, nested, max_size=3)


_DEEP: Final = json.loads("[" * 50 + "]" * 50)
