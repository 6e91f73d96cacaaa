"""An event goes through a real daemon to its command; and a ledger of an earlier version is brought over by who may."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from spellweaver import files
from spellweaver.ledger import observe
from tests.support.daemon import schedule, site, toml

GOLDEN = Path(__file__).parents[1] / "golden" / "ledger" / "v1.db"


@pytest.mark.rule("OCC-05", "OCC-21")
def test_an_event_reaches_its_command_with_what_was_sent(tmp_path: Path) -> None:
    took = tmp_path / "took"
    script = f'cat "$SPELLWEAVER_INPUT" > {took}; echo "$SPELLWEAVER_FIRING" >> {took}'
    with site(tmp_path, toml(schedule("mail", every="365d", script=script))) as place:
        place.start()
        order = tmp_path / "order"
        order.write_bytes(b"\xff order nine\n")
        line = ("trigger", "mail", "--source", "shop", "--event-id", "order-9", "--input", str(order))
        assert place.call(*line).returncode == 0
        place.until("SELECT count(*) FROM invocation WHERE state = 'completed'")
        assert took.read_bytes() == b"\xff order nine\nshop:order-9\n"
        again = place.call(*line)
        assert again.returncode == 0 and "completed" in again.stdout
        assert place.one("SELECT count(*) FROM occurrence WHERE generation = 0") == 1


def test_an_older_ledger_is_refused_with_what_to_do_and_tick_brings_it_over(tmp_path: Path) -> None:
    with site(tmp_path) as place:
        place.folder.mkdir(mode=0o700)
        shutil.copyfile(GOLDEN, place.ledger)
        place.ledger.chmod(0o600)
        done = place.call("status")
        assert done.returncode == 78 and "version 1" in done.stderr and "any command that writes" in done.stderr
        assert place.one("PRAGMA user_version") == 1, "what is refused writes nothing"
        ticked = place.call("tick", "--no-wait")
        assert ticked.returncode == 78 and "another machine" in ticked.stderr, "the golden one is of no machine here"
        assert place.one("PRAGMA user_version") == observe.VERSION
        assert place.call("status").returncode == 0


def test_no_ledger_is_brought_over_under_a_daemon_of_its_own_version(tmp_path: Path) -> None:
    with site(tmp_path) as place:
        place.folder.mkdir(mode=0o700)
        shutil.copyfile(GOLDEN, place.ledger)
        place.ledger.chmod(0o600)
        with files.locked(f"{place.ledger}.lock"):
            done = place.call("pause", "nobody", "--reason", "looked into")
            assert done.returncode == 75 and "a daemon of that version works on it" in done.stderr
        assert place.one("PRAGMA user_version") == 1
        assert place.call("pause", "nobody", "--reason", "looked into").returncode == 4
        assert place.one("PRAGMA user_version") == observe.VERSION
