"""A commit whose answer is lost: found again by its first event, or by its mark where it recorded none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from spellweaver.core.instant import SECOND
from spellweaver.errors import DiskTrouble
from spellweaver.ledger.opening import open_ledger
from tests.support.engine import World, draft


class Lossy:
    """A connection whose next COMMIT fails: after it was done, or in place of it. ``then`` happens before the fence;
    ``reads_fail``: what is asked after the fence can't be read.
    """

    def __init__(self, real: apsw.Connection, *, done: bool, then: Callable[[], None] = lambda: None,
                 reads_fail: bool = False) -> None:  # fmt: skip
        self._real, self._done, self._then, self._reads_fail = real, done, then, reads_fail
        self._lost = False

    def execute(self, sql: str, *values: object) -> object:
        if sql == "COMMIT" and not self._lost:
            self._lost = True
            self._real.execute("COMMIT" if self._done else "ROLLBACK")
            self._then()
            raise apsw.IOError("planted: the answer was lost")
        if self._lost and self._reads_fail and sql.startswith("SELECT"):
            raise apsw.IOError("planted: nothing can be read")
        return self._real.execute(sql, *values)

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


def launched(folder: Path) -> World:
    """A firing is admitted and claimed; its start is the next commit, which records no event."""
    world = World(folder)
    world.add(draft("a", "* * * * *"))
    world.clock.advance(60 * SECOND)
    world.look()
    return world


def state(world: World) -> object:
    return world.row("SELECT state FROM attempt")[0]


@pytest.mark.rule("WIN-04")
def test_a_commit_without_an_event_is_found_again_by_its_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = launched(tmp_path)
    (before,) = world.row("SELECT max(seq) FROM event")
    monkeypatch.setattr(world.ledger, "connection", Lossy(world.ledger.connection, done=True))
    assert world.start(world.launches[0]) == "running", "it is on record: the gate may open"
    assert state(world) == "running" and world.row("SELECT max(seq) FROM event") == (before,)
    assert world.row("SELECT fences, mark <> 0 FROM ledger") == (1, 1)


@pytest.mark.rule("WIN-04", "RCV-01")
def test_one_that_was_not_made_is_said_not_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = launched(tmp_path)
    monkeypatch.setattr(world.ledger, "connection", Lossy(world.ledger.connection, done=False))
    with pytest.raises(DiskTrouble) as said:
        world.start(world.launches[0])
    assert said.value.code == "disk_error" and state(world) == "launching", "and the gate stays shut"
    assert world.start(world.launches[0]) == "running"


@pytest.mark.rule("WIN-04")
@pytest.mark.parametrize("done", [True, False])
def test_where_another_commit_took_its_mark_nothing_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    world = launched(tmp_path)
    assert world.path is not None
    other = open_ledger(world.path, world.clock, actor="other")

    def meanwhile() -> None:
        with other.decide() as tx:
            tx.connection.execute("UPDATE ledger SET looked_at = looked_at + 1")

    monkeypatch.setattr(world.ledger, "connection", Lossy(world.ledger.connection, done=done, then=meanwhile))
    with pytest.raises(DiskTrouble) as said:
        world.start(world.launches[0])
    assert (said.value.code, said.value.exit_status) == ("commit_unknown", 74)
    assert said.value.message.endswith("Not known is whether it is on record: what was noted of a run")


@pytest.mark.rule("WIN-04")
def test_an_event_of_another_in_its_place_shows_that_it_was_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    assert world.path is not None
    other = open_ledger(world.path, world.clock, actor="other")

    def meanwhile() -> None:
        with other.decide() as tx:
            tx.record("planted", tx.decided_at(), {})

    monkeypatch.setattr(world.ledger, "connection", Lossy(world.ledger.connection, done=False, then=meanwhile))
    with pytest.raises(DiskTrouble) as said:
        world.define(draft("a", "* * * * *"))
    assert said.value.code == "disk_error"
    assert [type_ for type_, _ in world.events()] == ["ledger.made", "planted"]


@pytest.mark.rule("WIN-04")
def test_a_truth_that_can_t_be_read_is_not_known_and_what_it_is_about_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    monkeypatch.setattr(world.ledger, "connection", Lossy(world.ledger.connection, done=True, reads_fail=True))
    with pytest.raises(DiskTrouble) as said:
        world.define(draft("a", "* * * * *"), draft("b", "* * * * *"))
    assert said.value.code == "commit_unknown" and said.value.fields["seq"] == 2
    assert said.value.message.endswith("on record: evt_2 to evt_4 (pattern.defined, schedule.defined)")


def test_a_transaction_that_changes_nothing_leaves_no_mark(tmp_path: Path) -> None:
    world = World(tmp_path)
    before = world.ledger.data_version()
    with world.ledger.decide() as tx:
        tx.decided_at()
    assert world.row("SELECT mark FROM ledger") == (0,)
    assert world.ledger.data_version() == before


def test_nothing_is_random_in_memory() -> None:
    world = World()
    world.add(draft("a", "* * * * *"))
    world.clock.advance(60 * SECOND)
    world.start(world.look().launches[0])
    assert world.row("SELECT mark FROM ledger") == (0,)
