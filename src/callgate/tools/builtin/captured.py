"""What a process printed: its head and its tail, whatever lay between.

Rule 1: memory is bounded: a gigabyte costs as much as what is kept of it.
Rule 2: what was left out is counted and said.
"""

from __future__ import annotations

from typing import Final, final

HEAD_MAX: Final = 2_000_000
TAIL_MAX: Final = 6_000_000
LIVE_MAX: Final = 10_000
_SNIFFED: Final = 4_096


@final
class Captured:
    """Bytes as they come.

    >>> captured = Captured(head_max=2, tail_max=3)
    >>> for byte in b"abcdefghij":
    ...     captured.add(bytes([byte]))
    >>> captured.text()
    'ab\\n... [5 bytes left out] ...\\nhij'
    """

    def __init__(self, head_max: int = HEAD_MAX, tail_max: int = TAIL_MAX) -> None:
        self._head_max, self._tail_max = head_max, tail_max
        self._head, self._tail = bytearray(), bytearray()
        self.size = 0

    def add(self, data: bytes) -> None:
        """Take what was printed next."""
        self.size += len(data)
        room = self._head_max - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._tail_max:
            del self._tail[: -self._tail_max]

    @property
    def is_binary(self) -> bool:
        """No text: there is a NUL among the first bytes."""
        return b"\0" in self._head[:_SNIFFED]

    def text(self) -> str:
        """All that was kept, as text."""
        tail = bytes(self._tail[-self._tail_max :]) if self._tail else b""
        left_out = self.size - len(self._head) - len(tail)
        if left_out <= 0:
            return _decoded(bytes(self._head) + tail)
        return (
            f"{_decoded(bytes(self._head))}\n... [{left_out} bytes left out] ...\n{_decoded(tail)}"
        )

    def live(self) -> str:
        """What a person sees while it runs: the end of it."""
        if self.is_binary:
            return f"[binary output: {self.size} bytes so far]"
        end = self._tail[-LIVE_MAX:]
        if len(end) < LIVE_MAX:
            end = self._head[-(LIVE_MAX - len(end)) :] + end
        return _decoded(bytes(end))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
