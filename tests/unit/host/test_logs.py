"""The capped log: for any sequence of writes the reader has the first and the last MiB of them, at any moment."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from spellweaver.host import attempt, logs, ring
from spellweaver.host.ring import CHUNK, HEAD, TAIL, CappedLog


def body(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def write(log: CappedLog, data: bytes, sizes: random.Random) -> None:
    while data:
        size = sizes.choice([1, 100, 4096, CHUNK, sizes.randint(1, CHUNK)])
        log.write(data[:size])
        data = data[size:]


BOTH = HEAD + TAIL


@pytest.mark.parametrize("size", [0, 1, HEAD - 1, HEAD, HEAD + 1, BOTH, BOTH + 1, BOTH + TAIL + 77, 9_000_000])
def test_head_and_tail_are_kept(tmp_path: Path, size: int) -> None:
    data = body(size)
    log = CappedLog(str(tmp_path / "log"))
    write(log, data, random.Random(size))
    tail = data[HEAD:][-TAIL:]
    expected = logs.Kept(data[:HEAD], size - len(data[:HEAD]) - len(tail), tail, size)
    assert logs.read(str(tmp_path)) == expected
    assert (log.total, log.dropped) == (expected.total, expected.dropped)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= HEAD + TAIL + ring.SLACK + ring.HEADER.size


def test_a_follower_misses_nothing_and_is_told_what_it_was_too_slow_for(tmp_path: Path) -> None:
    data = body(5_000_000)
    sizes = random.Random(3)
    log, offset, said, skipped = CappedLog(str(tmp_path / "log")), 0, b"", 0
    for start in range(0, len(data), 700_000):
        write(log, data[start : start + 700_000], sizes)
        for _ in range(2):  # the second asks past the head
            piece = logs.follow(str(tmp_path), offset)
            said, offset, skipped = said + piece.data, piece.offset, skipped + piece.skipped
    assert (said, offset, skipped) == (data, len(data), 0)
    write(log, body(TAIL + 500, 9), sizes)
    piece = logs.follow(str(tmp_path), offset)
    assert (piece.skipped, piece.data, piece.offset) == (500, body(TAIL + 500, 9)[500:], log.total)


def test_bytes_overwritten_while_reading_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer runs between the reader's header and its body: only what can't have been touched is shown."""
    data = body(HEAD + TAIL)
    log = CappedLog(str(tmp_path / "log"))
    write(log, data, random.Random(1))
    real, calls = os.pread, iter(range(9))

    def racing(fd: int, size: int, at: int) -> bytes:
        if next(calls) == 1:
            for _ in range(3):
                log.write(b"x" * CHUNK)
        return real(fd, size, at)

    monkeypatch.setattr(os, "pread", racing)
    kept = logs.read(str(tmp_path))
    assert kept.total == HEAD + TAIL
    assert kept.tail == data[HEAD + 3 * CHUNK :]
    assert kept.dropped == 3 * CHUNK


def test_a_ring_that_cannot_be_made_costs_the_tail_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    log = CappedLog(str(tmp_path / "log"))
    write(log, body(HEAD + 5000), random.Random(1))
    assert (log.total, log.dropped) == (HEAD + 5000, 5000)
    attempt.write_status(str(tmp_path), {"state": "exited", "output_bytes": log.total})
    assert logs.read(str(tmp_path)) == logs.Kept(body(HEAD + 5000)[:HEAD], 5000, b"", HEAD + 5000)
    assert not (tmp_path / "log.tail").exists()


def test_an_attempt_without_a_log_has_said_nothing(tmp_path: Path) -> None:
    assert logs.read(str(tmp_path)) == logs.Kept(b"", 0, b"", 0)
    assert logs.follow(str(tmp_path), 0) == logs.Piece(b"", 0, 0, True)
    assert logs.text(logs.Kept(b"a", 7, b"b", 9)) == b"a\n[spellweaver: 7 bytes dropped here]\nb"


def test_a_chunk_that_is_not_counted_yet_harms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = body(HEAD + 2 * TAIL)
    log = CappedLog(str(tmp_path / "log"))
    write(log, data, random.Random(1))
    monkeypatch.setattr(CappedLog, "_count", lambda _: None)
    log.write(b"x" * CHUNK)
    assert logs.read(str(tmp_path)).tail == data[-TAIL:]
