"""The net is tested too: faults are seeded into copies of the source, and somebody must notice.

The control run is the unmutated copy: a killer that kills it proves nothing.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import callgate
from tests.quality.mutants import MUTANTS

SOURCE = Path(callgate.__file__).parent
HERE = Path(__file__).parent
ENDLESS = ("a deadline runs while an answer is carried out",)
"""Faults that show by not ending; of any other, running out of time is no proof."""
ALL = ("parity", "vectors", "walks", "explorer")


def copy_of_source(folder, mutant):
    shutil.copytree(SOURCE, folder / "callgate", ignore=shutil.ignore_patterns("__pycache__"))
    if mutant is not None:
        path = folder / "callgate" / mutant.file
        text = path.read_text(encoding="utf-8")
        assert text.count(mutant.find) == 1, (
            f"{mutant.name}: stands {text.count(mutant.find)} times"
        )
        path.write_text(text.replace(mutant.find, mutant.put), encoding="utf-8")
    return folder


def killer_of(folder, names, timeout_s=60):
    """Who kills the copy in this folder, and why."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            [sys.executable, str(HERE / "killers.py"), str(folder), *names],
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "time", "it does not end"
    if done.returncode:
        return "broken", done.stderr[-600:]
    return tuple(json.loads(done.stdout))


def limit_of(folder):
    """Seconds; the control runs everything to its end, however busy the machine is."""
    return 600 if folder.name == "control" else 60


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mutants")
    copies = [copy_of_source(folder / "control", None)]
    copies += [copy_of_source(folder / str(n), mutant) for n, mutant in enumerate(MUTANTS)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(lambda copy: killer_of(copy, ALL, limit_of(copy)), copies))
    return dict(zip(["control", *(mutant.name for mutant in MUTANTS)], found, strict=True))


def test_the_control_survives(verdicts):
    assert verdicts["control"] == ("survived", "")


def test_every_fault_is_noticed(verdicts, capsys):
    killed = {name: verdict for name, verdict in verdicts.items() if name != "control"}
    with capsys.disabled():
        print()
        for name, (who, why) in killed.items():
            print(f"  {who:8}  {name}: {why.splitlines()[0][:90] if why else ''}")
        print(f"  {len(killed)} faults: {dict(Counter(who for who, _ in killed.values()))}")
    wrong = ("survived", "broken")
    assert [
        name
        for name, (who, _) in killed.items()
        if who in wrong or (who == "time" and name not in ENDLESS)
    ] == []


def test_there_are_enough():
    assert len(MUTANTS) >= 30
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
