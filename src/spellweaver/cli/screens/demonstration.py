"""The demo: its own ledger beside the operator's, three Schedules, the real service for some seconds, and the screens
that explain it.

    heartbeat   every 2 s, well
    report      every 4 s, takes 6 s, must start within 1 s: the second one waits for the first and is missed
    flaky       every 5 s, exits 3

"""

from __future__ import annotations

import contextlib
import os
import shutil

from spellweaver import files
from spellweaver.cli.screens import site
from spellweaver.core.instant import SECOND
from spellweaver.core.instant import show as rfc3339
from spellweaver.engine.activate import activate
from spellweaver.engine.bind import bind
from spellweaver.engine.define import define
from spellweaver.host.machine import machine
from spellweaver.ledger.opening import create_ledger
from spellweaver.ledger.queries import load
from spellweaver.manifest.read import read_text
from spellweaver.safety import owners
from spellweaver.service import lock
from spellweaver.service.loop import Orders
from spellweaver.service.run import serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame

TOML = """\
# What `spellweaver demo` runs. Try: spellweaver check {path}
format = 1

[[pattern]]
key = "heartbeat"
revision = "1"

[[pattern]]
key = "report"
revision = "1"

[[pattern]]
key = "flaky"
revision = "1"

[binding."heartbeat@1".main]
argv = ["/bin/sh", "-c", "echo the firing $SPELLWEAVER_FIRING was due at $SPELLWEAVER_NOMINAL"]
timeout = "10s"

[binding."report@1".main]
argv = ["/bin/sh", "-c", "echo a slow report; sleep 6"]
timeout = "1m"

[binding."flaky@1".main]
argv = ["/bin/sh", "-c", "echo something went wrong >&2; exit 3"]
timeout = "10s"

[[schedule]]
name = "heartbeat"
authority = "demo"
pattern = "heartbeat@1"
[schedule.calendar]
every = "2s"
anchor = {anchor}

[[schedule]]
name = "report"
authority = "demo"
pattern = "report@1"
class = "deadline_windowed"
allowed_delay = "1s"
[schedule.calendar]
every = "4s"
anchor = {anchor}

[[schedule]]
name = "flaky"
authority = "demo"
pattern = "flaky@1"
[schedule.calendar]
every = "5s"
anchor = {anchor}
"""


def show(ctx: typer.Context, *, seconds: int) -> int:
    """Raises TryAgain while another demo runs, Unusable, DiskTrouble."""
    frame: Frame = ctx.obj
    frame.hear({"ledger": frame.places.demo})
    _fresh(frame)
    orders = Orders(drain_us=10 * SECOND, for_us=seconds * SECOND)
    where = site.of(frame, socket=False)
    if frame.terminal:
        from spellweaver.cli.screens.live import showing

        with showing(frame, f"spellweaver demo, {seconds} s") as look:
            serve(where, clock=frame.clock, orders=orders, out=site.nowhere(), on_look=look)
    else:
        serve(where, clock=frame.clock, orders=orders, out=frame.talk)
    return _tell(ctx, frame)


def _fresh(frame: Frame) -> None:
    """The last demo's ledger goes, unless a demo holds it; a new one is made, defined and activated."""
    places = frame.places
    owners.make_private(os.path.dirname(places.state))
    owners.make_private(places.state)
    with lock.held(places.lock, socket=None, clock=frame.clock, program="demo"):
        shutil.rmtree(places.attempts, ignore_errors=True)
        for leftover in (places.ledger, f"{places.ledger}-wal", f"{places.ledger}-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(leftover)
        ledger = create_ledger(places.ledger, frame.clock, actor=frame.actor, machine=machine()[0])
        with contextlib.closing(ledger):
            path = f"{places.state}/demo.toml"
            anchor = (frame.clock.now() // SECOND + 1) * SECOND
            text = TOML.format(path=path, anchor=rfc3339(anchor))
            files.write_whole(path, text.encode())
            drafts = read_text(text, path)
            with ledger.decide() as tx:
                define(tx, patterns=drafts.patterns, schedules=drafts.schedules, owner=frame.actor)
                bind(tx, bindings=drafts.bindings)
                for schedule in drafts.schedules:
                    activate(tx, schedule=schedule.full_name, revision=None, unbound=False)


def _tell(ctx: typer.Context, frame: Frame) -> int:
    """What became of it: the status, and the firing that was missed."""
    from spellweaver.cli.commands import explain, occurrence, status

    frame.as_of = frame.clock.now()
    status.status(ctx)
    frame.line()
    occurrence.list_(ctx, count=8)
    with frame.observe() as view:
        missed = view.row(load("occurrence")["first_missed"])
    if missed is not None:
        frame.line()
        explain.explain(ctx, f"occ_{missed[0]}")
    frame.say(f"\nthe ledger of this demo is {frame.places.ledger}; ask it more:")
    frame.next("explain", "demo/flaky@latest")
    frame.next("logs", "demo/flaky@latest")
    return 0
