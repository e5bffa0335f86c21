"""Real processes: live output, endings of every kind, and nothing left behind."""

import asyncio
import os
import signal
import sys
import time

import pytest

from callgate.drivers.scheduler import ToolScheduler
from callgate.kernel.frozenjson import freeze_object
from callgate.kernel.values import Request
from callgate.tools.builtin import Workspace
from callgate.tools.builtin.captured import Captured
from callgate.tools.builtin.shell import Shell
from callgate.tools.protocols import InvalidArguments
from tests.processes import is_alive

PYTHON = sys.executable
GRACE_MS = 300


def start(space, listener, command, **args):
    shell = Shell(Workspace(space), grace_ms=GRACE_MS, interval_ms=10)
    return shell.build(freeze_object({"command": command, **args})).execute(listener, listener)


def run(space, listener, command, **args):
    async def main():
        listening = listener()
        return await start(space, listening, command, **args), listening

    return asyncio.run(main())


async def gone(pid):
    """Wait for the end of a process that is not ours; False if that takes too long."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(watched, ended.set)
    try:
        await asyncio.wait_for(ended.wait(), 20)
    except TimeoutError:
        return False
    finally:
        asyncio.get_running_loop().remove_reader(watched)
        os.close(watched)
    return True


def test_output_and_pid(space, listener):
    result, listening = run(space, listener, "echo out; echo err >&2; pwd")
    assert result.content == f"out\nerr\n{space}\n"
    assert result.display == result.content
    assert listening.pids == [result.value.pid]
    assert listening.chunks[-1] == result.content
    assert (result.value.exit_code, result.value.signal, result.error) == (0, None, None)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("true", "[no output]"),
        ("exit 3", "[exit code 3]"),
        ("echo a; exit 3", "a\n[exit code 3]"),
        ("kill -SEGV $$", "[ended by SIGSEGV]"),
        ("no_such_command_here 2>/dev/null", "[exit code 127]"),
        ("cat; echo end", "end\n"),
        ("printf 'caf\\351'", "caf\N{REPLACEMENT CHARACTER}"),
        ("printf 'a\\r\\nb'", "a\nb"),
        ("echo $PAGER $TERM", "cat dumb\n"),
        ("printf 'a\\0b'", "[binary output of 3 bytes: not shown]"),
        ("printf 'a\\0b'; exit 1", "[binary output of 3 bytes: not shown]\n[exit code 1]"),
        ("set -o pipefail; yes | head -1", "y\n[exit code 141]"),
    ],
)
def test_how_a_command_ended_is_said(space, listener, command, text):
    assert run(space, listener, command)[0].content == text


def test_a_folder_can_be_chosen(space, listener):
    (space / "sub").mkdir()
    assert run(space, listener, "pwd", dir_path="sub")[0].content == f"{space}/sub\n"
    for bad, words in [("..", "leads out"), ("no", "no folder"), ("/", "leads out")]:
        with pytest.raises(InvalidArguments, match=words):
            run(space, listener, "pwd", dir_path=bad)


@pytest.mark.parametrize("command", ["", "  \n", "a\0b"])
def test_an_empty_command_is_refused(space, listener, command):
    with pytest.raises(InvalidArguments, match="empty, or has a NUL"):
        run(space, listener, command)


def test_it_asks_with_the_command(space):
    invocation = Shell(Workspace(space)).build(freeze_object({"command": "git status"}))
    question = invocation.should_confirm()
    assert question.kind == "exec"
    assert question.details == {"command": "git status", "rootCommand": "git", "dirPath": "."}
    assert invocation.describe() == "git status"


def test_output_is_live(space, listener):
    async def main():
        os.mkfifo(space / "go")
        listening = listener()
        task = asyncio.ensure_future(start(space, listening, "echo first; cat go; echo last"))
        await listening.heard.wait()
        shown = listening.chunks[0]
        assert not task.done()
        (space / "go").write_text("")
        return shown, await task

    shown, result = asyncio.run(main())
    assert shown == "first\n"
    assert result.content == "first\nlast\n"


def test_a_cancel_ends_the_whole_group(space, listener):
    async def main():
        listening = listener()
        command = "echo partial; sleep 1000 & sleep 1000 & echo $! ; wait"
        task = asyncio.ensure_future(start(space, listening, command))
        while not listening.chunks or listening.chunks[-1].count("\n") < 2:
            listening.heard.clear()
            await listening.heard.wait()
        listening.cancel()
        result = await task
        return result, await gone(int(result.content.split("\n")[1]))

    result, is_gone = asyncio.run(main())
    assert is_gone
    lines = result.content.split("\n")
    assert lines[0] == "partial"
    assert lines[2:] == [
        "Command was cancelled by user before it could complete.",
        "[ended by SIGTERM]",
    ]


def test_who_ignores_sigterm_is_killed_after_the_grace(space, listener):
    program = (
        "import os, signal, subprocess, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(os.getpid(), flush=True)\n"
        "while True: time.sleep(1000)\n"
    )
    (space / "deaf.py").write_text(program)

    async def main():
        listening = listener()
        task = asyncio.ensure_future(start(space, listening, f"exec {PYTHON} deaf.py"))
        await listening.heard.wait()
        began = time.monotonic()
        listening.cancel()
        result = await task
        return result, time.monotonic() - began

    result, seconds = asyncio.run(main())
    assert result.value.signal == "SIGKILL"
    assert seconds >= GRACE_MS / 1000
    assert not is_alive(result.value.pid)


def test_a_polite_command_may_clean_up(space, listener):
    async def main():
        listening = listener()
        command = "trap 'echo cleaned; exit 5' TERM; echo ready; while :; do sleep 0.01; done"
        task = asyncio.ensure_future(start(space, listening, command))
        await listening.heard.wait()
        listening.cancel()
        return await task

    result = asyncio.run(main())
    assert "cleaned" in result.content
    assert result.value.exit_code == 5


def test_a_cancel_before_the_start_runs_nothing(space, listener):
    async def main():
        listening = listener()
        listening.cancel()
        return await start(space, listening, "touch ran")

    result = asyncio.run(main())
    assert result.content == "Command was cancelled by user before it could start."
    assert not (space / "ran").exists()


def test_a_task_that_is_cancelled_leaves_no_process(space, listener):
    async def main():
        listening = listener()
        task = asyncio.ensure_future(start(space, listening, "sleep 1000 & echo $!; wait"))
        await listening.heard.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        child = int(listening.chunks[0])
        return await gone(child) and await gone(listening.pids[0])

    assert asyncio.run(main())


def test_a_closed_scheduler_leaves_no_process(space):
    shown = []

    async def main():
        seen = asyncio.Event()

        def watch(_call_id, chunk):
            shown.append(chunk)
            seen.set()

        shell = Shell(Workspace(space))
        async with ToolScheduler([shell], mode="yolo", on_output=watch) as scheduler:
            command = "sleep 1000 & echo $!; wait"
            scheduler.schedule([Request("1", "shell", {"command": command})])
            await seen.wait()
        return await gone(int(shown[0]))

    assert asyncio.run(main())


def test_a_closed_scheduler_lets_a_command_clean_up_and_keeps_what_it_printed(space):
    async def main():
        seen = asyncio.Event()
        shell = Shell(Workspace(space))
        async with ToolScheduler(
            [shell], mode="yolo", on_output=lambda *_: seen.set()
        ) as scheduler:
            command = "trap 'echo cleaned; exit 3' TERM; echo begun; while :; do sleep 0.05; done"
            batch = scheduler.schedule([Request("1", "shell", {"command": command})])
            await seen.wait()
        return batch.result()

    (call,) = asyncio.run(main())
    assert call.status == "cancelled"
    printed = call.response.parts[0]["functionResponse"]["response"]["output"].split("\n")
    assert {"begun", "cleaned", "[exit code 3]"} <= set(printed)


def test_time_can_be_limited(space, listener):
    result, _ = run(space, listener, "echo a; exec sleep 1000", timeout_ms=200)
    assert result.content == "a\n[ended after 200 ms: time was up]\n[ended by SIGTERM]"
    assert result.value.timed_out


@pytest.mark.parametrize("redirected", ["", " >/dev/null 2>&1"])
def test_what_is_left_in_the_background_is_ended_with_the_command(space, listener, redirected):
    result, _ = run(space, listener, f"sleep 1000{redirected} & echo $!")
    assert result.value.exit_code == 0
    assert not is_alive(int(result.content))


def test_who_left_the_group_does_not_hold_up_the_command(space, listener):
    began = time.monotonic()
    result, _ = run(space, listener, "setsid sleep 1000 & echo $!; echo done")
    pid = int(result.content.split()[0])
    try:
        assert result.content.endswith("done\n")
        assert time.monotonic() - began < 10
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_gigabyte_is_bounded_in_memory(space, listener):
    program = (
        "import asyncio, resource, sys\n"
        "from callgate.tools.builtin import Workspace\n"
        "from callgate.tools.builtin.shell import Shell\n"
        "from tests.tools.builtin.conftest import Listener\n"
        "async def main():\n"
        "    listener = Listener()\n"
        "    call = Shell(Workspace(sys.argv[1])).build({'command': sys.argv[2]})\n"
        "    return await call.execute(listener, listener), listener\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "result, listener = asyncio.run(main())\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "chunks = [len(chunk) for chunk in listener.chunks]\n"
        "print(result.value.captured.size, len(result.content), after - before, max(chunks))\n"
    )

    async def main():
        command = "yes 0123456789 | head -c 1000000000; echo; echo end"
        process = await asyncio.create_subprocess_exec(
            PYTHON, "-c", program, str(space), command, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return out

    size, kept, grown, shown = map(int, asyncio.run(main()).split())
    assert size == 1_000_000_005
    assert kept < 9_000_000
    assert grown < 100_000, "kilobytes"
    assert shown <= 10_000


def test_live_output_is_throttled(space, listener):
    shell = Shell(Workspace(space), interval_ms=1_000_000)

    async def main():
        listening = listener()
        invocation = shell.build(freeze_object({"command": "for i in {1..500}; do echo $i; done"}))
        await invocation.execute(listening, listening)
        return listening.chunks

    assert len(asyncio.run(main())) == 1


def test_binary_output_is_never_shown(space, listener):
    _, listening = run(space, listener, "printf '\\0abc'")
    assert listening.chunks == ["[binary output: 4 bytes so far]"]


def test_a_shell_that_is_not_there_is_an_error_of_the_call(space, listener):
    async def main():
        listening = listener()
        invocation = Shell(Workspace(space)).build(
            freeze_object({"command": "pwd", "dir_path": "."})
        )
        space.rename(space.parent / "moved")
        return await invocation.execute(listening, listening)

    result = asyncio.run(main())
    assert result.error.type == "shell_execute_error"
    assert "could not be started" in result.error.message


def test_the_middle_is_left_out_and_counted():
    captured = Captured(head_max=4, tail_max=4)
    for piece in (b"ab", b"cdef", b"g", b"hijklmnop", b""):
        captured.add(piece)
    assert captured.text() == "abcd\n... [8 bytes left out] ...\nmnop"
    small = Captured(head_max=4, tail_max=4)
    small.add(b"abcdefgh")
    assert small.text() == "abcdefgh"
    assert small.live() == "abcdefgh"
    assert Captured().text() == ""
