"""Builders for tests with real processes: launches, a collector of sightings, a bell that a command rings."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from spellweaver.core.binding import Binding
from spellweaver.core.identity import AttemptId, InvocationId, OccurrenceId, RunId
from spellweaver.core.launch import Ended, Identity, Launch, Sighting, Started
from spellweaver.jobs.workers import Workers

PATIENCE_S = 30
S = TypeVar("S")
NOMINAL = 1_793_000_000_000_000  # 2026-10-26T09:33:20Z


def launch(n: int, *argv: str, shell: str | None = None, finish_by: int | None = None, **binding: Any) -> Launch:
    """Attempt ``n`` of a schedule, with ids that differ from each other."""
    return Launch(
        attempt=AttemptId(n), run=RunId(1000 + n), invocation=InvocationId(2000 + n), occurrence=OccurrenceId(3000 + n),
        schedule="night", firing="c1:2026-10-26T09:33", nominal_at=NOMINAL, station="main", pattern="night@1", nth=1,
        binding=Binding("night", "1", "main", argv, shell=shell, **binding), input="{}", finish_by=finish_by,
    )  # fmt: skip


class Reports:
    """A ``Report`` that keeps what it is told, in order."""

    def __init__(self) -> None:
        self.all: list[Sighting] = []
        self._news: queue.Queue[Sighting] = queue.Queue()

    def __call__(self, sighting: Sighting) -> None:
        self.all.append(sighting)
        self._news.put(sighting)

    def next(self, kind: type[S]) -> S:
        """The next sighting, which must be of this kind."""
        sighting = self._news.get(timeout=PATIENCE_S)
        assert isinstance(sighting, kind), sighting
        return sighting


class Bell:
    """A FIFO that a command writes to when it has come so far."""

    def __init__(self, path: os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        os.mkfifo(self.path)
        self._fd = os.open(self.path, os.O_RDWR)

    def wait(self) -> bytes:
        assert select.select([self._fd], [], [], PATIENCE_S)[0], "nobody rang"
        return os.read(self._fd, 65536)

    def rung(self) -> bool:
        return bool(select.select([self._fd], [], [], 0)[0])


@contextlib.contextmanager
def reachable_place() -> Iterator[Path]:
    """A directory that every user can come to, unlike those of pytest. What is left there at the end is told."""
    made = Path(tempfile.mkdtemp(prefix="spellweaver-test-"))
    made.chmod(0o755)
    try:
        yield made
        left = [str(path) for path in made.rglob("*") if path.name not in ("jobs", "socket")]
    finally:
        shutil.rmtree(made)
    assert left == [], "nothing of a job stays where other users come"


def no_trouble(which: AttemptId, error: Exception) -> None:
    raise AssertionError(f"{which}: {error}")


def run(workers: Workers, what: Launch) -> tuple[Started, Ended]:
    """From launch to end."""
    reports = Reports()
    workers.start(what, reports)
    return reports.next(Started), reports.next(Ended)


def outcome(ended: Ended) -> tuple[str, int | None]:
    return ended.state, ended.code if ended.signal is None else -ended.signal


def await_end(*who: Identity) -> None:
    """Until these very processes have ended."""
    for one in who:
        try:
            pidfd = os.pidfd_open(one.pid)
        except ProcessLookupError:
            continue
        try:
            assert select.select([pidfd], [], [], PATIENCE_S)[0], f"{one} lives on"
        finally:
            os.close(pidfd)
