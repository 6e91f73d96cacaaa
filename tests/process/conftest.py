"""A keeper and its workers for each test; whatever is left at its end is cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from spellweaver.host.keeper import Keeper
from spellweaver.jobs.workers import Workers
from tests.support.processes import no_trouble


@pytest.fixture
def keeper() -> Iterator[Keeper]:
    one = Keeper()
    yield one
    one.close()


@pytest.fixture
def workers(keeper: Keeper, tmp_path: Path) -> Iterator[Workers]:
    pool = Workers(keeper, str(tmp_path / "attempts"), trouble=no_trouble)
    yield pool
    pool.terminate()
    assert pool.join(20_000_000), "a test left work behind"
