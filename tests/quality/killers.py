"""Who could notice a fault, cheapest first: run in a process of its own, on a copy of the source.

Law: prints the name of the first killer and why, or `survived`; the tests of the copy are those of
the suite, called directly, so that what is measured here is the suite. What does not end is told by
the processor's time, ten times what a sound copy needs, so that a busy machine is no killer.
"""

import importlib
import json
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "statemachine_spec"
VECTORS = sorted((SPEC / "vectors").glob("*.json"))


def parity():
    """The matrix of the spec and the class, cell by cell."""
    module = importlib.import_module("tests.conformance.test_spec_parity")
    module.test_the_matrix_is_the_class()


def vectors():
    """Every vector of the law."""
    from callgate.proof.vectors import run_vector

    for path in VECTORS:
        differences = run_vector(json.loads(path.read_text(encoding="utf-8")))
        if differences:
            raise AssertionError(f"{path.stem}: {differences[0]}")


def explorer():
    """Every state of small scopes."""
    from callgate.proof.explore import Scope, explore

    scopes = [
        Scope(calls=1),
        Scope(calls=2, max_parallel=1, plan="waves"),
        Scope(calls=1, queued=1),
    ]
    for scope in [*scopes, Scope(calls=2), Scope(calls=2, max_parallel=1)]:
        report = explore(scope)
        if not report.is_clean:
            found = [f"{f.what} {f.detail}" for f in report.violations + report.dead_ends]
            raise AssertionError((found + list(report.never_taken))[0])


def walks():
    """Walks beside the naive model."""
    from tests.kernel.walking import CONFIGS, Walk

    for seed in range(150):
        choose = random.Random(seed).randrange  # noqa: S311 - a seed, no secret
        Walk(CONFIGS[seed % len(CONFIGS)], choose).run(60)


class Killer(NamedTuple):
    """Who looks, and how many seconds of the processor it may take."""

    look: Callable[[], None]
    limit_s: float


KILLERS = {
    "parity": Killer(parity, 1),
    "vectors": Killer(vectors, 2),
    "walks": Killer(walks, 50),
    "explorer": Killer(explorer, 60),
}


class EndlessError(BaseException):
    """It used all the time it had; no test of the suite may catch this."""


def _stop(*_):
    raise EndlessError


def first_killer(names):
    """The first of these that notices something, and what."""
    signal.signal(signal.SIGPROF, _stop)
    for name in names:
        look, limit_s = KILLERS[name]
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        try:
            look()
        except EndlessError:
            return "time", f"{name} does not end within {limit_s} s of the processor"
        except Exception as error:
            return name, f"{type(error).__name__} {error}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return "survived", ""


if __name__ == "__main__":
    source, *names = sys.argv[1:]
    sys.path[:0] = [source, str(ROOT)]
    import callgate

    if not Path(callgate.__file__).is_relative_to(Path(source).resolve()):
        raise SystemExit(f"{callgate.__file__} is not the copy in {source}")
    who, why = first_killer(names)
    print(json.dumps([who, why[:300]]))
