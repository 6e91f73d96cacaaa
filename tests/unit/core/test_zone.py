"""Zone rules: TZif bytes and their footer, compared with what zoneinfo says and with what RFC 9636 asks."""

from __future__ import annotations

import datetime as dt
import random
import struct
import subprocess
import sys
import zoneinfo
from hashlib import sha256

import pytest

from spellweaver.core import zone
from spellweaver.core.grammar import LAST_S
from spellweaver.core.instant import DAY_S
from spellweaver.core.zone import BadZone
from spellweaver.manifest import zones
from tests.support.calendars import rules, shown, utc

zoneinfo.reset_tzpath(to=[])


def tzif(
    footer: str, *changes: tuple[int, int], kinds: tuple[tuple[int, str], ...] = ((0, "UTC"),), leap: int = 0
) -> bytes:
    """TZif of version 3 with an empty first block. ``changes`` are (instant, index of its kind)."""
    names = b"".join(name.encode() + b"\0" for _, name in kinds)
    at, records = 0, b""
    for offset, name in kinds:
        records += struct.pack(">lBB", offset, 0, at)
        at += len(name) + 1
    header = struct.pack(">4sc15x6L", b"TZif", b"3", 0, 0, 0, 0, 1, 1)
    first = header + bytes(6) + b"\0"
    second = struct.pack(">4sc15x6L", b"TZif", b"3", 0, 0, leap, len(changes), len(kinds), len(names))
    body = b"".join(struct.pack(">q", when) for when, _ in changes) + bytes(kind for _, kind in changes)
    return first + second + body + records + names + bytes(12 * leap) + f"\n{footer}\n".encode()


def offsets_in(footer: str, *instants: str, offset: int, name: str) -> list[tuple[int, str]]:
    made = zone.parse(tzif(footer, kinds=((offset, name),)))
    return [(made.offset(utc(at)), made.name(utc(at))) for at in instants]


@pytest.mark.rule("CAL-04")
@pytest.mark.parametrize("name", random.Random(4).sample(zones.names(), 40))
def test_offsets_and_names_are_those_of_zoneinfo(name: str) -> None:
    made, oracle = rules(name), zoneinfo.ZoneInfo(name)
    drawn = random.Random(name)
    instants = [drawn.randrange(LAST_S) for _ in range(50)]
    instants += [cut + step for cut in made.starts[1:] for step in (-1, 0) if 0 <= cut <= LAST_S]
    for at_s in instants:
        there = dt.datetime.fromtimestamp(at_s, oracle)
        assert (dt.timedelta(seconds=made.offset(at_s)), made.name(at_s)) == (there.utcoffset(), there.tzname()), at_s


def test_the_footer_reaches_2200() -> None:
    made = rules("Europe/Bratislava")
    assert [shown(cut) for cut in made.cuts if utc("2200-01-01T00:00:00Z") < cut < LAST_S] == [
        "2200-03-30T01:00:00Z",
        "2200-10-26T01:00:00Z",
    ]


def test_readings_gap_and_fold() -> None:
    made = rules("Europe/Bratislava")
    missing, repeated, plain = (utc(f"2026-{day}Z") for day in ("03-29T02:30:00", "10-25T02:30:00", "07-01T12:00:00"))
    assert made.readings(missing) == ()
    assert made.is_gap(missing)
    assert made.after_gap(missing) == utc("2026-03-29T01:00:00Z")
    assert made.readings(repeated) == (utc("2026-10-25T00:30:00Z"), utc("2026-10-25T01:30:00Z"))
    assert made.readings(plain) == (utc("2026-07-01T10:00:00Z"),)
    with pytest.raises(ValueError, match="not in a gap"):
        made.after_gap(plain)


def test_a_change_of_name_or_flag_is_no_gap() -> None:
    made = zone.parse(tzif("BBB-1", (DAY_S, 1), (2 * DAY_S, 0), kinds=((3600, "BBB"), (3600, "CCC"))))
    assert len(made.starts) == 3
    assert made.cuts == (zone.BEGINNING,)
    assert made.readings(DAY_S + 3600) == (DAY_S,)


@pytest.mark.parametrize(
    ("footer", "offset", "name", "instants"),
    [
        # quoted names, an offset in minutes and seconds
        ("<+0530>-5:30:15", 19_815, "+0530", {"2026-01-01T00:00:00Z": (19_815, "+0530")}),
        # negative saving time: winter is the deviation
        (
            "IST-1GMT0,M10.5.0,M3.5.0/1",
            3600,
            "IST",
            {"2026-01-01T00:00:00Z": (0, "GMT"), "2026-07-01T00:00:00Z": (3600, "IST")},
        ),
        # a time before midnight and one of more than a day
        (
            "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
            -7200,
            "-02",
            {"2026-03-29T00:59:59Z": (-7200, "-02"), "2026-03-29T01:00:00Z": (-3600, "-01")},
        ),
        (
            "IST-2IDT,M3.4.4/26,M10.5.0",
            7200,
            "IST",
            {"2026-03-26T23:59:59Z": (7200, "IST"), "2026-03-27T00:00:00Z": (10_800, "IDT")},
        ),
        # J counts no 29 February, a bare number does
        ("AAA0BBB,J60/0,J300/0", 0, "AAA", {"2028-02-29T23:59:59Z": (0, "AAA"), "2028-03-01T00:00:00Z": (3600, "BBB")}),
        ("AAA0BBB,59/0,299/0", 0, "AAA", {"2028-02-28T23:59:59Z": (0, "AAA"), "2028-02-29T00:00:00Z": (3600, "BBB")}),
        # summer all year (RFC 9636, 3.3.1)
        (
            "EST5EDT4,0/0,J365/25",
            -18_000,
            "EST",
            {"2026-01-01T05:00:00Z": (-14_400, "EDT"), "2030-12-31T23:59:59Z": (-14_400, "EDT")},
        ),
        # the south: summer over New Year
        (
            "AAA-10BBB,M10.1.0,M4.1.0/3",
            36_000,
            "AAA",
            {"2026-01-01T00:00:00Z": (39_600, "BBB"), "2026-07-01T00:00:00Z": (36_000, "AAA")},
        ),
    ],
)
def test_posix_footers(footer: str, offset: int, name: str, instants: dict[str, tuple[int, str]]) -> None:
    assert offsets_in(footer, *instants, offset=offset, name=name) == list(instants.values())


def test_summer_all_year_changes_no_clock() -> None:
    made = zone.parse(tzif("EST5EDT4,0/0,J365/25", kinds=((-18_000, "EST"),)))
    assert len(made.cuts) == 2  # the one into it


@pytest.mark.rule("CAL-06")
@pytest.mark.parametrize(
    "footer",
    [
        "CET",
        "CE-1",
        "CET-1CEST",
        "CET-1CEST,M3.5.0",
        "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0",
        "CET-25",
        "<CET-1",
        "CET-1CEST,J0,J300",
        "CET-1CEST,M3.5.0/168,M10.5.0",
        "CET-1CEST,M3.5.0,M10.5.0,",
        "CET-1:60",
        "CET-1CEST,M3.5.0/,M10.5.0",
    ],
)
def test_footers_that_say_nothing_are_refused(footer: str) -> None:
    with pytest.raises(BadZone, match="footer"):
        zone.parse(tzif(footer, kinds=((3600, "CET"),)))


@pytest.mark.rule("CAL-06")
def test_damaged_bytes_are_refused() -> None:
    good = zones.rules("Europe/Bratislava")
    for size in range(len(good)):
        with pytest.raises(BadZone):
            zone.parse(good[:size])
    for at in range(len(good)):
        changed = bytearray(good)
        changed[at] ^= 0x41
        try:
            made = zone.parse(bytes(changed))
        except BadZone:
            continue
        assert made.digest != sha256(good).digest(), "what is still readable is another zone, by its digest"


@pytest.mark.rule("CAL-06")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "damaged"),
        (b"TZif" + bytes(200), "version 2"),
        (tzif("UTC0", leap=1), "leap seconds"),
        (tzif("CET-1"), "contradicts"),
        (tzif("UTC0", (DAY_S, 0), (DAY_S, 0)), "not in order"),
        (tzif("UTC0", kinds=((90_000 * 2, "UTC"),)), "from UTC"),
        # set back by an hour twice within half an hour: some readings come three times
        (tzif("AAA0", (9_000, 1), (10_800, 2), kinds=((7200, "CCC"), (3600, "BBB"), (0, "AAA"))), "ambiguous"),
    ],
)
def test_rules_that_can_not_be_used_are_refused(data: bytes, why: str) -> None:
    with pytest.raises(BadZone, match=why):
        zone.parse(data)


def test_equal_bytes_are_one_zone_that_never_changes() -> None:
    data = zones.rules("Europe/Bratislava")
    made = zone.parse(data)
    assert zone.parse(bytes(bytearray(data))) is made
    assert made.digest == sha256(data).digest()
    with pytest.raises(AttributeError):
        made.digest = b""


def test_loading_is_light() -> None:
    """A read command loads this module: no dataclasses, datetime, re or zoneinfo with it."""
    code = "import sys, spellweaver.core.zone; print(*{*sys.modules} & {'dataclasses', 'datetime', 're', 'zoneinfo'})"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")
