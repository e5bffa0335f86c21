"""The net is tested too: faults are seeded into copies of the source, and somebody must notice.

Law: the control, an unmutated copy, survives everybody: a killer that kills it proves nothing.
Running out of time is no proof either.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import callgate
from tests.quality.mutants import MUTANTS

SOURCE = Path(callgate.__file__).parent
HERE = Path(__file__).parent
ALL = ("parity", "vectors", "walks", "explorer")
"""Cheapest first: the first to notice is the last to look."""


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


def killer_of(folder, names):
    """Who kills the copy in this folder, and why."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    command = [sys.executable, str(HERE / "killers.py"), str(folder), *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return "broken", done.stderr[-600:]
    return tuple(json.loads(done.stdout))


def verdict_on(mutant, folder):
    return killer_of(copy_of_source(folder, mutant), ALL)


def test_the_control_survives(tmp_path):
    assert verdict_on(None, tmp_path / "control") == ("survived", "")


def test_every_fault_is_noticed(tmp_path, capsys):
    folders = [tmp_path / str(number) for number in range(len(MUTANTS))]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(verdict_on, MUTANTS, folders))
    killed = list(zip([mutant.name for mutant in MUTANTS], found, strict=True))
    with capsys.disabled():
        print()
        for name, (who, why) in killed:
            print(f"  {who:8}  {name}: {why.splitlines()[0][:90] if why else ''}")
        print(f"  {len(killed)} faults: {dict(Counter(who for _, (who, _) in killed))}")
    assert [name for name, (who, _) in killed if who in ("survived", "broken", "time")] == []


def test_there_are_enough():
    assert len(MUTANTS) >= 30
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
