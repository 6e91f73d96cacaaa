"""A real ``spellweaver run`` in a process of its own, on a real ledger; and plain readings of that ledger with a
connection of its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from spellweaver.clock import SystemClock
from spellweaver.engine.activate import activate
from spellweaver.engine.bind import bind
from spellweaver.engine.define import define
from spellweaver.host.machine import machine
from spellweaver.ledger.opening import create_ledger, open_ledger
from spellweaver.manifest.read import read_text

SRC = str(Path(__file__).parents[2] / "src")


class Site:
    """A state directory with a ledger, and the daemon that works on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "state"
        self.ledger = self.folder / "ledger.db"
        self.log = folder / "daemon.log"
        self.processes: list[subprocess.Popen[bytes]] = []

    def make(self, toml: str) -> None:
        """A new ledger with everything in ``toml`` defined, bound and activated."""
        ledger = create_ledger(str(self.ledger), SystemClock(), actor="test", machine=machine()[0])
        ledger.close()
        self.add(toml)

    def add(self, toml: str) -> None:
        drafts = read_text(toml, "test.toml")
        ledger = open_ledger(str(self.ledger), SystemClock(), actor="test")
        with contextlib.closing(ledger), ledger.decide() as tx:
            define(tx, patterns=drafts.patterns, schedules=drafts.schedules, owner="test")
            bind(tx, bindings=drafts.bindings)
            for schedule in drafts.schedules:
                activate(tx, schedule=schedule.full_name, revision=None, unbound=False)

    def start(
        self, *options: str, env: dict[str, str] | None = None, fault: str | None = None, wrapper: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        """``spellweaver run`` in the background, in a process group of its own; its lines go to ``log``. ``fault`` is
        one of ``faulty_daemon``, ``wrapper`` a command that runs it.
        """
        environ = {**os.environ, **(env or {}), "PYTHONPATH": f"{SRC}{os.pathsep}{Path(SRC).parent}"}
        environ.pop("NOTIFY_SOCKET", None)
        program = ["spellweaver.cli.main"] if fault is None else ["tests.support.faulty_daemon", fault]
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                [*wrapper, sys.executable, "-m", *program, "run", "--ledger", str(self.ledger), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environ, start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Any other command on this ledger, to its end."""
        return subprocess.run(
            [sys.executable, "-m", "spellweaver.cli.main", *words, "--ledger", str(self.ledger)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                env={**os.environ, "PYTHONPATH": SRC},
        )  # fmt: skip

    def rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        connection = apsw.Connection(str(self.ledger), flags=apsw.SQLITE_OPEN_READONLY)
        with contextlib.closing(connection):
            connection.set_busy_timeout(5000)
            return connection.execute(sql, values).fetchall()

    def one(self, sql: str, values: tuple[object, ...] = ()) -> object:
        return self.rows(sql, values)[0][0]

    def until(self, sql: str, *, within_s: float = 30) -> object:
        """Waits until a query's first value is true, and returns it."""
        ends = time.monotonic() + within_s
        while not (found := self.one(sql)):
            assert time.monotonic() < ends, f"{sql}\n{self.said()}"
            time.sleep(0.02)
        return found

    def said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def close(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def site(folder: Path, toml: str | None = None) -> Iterator[Site]:
    """A site that is ended with its test; jobs that outlive it are ended by their own timeouts."""
    made = Site(folder)
    try:
        if toml is not None:
            made.make(toml)
        yield made
    finally:
        made.close()


def schedule(
    name: str,
    *,
    every: str = "1s",
    script: str = "true",
    timeout: str = "1m",
    extra: str = "",
    bound: str = "",
    anchor: str = "2026-01-01T00:00:00Z",
) -> str:
    """TOML of a Schedule of absolute time whose command is a shell script. ``extra`` are further keys of
    ``[[schedule]]``, ``bound`` of the binding.
    """
    return f'''
[[pattern]]
key = "{name}"
revision = "1"
[binding."{name}@1".main]
shell = {script!r}
timeout = "{timeout}"
{bound}
[[schedule]]
name = "{name}"
pattern = "{name}@1"
{extra}
[schedule.calendar]
every = "{every}"
anchor = "{anchor}"
'''


def toml(*schedules: str) -> str:
    return "format = 1\n" + "".join(schedules)
