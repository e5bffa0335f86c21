"""The tests that the pytest plugin makes of a policy file: one for each thing that is to hold.

Rule 1: a failing one shows what `callgate check` shows, and no traceback of callgate's own.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import pytest

from callgate.policy.errors import Problem
from callgate.policy.loading import load_policy
from callgate.testing.loading import Subject
from callgate.testing.property_files import Aim, read_properties
from callgate.testing.results import PropertyFailed
from callgate.testing.search import examine
from callgate.testing.standing import STANDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class PolicyProblem(AssertionError):
    """What is wrong with a file, line by line."""


def collected(
    session: pytest.Session, files: Iterable[str], properties: str | None
) -> Iterator[pytest.Item]:
    """All items of these policies."""
    aims = [Aim((one,)) for one in STANDING]
    if properties:
        aims += read_properties(properties)
    for file in files:
        node = PolicyFile.from_parent(session, path=Path(file).absolute())
        node.aims = aims
        node.given = file
        yield from node.collect()


@final
class PolicyFile(pytest.File):
    """One policy."""

    aims: list[Aim]
    given: str

    def collect(self) -> Iterator[pytest.Item]:
        """That it loads, its tests, its properties."""
        loaded = load_policy(self.given)
        subject = Subject(loaded.policy, self.given, repr(self.given))
        tested = {(test.file, test.line) for test in loaded.tests}
        others = [one for one in loaded.errors if (one.file, one.line) not in tested]
        yield self._item("loads", partial(_refuse, others))
        for test in loaded.tests:
            title = test.name or f"line {test.line}"
            yield self._item(f"test {title}", partial(_refuse, [test.problem(loaded.policy)]))
        for aim in self.aims:
            for one in aim.properties:
                check = _check(subject, aim, one)
                yield self._item(one.name, check)

    def _item(self, name: str, check: Callable[[], None]) -> pytest.Item:
        item = PolicyItem.from_parent(self, name=name)
        item.check = check
        return item


def _refuse(problems: Iterable[Problem | None]) -> None:
    found = [str(problem) for problem in problems if problem is not None]
    if found:
        raise PolicyProblem("\n".join(found))


def _check(subject: Subject, aim: Aim, one: Any) -> Callable[[], None]:
    def check() -> None:
        results = examine(subject, one, modes=aim.modes)
        failed = tuple(result for result in results if not result.holds)
        if failed:
            raise PropertyFailed(failed)

    return check


@final
class PolicyItem(pytest.Item):
    """One thing that is to hold."""

    check: Callable[[], None]

    def runtest(self) -> None:
        """Check it."""
        self.check()

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The finding alone."""
        if isinstance(excinfo.value, (PropertyFailed, PolicyProblem)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the policy stands."""
        return self.path, 0, f"{self.path.name}: {self.name}"
