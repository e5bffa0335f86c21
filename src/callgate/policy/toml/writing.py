"""A rule back into TOML: what `tables` reads is what this writes.

Rule 1: writing and reading again gives the same rule, its file and line aside.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from callgate.policy.errors import ExtraMissing
from callgate.policy.toml.keys import RULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from callgate.policy.rules import Rule


def as_table(rule: Rule) -> dict[str, Any]:
    """The keys and values of a rule; what is as if not written is left out.

    >>> from callgate.policy.decisions import Effect
    >>> from callgate.policy.rules import Rule
    >>> as_table(Rule(tools=["shell"], effect=Effect.DENY, prefixes=["rm"]))
    {'toolName': ['shell'], 'commandPrefix': ['rm'], 'decision': 'deny', 'priority': 0}
    """
    table: dict[str, Any] = {}
    for key, (name, _) in RULE.items():
        value = getattr(rule, name)
        if name == "priority" or value not in (None, False, "", (), {}):
            table[key] = _plain(value)
        elif name == "interactive" and value is False:
            table[key] = value
    return table


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, tuple):
        return [str(item) for item in value]
    return str(value) if isinstance(value, str) else value


def as_toml(tables: Iterable[dict[str, Any]], key: str) -> str:
    """Tables under one key, as text."""
    try:
        writer = import_module("tomli_w")
    except ImportError as missing:
        raise ExtraMissing("tomli_w") from missing
    return "\n".join(f"[[{key}]]\n{_body(writer.dumps, key, table)}" for table in tables)


def _body(dumps: Callable[[dict[str, Any]], str], key: str, table: dict[str, Any]) -> str:
    """The values, and after them the tables, each under its own head."""
    values = {name: value for name, value in table.items() if not isinstance(value, dict)}
    inner = {name: value for name, value in table.items() if isinstance(value, dict)}
    heads = [f"[{key}.{name}]\n{dumps(value)}" for name, value in inner.items()]
    return dumps(values) + "".join(heads)
