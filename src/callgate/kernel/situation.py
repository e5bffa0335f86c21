"""What a guard may know beside the call and the fact.

Rule 1: the time, the epoch of the policy and the config; never the other calls. `KernelState` and
the workbench of a step are situations.
"""

from __future__ import annotations

from typing import Protocol

from callgate.kernel.config import Config


class Situation(Protocol):
    """What a guard may know beside the call and the fact."""

    @property
    def now_ms(self) -> int: ...
    @property
    def epoch(self) -> int: ...
    @property
    def config(self) -> Config: ...
