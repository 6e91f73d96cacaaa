"""What a reading command loads: a screen is made of rows, so the law and the file readers stay out of it."""

from __future__ import annotations

import pytest

from tests.support.engine import World, draft
from tests.support.program import imported

NEVER = {
    "pydantic",
    "pydantic_core",
    "tomllib",
    "tomli_w",
    "tzdata",
    "zoneinfo",
    "rich",
    "sqlite3",
    "logging",
    "asyncio",
}
LIGHT = {
    "spellweaver",
    "spellweaver.clock",
    "spellweaver.errors",
    "spellweaver.core",
    "spellweaver.core.instant",
    "spellweaver.core.zone",
    "spellweaver.ledger",
    "spellweaver.ledger.observe",
    "spellweaver.ledger.queries",
    "spellweaver.safety",
    "spellweaver.safety.ledger_file",
    "spellweaver.safety.owners",
    "spellweaver.safety.volume",
}
KERNEL = {"spellweaver.files", "spellweaver.host", "spellweaver.host.kernel"}
LOGS = {
    "spellweaver.host",
    "spellweaver.host.attempt",
    "spellweaver.host.logs",
    "spellweaver.host.ring",
    "spellweaver.files",
}
ZONES = {"spellweaver.manifest", "spellweaver.manifest.zones"}
WORDS = {"spellweaver.core.lifecycle"}
ENGINE = {
    "spellweaver.core.advice",
    "spellweaver.core.cadence",
    "spellweaver.core.calendar",
    "spellweaver.core.grammar",
    "spellweaver.core.line",
    "spellweaver.core.oncalendar",
    "spellweaver.core.terms",
    "spellweaver.core.policy",
    "spellweaver.core.schedule",
    "spellweaver.core.search",
    "spellweaver.core.structured",
    "spellweaver.core.window",
    "spellweaver.core.cutover",
    "spellweaver.ledger.switches",
    "spellweaver.ledger.revisions",
}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    world = World(tmp_path_factory.mktemp("start"), now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *", zone="Europe/Rome"))
    world.at("2026-01-01T01:00:00Z")
    world.end(world.launches[0])
    return str(world.path)


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("status", KERNEL),
        ("status --json", KERNEL),
        ("schedule list", ZONES),
        ("schedule show job", ZONES),
        ("occurrence list", WORDS),
        ("occurrence show occ_1", set()),
        ("invocation list", set()),
        ("invocation show inv_1", set()),
        ("pattern list", set()),
        ("pattern show job", {"spellweaver.core.binding"}),
        ("pattern digest job", set()),
        ("events", set()),
        ("events --jsonl", set()),
        ("explain occ_1", set()),
        ("explain job@2026-01-01T02:00", set()),
        ("logs inv_1", LOGS),
        ("next job", ENGINE),
    ],
)
def test_a_reading_command_loads_only_what_it_shows(ledger: str, line: str, more: set[str]) -> None:
    loaded = imported(*line.split(), ledger=ledger)
    dear = {name.partition(".")[0] for name in loaded} & NEVER
    assert dear == ({"tzdata"} if more is ZONES else set())
    ours = {name for name in loaded if name.startswith("spellweaver") and not name.startswith("spellweaver.cli")}
    assert ours - LIGHT - more == set()


def test_a_calendar_of_the_command_line_needs_no_ledger_and_no_file_reader() -> None:
    loaded = imported("next", "--cron", "30 2 * * *", "--zone", "Europe/Rome", "-n", "1")
    assert {name.partition(".")[0] for name in loaded} & ((NEVER - {"tzdata"}) | {"apsw"}) == set()
