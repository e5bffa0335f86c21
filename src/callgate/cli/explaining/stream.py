"""Calls as lines of JSON in, decisions as lines of JSON out.

Rule 1: one line in, one line out, in order, at once; what is hostile is denied, and the next read.
Rule 2: the output is ASCII, whatever a call holds.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NoReturn

from callgate.cli.policies import rule_json
from callgate.kernel.errors import KernelError
from callgate.policy.decisions import Decision, Effect, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, TextIO

    from callgate.policy.decisions import Context, Policy

LINE_BYTES_MAX: Final = 10_000_000
KEYS: Final = ("name", "args", "server", "annotations")


class Malformed(ValueError):
    """A line that is no call: why."""


def answer(lines: BinaryIO, out: TextIO, policy: Policy, context: Context) -> None:
    """Decide each line."""
    for line in _lines(lines):
        out.write(json.dumps(as_json(_decide(line, policy, context))) + "\n")
        out.flush()


def as_json(decision: Decision) -> dict[str, Any]:
    """A decision as plain data."""
    data: dict[str, Any] = {
        "decision": decision.effect.value,
        "rule": rule_json(decision.rule),
        "reason": decision.reason,
        "parts": [
            {
                "command": part.command,
                "decision": part.effect.value,
                "rule": rule_json(part.rule),
                "reason": part.reason,
            }
            for part in decision.parts
        ],
    }
    return data | ({"message": decision.message} if decision.message else {})


def read_call(text: bytes | str) -> ToolCall:
    """A call from its JSON.

    >>> read_call('{"name": "shell", "args": {"command": "ls"}}').args["command"]
    'ls'
    """
    data = read_json(text)
    if not isinstance(data, dict):
        raise Malformed("the line is no JSON object")
    unknown = [key for key in data if key not in KEYS]
    if unknown:
        raise Malformed(f"unknown key {unknown[0]!a}: a call has {', '.join(KEYS)}")
    name, server = data.get("name"), data.get("server")
    if not isinstance(name, str) or not name:
        raise Malformed("'name' is no text, or is missing")
    if server is not None and not (isinstance(server, str) and server):
        raise Malformed("'server' is no text")
    annotations = data.get("annotations")
    try:
        return ToolCall(
            name, data.get("args", {}), server, {} if annotations is None else annotations
        )
    except (TypeError, KernelError) as error:
        raise Malformed(str(error)) from None


def read_json(text: bytes | str) -> object:
    """Strict JSON: no key twice, no NaN, no endless depth."""
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(decoded, object_pairs_hook=_pairs, parse_constant=_constant)
    except RecursionError:
        raise Malformed("the JSON is nested too deeply") from None
    except Malformed:
        raise
    except ValueError as error:
        raise Malformed(f"no JSON: {error}") from None


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Malformed("a key stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise Malformed(f"{name} is no JSON number")


def _lines(stream: BinaryIO) -> Iterator[bytes | Malformed]:
    """The lines of a stream; one that is too long is passed over, and said."""
    while line := stream.readline(LINE_BYTES_MAX + 1):
        if len(line) <= LINE_BYTES_MAX:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(LINE_BYTES_MAX)
        yield Malformed(f"the line has more than {LINE_BYTES_MAX:,} bytes")


def _decide(line: bytes | Malformed, policy: Policy, context: Context) -> Decision:
    try:
        if isinstance(line, Malformed):
            raise line
        return policy.decide(read_call(line), context)
    except Malformed as error:
        return Decision(Effect.DENY, reason=f"malformed call: {error}")
    except Exception as error:  # a call that breaks the policy is denied, and the next is read
        return Decision(Effect.DENY, reason=f"the policy failed: {type(error).__name__}: {error}")
