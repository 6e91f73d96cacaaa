"""How a golden ledger was made: a history with a bit of everything, by the real engine on a virtual clock, all of it in
one file.

    python -m tests.golden.make FOLDER      makes FOLDER/ledger.db, and FOLDER/said.json: what the program says of it

Recorded once for each version of the schema, as ``tests/golden/ledger/v1.db`` and ``v1.json``, and never changed after
that: it stands for the ledgers that people have. A version that changes the schema records one more.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from unittest import mock

import apsw

from spellweaver.clock import VirtualClock
from spellweaver.core.instant import MINUTE
from spellweaver.engine import clock as clock_verbs
from spellweaver.ledger.opening import create_ledger
from tests.support.engine import draft, policy, us
from tests.support.program import call
from tests.support.story import Step, Story

ID = uuid.UUID("00000000-0000-4000-8000-000000000001")
DAY = "2026-03-28"
NIGHT = "2026-03-29"  # clocks of Rome go forward at 01:00Z
NOW = f"{NIGHT}T01:40:00Z"  # when the program is asked
PASSING = {"sentence", "log", "host_rules_differ_at", "daemon", "network_file_system"}
SCHEDULES = ("quarterly", "nightly", "strict", "lenient", "minutely", "listed", "unbound", "idle")
ASKED = (
    ("status",), ("schedule", "list"), ("pattern", "list"), ("pattern", "show", "job@1"), ("policy", "show"),
    *(("schedule", "show", name) for name in SCHEDULES),
    ("occurrence", "list", "-n", "500"), ("invocation", "list", "-n", "500"), ("events", "-n", "1000"),
    *(("explain", f"occ_{n}") for n in range(1, 88, 6)),
    *(("explain", firing) for firing in ("quarterly@latest", "minutely@2026-03-28T11:30Z", "nightly@2026-03-29")),
)  # fmt: skip


def _define(story: Story) -> None:
    story.define(
        draft("quarterly", every="15m", allowed_delay="1h"),
        draft("nightly", "30 2 * * *", zone="Europe/Rome", gap="advance", allowed_delay="3h", jitter="10m"),
        draft("strict", "15,45 2 * * *", zone="Europe/Rome", gap="fail", version="other@1"),
        draft("lenient", "20,40 2 * * *", zone="Europe/Rome", fold="both"),
        draft("minutely", "* * * * *", horizon="6h"),
        draft("listed", at=(f"{DAY}T00:50:00Z", f"{DAY}T03:00:00Z", "2027-01-01T00:00:00Z")),
        draft("unbound", "10 0 * * *", version="unbound@1"),
        draft("idle", "@yearly", labels='{"team":"none"}'),
    )


def _revise(story: Story) -> None:
    """The same calendars, other windows and horizons; and one that is defined and waits."""
    story.define(
        draft("quarterly", every="15m", allowed_delay="2h"),
        draft("minutely", "* * * * *", horizon="2h"),
    )
    story.activate("quarterly")
    story.activate("minutely")
    story.define(draft("quarterly", every="15m", allowed_delay="3h"))


def _activate(*names: str) -> Callable[[Story], None]:
    def act(story: Story) -> None:
        for name in names:
            story.activate(name, unbound=name == "unbound")

    return act


def _clock_set_back(story: Story) -> None:
    """Somebody sets the clock by six minutes; nothing is decided for the fifteen seconds in which it settles."""
    before_at = story.clock.now()
    story.clock.step(-6 * MINUTE)
    with story.ledger.decide() as tx:
        clock_verbs.stepped(tx, before_at=before_at, after_at=story.clock.now())
    story.clock.advance(us("15s"))
    with story.ledger.decide() as tx:
        clock_verbs.settled(tx)


def _steps() -> Iterator[Step]:
    yield Step(f"{DAY}T00:00:00Z", "two workers", lambda s: s.apply(policy(workers=2)))
    yield Step(f"{DAY}T00:00:01Z", "define", _define)
    yield Step(f"{DAY}T00:00:02Z", "bind", lambda s: (s.bind(), s.bind("other@1")))
    yield Step(f"{DAY}T00:00:03Z", "activate", _activate(
        "quarterly", "nightly", "strict", "lenient", "listed", "unbound"))  # fmt: skip
    yield Step(f"{DAY}T00:10:00Z", "refused for want of a binding", lambda s: None)
    yield Step(f"{DAY}T00:15:01Z", "begun", lambda s: s.begin("quarterly", f"{DAY}T00:15:00Z"))
    yield Step(f"{DAY}T00:30:00Z", "waits for the one that runs", lambda s: None)
    yield Step(f"{DAY}T00:31:00Z", "completed", lambda s: s.finish("quarterly", f"{DAY}T00:15:00Z"))
    yield Step(f"{DAY}T00:31:01Z", "its gate closed", lambda s: s.never_started("quarterly", f"{DAY}T00:30:00Z"))
    yield Step(f"{DAY}T00:32:00Z", "failed", lambda s: s.finish("quarterly", f"{DAY}T00:30:00Z", 3))
    yield Step(f"{DAY}T00:40:00Z", "one more", _activate("minutely"))
    yield Step(f"{DAY}T00:41:00Z", "begun", lambda s: s.begin("minutely", f"{DAY}T00:41:00Z"))
    yield Step(f"{DAY}T00:42:00Z", "skipped by overlap", lambda s: None)
    yield Step(f"{DAY}T00:42:30Z", "completed", lambda s: s.finish("minutely", f"{DAY}T00:41:00Z"))
    yield Step(f"{DAY}T00:43:00Z", "cancelled at its gate", lambda s: (
        s.ask_to_cancel("minutely", f"{DAY}T00:43:00Z"), s.never_started("minutely", f"{DAY}T00:43:00Z")))  # fmt: skip
    yield Step(f"{DAY}T00:44:01Z", "cancelled while it runs", lambda s: (
        s.begin("minutely", f"{DAY}T00:44:00Z"), s.ask_to_cancel("minutely", f"{DAY}T00:44:00Z"),
        s.finish("minutely", f"{DAY}T00:44:00Z", signal=15)))  # fmt: skip
    yield Step(f"{DAY}T00:45:30Z", "both workers busy", lambda s: None)
    yield Step(f"{DAY}T00:50:00Z", "listed: no worker is free", lambda s: None)
    yield Step(f"{DAY}T00:55:00Z", "somebody sets the clock", _clock_set_back)
    yield Step(f"{DAY}T00:56:00Z", "one ends", lambda s: s.finish("quarterly", f"{DAY}T00:45:00Z"))
    yield Step(f"{DAY}T00:57:00Z", "the other too", lambda s: s.finish("minutely", f"{DAY}T00:45:00Z"))
    yield Step(f"{DAY}T00:58:00Z", "and listed", lambda s: s.finish("listed", f"{DAY}T00:50:00Z"))
    yield Step(f"{DAY}T00:59:00Z", "an event from outside", lambda s: s.trigger("lenient", "order-8"))
    yield Step(f"{DAY}T00:59:30Z", "it ran, and came again", lambda s: (
        s.finish("lenient", f"{DAY}T00:59:00Z"), s.trigger("lenient", "order-8")))  # fmt: skip
    yield Step(f"{DAY}T01:03:00Z", "revised", _revise)
    yield Step(f"{DAY}T01:03:30Z", "what runs ends", lambda s: s.together(
        ("quarterly", f"{DAY}T01:00:00Z"), ("minutely", f"{DAY}T00:58:00Z")))  # fmt: skip
    yield Step(f"{DAY}T12:00:00Z", "an outage", lambda s: None)
    yield Step(f"{DAY}T12:00:05Z", "lost in a reboot", lambda s: s.lose("lenient", f"{DAY}T01:40:00Z"))
    yield Step(f"{DAY}T12:00:10Z", "its shim is killed", lambda s: s.contain("strict", f"{DAY}T01:45:00Z"))
    yield Step(f"{DAY}T12:00:20Z", "somebody looked", lambda s: s.resolve("strict", f"{DAY}T01:45:00Z"))
    yield Step(f"{DAY}T12:15:00Z", "three workers", lambda s: s.apply(policy(workers=3, horizon="2d")))
    yield Step(f"{DAY}T12:15:30Z", "one more ends", lambda s: s.finish("minutely", f"{DAY}T12:00:00Z"))
    yield Step(f"{DAY}T12:15:40Z", "and another", lambda s: s.finish("listed", f"{DAY}T03:00:00Z"))
    yield Step(f"{NIGHT}T01:20:00Z", "a night over a missing hour", lambda s: None)
    yield Step(f"{NIGHT}T01:21:00Z", "its shim is killed", lambda s: s.contain("quarterly", f"{DAY}T12:00:00Z"))
    yield Step(f"{NIGHT}T01:22:00Z", "one runs", lambda s: s.begin("minutely", f"{NIGHT}T01:20:00Z"))
    yield Step(f"{NIGHT}T01:30:00Z", "kept out by what is contained", lambda s: None)
    # from version 2 on
    yield Step(f"{NIGHT}T01:30:10Z", "paused", lambda s: (
        s.pause("minutely", "a look at the disk"),
        s.pause("lenient", "not before summer", "2026-06-01T00:00:00Z")))  # fmt: skip
    yield Step(f"{NIGHT}T01:32:00Z", "skipped as they pass", lambda s: None)
    yield Step(f"{NIGHT}T01:33:30Z", "resumed", lambda s: s.resume("minutely"))
    yield Step(f"{NIGHT}T01:34:00Z", "no longer", lambda s: s.retire("strict"))
    # from version 3 on
    yield Step(f"{NIGHT}T01:35:00Z", "events from outside", lambda s: (
        s.trigger("lenient", "order-9"), s.trigger("lenient", "order-9"), s.trigger("quarterly", "order-9"),
        s.trigger("unbound", "order-9")))  # fmt: skip


STEPS = tuple(_steps())


def make(folder: Path) -> Path:
    """Tells the history into ``folder/ledger.db``, checkpointed: without a log, a witness or a lock beside it."""
    folder.mkdir(mode=0o700)
    path, clock, marks = folder / "ledger.db", VirtualClock(us(STEPS[0].at)), itertools.count(1)
    with mock.patch.object(uuid, "uuid4", lambda: ID), \
            mock.patch.object(os, "urandom", lambda size: next(marks).to_bytes(size)):  # fmt: skip
        story = Story(create_ledger(str(path), clock, actor="golden", machine="golden"), clock)
        story.ledger.drives = True
        for step in STEPS:
            story.do(step)
    story.ledger.connection.execute("VACUUM")
    story.ledger.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    story.ledger.close()
    for beside in set(folder.iterdir()) - {path}:
        beside.unlink()
    return path


def said(ledger: Path) -> dict[str, object]:
    """What the program says of it at ``NOW``, command by command; but not in which words, and nothing of this host."""
    return {
        " ".join(words): _kept(call(*words, "--json", ledger=ledger, clock=VirtualClock(us(NOW))).items)
        for words in ASKED
    }


def _kept(item: object) -> object:
    if isinstance(item, list):
        return [_kept(each) for each in item]
    if isinstance(item, dict):
        return {key: _kept(value) for key, value in item.items() if key not in PASSING}
    return item


if __name__ == "__main__":
    made = make(Path(sys.argv[1]))
    lines = [f'"sha256": "{sha256(made.read_bytes()).hexdigest()}"', f'"now": "{NOW}"']
    lines += [f"{json.dumps(line)}: {json.dumps(items, sort_keys=True)}" for line, items in said(made).items()]
    (made.parent / "said.json").write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
