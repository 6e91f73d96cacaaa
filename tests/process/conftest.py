"""A keeper and its workers for each test; whatever is left at its end is cancelled."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from spellweaver.core.identity import AttemptId
from spellweaver.host import cgroup
from spellweaver.host import keeper as keeping
from spellweaver.host.keeper import Keeper
from spellweaver.jobs import environment
from spellweaver.jobs.workers import Workers
from tests.support import faulty_daemon
from tests.support.processes import no_trouble


@pytest.fixture
def keeper() -> Iterator[Keeper]:
    one = Keeper()
    yield one
    one.close()


@pytest.fixture
def without_cgroups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keepers that find no cgroup to divide, as on most hosts for most users. Ask for it before ``workers``."""
    monkeypatch.setattr(keeping, "_PROGRAM", faulty_daemon.blind())


@pytest.fixture
def workers(keeper: Keeper, tmp_path: Path) -> Iterator[Workers]:
    pool = Workers(keeper, str(tmp_path / "attempts"), trouble=no_trouble)
    yield pool
    pool.terminate()
    ended = pool.join(20_000_000)
    end_what_is_left(tmp_path / "attempts")
    assert ended, "a test left work behind"


def end_what_is_left(attempts: Path) -> None:
    """What a test that failed half-way did not come to end."""
    for folder in attempts.iterdir():
        for pid in environment.carriers(AttemptId.parse(folder.name), str(folder)):
            os.kill(pid, signal.SIGKILL)
        if group := cgroup.of(str(folder)):
            cgroup.kill_all(group)
            cgroup.wait_until_empty(group)
            cgroup.remove(group)
