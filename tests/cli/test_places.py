"""Where things live, and why."""

from __future__ import annotations

import pytest

from spellweaver.cli.places import Places
from spellweaver.cli.typed import program, quoted

ALL = {
    "SPELLWEAVER_LEDGER": "/named/l.db", "STATE_DIRECTORY": "/state/a:/state/b", "XDG_STATE_HOME": "/xdg",
    "HOME": "/home/u",
    "RUNTIME_DIRECTORY": "/run/spellweaver:/run/other",
}  # fmt: skip


ROOTS, USERS = "the usual place for root", "the usual place for a user"
HOME = "/home/u/.local/state/spellweaver/ledger.db"
XDG = {"XDG_STATE_HOME": "/xdg", "HOME": "/home/u"}


def without(*names: str) -> dict[str, str]:
    return {name: value for name, value in ALL.items() if name not in names}


@pytest.mark.parametrize(
    ("said", "environ", "uid", "ledger", "why"),
    [
        ("/said/x.db", ALL, 0, "/said/x.db", "--ledger"),
        (None, ALL, 0, "/named/l.db", "SPELLWEAVER_LEDGER"),
        (None, without("SPELLWEAVER_LEDGER"), 0, "/state/a/ledger.db", "STATE_DIRECTORY"),
        (None, {}, 0, "/var/lib/spellweaver/ledger.db", ROOTS),
        (None, XDG, 0, "/var/lib/spellweaver/ledger.db", ROOTS),
        (None, XDG, 1000, "/xdg/spellweaver/ledger.db", "XDG_STATE_HOME"),
        (None, {"XDG_STATE_HOME": "relative", "HOME": "/home/u"}, 1000, HOME, USERS),
        (None, {"HOME": "/home/u", "SPELLWEAVER_LEDGER": ""}, 1000, HOME, USERS),
    ],
)  # fmt: skip
def test_the_ledger_is_where_the_first_of_them_says(
    said: str | None, environ: dict[str, str], uid: int, ledger: str, why: str
) -> None:
    places = Places(said, environ, uid)
    assert (places.ledger, places.why) == (ledger, why)


def test_everything_else_stands_beside_it() -> None:
    places = Places("/s/ledger.db", ALL, 0)
    assert (places.state, places.lock, places.attempts) == ("/s", "/s/ledger.db.lock", "/s/attempts")
    assert places.demo == "/s/demo/ledger.db"
    assert places.socket == ("/run/spellweaver/socket", "RUNTIME_DIRECTORY")
    assert Places("/s/ledger.db", {}, 0).socket == ("/s/socket", "the state directory")
    assert places.usual == "/named/l.db"


def test_a_word_is_quoted_only_where_a_shell_needs_it() -> None:
    assert [quoted(word) for word in ("ops/nightly@2026-12-01T02:00+1", "", "a b", "it's", "$x")] == [
        "ops/nightly@2026-12-01T02:00+1", "''", "'a b'", "'it'\"'\"'s'", "'$x'",
    ]  # fmt: skip


def test_the_program_is_named_as_a_shell_finds_it(tmp_path: object) -> None:
    import os
    from pathlib import Path

    folder, other = Path(str(tmp_path)) / "bin", Path(str(tmp_path)) / "other"
    for place in (folder, other):
        place.mkdir()
        (place / "spellweaver").write_text("#!/bin/sh\n")
        os.chmod(place / "spellweaver", 0o755)
    called = f"{folder}/spellweaver"
    assert program(called, {"PATH": f"/nowhere:{folder}:{other}"}) == "spellweaver"
    assert program(called, {"PATH": f"{other}:{folder}"}) == called, "another program of that name would be run"
    assert program(called, {"PATH": "/nowhere"}) == called
    assert program(called, {}) == called
    assert program("/x/spellweaver/cli/main.py", {"PATH": str(folder)}) == "python3 -m spellweaver.cli.main"
