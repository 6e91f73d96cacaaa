"""Random texts where an operator writes: files, cron expressions, zone names, references. Each is taken or refused by
an error of ours, within a second.
"""

from __future__ import annotations

import json
import string
from contextlib import closing, suppress
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core import grammar, zone
from spellweaver.core.advice import advise
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.engine.activate import activate
from spellweaver.engine.bind import bind
from spellweaver.engine.define import define
from spellweaver.errors import BadFile, SpellweaverError
from spellweaver.ledger.opening import memory_ledger
from spellweaver.manifest import zones
from spellweaver.manifest.problems import render
from spellweaver.manifest.read import Manifest, read
from tests.support.engine import us
from tests.support.fuzz import Chance, rounds, told
from tests.support.hostile import state
from tests.support.program import SRC, call

EXAMPLES = [path.read_bytes() for path in sorted((SRC.parent / "examples").glob("*.toml"))]
PIECES = [
    piece.encode("utf-8", "surrogatepass")
    for piece in (
        "[", "]", "[[", "]]", "{", "}", '"', "'", '"""', "'''", "=", ".", ",", "#", "\n", "\r\n", "\t", "\0", "\x1b",
        "\ufeff", "\u202e", "\ud800", "\\u0000", "\\ud800", "\\U0010ffff", "nan", "inf", "-0.0", "1e999",
        "0x7fffffffffffffff",
        "9" * 30, "-1", "true", "1979-05-27", "1979-05-27T07:32:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
        "23:59:60", '"0s"', '"-1s"', '"999999999d"', '"*/0 * * * *"', '"0 0 30 2 *"', '"localtime"', '"Europe"',
        "[schedule.calendar]", "[[schedule]]", "[[pattern]]", "[policy]", '[binding."a@1".main]', "fold = ", "gap = ",
        "station = [{}]", "edge = [{}]", "input = {}", "a.b.c.d.e.f.g.h.i = 1", "class = ", "jitter = {}", "at = []",
    )
]  # fmt: skip


def taken(manifest: Manifest) -> None:
    """What a file says goes into a ledger, or is refused there by law."""
    with closing(memory_ledger(VirtualClock(us("2026-06-01T00:00:00Z")), actor="fuzz")) as ledger:
        with ledger.decide() as tx, suppress(SpellweaverError):
            define(tx, patterns=manifest.patterns, schedules=manifest.schedules, owner="fuzz")
            bind(tx, bindings=manifest.bindings)
        for draft in manifest.schedules:
            with suppress(SpellweaverError), ledger.decide() as tx:
                activate(tx, schedule=draft.full_name, revision=None, unbound=True)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    for chance in rounds():
        data = chance.mutated(chance.choice(EXAMPLES), PIECES)
        path.write_bytes(data)
        with told(chance, data):
            try:
                taken(read([str(path)]))
            except BadFile as error:
                shown = "\n".join(line for problem in error.problems for line in render(problem))
                assert shown.replace("\n", "").isprintable() or "\u00a0" in shown
        path.unlink()


def test_json_files(tmp_path: Path) -> None:
    """The same model in another coat."""
    import datetime
    import tomllib

    def plain(value: object) -> object:
        return value.isoformat() if isinstance(value, datetime.datetime) else str(value)

    whole = [json.dumps(tomllib.loads(data.decode()), default=plain).encode() for data in EXAMPLES]
    path = tmp_path / "a.json"
    for chance in rounds():
        data = chance.mutated(chance.choice(whole), PIECES)
        path.write_bytes(data)
        with told(chance, data), suppress(BadFile):
            taken(read([str(path)]))
        path.unlink()


CRON = [
    *"0123456789*/,-?LW#H@ \t", "*/", "1-5", "MON", "JAN", "L-3", "15W", "5#3", "5L", "@daily", "R", "TZ=", "٣", "\0",
    "\n", "60",
]  # fmt: skip


def cron(chance: Chance) -> str:
    """Fields that look right, more or less."""
    fields = [
        chance.choice(("*", "*", str(chance.randint(0, 61)), f"*/{chance.randint(0, 70)}",
                       f"{chance.randint(0, 31)}-{chance.randint(0, 31)}",
                       "".join(chance.choice(CRON) for _ in range(chance.randint(0, 6)))))
        for _ in range(chance.choice((5, 5, 5, 6, 6, 4, 7, 1)))
    ]  # fmt: skip
    return " ".join(fields)


def test_cron_expressions() -> None:
    """What is taken also answers: its next firing, its count over years, and what it may surprise with."""
    names = zones.names()
    for chance in rounds():
        text = cron(chance)
        with told(chance, text), suppress(grammar.BadCadence):
            made = grammar.parse_cron(text)
            rules = zone.parse(zones.rules(chance.choice(names)))
            fold, gap = chance.choice(("earlier", "later", "both")), chance.choice(("skip", "advance", "fail"))
            calendar = Calendar(Interpretation("x", rules.digest, made, fold, gap), rules)
            after = chance.randrange(0, us("2190-01-01T00:00:00Z") // 1_000_000)
            first = calendar.first(after)
            assert first is None or first.instant_s > after
            assert calendar.count(after, after + 86_400 * 400) >= 0
            list(advise(calendar, after))


@pytest.mark.parametrize("own", [False, True], ids=["the package", "a directory"])
def test_zone_names(own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = list(zones.names())
    if own:
        for name in ("UTC", "Europe/Rome"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(zones.rules(name))
        (tmp_path / "loop").symlink_to(tmp_path)
        (tmp_path / "Broken").write_bytes(b"TZif")
        monkeypatch.setenv(zones.VARIABLE, str(tmp_path))
    odd = ["/", "..", ".", "\0", "\n", "posix/", "right/", "localtime", ":", " ", "é", "\udcff", "+VERSION"]
    for chance in rounds():
        name = "".join(
            chance.choice((chance.choice(known), chance.choice(odd), chance.choice(string.printable)))
            for _ in range(chance.choice((1, 1, 2, 3, 300)))
        )
        with told(chance, name), suppress(zones.UnknownZone, zone.BadZone):
            zone.parse(zones.rules(name))
            assert name in zones.names()


def test_zone_rules() -> None:
    """Random changes of compiled rules: refused, or a zone that answers."""
    names = zones.names()
    for chance in rounds():
        pieces = [b"TZif", b"\0" * 8, b"\xff" * 8, b"<+03>-3\n", b"M3.5.0/2", b"J366", b"99999999"]
        data = chance.mutated(zones.rules(chance.choice(names)), pieces)
        with told(chance, data), suppress(zone.BadZone):
            made = zone.parse(data)
            for second in (0, 1_900_000_000, 7_000_000_000):
                assert isinstance(made.name(second), str)
                made.readings(second + made.offset(second))


def test_references(tmp_path: Path) -> None:
    ledger = state(tmp_path)
    pieces = [
        "occ_", "inv_", "run_", "evt_", "att_", "nightly", "probe", "local/", "@", "latest", "1", "0", "-1", "9" * 20,
        str(2**63), "2026-12-01", "T02:00", ":00", "Z", "+1", "c1:", "c", "..", "/", " ", "'", "*", "%", "é", "\u202e",
        "\ud800", "\udcff", "\0", "\n", "0000-00-00", "9999-12-31", "T99:99", "1969-12-31T23:59",
    ]  # fmt: skip
    commands = (["explain"], ["occurrence", "show"], ["invocation", "show"], ["logs"], ["schedule", "show"], ["next"],
                ["cancel", "--reason", "x", "--dry-run"], ["activate", "--dry-run"], ["pattern", "show"])  # fmt: skip
    for chance in rounds():
        text = "".join(chance.choice(pieces) for _ in range(chance.choice((1, 2, 3, 4, 8))))
        command = chance.choice(commands)
        with told(chance, (command, text)):
            done = call(*command, "--", text, ledger=ledger)
            assert done.status in (0, 1, 2, 3, 4), done
            assert "\x1b" not in done.out + done.err
