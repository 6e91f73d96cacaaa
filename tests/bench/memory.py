"""How much memory the daemon and its keeper hold: with few Schedules, with many, and after many have fired.

    PYTHONPATH=src:. python tests/bench/memory.py [SCHEDULES]

Resident is what the kernel counts; private is what would be free without the process, since the pages of interpreter
and libraries are shared. One JSON object a line.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import apsw

from spellweaver.clock import VirtualClock
from spellweaver.host.machine import machine
from spellweaver.ledger.opening import create_ledger
from tests.bench import product_adapter
from tests.bench.figures import tell
from tests.bench.tick import multiply
from tests.support.daemon import Site

MINUTELY = 200


def site(folder: str, schedules: int) -> Site:
    """A ledger with so many Schedules, of which MINUTELY fire every second minute and the others at 09:00 UTC."""
    made = Site(Path(tempfile.mkdtemp(dir=folder)))
    os.mkdir(made.folder, 0o700)
    clock = VirtualClock(int(time.time()) * 1_000_000)
    ledger = create_ledger(str(made.ledger), clock, actor="bench", machine=machine()[0])
    product_adapter.furnish(ledger, [product_adapter.draft(f"s{n}", "*/10 * * * * *") for n in range(MINUTELY)])
    if schedules > MINUTELY:
        product_adapter.furnish(ledger, [product_adapter.draft("later", "0 9 1 1 *")])
        multiply(ledger.connection, schedules - MINUTELY - 1)
        ledger.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    ledger.close()
    return made


def held(pid: int) -> tuple[float, float]:
    """(resident, private) in MiB."""
    facts = dict.fromkeys(("Rss", "Private_Clean", "Private_Dirty"), 0)
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in facts:
            facts[name] = int(rest.split()[0])
    return facts["Rss"] / 1024, (facts["Private_Clean"] + facts["Private_Dirty"]) / 1024


def keeper_of(pid: int) -> int:
    """The only child that a daemon has."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def main(schedules: int) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        for count in (MINUTELY, schedules):
            made = site(folder, count)
            daemon = made.start("--quiet")
            made.until("SELECT count(*) > 0 FROM invocation", within_s=60)
            report(f"{count} Schedules, at its first firings", daemon.pid)
            made.until(f"SELECT count(*) >= {3 * MINUTELY} FROM invocation WHERE state = 'completed'", within_s=180)
            report(f"{count} Schedules, after {3 * MINUTELY} runs", daemon.pid)
            made.close()


def report(when: str, pid: int) -> None:
    for who, each in (("daemon", pid), ("keeper", keeper_of(pid))):
        resident, private = held(each)
        tell(f"memory: {who}, {when}", resident, "MiB resident", private=round(private, 1))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
