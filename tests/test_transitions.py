"""The count at the end of a test run is of what the kernel really took."""

from callgate.kernel.state import initial
from callgate.kernel.step import step
from callgate.kernel.table import EDGES
from tests.diagrams.runs.acting import five
from tests.transitions import Transitions


def test_it_counts_what_the_kernel_took():
    counted = Transitions()
    record = five()
    state = initial(record.config)
    counted.start()
    try:
        for event in record.events:
            state = step(state, event).state
    finally:
        counted.stop()
    assert counted.taken["scheduled.start may_start"] == 4
    assert counted.told() == "8 of 46 transitions taken by these tests: 17.3 %"
    before = counted.taken.total()
    again = initial(record.config)
    for event in record.events:
        again = step(again, event).state
    assert again == state
    assert counted.taken.total() == before, "it stopped"


def test_the_few_that_nobody_took_are_listed():
    counted = Transitions()
    counted.taken.update(edge.name for edge in EDGES[1:])
    assert counted.told().endswith(f"97.8 %\nnever taken: {EDGES[0].name}")
