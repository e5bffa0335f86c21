"""The search is no rubber stamp: these faults it must notice without anybody's help.

Law: each is a fault of a kind that the search claims to exclude (exploration.md). A search that
found nothing in any kernel would pass every other test of it.
"""

import pytest

from tests.quality.mutants import MUTANTS
from tests.quality.test_mutants import copy_of_source, killer_of

NOTICED = [
    "news of a final call are rejected",
    "any attempt is current",
    "a deadline acts a moment late",
    "the barrier opens while one is undecided",
    "the next is asked when this one is decided",
    "running is not counted down",
    "open questions are not counted",
    "a change of status is not told",
    "a deadline has no alarm",
    "a retry is not lined up",
    "a delivery needs no acknowledgement",
    "a batch is delivered when one is left",
    "a queued batch cannot be cancelled",
    "a running tool is not told to stop",
    "a cancelled question stays open",
    "an edit runs the old arguments",
    "a question under a newer policy is not reviewed",
    "the attempt is forgotten over a question",
]


@pytest.mark.parametrize("name", NOTICED)
def test_the_search_notices_alone(name, tmp_path):
    (mutant,) = [mutant for mutant in MUTANTS if mutant.name == name]
    who, why = killer_of(copy_of_source(tmp_path / "copy", mutant), ["explorer"])
    assert who == "explorer", why
