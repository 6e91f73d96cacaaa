"""A second process that reads, cancels and defines while a first one writes at its full rate: how long each act takes.

    PYTHONPATH=src:. python tests/bench/contention.py [ACTS]

The first process is the service's writer and engine, with a handler that ends each run as soon as it began, under a
clock that runs ten times too fast: three hundred Schedules that fire every second keep it writing without a pause. The
second does what commands do once they are loaded, each act from opening the ledger to its end. One JSON object a
line: median, 99th of a hundred, worst.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spellweaver.clock import SystemClock, VirtualClock
from spellweaver.core.identity import InvocationId
from spellweaver.core.launch import Launch
from spellweaver.engine import tick as passes
from spellweaver.engine.activate import activate
from spellweaver.engine.cancel import cancel
from spellweaver.engine.define import define
from spellweaver.engine.settle import settle
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.observe import observe
from spellweaver.ledger.opening import create_ledger, open_ledger
from spellweaver.ledger.queries import load
from spellweaver.ledger.writer import Writer
from tests.bench import product_adapter
from tests.bench.figures import part, tell

ACTS = 200
HELD = "held"  # Schedules whose runs go on until they are cancelled
PACE = 10
BUSY = 300
BEGINS_AT = 1_800_000_000 * 1_000_000  # 2027-01-15T08:00:00Z
PAUSE_S = 0.02
if TYPE_CHECKING:
    from spellweaver.clock import Clock

GOAL = "p99 ≤ 50 ms"


class Fast(SystemClock):
    """The real clock at ten times its pace, the same in both processes."""

    def __init__(self, begun: int) -> None:
        self._begun = begun

    def now(self) -> int:
        return BEGINS_AT + PACE * (self.monotonic() - self._begun)


def write(path: str, clock: Clock) -> None:
    """The first process: until it is killed. It prints how many commits a second it makes."""
    writer = Writer(lambda: driven(path, clock))
    writer.start()
    commits, begun = 0, time.monotonic()
    while True:
        under_way = passes.Pass(product_adapter.TICK_US)
        while under_way.phase != "done":
            launches = writer.call(partial(passes.step, under_way=under_way))
            commits += 1 + write_ends(writer, launches)
        if time.monotonic() - begun > 1:
            print(round(commits / (time.monotonic() - begun)), flush=True)
            commits, begun = 0, time.monotonic()


def write_ends(writer: Writer, launches: list[Launch]) -> int:
    """Starts and ends of what was launched, but the end of what is held; how many commits that took at least."""
    ends = [each for each in launches if not each.schedule.startswith(f"local/{HELD}")]
    batches = [batch for batch in (product_adapter.started(launches), product_adapter.ended(ends)) if batch]
    for batch in batches:
        for ticket in [writer.submit(partial(settle, seen=seen)) for seen in batch]:
            ticket.result()
    return len(batches)


def driven(path: str, clock: Clock) -> Ledger:
    ledger = open_ledger(path, clock, actor="bench")
    ledger.drives = True
    return ledger


def acts(path: str, clock: Clock, number: int) -> dict[str, list[float]]:
    """The second process: seconds of each act."""
    taken: dict[str, list[float]] = {"read": [], "cancel": [], "define": []}
    for nth in range(number):
        for name, act in (("read", read), ("cancel", cancel_one), ("define", revise)):
            time.sleep(PAUSE_S)
            begun = time.perf_counter()
            act(path, clock, nth)
            taken[name].append(time.perf_counter() - begun)
    return taken


def read(path: str, clock: Clock, nth: int) -> None:
    with observe(path) as view:
        values: dict[str, object] = {"schedule": None, "state": None, "reason": None, "limit": 50}
        assert len(list(view.rows(load("occurrence")["newest"], values))) > nth % 50


def decided(path: str, clock: Clock, act: Callable[[Ledger], None]) -> None:
    with contextlib.closing(driven(path, clock)) as ledger:
        act(ledger)


_HELD_ONE = "SELECT i.id FROM invocation i JOIN schedule s ON s.id = i.schedule WHERE s.authority || '/' || s.name = ?"


def cancel_one(path: str, clock: Clock, nth: int) -> None:
    def act(ledger: Ledger) -> None:
        with ledger.decide() as tx:
            (found,) = tx.row(_HELD_ONE, (f"local/{HELD}{nth}",)) or ()
            cancel(tx, InvocationId(int(str(found))), why="bench")

    decided(path, clock, act)


def revise(path: str, clock: Clock, nth: int) -> None:
    def act(ledger: Ledger) -> None:
        with ledger.decide() as tx:
            define(tx, patterns=[], schedules=[product_adapter.draft(f"new{nth}", "0 8 * * *")], owner="bench")
            activate(tx, schedule=f"local/new{nth}", revision=None, unbound=False)

    decided(path, clock, act)


def furnished(path: str, held: int) -> None:
    """The held ones fire once, a minute after the begin."""
    ledger = create_ledger(path, VirtualClock(BEGINS_AT), actor="bench", machine="bench")
    ledger.drives = True
    product_adapter.furnish(ledger, [product_adapter.draft(f"{HELD}{n}", "1 8 15 1 *") for n in range(held)])
    product_adapter.furnish(ledger, [product_adapter.draft(f"s{n}", "* * * * * *") for n in range(BUSY)])
    ledger.close()


_HELD = (
    "SELECT count(*) FROM invocation i JOIN schedule s ON s.id = i.schedule "
    "WHERE s.name GLOB 'held*' AND i.state = 'running'"
)


def all_held(path: str, number: int) -> bool:
    with observe(path) as view:
        return view.row(_HELD) == (number,)


def main(number: int) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        path = f"{folder}/state/ledger.db"
        os.mkdir(f"{folder}/state", 0o700)
        furnished(path, number)
        begun = SystemClock().monotonic()
        with open(f"{folder}/rate", "w+") as rate:
            writer = subprocess.Popen([sys.executable, __file__, "--write", path, str(begun)], stdout=rate)
            try:
                while not all_held(path, number):
                    time.sleep(0.1)
                taken = acts(path, Fast(begun), number)
            finally:
                writer.kill()
                writer.wait()
            commits = Path(rate.name).read_text().split()[-1]
    for name, values in taken.items():
        tell(
            f"a second process: {name}", part(values, 50) * 1e3, "ms",
            p99=round(part(values, 99) * 1e3, 1), worst=round(max(values) * 1e3, 1), acts=len(values), goal=GOAL,
            commits_beside_it_per_s=int(commits),
        )  # fmt: skip


if __name__ == "__main__":
    if "--write" in sys.argv:
        write(sys.argv[2], Fast(int(sys.argv[3])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ACTS)
