"""Random numbers of a seed: the same ones every time, for searches and for simulated faults."""

from random import Random


def random_of(seed: int) -> Random:
    """The numbers of this seed.

    >>> random_of(3).randrange(10) == random_of(3).randrange(10)
    True
    """
    return Random(seed)  # noqa: S311 - a search is no secret
