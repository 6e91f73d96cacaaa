"""Outside events: taken on once, answered ever after, and judged as any other firing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core import event as events
from spellweaver.engine.retire import retire
from spellweaver.engine.trigger import Triggered, trigger
from spellweaver.errors import NotFound, Refused, TryAgain, Usage
from spellweaver.ledger.opening import open_ledger
from tests.support.engine import World, draft, us
from tests.support.faults import race


def send(world: World, event_id: str = "order-9", content: bytes = b"", **other: str) -> Triggered:
    said = {"schedule": "mail", "source": "shop", "principal": "test", **other}
    with world.ledger.decide() as tx:
        return trigger(tx, event_id=event_id, content=content, **said)


def mail(**terms: str) -> World:
    world = World()
    world.add(draft("mail", "@yearly", **terms))
    world.clock.advance(us("1h"))
    return world


@pytest.mark.rule("OCC-01", "OCC-05", "OCC-07")
def test_rp_72_an_event_that_comes_again_gets_its_first_outcome_back() -> None:
    world = mail()
    first = send(world, content=b'{"b": 1, "a": [2]}')
    assert (first.status, first.state, first.revision) == ("new", "pending", 1)
    world.look()
    world.end(world.launches[0])
    world.define(draft("mail", "@yearly", labels='{"of":"revision 2"}'))
    world.activate("mail")
    again = send(world, content=b'{"a":[2],"b":1}')
    assert (again.status, again.occurrence, again.revision) == ("known", first.occurrence, 1)
    assert (again.state, again.invocation_state) == ("admitted", "completed")
    other = send(world, source="other", content=b'{"a":[2],"b":1}')
    assert (other.status, other.revision) == ("new", 2), "another source, another firing, and the revision of now"
    world.look()
    assert [launch.firing for launch in world.launches] == ["other:order-9"]
    world.audit()


@pytest.mark.rule("OCC-06")
def test_another_content_under_a_known_id_is_a_conflict_and_only_told() -> None:
    world = mail()
    send(world, content=b"raw \xff")
    before = world.rows("SELECT * FROM occurrence"), world.rows("SELECT * FROM external_firing")
    seen = len(world.events())
    assert send(world, content=b"raw \xfe").status == "conflict"
    assert (world.rows("SELECT * FROM occurrence"), world.rows("SELECT * FROM external_firing")) == before
    (told,) = world.events()[seen:]
    assert told[0] == "occurrence.conflict" and told[1]["content_digest"] != told[1]["other_digest"]
    assert send(world, content=b"raw \xff").status == "known"
    assert len(world.events()) == seen + 1, "one that is known writes nothing"
    world.look()
    world.end(world.launches[0])
    assert send(world).status == "conflict", "also when its run is over"
    world.audit()


@pytest.mark.rule("OCC-06")
@pytest.mark.parametrize(("one", "other", "same"), [
    (b'{"a":1,"b":2}', b' {"b": 2, "a": 1}\n', True),
    (b'{"a":1}', b'{"a":1.0}', False),
    (b'"\\u00e9"', '"é"'.encode(), True),
    (b'{"a":1,"a":2}', b'{"a":2}', False),
    (b"NaN", b"NaN ", False),
    (b"", b"null", False),
    (b"x", b"x\n", False),
    (b"[" * 100_000, b"[" * 100_001, False),
    (b'"\\ud800"', b'"\\ud801"', False),
])  # fmt: skip
def test_json_is_one_content_however_it_is_written_and_all_else_is_its_bytes(
    one: bytes, other: bytes, same: bool
) -> None:
    assert (events.digest(events.kept(one)) == events.digest(events.kept(other))) is same


@pytest.mark.rule("OCC-20")
def test_an_event_for_what_is_not_active_is_refused_and_a_known_one_answered() -> None:
    world = mail()
    send(world)
    world.define(draft("idle", "@yearly"))
    with pytest.raises(Refused, match="is not activated; it takes no event"):
        send(world, "order-10", schedule="idle")
    assert send(world).status == "known"
    assert world.rows("SELECT count(*) FROM external_firing") == [(1,)]


@pytest.mark.rule("CAT-09")
def test_an_event_for_a_paused_schedule_is_skipped_at_once() -> None:
    world = mail(allowed_delay="2h")
    waits = send(world, "before")
    world.pause("mail", "a look at the disk", "2026-01-01T02:00:00Z")
    done = send(world)
    assert (done.state, done.reason) == ("skipped", "paused")
    world.look()
    assert world.row("SELECT state, reason FROM occurrence WHERE id = ?", waits.occurrence) == ("pending", "paused")
    world.clock.advance(us("1h"))
    assert send(world, "after").state == "pending", "the pause is over, though nobody has looked yet"
    world.look()
    assert [launch.firing for launch in world.launches] == ["shop:before"]
    assert send(world).state == "skipped"
    world.audit()


@pytest.mark.rule("OCC-20", "OCC-05")
def test_a_retired_schedule_takes_no_event_and_answers_for_those_it_took() -> None:
    world = mail()
    send(world)
    with world.ledger.decide() as tx:
        retire(tx, schedule="mail", confirm="mail")
    with pytest.raises(Refused, match="is retired; it takes no event"):
        send(world, "order-10")
    done = send(world)
    assert (done.status, done.state, done.reason) == ("known", "skipped", "retired")
    world.audit()


@pytest.mark.rule("WIN-10", "OCC-07")
def test_its_window_is_counted_from_its_assignment() -> None:
    world = mail(allowed_delay="30m", jitter="10m")
    at = world.clock.now()
    send(world)
    assert world.row("SELECT nominal_at, due_at, not_before, latest_start_at, fold FROM occurrence") == (
        at, at, at, at + us("30m"), -1,
    )  # fmt: skip
    world.at("2026-01-01T01:00:00Z")
    assert [launch.firing for launch in world.launches] == ["shop:order-9"]
    world.audit()


@pytest.mark.rule("CAT-01", "CAT-10")
def test_one_that_nobody_looked_at_is_too_old_past_the_horizon_and_offered_before_it() -> None:
    world = mail(horizon="3h")
    send(world, "old")
    world.clock.advance(us("2h"))
    send(world, "young")
    world.clock.advance(us("2h"))
    world.look()
    assert world.rows("SELECT state, reason, mode FROM occurrence ORDER BY id") == [
        ("skipped", "horizon", "live"), ("admitted", "foreground", "live")]  # fmt: skip
    world.audit()


@pytest.mark.rule("CAT-09", "OVL-06")
def test_no_choice_among_calendar_firings_takes_one_or_is_made_by_one() -> None:
    world = World(workers=1)
    world.add(draft("busy", "@yearly"), draft("mail", "0 * * * *", horizon="1d"))
    send(world, schedule="busy")
    world.look()
    send(world, "a")
    send(world, "b")
    world.at("2026-01-01T05:30:00Z")
    assert world.fates("mail", ranges=False)[:2] == [
        ("2026-01-01T00:00:00Z", "pending", "capacity"), ("2026-01-01T00:00:00Z", "pending", "capacity")]  # fmt: skip
    assert [fate[1:] for fate in world.fates("mail")[2:]] == [("skipped", "superseded")] * 4 + [("pending", "capacity")]
    world.end(world.launches[0])
    world.look()
    assert [launch.firing for launch in world.launches] == ["shop:a"], "and overlap keeps the other ones out"
    world.audit()


@pytest.mark.rule("OCC-21")
def test_a_run_by_hand_uses_up_no_firing_of_the_calendar() -> None:
    world = World()
    world.add(draft("mail", "0 * * * *"))
    world.clock.advance(us("30m"))
    send(world)
    world.look()
    world.end(world.launches[0])
    world.at("2026-01-01T01:00:00Z")
    assert [launch.firing for launch in world.launches] == ["c1:2026-01-01T01:00"]
    world.audit()


def test_the_content_is_the_input_and_without_one_the_schedule_s_is() -> None:
    world = mail()
    send(world, "a", b'{"z": 1, "a": 2}')
    world.look()
    send(world, "b", b"\xff\x00", schedule="mail")
    assert world.launches[0].input == '{"a":2,"z":1}'
    world.end(world.launches[0])
    send(world, "b", b"\xff\x00")
    world.look()
    assert [launch.input.encode("utf-8", "surrogateescape") for launch in world.launches] == [b"\xff\x00"]
    world.end(world.launches[0])
    send(world, "c")
    world.look()
    assert world.launches[0].input == "{}"


def test_a_flood_is_refused_and_nothing_acknowledged_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "INBOX", 3)
    world = mail(allowed_delay="1h")
    for n in range(3):
        send(world, f"order-{n}")
    with pytest.raises(TryAgain, match="3 events wait already"):
        send(world, "order-3")
    assert send(world, "order-2").status == "known", "a known one is answered all the same"
    world.look()
    assert send(world, "order-3").status == "new", "one was admitted, so there is room"
    assert world.rows("SELECT event_id FROM external_firing ORDER BY id") == [(f"order-{n}",) for n in range(4)]
    world.audit()


@pytest.mark.rule("OCC-02")
@pytest.mark.parametrize(("source", "event_id"), [
    ("", "x"), ("c1", "x"), ("backfill", "x"), ("a:b", "x"), ("a b", "x"), ("a" * 65, "x"),
    ("shop", ""), ("shop", "a\nb"), ("shop", "x" * 201),
])  # fmt: skip
def test_names_that_none_may_have(source: str, event_id: str) -> None:
    with pytest.raises(Usage):
        send(mail(), event_id, source=source)


def test_a_schedule_that_is_not_there() -> None:
    with pytest.raises(NotFound, match="near it: local/mail"):
        send(mail(), schedule="mial")


@pytest.mark.rule("CLS-03")
def test_who_asked_is_kept_and_makes_no_other_class() -> None:
    world = mail()
    send(world, "a")
    send(world, "b", origin="agent", principal="bot-7")
    assert world.rows("SELECT origin, principal FROM external_firing ORDER BY id") == [
        ("operator", "test"), ("agent", "bot-7")]  # fmt: skip
    assert world.rows("SELECT DISTINCT class FROM occurrence") == [("foreground",)]


@pytest.mark.rule("OCC-01", "OCC-05")
def test_rp_72_two_processes_with_one_event_make_one_firing(tmp_path: Path) -> None:
    world = World(tmp_path / "state")
    world.add(draft("mail", "@yearly"))
    assert world.path is not None
    path, start = world.path, world.clock.now()
    world.ledger.close()

    def sender(mine: Path) -> None:
        ledger = open_ledger(path, VirtualClock(start), actor=mine.name)
        ledger.drives = True
        said = []
        for n in range(50):
            with ledger.decide() as tx:
                done = trigger(tx, schedule="mail", source="shop", event_id=f"order-{n}", content=b"1", principal="p")
            said.append(f"{done.status} {done.occurrence}")
        mine.write_text("\n".join(said))

    said = [tmp_path / "one", tmp_path / "other"]
    race(*(partial(sender, mine) for mine in said))
    answers = [mine.read_text().splitlines() for mine in said]
    for mine, theirs in zip(*answers, strict=True):
        assert sorted(line.split()[0] for line in (mine, theirs)) == ["known", "new"]
        assert mine.split()[1] == theirs.split()[1]
    world = World.opened(path, start)
    assert world.rows("SELECT count(*) FROM occurrence") == [(50,)]
    world.audit()
