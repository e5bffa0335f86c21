"""Hypothesis profiles: `dev` while working, `ci` derandomized, `nightly` deep; and transitions."""

import os

from hypothesis import HealthCheck, settings

from tests import transitions

_SLOW = [HealthCheck.too_slow]
settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=_SLOW)
settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, suppress_health_check=_SLOW
)
settings.register_profile("nightly", max_examples=20_000, deadline=None)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


def pytest_configure(config):
    transitions.register(config)
