"""A real pseudo-terminal with a screen that can be read: what a person would see."""

import os

import pexpect
import pyte


class Terminal:
    """Runs a command; `screen` is what the terminal shows now."""

    def __init__(self, command, *, columns=80, rows=24, env=None, cwd=None):
        self.screen = pyte.HistoryScreen(columns, rows, history=1_000)
        self._stream = pyte.Stream(self.screen)
        known = {**(os.environ if env is None else env), "TERM": "xterm-256color"}
        for name in ("COLUMNS", "LINES", "NO_COLOR"):  # the size is the terminal's own
            known.pop(name, None)
        self.child = pexpect.spawn(
            command[0],
            command[1:],
            dimensions=(rows, columns),
            env=known,
            cwd=cwd,
            encoding="utf-8",
        )

    def read_until(self, text, seconds=20):
        """Read until the terminal shows this text; what it shows then, if it never does."""
        before = ""
        while text not in (shown := self.shown()):
            try:
                before = self.child.read_nonblocking(65_536, timeout=seconds)
            except (pexpect.EOF, pexpect.TIMEOUT) as end:
                raise AssertionError(
                    f"{text!r} was not shown, but:\n{shown}\n{end!r:.80}"
                ) from None
            self._stream.feed(before)
        return shown

    def type(self, keys):
        """Press keys."""
        self.child.send(keys)

    def finish(self, seconds=20):
        """Read to the end; the exit code."""
        while True:
            try:
                self._stream.feed(self.child.read_nonblocking(65_536, timeout=seconds))
            except pexpect.EOF:
                break
        self.child.close()
        return self.child.exitstatus

    def shown(self):
        """The lines that were scrolled away, and the screen."""
        past = [
            "".join(line[x].data for x in range(self.screen.columns))
            for line in self.screen.history.top
        ]
        return "\n".join(line.rstrip() for line in [*past, *self.screen.display]).rstrip()
