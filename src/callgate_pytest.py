"""The pytest plugin: `pytest --callgate-policy FILE` checks a policy beside the tests.

Rule 1: pytest imports this in every run of everybody who has callgate installed, so it imports
nothing: callgate itself is loaded when the option is given. That is why it stands beside the
package: importing a module of a package imports the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from callgate.policy.decisions import Policy


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which policies, and which properties."""
    group = parser.getgroup("callgate", "policies of tool calls")
    group.addoption(
        "--callgate-policy",
        action="append",
        default=[],
        metavar="FILE",
        help="check this policy: its examples, its tests, and the properties that all should have",
    )
    group.addoption(
        "--callgate-properties",
        metavar="FILE",
        help="and these: [[property]] tables as `callgate check --properties` takes them",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for each thing that is to hold of each policy."""
    files: list[str] = config.getoption("--callgate-policy")
    if not files:
        return
    from callgate.testing.collecting import collected

    items.extend(collected(session, files, config.getoption("--callgate-properties")))


@pytest.fixture(scope="session")
def callgate_policy(pytestconfig: pytest.Config) -> Policy:
    """The policy of `--callgate-policy`, all its files together, for tests of your own."""
    files: Any = pytestconfig.getoption("--callgate-policy")
    if not files:
        pytest.skip("the fixture callgate_policy needs pytest --callgate-policy FILE")
    from callgate.testing.loading import from_files

    return from_files(*files).policy
