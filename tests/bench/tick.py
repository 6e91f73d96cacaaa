"""What a tick costs beside what it must cost: a plain indexed table when nothing is due, the twin when a thousand are.

    PYTHONPATH=src:. python tests/bench/tick.py [10000 100000 1000000]

The arguments are numbers of Schedules. Everything is durable (WAL, FULL) in a folder made where BENCH_DIR says. A plain
table stands for the yardstick: an index on the next due instant, nothing else. One JSON object a line.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256

import apsw

from spellweaver.clock import SystemClock, VirtualClock
from spellweaver.engine import tick
from spellweaver.host.machine import machine
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.opening import create_ledger, open_ledger
from spellweaver.service.loop import Orders
from spellweaver.service.run import Site, assembled
from tests.bench import product_adapter
from tests.bench.figures import Took, compare, tell, timed, turns
from tests.bench.twin import Twin, equal

NOW = 1_800_000_000
DUE = 1000
ROUNDS = int(os.environ.get("SPELLWEAVER_BENCH_ROUNDS", "11"))
LOOKS = 2000


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        for size in sizes:
            base = furnished(f"{folder}/base", size)
            idle(base, folder, size)
            busy(base, folder, size)
            shutil.rmtree(f"{folder}/base")


def furnished(folder: str, size: int) -> str:
    """A ledger in which DUE Schedules fire at NOW and all others an hour after it."""
    os.mkdir(folder, 0o700)
    clock = VirtualClock(product_adapter.BEFORE * 1_000_000)
    ledger = create_ledger(f"{folder}/ledger.db", clock, actor="bench", machine=machine()[0])
    ledger.drives = True
    later = product_adapter.draft("later", "0 9 * * *")
    product_adapter.furnish(ledger, [product_adapter.draft(f"s{n}", product_adapter.FIRES) for n in range(DUE)])
    product_adapter.furnish(ledger, [later])
    multiply(ledger.connection, size - DUE - 1)
    ledger.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    ledger.close()
    return f"{folder}/ledger.db"


_COPY = (
    "INSERT INTO schedule SELECT :id, authority, :name, state, :revision, settled_to, next_at, why FROM schedule "
    "WHERE id = {first}",
    "INSERT INTO calendar_generation SELECT :id, number, interpretation FROM calendar_generation "
    "WHERE schedule = {first}",
    "INSERT INTO revision SELECT :revision, :id, number, generation, pattern, zone_rules, :digest, :body, defined_at "
    "FROM revision WHERE id = {active}",
    "INSERT INTO activation (schedule, revision, replaced, decided_at, begins_at, partition) "
    "SELECT :id, :revision, replaced, decided_at, begins_at, partition FROM activation WHERE schedule = {first}",
)


def multiply(connection: apsw.Connection, copies: int) -> None:
    """Copies of the Schedule ``later`` under other names, row by row as ``define`` and ``activate`` write them."""
    (first, active, body) = connection.execute(
        "SELECT s.id, s.active, r.body FROM schedule s JOIN revision r ON r.id = s.active WHERE s.name = 'later'"
    ).fetchone() or ()
    for begin in range(0, copies, 100_000):
        named = []
        for n in range(begin, min(copies, begin + 100_000)):
            text = body.replace('"name":"later"', f'"name":"later{n}"')
            digest = sha256(text.encode()).hexdigest()
            row = {"id": first + n + 1, "revision": active + n + 1, "name": f"later{n}", "body": text, "digest": digest}
            named.append(row)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for sql in _COPY:
            connection.executemany(sql.format(first=first, active=active), named)
        connection.execute("COMMIT")


def idle(base: str, folder: str, size: int) -> None:
    """Nothing is due: the look of a real daemon's loop, and a whole pass, which takes the write lock."""
    clock = VirtualClock((product_adapter.BEFORE + 1) * 1_000_000)
    ledger = open_ledger(base, clock, actor="bench")
    ledger.drives = True
    with contextlib.closing(plain(f"{folder}/plain.db", size)) as table, contextlib.closing(ledger):
        got = turns(
            {
                "plain table": lambda: timed(lambda: table.execute(_PLAIN_DUE, (NOW - 1,)).fetchall(), LOOKS),
                "look of the daemon": lambda: looks(base),
                "whole pass": lambda: timed(lambda: whole_pass(ledger), LOOKS // 10),
            },
            ROUNDS,
        )
    os.unlink(f"{folder}/plain.db")
    compare(f"idle tick, {size} schedules", got, against="plain table", unit="µs", scale=1e6, goal="≤ 3")


_PLAIN_DUE = "SELECT id, next_due, step FROM schedule WHERE next_due <= ?"


def plain(path: str, size: int) -> apsw.Connection:
    table = apsw.Connection(path)
    table.execute("PRAGMA journal_mode = WAL")
    table.execute(
        "CREATE TABLE schedule (id INTEGER PRIMARY KEY, name TEXT UNIQUE, next_due INTEGER, step INTEGER, body TEXT)"
    )
    table.execute("CREATE INDEX due ON schedule (next_due)")
    table.execute("BEGIN")
    rows = ((n, f"s{n}", NOW + 3600, 86_400, "{}" * 60) for n in range(size))
    table.executemany("INSERT INTO schedule VALUES (?, ?, ?, ?, ?)", rows)
    table.execute("COMMIT")
    return table


def looks(path: str) -> Took:
    """One look of the real loop over its real writer, follower and clock; only its waits are left out."""
    site = Site(path, f"{path}.lock", os.path.join(os.path.dirname(path), "attempts"), None, "bench")
    with assembled(site, clock=_Early(), orders=Orders(), out=io.StringIO()) as loop:
        left = LOOKS  # the first is a pass, and the writer comes to rest

        def look() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                loop.stop()

        loop.on_look = look
        loop._wait = lambda ends: None
        with loop._listening():
            loop._look_until_stopped()
            loop._stops, left = 0, LOOKS
            return Took(*(seconds / LOOKS for seconds in timed(loop._look_until_stopped)))


class _Early(SystemClock):
    """The real clocks, moved to the time before anything is due."""

    def __init__(self) -> None:
        self._ahead = (product_adapter.BEFORE + 1) * 1_000_000 - super().now()

    def now(self) -> int:
        return super().now() + self._ahead


def whole_pass(ledger: Ledger) -> tick.Pass:
    under_way = tick.Pass(product_adapter.TICK_US)
    while under_way.phase != "done":
        with ledger.decide() as tx:
            tick.step(tx, under_way)
    return under_way


def busy(base: str, folder: str, size: int) -> None:
    """A thousand are due: each round on a fresh copy, product and twin by turns."""
    copies = Copies(base, f"{folder}/copy")
    only, whole = f"tick, {size} schedules, {DUE} due", f"whole pass, {size} schedules, {DUE} due"
    compare(
        only,
        turns(
            {
                "twin": copies.twin(_twin_materialize),
                "product": copies.product(_materialize),
                "product, first after its start": copies.product(_materialize, fresh=True),
            },
            ROUNDS,
        ),
        against="twin", unit="ms", scale=1e3, goal="≤ 1.5",
    )  # fmt: skip
    same = copies.same()
    compare(
        whole,
        turns({"twin": copies.twin(_twin_pass), "product": copies.product(_pass)}, ROUNDS),
        against="twin", unit="ms", scale=1e3, goal="≤ 1.5",
    )  # fmt: skip
    tell("rows of twin and product are equal", float(same and copies.same()), "1 is yes")
    copies.remove()


_KNOWN = "SELECT active FROM schedule WHERE next_at <= ?"


class Copies:
    """Contenders that each work on a fresh copy of one ledger; opening it is not counted."""

    def __init__(self, base: str, place: str) -> None:
        self._base, self._place = base, place
        self._paths = {name: f"{place}-{name}/ledger.db" for name in ("twin", "product")}

    def _fresh(self, name: str) -> str:
        path = self._paths[name]
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)
        os.mkdir(os.path.dirname(path), 0o700)
        shutil.copyfile(self._base, path)
        os.chmod(path, 0o600)
        return path

    def twin(self, work: Callable[[Twin], None]) -> Callable[[], Took]:
        def run() -> float:
            with contextlib.closing(Twin(self._fresh("twin"), actor="bench", allowance_us=1_000_000)) as twin:
                grow(twin.connection, self._paths["twin"])
                return timed(lambda: work(twin))

        return run

    def product(self, work: Callable[[Ledger], object], *, fresh: bool = False) -> Callable[[], Took]:
        """``fresh``: nothing was read before; else the revisions are known, as to a daemon that had them due before."""

        def run() -> float:
            path = self._fresh("product")
            ledger, _ = product_adapter.at(path, NOW)
            try:
                grow(ledger.connection, path)
                if not fresh:
                    for (revision,) in ledger.connection.execute(_KNOWN, (NOW * 1_000_000,)).fetchall():
                        ledger.revisions.get(ledger.connection, revision)
                return timed(lambda: work(ledger))
            finally:
                product_adapter.forget(path)

        return run

    def same(self) -> bool:
        """Whether the last works of both left the same rows."""
        with contextlib.ExitStack() as stack:
            one, other = (stack.enter_context(contextlib.closing(apsw.Connection(p))) for p in self._paths.values())
            return equal(one, other)

    def remove(self) -> None:
        for path in self._paths.values():
            shutil.rmtree(os.path.dirname(path))


def grow(connection: apsw.Connection, path: str) -> None:
    """The log file is there before, as the service's writer makes it."""
    connection.execute("UPDATE ledger SET looked_at = looked_at")
    with open(f"{path}-wal", "ab") as log:
        log.write(bytes(4 << 20))
        os.fsync(log.fileno())
    connection.wal_autocheckpoint(0)


def _materialize(ledger: Ledger) -> None:
    assert product_adapter.materialized(ledger) == DUE


def _pass(ledger: Ledger) -> None:
    done = whole_pass(ledger)
    assert (done.schedules, done.admitted, len(done.launches)) == (DUE, DUE, DUE)


def _twin_materialize(twin: Twin) -> None:
    done = 0
    while stored := twin.materialize(NOW, limit=tick.CHUNK):
        done += stored
    assert done == DUE


def _twin_pass(twin: Twin) -> None:
    for verb in (twin.materialize, twin.admit, twin.claim):
        while verb(NOW, limit=tick.CHUNK):
            pass


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [10_000, 100_000])
