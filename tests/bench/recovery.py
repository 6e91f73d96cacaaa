"""What a year's outage costs: a Schedule that fires every minute, missed 525,600 times, through the ``tick`` command.

    PYTHONPATH=src:. python tests/bench/recovery.py

The whole command is measured beside ``tick`` with nothing to do, and the pass inside it alone. The year is counted into
ranges (OCC-13), so what is written does not grow with it; the firing of the newest minute runs /bin/true.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

from spellweaver.clock import SystemClock, VirtualClock
from spellweaver.core.instant import DAY
from spellweaver.host.machine import machine
from spellweaver.ledger.opening import create_ledger, open_ledger
from tests.bench import product_adapter
from tests.bench.figures import Took, compare, tell, timed, turns
from tests.bench.tick import whole_pass
from tests.support.daemon import SRC

ROUNDS = int(os.environ.get("SPELLWEAVER_BENCH_ROUNDS", "7"))


def made(path: str, *, ago_us: int) -> str:
    """A ledger whose one minutely Schedule was last looked at so long ago."""
    os.mkdir(os.path.dirname(path), 0o700)
    clock = VirtualClock(SystemClock().now() - ago_us)
    with contextlib.closing(create_ledger(path, clock, actor="bench", machine=machine()[0])) as ledger:
        product_adapter.furnish(ledger, [product_adapter.draft("minutely", "* * * * *", "Europe/Bratislava")])
    return path


def copy(base: str) -> str:
    """The same ledger again."""
    folder = f"{os.path.dirname(base)}-copy"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.dirname(base), folder, symlinks=True)
    os.chmod(folder, 0o700)
    return f"{folder}/{os.path.basename(base)}"


def command(base: str) -> Callable[[], Took]:
    words = [sys.executable, "-m", "spellweaver.cli.main", "--quiet", "tick", "--ledger"]

    def run() -> Took:
        path = copy(base)
        environ = {**os.environ, "PYTHONPATH": SRC}
        return timed(lambda: subprocess.run([*words, path], env=environ, check=True, stdout=subprocess.DEVNULL))

    return run


def inside(base: str) -> Callable[[], Took]:
    def run() -> Took:
        with contextlib.closing(open_ledger(copy(base), SystemClock(), actor="bench")) as ledger:
            ledger.drives = True
            return timed(lambda: whole_pass(ledger))

    return run


def main() -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        year, fresh = made(f"{folder}/year/ledger.db", ago_us=365 * DAY), made(f"{folder}/fresh/ledger.db", ago_us=0)
        compare(
            "tick, the whole command",
            turns({"nothing missed": command(fresh), "a year of minutes missed": command(year)}, ROUNDS),
            against="nothing missed", unit="ms", scale=1e3, goal="",
        )  # fmt: skip
        compare(
            "the pass inside",
            turns({"nothing missed": inside(fresh), "a year of minutes missed": inside(year)}, ROUNDS),
            against="nothing missed", unit="ms", scale=1e3, goal="",
        )  # fmt: skip
        with contextlib.closing(open_ledger(copy(year), SystemClock(), actor="bench")) as ledger:
            ledger.drives = True
            whole_pass(ledger)
            (ranges, firings, rows) = ledger.connection.execute(
                "SELECT (SELECT count(*) FROM firing_range), (SELECT sum(count) FROM firing_range), "
                "(SELECT count(*) FROM occurrence)"
            ).fetchone() or (0, 0, 0)
        told = firings + rows
        tell("firings of the year on record", told, "firings", exactly=told, ranges=ranges, rows=rows)


if __name__ == "__main__":
    main()
