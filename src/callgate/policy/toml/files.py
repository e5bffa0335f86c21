"""A file of rules: what it holds, and what is wrong with it.

Rule 1: nothing a file holds raises here; the worst file denies every tool at its own tier.
Rule 2: a table under a wrong name (`[[rules]]`) may hold a deny: it counts as a wrong rule.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from callgate.policy.decisions import Effect
from callgate.policy.errors import ExtraMissing, Kind, Problem
from callgate.policy.rules import ABOVE_ALL, Rule, Tier
from callgate.policy.toml.examples import FileTest, examples_hold, read_test
from callgate.policy.toml.keys import RULE, SPELLINGS, nearest
from callgate.policy.toml.positions import Positions
from callgate.policy.toml.tables import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.policy.toml.positions import Path

SIZE_MAX: Final = 8_000_000
"""How many bytes a file may have."""
UNREADABLE: Final = "A file of the policy could not be read, so that every tool is denied."
TABLES: Final = ("rule", "always", "test")


@final
@frozen
class FileContent:
    """What a file says."""

    rules: tuple[Rule, ...] = ()
    answers: tuple[Rule, ...] = ()
    tests: tuple[FileTest, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_parsed: bool = True


def read_text(
    file: str, content: bytes, tier: Tier, known_tools: frozenset[str] = frozenset()
) -> FileContent:
    """Read the content of a file.

    >>> found = read_text("p.toml", b'[[rule]]\\ntoolName = 3\\ndecision = "deny"', Tier.USER)
    >>> found.rules[0].tools, str(found.problems[0])
    (('*',), "p.toml:2: 'toolName' is 3; write a text, or a list of texts")
    """
    try:
        if len(content) > SIZE_MAX:
            return unreadable(file, tier, f"has more than {SIZE_MAX:,} bytes", "split it")
        text = content.decode("utf-8")
        data = tomllib.loads(text)
        reader = Reader(file, tier, Positions(text), known_tools)
        return _read(reader, data)
    except ExtraMissing:
        raise
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return unreadable(file, tier, "is no UTF-8", "save it as UTF-8", line)
    except tomllib.TOMLDecodeError as error:
        return unreadable(
            file, tier, f"is no TOML: {error}", "correct this line", _line(error, content)
        )
    except RecursionError:
        return unreadable(file, tier, "is nested too deeply", "write flat tables")
    except ValueError as error:
        return unreadable(file, tier, f"is no TOML: {error}", "correct it")


def unreadable(file: str, tier: Tier, what: str, fix: str, line: int = 1) -> FileContent:
    """What a file that cannot be read says: no, at its own tier."""
    rule = Rule(
        tools=("*",),
        effect=Effect.DENY,
        is_broken=True,
        priority=ABOVE_ALL,
        tier=tier,
        message=UNREADABLE,
        file=file,
        line=line,
    )
    problem = Problem(file, line, f"the file {what}", fix, Kind.FILE)
    return FileContent(rules=(rule,), problems=(problem,), is_parsed=False)


def _line(error: tomllib.TOMLDecodeError, content: bytes) -> int:
    found = re.search(r"\(at line (\d+),", str(error))
    return int(found[1]) if found else content.rstrip().count(b"\n") + 1


def _read(reader: Reader, data: dict[str, Any]) -> FileContent:
    rules = [rule for rule in _rules(reader, data) if rule is not None]
    answers: list[Rule] = []
    tests: list[FileTest] = []
    for at, table in _tables(reader, data, "always"):
        rule = reader.rule(table, at, answer=True)
        if rule is not None:
            answers.append(rule)
    for at, table in _tables(reader, data, "test"):
        test = read_test(reader, table, at)
        if test is not None:
            tests.append(test)
    return FileContent(tuple(rules), tuple(answers), tuple(tests), tuple(reader.problems))


def _rules(reader: Reader, data: dict[str, Any]) -> Iterator[Rule | None]:
    for at, table in _tables(reader, data, "rule"):
        rule = reader.rule(table, at)
        dropped = rule is None or rule.effect is Effect.ALLOW
        if rule is not None and not examples_hold(reader, rule, table, at):
            rule = None if dropped else reader.broken(table, at)
        yield rule
    if not isinstance(data.get("rule", []), list):
        yield reader.broken(_one(data["rule"]), ("rule",))
    yield from (reader.broken({}, ("rule", n)) for n in _strays(data.get("rule")))
    stray = {key: value for key, value in data.items() if key not in TABLES}
    for key, value in stray.items():
        yield from _unknown(reader, key, value)
    loose = {SPELLINGS.get(key, key): value for key, value in stray.items()}
    if any(nearest(key, RULE) for key in loose):
        yield reader.broken(loose, (next(iter(stray)),))


def _strays(value: object) -> list[int]:
    """Where something that is no table stands in a list of rules."""
    items = value if isinstance(value, list) else []
    return [number for number, item in enumerate(items) if not isinstance(item, dict)]


def _unknown(reader: Reader, key: str, value: object) -> Iterator[Rule | None]:
    """A table or a key that no policy has."""
    near = nearest(key, TABLES)
    if nearest(key, (*RULE, *SPELLINGS)):
        fix = "it belongs to a rule: write [[rule]] above it"
    else:
        fix = f"did you mean [[{near}]]?" if near else "a policy has [[rule]], [[always]], [[test]]"
    reader.report((key,), f"unknown key {key!a}", fix)
    if isinstance(value, dict):
        yield reader.broken(value, (key,))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield reader.broken(_one(item), (key, number))


def _one(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(reader: Reader, data: dict[str, Any], key: str) -> Iterator[tuple[Path, Any]]:
    """The tables of a list of tables; what is none is said."""
    value = data.get(key, [])
    kind = Kind.TEST if key == "test" else Kind.RULE
    if not isinstance(value, list):
        reader.report((key,), f"'{key}' is no list of tables", f"write [[{key}]]", kind)
        return
    for number, table in enumerate(value):
        if isinstance(table, dict):
            yield (key, number), table
        else:
            reader.report((key, number), f"'{key}' holds no table", f"write [[{key}]]", kind)
