"""What a script says of a job."""

from __future__ import annotations

import pytest

from spellweaver.core.instant import MINUTE, SECOND
from spellweaver.simulate.script import Job, Runtime, Runtimes, Takes

JOB = Job("local/nightly", 0, "nightly@3", "snapshot", 30 * MINUTE)


@pytest.mark.parametrize(
    ("said", "takes"),
    [
        ([], Takes(SECOND, 0)),
        ([Runtime("verify", MINUTE)], Takes(SECOND, 0)),
        ([Runtime("*", MINUTE)], Takes(MINUTE, 0)),
        ([Runtime("snapshot", 2 * MINUTE), Runtime("*", MINUTE)], Takes(2 * MINUTE, 0)),
        ([Runtime("nightly@3.snapshot", MINUTE), Runtime("snapshot", 2 * MINUTE)], Takes(MINUTE, 0)),
        ([Runtime("nightly@2.snapshot", MINUTE), Runtime("snapshot", 2 * MINUTE)], Takes(2 * MINUTE, 0)),
        ([Runtime("snapshot", fails=True)], Takes(SECOND, 1)),
        ([Runtime("snapshot", fails=True), Runtime("snapshot", MINUTE)], Takes(MINUTE, 1)),
        ([Runtime("snapshot", MINUTE), Runtime("snapshot", fails=True)], Takes(MINUTE, 1)),
        ([Runtime("snapshot", MINUTE), Runtime("snapshot", 3 * MINUTE)], Takes(3 * MINUTE, 0)),
    ],
)
def test_the_most_exact_name_is_meant(said: list[Runtime], takes: Takes) -> None:
    assert Runtimes(said)(JOB) == takes
