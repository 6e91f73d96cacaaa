"""``run``: puts a service together in the order that crashes and signals ask for, and takes it apart again.

The keeper first, while nothing is open that it could inherit; then the lock, so that there is one daemon; then the
socket, the ledger, the workers. A supervisor hears READY after recovery.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TextIO

from spellweaver.engine import tick
from spellweaver.errors import Unusable
from spellweaver.host import notify
from spellweaver.host.door import Door
from spellweaver.host.keeper import Keeper
from spellweaver.host.machine import machine
from spellweaver.jobs.workers import Workers
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.follow import Follower
from spellweaver.ledger.observe import observe, require_whole
from spellweaver.ledger.opening import open_ledger
from spellweaver.ledger.writer import Writer
from spellweaver.safety import ledger_file
from spellweaver.service import lock
from spellweaver.service.loop import Loop, Orders
from spellweaver.service.report import Reporter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.clock import Clock


@dataclass(frozen=True, slots=True)
class Site:
    """Where a service works: all paths absolute. ``socket`` None: it listens to nobody."""

    ledger: str
    lock: str
    attempts: str
    socket: str | None
    program: str


@contextlib.contextmanager
def assembled(site: Site, *, clock: Clock, orders: Orders, out: TextIO) -> Iterator[Loop]:
    """A loop with all it needs, ready to run. Raises NotFound, NotAuthorised, Unusable, TryAgain (another daemon),
    DiskTrouble.
    """
    ledger_file.check_owned(site.ledger)
    observe(site.ledger, older=True).close()  # what is refused is refused before lock and socket are made beside it
    with contextlib.ExitStack() as stack:
        keeper = Keeper()
        stack.callback(keeper.close)
        stack.enter_context(lock.held(site.lock, socket=site.socket, clock=clock, program=site.program))
        door = Door(site.socket) if site.socket is not None else None
        if door is not None:
            stack.callback(door.close)
        writer = Writer(lambda: _driven(site.ledger, clock))
        writer.start()
        stack.callback(writer.close)
        follower = Follower(site.ledger)
        stack.callback(follower.close)
        reporter = Reporter(out, journal=notify.stderr_is_journal())
        workers = Workers(keeper, site.attempts, trouble=lambda attempt, error: loop.trouble(attempt, error))
        loop = Loop(
            clock=clock, writer=writer, workers=workers, follower=follower, door=door, reporter=reporter, orders=orders
        )  # fmt: skip
        yield loop


def _driven(path: str, clock: Clock) -> Ledger:
    """A driver's own ledger: it sees to the clock itself. Raises Unusable for one of another machine (ruling 6)."""
    ledger = open_ledger(path, clock, actor="daemon", alone=True)
    here = machine()[0]
    if ledger.machine != here:
        of = ledger.machine
        ledger.close()
        raise Unusable(
            "other_machine",
            f"{path} belongs to another machine ({of[:12]}…, this is {here[:12]}…). What runs there can't be seen from "
            "here, so nothing is started until the ledger is adopted",
            hint="spellweaver ledger adopt", path=path, found=of, known=here,
        )  # fmt: skip
    ledger.drives = True
    return ledger


def serve(site: Site, *, clock: Clock, orders: Orders, out: TextIO, on_look: Callable[[], None] | None = None) -> None:
    """Runs until told to stop. ``on_look`` is called after each look, for a live view. Raises as ``assembled`` and
    what the ledger raises.
    """
    require_whole(site.ledger)
    with assembled(site, clock=clock, orders=orders, out=out) as loop:
        if on_look is not None:
            loop.on_look = on_look
        loop.run()


def once(site: Site, *, clock: Clock, out: TextIO, period_us: int | None, wait: bool) -> tick.Pass:
    """One pass, for scripts. Raises as ``serve``."""
    with assembled(site, clock=clock, orders=Orders(), out=out) as loop:
        return loop.once(period_us=period_us, wait=wait)
