"""``zones``: kept rules beside the host's, and which firings a revision on the host's rules would move."""

from __future__ import annotations

from pathlib import Path

import pytest

from spellweaver.manifest import zones
from tests.support.engine import World, draft
from tests.support.program import Done, at_terminal, call

NOW = "2026-03-01T00:00:00Z"


def host(folder: Path, **rules: str) -> dict[str, str]:
    """A zone source of Europe/Rome, whose bytes are those of another zone."""
    (folder / "Europe").mkdir(parents=True)
    (folder / "UTC").write_bytes(zones.rules("UTC"))
    for name, of in rules.items():
        (folder / "Europe" / name).write_bytes(zones.rules(of))
    return {"SPELLWEAVER_ZONES": str(folder)}


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "state", now=NOW)
    made.add(
        draft("night", "30 2 * * *", zone="Europe/Rome", gap="advance"), draft("utc", "0 3 * * *", zone="UTC"),
        draft("often", every="10m"),
    )  # fmt: skip
    return made


def zoned(world: World, *words: str, env: dict[str, str] | None = None) -> Done:
    return call("zones", *words, ledger=world.path, clock=world.clock, env=env)


@pytest.mark.rule("CAL-05")
def test_each_kept_zone_is_told_beside_the_hosts(world: World, tmp_path: Path) -> None:
    assert [item["host"] for item in zoned(world, "list", "--json").items] == ["same", "same"]
    done = zoned(world, "list", "--json", env=host(tmp_path / "z", Rome="Africa/Algiers"))
    rome, utc = done.items
    assert (rome["zone"], rome["host"], rome["schedules"]) == ("Europe/Rome", "differs", ["local/night"])
    assert rome["differs_at"] == "2026-03-29T01:00:00Z" and utc["host"] == "same"
    gone = zoned(world, "list", "--json", env=host(tmp_path / "y"))
    assert [item["host"] for item in gone.items] == ["none", "same"]


@pytest.mark.rule("CAL-04", "CAL-05")
def test_what_would_move_is_what_the_two_rules_say(world: World, tmp_path: Path) -> None:
    assert zoned(world, "drift", "--json").items == []
    env = host(tmp_path / "z", Rome="Africa/Algiers")
    done = zoned(world, "drift", "--json", "-n", "3", env=env)
    assert [(item["civil"], item["kept_at"], item["host_at"], item["moves_us"]) for item in done.items] == [
        ("2026-03-29T02:30:00", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", 1_800_000_000),
        ("2026-03-30T02:30:00", "2026-03-30T00:30:00Z", "2026-03-30T01:30:00Z", 3_600_000_000),
        ("2026-03-31T02:30:00", "2026-03-31T00:30:00Z", "2026-03-31T01:30:00Z", 3_600_000_000),
    ]
    assert "the first 3 are shown" in done.err
    assert zoned(world, "drift", "utc", "--json", env=env).items == []
    world.at("2026-03-29T01:10:00Z")
    (row,) = world.ledger.connection.execute("SELECT max(nominal_at) FROM occurrence o JOIN schedule s ON s.id = "
                                             "o.schedule WHERE s.name = 'night'").fetchone() or (0,)
    assert row == 1_774_746_000_000_000, "it fired by the kept rules"


def test_a_person_sees_by_how_much(world: World, tmp_path: Path) -> None:
    env = host(tmp_path / "z", Rome="Africa/Algiers")
    seen = at_terminal("zones", "drift", "-n", "2", ledger=world.path, clock=world.clock, env=env, width=120)
    assert "30min later" in seen.out and "1h later" in seen.out
    assert "zones drift" in at_terminal("zones", "list", ledger=world.path, clock=world.clock, env=env).err


def test_a_pipe_gets_every_digest_whole(world: World) -> None:
    (rome, utc) = zoned(world, "list").out.splitlines()
    zone, rules, host_, differs, schedules = rome.split("\t")
    assert (zone, host_, differs, schedules) == ("Europe/Rome", "same", "", "local/night") and len(rules) == 7 + 64
    assert utc.startswith("UTC\tsha256:")
