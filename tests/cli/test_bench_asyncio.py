"""The benchmark of the scheduler says what was promised, in the promised form."""

import asyncio
import json

import pytest

from callgate.cli.bench import asyncio as bench
from callgate.cli.main import main


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(bench, "CALLS", (2, 3))


def test_json_has_a_row_for_each_size_with_approvals_and_without(capsys):
    assert main(["bench", "asyncio", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["floor_us"] > 0
    rows = report["rows"]
    assert [(row["calls"], row["approval"]) for row in rows] == [
        (2, False),
        (2, True),
        (3, False),
        (3, True),
    ]
    for row in rows:
        assert row["us_per_call"] > 0
        assert row["ratio"] > 0


def test_text_names_the_floor_and_every_row(capsys):
    assert main(["bench", "asyncio"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "asyncio.gather" in lines[0]
    assert len(lines) == 5


def test_every_measured_call_runs(monkeypatch):
    ran = []
    execute = bench._Nothing.execute

    async def counted(self, cancel, output):
        ran.append(self)
        return await execute(self, cancel, output)

    monkeypatch.setattr(bench._Nothing, "execute", counted)
    for life in (bench._floor, bench._plain, bench._asked):
        ran.clear()
        assert asyncio.run(life(7)) > 0
        assert len(ran) == 7
