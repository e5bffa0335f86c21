"""Which transitions of the call machine a test run took: counted in the kernel, said at the end.

Rule 1: this reports and judges nothing; that the vectors alone take all is a test of its own
(`tests/diagrams/runs/test_coverage.py`), and `callgate diagram call --coverage` in CI.
Rule 2: what took a transition is the kernel's own code, in whichever test and whichever worker.
"""

from collections import Counter

import pytest

from callgate.diagrams.runs.coverage import Coverage
from callgate.kernel import step
from callgate.kernel.table import EDGES

_KEY = "callgate-transitions"
_LISTED = 10


class Transitions:
    """A plugin of pytest."""

    def __init__(self):
        self.taken = Counter()
        self._apply = step._apply

    def start(self):
        step._apply = self._count

    def stop(self):
        step._apply = self._apply

    def _count(self, desk, event):
        before = len(desk.taken)
        try:
            self._apply(desk, event)
        finally:
            self.taken.update(edge.name for edge in desk.taken[before:])

    def pytest_sessionfinish(self, session):
        self.stop()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_KEY] = dict(self.taken)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.taken.update(getattr(node, "workeroutput", {}).get(_KEY, {}))

    def pytest_terminal_summary(self, terminalreporter):
        if self.taken:
            terminalreporter.write_line(self.told())

    def told(self):
        """In the words of `callgate diagram call --coverage`."""
        found = Coverage(tuple((edge.name, self.taken[edge.name]) for edge in EDGES), 1)
        said = found.told().replace("by 1 run", "by these tests").splitlines()
        # Of a few tests most would be listed, and tell nothing.
        return "\n".join(said if len(found.never) < _LISTED else said[:1])


def register(config):
    """Begin to count."""
    plugin = Transitions()
    plugin.start()
    config.pluginmanager.register(plugin, _KEY)
