"""What an embedder chooses once: parallelism, time, retries, and the named limits.

Rule 1: numbers only, in milliseconds where they are time; checked when built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from attrs import field, frozen

if TYPE_CHECKING:
    from attrs import Attribute


def _at_least(least: int, *, or_none: bool = False) -> Any:
    def check(_owner: object, attribute: Attribute[int], value: object) -> None:
        if value is None and or_none:
            return
        if type(value) is not int or value < least:
            none = ", or None" if or_none else ""
            raise ValueError(
                f"{attribute.name} is {value!r}; a whole number from {least}{none} was expected"
            )

    return check


@final
@frozen(kw_only=True)
class Retry:
    """How often a failure that is marked retryable is tried again, and how long to wait.

    >>> [Retry(attempts_max=4, backoff_ms=100).wait_ms(attempt) for attempt in (1, 2, 3)]
    [100, 200, 400]
    """

    attempts_max: int = field(default=1, validator=_at_least(1))
    "All attempts together: 1 means no retry."
    backoff_ms: int = field(default=0, validator=_at_least(0))
    factor: int = field(default=2, validator=_at_least(1))
    backoff_ms_max: int = field(default=60_000, validator=_at_least(0))

    def wait_ms(self, attempt: int) -> int:
        """The wait after this attempt failed."""
        wait = self.backoff_ms
        for _ in range(attempt - 1):
            if wait >= self.backoff_ms_max:
                break
            wait *= self.factor
        return min(wait, self.backoff_ms_max)


@final
@frozen(kw_only=True)
class Config:
    """The choices of an embedder. The defaults wait for ever and limit only size.

    >>> Config(max_parallel=4, timeout_ms=30_000).max_parallel
    4
    >>> Config(max_parallel=0)
    Traceback (most recent call last):
    ValueError: max_parallel is 0; a whole number from 1, or None was expected
    """

    max_parallel: int | None = field(default=None, validator=_at_least(1, or_none=True))
    "How many tools may run at once; none: all of a wave."
    validation_timeout_ms: int | None = field(default=None, validator=_at_least(1, or_none=True))
    approval_timeout_ms: int | None = field(default=None, validator=_at_least(1, or_none=True))
    timeout_ms: int | None = field(default=None, validator=_at_least(1, or_none=True))
    "How long a tool may run; a request may say otherwise. A person's time never counts."
    cancel_grace_ms: int | None = field(default=None, validator=_at_least(1, or_none=True))
    "How long a stopped tool is waited for; none: until it ends."
    retry: Retry = field(factory=Retry)

    calls_per_batch_max: int = field(default=1_000_000, validator=_at_least(1))
    queued_batches_max: int = field(default=1_000, validator=_at_least(0))
    args_weight_max: int = field(default=16_000_000, validator=_at_least(1))
    "Characters and nodes of one call's arguments."
    id_chars_max: int = field(default=1_000, validator=_at_least(1))
    "Characters of an id or a tool's name."
    result_weight_max: int = field(default=64_000_000, validator=_at_least(1))
    "Characters and nodes of one result."
    live_output_chars_max: int = field(default=10_000, validator=_at_least(1))
    "What the state keeps of live output: its end."
    text_chars_max: int = field(default=100_000, validator=_at_least(1))
    "Characters of a reason or of a failure's message; a longer one is cut, and says so."
