"""A driver is judged by what really happened: sound ones pass, each fault is seen by its seed."""

import pytest

from callgate.drivers.scheduler import ToolScheduler
from callgate.testing import DriverFailed, check_driver
from tests.testing.drivers_that_break import BROKEN, Plain


def ready(world):
    return ToolScheduler(world.tools, policy=world.policy, ask=world.ask)


def test_the_ready_driver_keeps_its_contract():
    check_driver(ready, runs=60)


def test_a_sound_driver_of_another_make_passes():
    check_driver(Plain, runs=60)


@pytest.mark.parametrize(("make", "says"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_fault_is_seen_and_its_seed_plays_it_again(make, says):
    with pytest.raises(DriverFailed) as first:
        check_driver(make)
    assert says in str(first.value)
    assert f"seed {first.value.seed}" in str(first.value)
    with pytest.raises(DriverFailed) as again:
        check_driver(make, seed=first.value.seed, runs=1)
    assert again.value.broken == first.value.broken


def test_a_driver_that_never_ends_is_not_waited_for(monkeypatch):
    class Silent(Plain):
        async def decided(self, request):
            await __import__("asyncio").Event().wait()

    monkeypatch.setattr("callgate.testing.drivers.SILENCE_S", 0.05)
    with pytest.raises(DriverFailed, match="never ended"):
        check_driver(Silent)
