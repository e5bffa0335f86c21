"""The benchmark measures something and says it in the promised form; how fast is not asked."""

import gc
import json

import pytest

from callgate.cli.bench import kernel as bench
from callgate.cli.main import main


def run(*arguments):
    return main(["bench", "kernel", *arguments])


def test_json_has_the_promised_keys_and_positive_numbers(capsys):
    assert run("--json", "--batches", "3", "1") == 0
    report = json.loads(capsys.readouterr().out)
    wanted = {"kernel", "growth", "live_us_per_call", "speedup"}
    assert wanted <= set(report) <= wanted | {"clock", "gc", "pvector", "python"}
    assert [row["batch"] for row in report["kernel"]] == [1, 3]
    for row in report["kernel"]:
        assert set(row) == {"batch", "us_per_call", "bytes_per_call"}
        assert row["us_per_call"] > 0
        assert row["bytes_per_call"] > 0
    assert report["growth"] > 0
    assert report["live_us_per_call"] > 0
    assert report["speedup"] > 0


def test_text_says_how_it_was_measured(capsys):
    assert run("--batches", "2") == 0
    text = capsys.readouterr().out
    for word in ("us per call", "growth", "speedup", "disabled while timed", "pvector", "python"):
        assert word in text


def test_ratios_are_of_the_rows_they_name():
    rows = tuple(bench.Row(batch, us, 1.0) for us, batch in enumerate(bench.BATCHES, 1))
    report = bench.Report(rows, live_us_per_call=30.0)
    assert (report.base.batch, report.top.batch, report.compared.batch) == (100, 100_000, 1_000)
    assert report.growth == 5 / 2
    assert report.speedup == 10.0


def test_the_collector_is_left_as_it_was(capsys):
    assert gc.isenabled()
    run("--json", "--batches", "1")
    assert gc.isenabled()


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_what_is_no_batch_is_refused(count, capsys):
    with pytest.raises(SystemExit):
        run("--batches", count)
