"""Output: both streams into one capped log, at any rate, with bounded memory and disk, and readable while it grows."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from spellweaver.core.launch import Ended, Started
from spellweaver.host import logs
from spellweaver.host.ring import HEAD, HEADER, RING, TAIL
from spellweaver.jobs.workers import Workers
from tests.support.processes import Bell, Reports, launch, outcome, run

FLOOD = 20_000_000
FLOODS = {
    "out": f"head -c {FLOOD} /dev/zero | tr '\\0' o",
    "err": f"head -c {FLOOD} /dev/zero | tr '\\0' e >&2",
    "both": """for n in 1 2 3 4 5 6 7 8 9 10; do
        head -c 1000000 /dev/zero | tr '\\0' o; head -c 1000000 /dev/zero | tr '\\0' e >&2
    done""",
}


@pytest.mark.parametrize("stream", FLOODS)
def test_rp_43_twenty_megabytes(workers: Workers, tmp_path: Path, stream: str) -> None:
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    reports = Reports()
    shell = f"printf first; {FLOODS[stream]}; printf last; echo $PPID > {bell.path}; read x < {door.path}"
    workers.start(launch(1, shell=shell), reports)
    reports.next(Started)
    shim = int(bell.wait())
    peak_kib = int(Path(f"/proc/{shim}/status").read_text().split("VmHWM:")[1].split()[0])
    assert peak_kib < 32 * 1024
    Path(door.path).write_text("on\n")
    ended = reports.next(Ended)
    assert outcome(ended) == ("exited", 0)
    assert (ended.output_bytes, ended.dropped_bytes) == (FLOOD + 9, FLOOD + 9 - HEAD - TAIL)
    folder = workers.place(ended.attempt)
    kept = logs.read(folder)
    assert (len(kept.head), kept.dropped, len(kept.tail), kept.total) == (HEAD, ended.dropped_bytes, TAIL, FLOOD + 9)
    assert kept.head.startswith(b"first")
    assert kept.tail.endswith(b"last")
    assert b"[spellweaver: %d bytes dropped here]" % ended.dropped_bytes in logs.text(kept)
    assert sum(os.stat(f"{folder}/{name}").st_size for name in os.listdir(folder)) < HEAD + HEADER.size + RING + 4096


def test_streams_keep_their_order(workers: Workers) -> None:
    run(workers, launch(1, shell="for n in 1 2 3; do echo o$n; echo e$n >&2; done"))
    assert logs.read(workers.place(launch(1).attempt)).head == b"o1\ne1\no2\ne2\no3\ne3\n"


def test_a_log_is_followed_to_its_end(workers: Workers, tmp_path: Path) -> None:
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    reports = Reports()
    workers.start(launch(1, shell=f"echo one; echo here > {bell.path}; read x < {door.path}; echo two"), reports)
    reports.next(Started)
    bell.wait()
    folder = workers.place(launch(1).attempt)
    said, offset, ended = b"", 0, False
    while not ended:
        piece = logs.follow(folder, offset)
        said, offset, ended = said + piece.data, piece.offset, piece.ended
        assert piece.skipped == 0
        if said == b"one\n":
            Path(door.path).write_text("on\n")
    assert (said, offset) == (b"one\ntwo\n", 8)
    reports.next(Ended)
    assert logs.follow(folder, 0) == logs.Piece(b"one\ntwo\n", 8, 0, True)


def test_an_outsider_with_the_pipe_does_not_hold_the_run_open(workers: Workers, tmp_path: Path) -> None:
    """Somebody who is no descendant has opened the job's output: the run ends when the job does."""
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    reports = Reports()
    workers.start(launch(1, shell=f"echo $$ > {bell.path}; read x < {door.path}; echo end"), reports)
    reports.next(Started)
    with open(f"/proc/{int(bell.wait())}/fd/2", "wb", buffering=0) as stranger:
        stranger.write(b"hello\n")
        Path(door.path).write_text("on\n")
        assert outcome(reports.next(Ended)) == ("exited", 0)
    assert logs.read(workers.place(launch(1).attempt)).head == b"hello\nend\n"


def test_a_disk_that_refuses_the_log_does_not_stop_the_command(workers: Workers, tmp_path: Path) -> None:
    """A file-size limit stands for a full disk: the job ends as it would, and what could not be kept is counted."""
    bell, door = Bell(tmp_path / "bell"), Bell(tmp_path / "door")
    reports = Reports()
    shell = f"echo $PPID > {bell.path}; read x < {door.path}; head -c 300000 /dev/zero; exit 3"
    workers.start(launch(1, shell=shell), reports)
    reports.next(Started)
    resource.prlimit(int(bell.wait()), resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    Path(door.path).write_text("on\n")
    ended = reports.next(Ended)
    assert outcome(ended) == ("exited", 3)
    assert (ended.output_bytes, ended.dropped_bytes) == (300_000, 200_000)
    kept = logs.read(workers.place(ended.attempt))
    assert (len(kept.head), kept.dropped, kept.total) == (100_000, 200_000, 300_000)
