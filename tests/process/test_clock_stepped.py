"""The real daemon under a clock that is set: libfaketime moves CLOCK_REALTIME, CLOCK_MONOTONIC goes on."""

from __future__ import annotations

import glob
import json
import signal
import time
from pathlib import Path

import pytest

from tests.support.daemon import Site, schedule, site, toml

FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
needs_faketime = pytest.mark.skipif(
    FAKETIME is None, reason="libfaketime is not installed: apt-get install libfaketime"
)
POLICY = '[policy]\nclock = { tick = "1s", step = "1m", settle = "2s" }\n'


def environment(offset: Path) -> dict[str, str]:
    """What lets a test set the clock of a process: it reads the offset from a file, again and again."""
    assert FAKETIME is not None
    return {
        "LD_PRELOAD": FAKETIME,
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def clock_events(made: Site) -> list[tuple[str, int]]:
    rows = made.rows("SELECT type, data FROM event WHERE type LIKE 'clock_%' ORDER BY seq")
    return [(str(type_), int(json.loads(str(data))["size_us"])) for type_, data in rows]


@needs_faketime
@pytest.mark.rule("WIN-11", "CAT-05")
def test_a_step_forward_and_back_settles_and_fires_nothing_twice(tmp_path: Path) -> None:
    offset = tmp_path / "offset"
    offset.write_text("+0")
    policy = tmp_path / "policy.toml"
    policy.write_text("format = 1\n" + POLICY)
    with site(tmp_path, toml(schedule("probe", every="1s", script="true"))) as made:
        assert made.call("policy", "apply", str(policy)).returncode == 0
        daemon = made.start(env=environment(offset))
        made.until("SELECT count(*) > 2 FROM occurrence WHERE state = 'admitted'")
        offset.write_text("+7200s")
        made.until("SELECT count(*) FROM event WHERE type = 'clock_stepped'")
        refused = made.call("define", str(_more(tmp_path)))
        assert refused.returncode == 75 and "has not settled" in refused.stderr
        made.until("SELECT count(*) FROM event WHERE type = 'clock_settled'")
        ahead = int(time.time() + 7000) * 1_000_000
        made.until(f"SELECT count(*) > 2 FROM occurrence WHERE nominal_at > {ahead} AND state = 'admitted'")
        offset.write_text("+0")
        made.until("SELECT count(*) = 2 FROM event WHERE type = 'clock_settled'")
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(timeout=60) == 0, made.said()
        sizes = [size for type_, size in clock_events(made) if type_ == "clock_stepped"]
        assert [round(size / 3_600_000_000) for size in sizes] == [2, -2]
        doubled = "SELECT count(*) FROM (SELECT 1 FROM occurrence GROUP BY schedule, civil HAVING count(*) > 1)"
        assert made.one(doubled) == 0
        assert "Traceback" not in made.said()


@needs_faketime
@pytest.mark.rule("WIN-11")
def test_a_wrong_clock_that_comes_right_while_it_settles_decides_nothing(tmp_path: Path) -> None:
    offset = tmp_path / "offset"
    offset.write_text("+0")
    policy = tmp_path / "policy.toml"
    policy.write_text("format = 1\n" + POLICY.replace('"2s"', '"6s"'))
    with site(tmp_path, toml(schedule("probe", every="1s", script="true"))) as made:
        assert made.call("policy", "apply", str(policy)).returncode == 0
        made.start(env=environment(offset))
        made.until("SELECT count(*) > 2 FROM occurrence WHERE state = 'admitted'")
        offset.write_text("+7200s")
        made.until("SELECT count(*) FROM event WHERE type = 'clock_stepped'")
        offset.write_text("+0")
        made.until("SELECT count(*) FROM event WHERE type = 'clock_settled'")
        ahead = int(time.time() + 3600) * 1_000_000
        assert made.one(f"SELECT count(*) FROM occurrence WHERE nominal_at > {ahead}") == 0
        assert made.one(f"SELECT count(*) FROM firing_range WHERE last_at > {ahead}") == 0
        made.until("SELECT count(*) > 6 FROM occurrence WHERE state = 'admitted'")


def _more(folder: Path) -> Path:
    path = folder / "more.toml"
    path.write_text(toml(schedule("more", every="1h")))
    return path
