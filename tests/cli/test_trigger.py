"""trigger: what it takes, what it says, and how the screens tell of the firings that it makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.engine import World, draft
from tests.support.program import call, process

SHOP = ("trigger", "mail", "--source", "shop", "--event-id", "order-9")


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "state", now="2026-01-01T00:30:00Z")
    made.add(draft("mail", "0 * * * *"))
    return made


@pytest.mark.rule("OCC-05", "OCC-06")
def test_an_event_is_taken_answered_and_its_conflict_refused(world: World, tmp_path: Path) -> None:
    order = tmp_path / "order.json"
    order.write_text('{"n": 9}')
    where = {"ledger": world.path, "clock": world.clock}
    done = call(*SHOP, "--input", str(order), **where)
    assert done.status == 0 and done.out.startswith("OCCURRENCE\tocc_1\nSTATUS\tnew\nEVENT ID\torder-9\n")
    assert "no daemon is running" in done.err and "explain occ_1" in done.err
    world.look()
    world.end(world.launches[0])
    order.write_text('{"n":9}\n')
    (known,) = call(*SHOP, "--input", str(order), "--json", **where).items
    assert known == {
        "schedule": "local/mail", "source": "shop", "event_id": "order-9", "firing": "shop:order-9", "status": "known",
        "occurrence": "occ_1", "revision": 1, "state": "admitted", "reason": "foreground", "invocation": "inv_1",
        "invocation_state": "completed",
    }  # fmt: skip
    other = call(*SHOP, "--json", **where)
    assert (other.status, other.out, other.error["code"]) == (3, "", "event_conflict")
    assert "conflict" in other.err
    assert call("events", "--type", "occurrence.conflict", "--json", **where).items
    world.audit()


@pytest.mark.rule("OCC-02", "OCC-11", "CLS-03")
def test_the_screens_name_it_by_source_and_event_id(world: World) -> None:
    where = {"ledger": world.path, "clock": world.clock}
    call(*SHOP, "--origin", "peer", "--principal", "till-3", **where)
    world.look()
    (listed,) = call("occurrence", "list", "--json", **where).items
    assert (listed["firing"], listed["origin"], listed["civil"]) == ("shop:order-9", "peer", "2026-01-01T00:30:00")
    (told,) = call("explain", "occ_1", "--json", **where).items
    assert (told["asked"], told["source"], told["event_id"], told["principal"]) == (
        "shop:order-9", "shop", "order-9", "till-3")  # fmt: skip
    shown = call("explain", "occ_1", **where)
    assert "shop:order-9" in shown.out and "till-3" in shown.out
    for words in (("status",), ("events",), ("invocation", "list"), ("occurrence", "show", "occ_1"), ("timeline",),
                  ("explain", "inv_1")):  # fmt: skip
        assert call(*words, "--json", **where).status == 0
    assert call("explain", "mail@latest", **where).status == 4, "no firing of the calendar is on record"
    assert call("simulate", "--for", "2h", "--json", **where).status == 0


def test_a_new_one_is_given_an_id_and_each_is_another(world: World) -> None:
    line = ("trigger", "mail", "--source", "me", "--new", "--json")
    made = [call(*line, ledger=world.path, clock=world.clock).items[0] for _ in range(2)]
    assert [one["status"] for one in made] == ["new", "new"]
    assert made[0]["event_id"] != made[1]["event_id"]


@pytest.mark.parametrize(("words", "status"), [
    (("trigger", "mail", "--source", "shop"), 2),
    (("trigger", "mail", "--source", "shop", "--new", "--event-id", "x"), 2),
    (("trigger", "mail", "--event-id", "x"), 2),
    (("trigger", "mail", "--source", "backfill", "--event-id", "x"), 2),
    (("trigger", "mail", "--source", "c1", "--new"), 2),
    ((*SHOP, "--origin", "peer"), 2),
    ((*SHOP, "--principal", "x"), 2),
    ((*SHOP, "--input", "/nonexistent/order"), 66),
    (("trigger", "male", "--source", "shop", "--new"), 4),
    ((*SHOP, "--wait"), 2),
    ((*SHOP, "--propagate"), 2),
])  # fmt: skip
def test_what_is_refused_leaves_nothing(world: World, words: tuple[str, ...], status: int) -> None:
    done = call(*words, ledger=world.path, clock=world.clock)
    assert (done.status, done.out) == (status, "") and done.err
    assert world.rows("SELECT count(*) FROM external_firing") == [(0,)]


@pytest.mark.rule("OCC-20")
def test_what_is_not_active_takes_none(world: World) -> None:
    world.define(draft("idle", "@yearly"))
    done = call("trigger", "idle", "--source", "me", "--new", ledger=world.path, clock=world.clock)
    assert done.status == 3 and "activate" in done.err


def test_standard_input_is_taken_as_it_is_and_not_without_end(world: World) -> None:
    line = ("--ledger", str(world.path), *SHOP, "--input", "-")
    assert process(*line, input="not JSON\n").returncode == 0
    assert world.rows("SELECT content FROM external_firing") == [(b"not JSON\n",)]
    long = process(*line, input="x" * ((1 << 20) + 1))
    assert long.returncode == 2 and "1048576 bytes" in long.stderr
