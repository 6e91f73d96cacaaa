"""Reading the capped log of an attempt while it may still grow. Its form on disk is told in ``ring``.

All is bytes: a job may say anything (RP-51). Offsets count the command's output from its first byte, kept or not.
"""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from spellweaver.host import attempt
from spellweaver.host.ring import HEADER, RING, TAIL


class Kept(NamedTuple):
    """``head``, then ``dropped`` bytes that are kept nowhere, then ``tail``; ``total`` bytes were said until now."""

    head: bytes
    dropped: int
    tail: bytes
    total: int


class Piece(NamedTuple):
    """What came after an offset: ``skipped`` bytes that are gone, then ``data``; ``offset`` is the next to ask for.

    ``ended`` is true when the attempt's lock was free before reading, so that nothing will follow.
    """

    data: bytes
    offset: int
    skipped: int
    ended: bool


def read(folder: str) -> Kept:
    """All that is kept of an attempt's output; empty when the attempt never came to have a log."""
    status = attempt.read_status(folder) or {}  # before the head: once there is a status, all of it is final
    ring = _read_ring(f"{folder}/log.tail")  # before the head: once there is a ring, the head is final
    head = _whole(f"{folder}/log")
    if ring is None:
        total = max(len(head), status.get("output_bytes", 0))
        return Kept(head, total - len(head), b"", total)
    head_bytes, first, total, tail = ring
    return Kept(head[:head_bytes], first - head_bytes, tail, total)


def marker(dropped: int) -> bytes:
    """The line that stands where output was cut."""
    return b"\n[spellweaver: %d bytes dropped here]\n" % dropped


def text(kept: Kept) -> bytes:
    """Head, marker where something was dropped, tail."""
    return kept.head + (marker(kept.dropped) if kept.dropped else b"") + kept.tail


def follow(folder: str, offset: int) -> Piece:
    """What was said from byte ``offset`` on. Ask again with ``Piece.offset`` until ``ended``."""
    ended = attempt.lock_is_free(folder)
    kept = read(folder)
    tail_starts = len(kept.head) + kept.dropped
    if offset < len(kept.head):
        return Piece(kept.head[offset:], len(kept.head), 0, ended and kept.total == len(kept.head))
    skipped = max(0, tail_starts - offset)
    data = kept.tail[max(0, offset - tail_starts) :]
    return Piece(data, max(offset, kept.total), skipped, ended)


def _whole(path: str) -> bytes:
    try:
        with open(path, "rb", opener=_opener) as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _read_ring(path: str) -> tuple[int, int, int, bytes] | None:
    """(bytes in the head, position of the first byte of the tail, total, tail).

    The header is read before and after: what the shim may have overwritten meanwhile is left out.
    """
    try:
        fd = _opener(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with contextlib.closing(os.fdopen(fd, "rb", buffering=0)):
        raw = os.pread(fd, HEADER.size, 0)
        if len(raw) < HEADER.size:
            return None
        head, total = HEADER.unpack(raw)
        body = os.pread(fd, RING, HEADER.size)
        _, later = HEADER.unpack(os.pread(fd, HEADER.size, 0))
    first = min(total, max(head, later - TAIL))
    start, length = (first - head) % RING, total - first
    return head, first, total, (body + body)[start : start + length]
