"""``__names``: what a shell offers on TAB. Silent, read-only, exit status 0, and light."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.engine import World, draft
from tests.support.program import call, imported, process


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    world = World(tmp_path_factory.mktemp("names"), now="2026-01-01T00:30:00Z")
    world.add(draft("hourly", "0 * * * *"))
    world.add(draft("nightly", "0 3 * * *"))
    world.at("2026-01-01T03:00:00Z")
    return str(world.path)


def names(ledger: str, kind: str, prefix: str) -> list[str]:
    done = call("__names", kind, prefix, env={"SPELLWEAVER_LEDGER": ledger})
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


def test_names_begin_with_what_was_typed(ledger: str) -> None:
    assert names(ledger, "schedules", "") == ["hourly", "nightly"]
    assert names(ledger, "schedules", "h") == ["hourly"]
    assert names(ledger, "schedules", "local/n") == ["local/nightly"]
    assert names(ledger, "schedules", "H") == []
    assert all(name.partition("@")[2] for name in names(ledger, "patterns", ""))
    assert names(ledger, "invocations", "inv_1")[-1] == "inv_1"
    occurrences = names(ledger, "occurrences", "")
    assert occurrences[-1] == "occ_1" and occurrences == sorted(occurrences, key=lambda one: -int(one[4:])), (
        "newest first"
    )
    assert names(ledger, "references", "")[:2] == ["hourly@latest", "nightly@latest"]
    assert names(ledger, "references", "occ_") == occurrences
    assert names(ledger, "kinds", "occurrence_") == ["occurrence_list", "occurrence_show", "occurrence_skip"]


def test_a_named_ledger_is_asked(ledger: str) -> None:
    done = call("__names", "schedules", "", "--ledger", ledger, env={"SPELLWEAVER_LEDGER": "/nonexistent"})
    assert done.out.splitlines() == ["hourly", "nightly"]


@pytest.mark.parametrize(
    "line",
    [
        [], ["schedules"], ["nonsense", ""], ["schedules", ""], ["schedules", "*"], ["schedules", "["],
        ["schedules", "", "--ledger"],
        ["schedules", "\udcff"], ["occurrences", "x" * 10_000],
    ],
)  # fmt: skip
def test_whatever_is_wrong_it_is_silent_and_0(line: list[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(os.urandom(8192))
    for place in ("/nonexistent/ledger.db", str(broken), str(tmp_path)):
        done = call("__names", *line, env={"SPELLWEAVER_LEDGER": place})
        assert (done.status, done.out, done.err) == (0, "", "")


def test_it_writes_nothing(ledger: str) -> None:
    folder = os.path.dirname(ledger)

    def state() -> list[tuple[str, int, int]]:
        return sorted(
            (e.name, e.stat().st_size, e.stat().st_mtime_ns) for e in os.scandir(folder) if not e.name.endswith("-shm")
        )

    before = state()
    names(ledger, "references", "")
    assert state() == before


def test_it_loads_the_reading_door_and_nothing_dear(ledger: str) -> None:
    loaded = imported("__names", "references", "n", env={"SPELLWEAVER_LEDGER": ledger})
    dear = {
        "typer", "rich", "pydantic", "tomllib", "typing", "re", "enum", "json", "dataclasses", "functools",
        "contextlib", "inspect", "pathlib", "hashlib", "datetime", "array", "subprocess",
    }  # fmt: skip
    assert loaded & dear == set()
    assert {name for name in loaded if name.startswith("spellweaver.")} == {
        "spellweaver.cli", "spellweaver.cli.main", "spellweaver.cli.names", "spellweaver.cli.places",
        "spellweaver.errors",
        "spellweaver.ledger", "spellweaver.ledger.observe", "spellweaver.ledger.queries",
        "spellweaver.safety", "spellweaver.safety.ledger_file", "spellweaver.safety.owners",
        "spellweaver.safety.volume",
    }  # fmt: skip


def test_the_real_program_answers(ledger: str) -> None:
    done = process("__names", "schedules", "n", env={"SPELLWEAVER_LEDGER": ledger})
    assert (done.returncode, done.stdout, done.stderr) == (0, "nightly\n", "")
