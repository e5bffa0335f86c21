"""The words that a policy knows: what it was written against is where its gaps are.

Rule 1: a policy is searched with its own words: the tools, prefixes, paths and expressions that
stand in its rules, or in the code of its class. Nothing of it is run to find them.
Rule 2: the same policy gives the same words in the same order.
"""

from __future__ import annotations

import re
import shlex
from enum import Enum
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import TYPE_CHECKING, Final, TypeGuard, TypeVar, final

import attrs
from attrs import field, frozen

from callgate.policy.decisions import Mode
from callgate.policy.names import MCP
from callgate.policy.rules import Rule
from callgate.testing.pattern import ALIASES, PATH_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callgate.kernel.frozenjson import JsonObject

T = TypeVar("T")
WORDS_MAX: Final = 400
SERVERS_MAX: Final = 12
CHARS_MAX: Final = 200
DEPTH_MAX: Final = 8
NODES_MAX: Final = 200_000
_TOOL: Final = re.compile(r"[A-Za-z_*][\w.*-]*", re.ASCII)
_META: Final = re.compile(r"[\\^$*+?()\[\]{}|]|\.[*+]")
_NO_COMMANDS: Final = frozenset(
    {*(name for names in ALIASES for name in names), *PATH_TOOLS, "command", "file_path", "args"}
)
_MODES: Final = tuple(mode.value for mode in Mode)


@final
@frozen
class Vocabulary:
    """Texts that stand in a policy, by what they could be."""

    texts: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    "What rules name as a server, or what could be one."
    annotations: tuple[JsonObject, ...] = ()
    "What rules ask of the annotations of a tool."
    agents: tuple[str, ...] = ()
    "The sub-agents that rules are about."
    tools: tuple[str, ...] = field(init=False)
    "Names of tools: those that callgate knows, and what looks like one."
    commands: tuple[str, ...] = field(init=False)
    "What could be a command, or its first words."
    expressions: tuple[str, ...] = field(init=False)
    "What could be a regular expression."

    def __attrs_post_init__(self) -> None:
        tools = [*(name for names in ALIASES for name in names), *PATH_TOOLS, "some_other_tool"]
        tools += [text.replace("*", "x") for text in self.texts if _TOOL.fullmatch(text)]
        object.__setattr__(self, "tools", _once(tool for tool in tools if tool))
        object.__setattr__(
            self, "commands", _once(text for text in self.texts if _is_command(text))
        )
        patterns = [text for text in self.texts if _META.search(text) and _compiles(text)]
        object.__setattr__(self, "expressions", _once(patterns))


def vocabulary(*policies: object) -> Vocabulary:
    """Gather the words of these policies.

    >>> vocabulary({"allow": ["ls", "git log"]}).texts
    ('allow', 'ls', 'git log')
    """
    seen: set[int] = set()
    found = (text for policy in policies for text in _walk(policy, 0, seen))
    kept = (text for text in found if 0 < len(text) <= CHARS_MAX and text not in _MODES)
    texts = _once(kept, WORDS_MAX)
    rules = [rule for policy in policies for rule in getattr(policy, "rules", ()) if _is_rule(rule)]
    alike = (text for text in texts if text.isidentifier())
    return Vocabulary(
        texts,
        _once((*servers_of(rules), *alike), SERVERS_MAX),
        _once(rule.annotations for rule in rules if rule.annotations),
        _once(rule.agent for rule in rules if rule.agent),
    )


def servers_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The servers that rules speak of, by key or by name.

    `mcp_a_b_c` may be the tool `b_c` of the server `a`, or `c` of `a_b`: both are meant.

    >>> from callgate.policy.decisions import Effect
    >>> servers_of([Rule(tools=["mcp_a_b_*"], effect=Effect.DENY)])
    ('a', 'a_b')
    """
    found = {rule.server for rule in rules if rule.server not in (None, "*")}
    for name in (name for rule in rules for name in rule.tools if name.startswith(MCP)):
        parts = re.split(r"[*?\[{]", name.removeprefix(MCP))[0].split("_")
        found |= {"_".join(parts[:number]) for number in range(1, len(parts))}
    return tuple(sorted(server for server in found if server))


def _is_rule(value: object) -> TypeGuard[Rule]:
    return isinstance(value, Rule)


def _once(items: Iterable[T], most: int | None = None) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))[:most]


def _walk(value: object, depth: int, seen: set[int]) -> Iterator[str]:
    """Every text that can be reached, depth first, in the order in which it was written."""
    if isinstance(value, str):
        if not isinstance(value, Enum):
            yield str(value)
        return
    if value is None or isinstance(value, (int, float, bytes, Enum, ModuleType)):
        return
    if id(value) in seen or depth > DEPTH_MAX or len(seen) > NODES_MAX:
        return
    seen.add(id(value))
    for inner in _inside(value):
        yield from _walk(inner, depth + 1, seen)


def _inside(value: object) -> Iterator[object]:
    if isinstance(value, re.Pattern):
        yield value.pattern
    elif isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, (set, frozenset)):
        yield from sorted(value, key=repr)  # a set has no order of its own
    elif isinstance(value, (dict, MappingProxyType)):
        for key, item in value.items():
            yield from (key, item)
    elif isinstance(value, CodeType):
        # The first constant of a function may be its documentation: prose, no word of the policy.
        yield from value.co_consts
    elif isinstance(value, MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, FunctionType):
        yield from _of_function(value)
    elif isinstance(value, type):
        yield from _of_class(value)
    else:
        yield from _of_object(value)


def _of_function(function: FunctionType) -> Iterator[object]:
    yield from (text for text in function.__code__.co_consts if text != function.__doc__)
    for name in function.__code__.co_names:
        known = function.__globals__.get(name)
        if isinstance(known, (str, list, tuple, dict, set, frozenset, re.Pattern, FunctionType)):
            yield known
    for cell in function.__closure__ or ():
        yield cell.cell_contents


def _of_class(kind: type) -> Iterator[object]:
    """What a user wrote in a class; a library's classes say nothing about the policy."""
    if kind.__module__.partition(".")[0] in ("builtins", "typing", "callgate", "attr", "abc"):
        return
    yield from kind.__bases__
    for name, member in vars(kind).items():
        if not name.startswith("__") or name in ("__init__", "__call__"):
            yield getattr(member, "__func__", member)


def _of_object(value: object) -> Iterator[object]:
    yield type(value)
    kind = type(value)
    if attrs.has(kind):
        yield from (getattr(value, one.name, None) for one in attrs.fields(kind))
    elif hasattr(value, "__dict__"):
        yield from vars(value).values()
    else:
        slots = getattr(kind, "__slots__", ())
        names = (slots,) if isinstance(slots, str) else slots
        yield from (getattr(value, name, None) for name in names)


def _is_command(text: str) -> bool:
    if text in _NO_COMMANDS:
        return False
    if not (text[0].isalnum() or text[0] in "./") or "\n" in text or _META.search(text):
        return False  # `.` alone is no sign of an expression: file names have it
    try:
        return bool(shlex.split(text))
    except ValueError:
        return False


def _compiles(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
