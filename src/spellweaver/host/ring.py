"""The capped log of an attempt, as the shim writes it: the first MiB and the last MiB of whatever the command says.

    log        the first HEAD bytes, plain
    log.tail   made when the head is full: a header (bytes in the head, bytes in all), then a ring of TAIL + SLACK bytes

Byte ``p`` of the output (``p`` >= head) stands in the ring at ``(p - head) % RING``. A chunk is written before the
header that counts it, so a reader may see up to SLACK bytes younger than the header says; SLACK keeps them out of the
last TAIL bytes. Nothing here waits or grows: a full disk costs the bytes, never the command.
"""

from __future__ import annotations

import contextlib
import os
import struct

HEAD = 1 << 20
TAIL = 1 << 20
CHUNK = SLACK = 1 << 16
RING = TAIL + SLACK
HEADER = struct.Struct("<QQ")
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class CappedLog:
    """``total`` counts all bytes given to ``write``; ``dropped`` those that are kept nowhere."""

    def __init__(self, path: str) -> None:
        """Makes ``path`` (0600). Raises OSError."""
        self._tail_path = f"{path}.tail"
        self._file = os.open(path, _FLAGS, 0o600)
        self._ring: int | None = None
        self._head_open = True
        self.head = 0
        self.total = 0

    @property
    def dropped(self) -> int:
        kept_after = min(self.total - self.head, TAIL) if self._ring is not None else 0
        return self.total - self.head - kept_after

    def write(self, data: bytes) -> None:
        """Keeps what has room; at most CHUNK bytes at a time. Never raises for the disk."""
        if self._head_open:
            kept = self._to_head(data[: HEAD - self.head])
            self.head += kept
            self.total += kept
            data = data[kept:]
            if not data:
                return
            self._head_open = False
            self._ring = self._make_ring()
        self._to_ring(data)
        self.total += len(data)
        self._count()

    def _to_head(self, data: bytes) -> int:
        written = 0
        with contextlib.suppress(OSError):
            while written < len(data):
                written += os.write(self._file, data[written:])
        return written

    def _make_ring(self) -> int | None:
        """The whole ring is allocated at once: afterwards a full disk can't tear it."""
        ring = None
        try:
            ring = os.open(self._tail_path, _FLAGS, 0o600)
            os.posix_fallocate(ring, 0, HEADER.size + RING)
            os.pwrite(ring, HEADER.pack(self.head, self.total), 0)
        except OSError:
            self._abandon(ring)
            return None
        return ring

    def _to_ring(self, data: bytes) -> None:
        if self._ring is None:
            return
        at = (self.total - self.head) % RING
        try:
            os.pwrite(self._ring, data[: RING - at], HEADER.size + at)
            if data[RING - at :]:
                os.pwrite(self._ring, data[RING - at :], HEADER.size)
        except OSError:
            self._abandon(self._ring)
            self._ring = None

    def _count(self) -> None:
        if self._ring is not None:
            os.pwrite(self._ring, HEADER.pack(self.head, self.total), 0)

    def _abandon(self, ring: int | None) -> None:
        if ring is not None:
            os.close(ring)
            with contextlib.suppress(OSError):
                os.unlink(self._tail_path)
