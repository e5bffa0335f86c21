"""A record is written while things happen: by the real scheduler, and until a kill."""

import signal
import subprocess
import sys

from callgate.diagrams.runs.telling import tell
from callgate.drivers.scheduler import ToolScheduler
from callgate.journal.record import dumps, loads, read, replay
from callgate.journal.recorder import Recorder
from tests.drivers.doubles import Tool, asks, play

FOREVER = """
import sys
from callgate import TimePassed
from callgate.journal.recorder import Recorder
with Recorder(sys.argv[1]) as recorder:
    for at_ms in range(10**9):
        recorder(TimePassed(at_ms=at_ms))
        if at_ms == 2_000:
            print("under way", flush=True)
"""


def test_the_scheduler_writes_a_record_that_replays_to_its_own_state(tmp_path):
    async def scene():
        with Recorder(tmp_path / "run.jsonl") as recorder:
            async with ToolScheduler([Tool(does="done")], record=recorder) as scheduler:
                await scheduler.schedule(asks("c1", "c2", "c3"))
            return scheduler.state

    state = play(scene)
    record = read(tmp_path / "run.jsonl")
    *_, last = replay(record)
    assert last.step.state == state
    ends = [life.record.status.value for life in tell(record).lives]
    assert ends == ["success"] * 3


def test_a_kill_costs_at_most_the_last_line(tmp_path):
    path = tmp_path / "run.jsonl"
    command = [sys.executable, "-c", FOREVER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"under way\n"
        writer.send_signal(signal.SIGKILL)
    record = read(path)
    times = [event.at_ms for event in record.events]
    assert times == list(range(len(times)))
    assert len(times) > 2_000
    whole = path.read_bytes()
    assert loads(dumps(record)) == record
    for cut in (1, 9, 25):
        short = loads(whole[:-cut])
        assert len(times) - 2 <= len(short.events) <= len(times)
