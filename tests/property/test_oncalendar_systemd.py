"""What a calendar event means is what systemd itself says: ``systemd-analyze calendar`` over random expressions.

Two slips of systemd 252 are kept out of the question. A list of days from the end of a month is refused when its
elements are many or far (its bound shrinks by three with each). And a step that runs off its field at the last day of a
month drops firings of the first day of the next: systemd is asked about the same step with its end written out.

    SPELLWEAVER_EVENTS=20000 SPELLWEAVER_SEED=7 python -m pytest tests/property/test_oncalendar_systemd.py
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from itertools import islice
from typing import NamedTuple

import pytest

from spellweaver.core.grammar import LAST_S, BadCadence
from spellweaver.core.oncalendar import parse_oncalendar
from tests.support.calendars import calendar, shown, utc

ROUNDS = int(os.environ.get("SPELLWEAVER_EVENTS", "500"))
SEED = int(os.environ.get("SPELLWEAVER_SEED", "252"))
AFTER = "2026-11-29T12:34:56Z"
FIRINGS = 6
ENVIRONMENT = {"TZ": "UTC", "LC_ALL": "C", "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "SYSTEMD_COLORS": "0"}
NAMES = ("Mon", "tue", "Wednesday", "Thu", "FRI", "Saturday", "sun")


class Part(NamedTuple):
    """A part of an event twice: as we are asked, and as systemd is."""

    ours: str
    closed: str


def element(drawn: random.Random, low: int, high: int) -> Part:
    first, last = drawn.randint(low, high), drawn.randint(low - (low > 0), high + 1)
    if drawn.random() < 0.9:
        first, last = sorted((first, min(max(last, low), high)))
    step = drawn.randint(1, max(1, (high - low) // 2))
    form = drawn.choice(("one", "one", "one", "range", "range step", "open step"))
    if form == "open step":
        fits = first + step <= high
        return Part(f"{first}/{step}", f"{first}..{high}/{step}" if fits else f"{first}/{step}")
    if first == last:  # systemd takes 5..5 for 5 but in seconds
        form = "one"
    inside = min(max(last, low), high)  # of where a step falls short of an end outside, systemd forgets the end
    text = {"one": f"{first}", "range": f"{first}..{last}", "range step": f"{first}..{inside}/{step}"}[form]
    return Part(text, text)


def part(drawn: random.Random, low: int, high: int, *, star: float = 0.4) -> Part:
    if drawn.random() < star:
        return Part("*", "*")
    elements = [element(drawn, low, high) for _ in range(drawn.choice((1, 1, 1, 2, 3)))]
    return Part(*(",".join(written) for written in zip(*elements, strict=True)))


def day_from_end(drawn: random.Random) -> Part:
    first, last = sorted((drawn.randint(1, 28), drawn.randint(1, 28)))
    forms = (f"{first}", f"{first}..{last}", f"{last}/{drawn.randint(1, 9)}", f"{first}..{last}/{drawn.randint(1, 9)}")
    text = drawn.choice((*forms, "1,2", "3,9..12"))
    return Part(text, text)


def weekdays(drawn: random.Random) -> str:
    listed = []
    for _ in range(drawn.choice((1, 1, 2, 3))):
        first, last = drawn.randrange(7), drawn.randrange(7)
        if drawn.random() < 0.9:
            first, last = sorted((first, last))
        one, dots = drawn.random() < 0.6, drawn.choice(("..", "-"))
        listed.append(NAMES[first] if one else f"{NAMES[first]}{dots}{NAMES[last]}")
    return ",".join(listed) + drawn.choice(("", "", "", ","))


def event(drawn: random.Random) -> Part:
    written = []
    if drawn.random() < 0.4:
        days = weekdays(drawn)
        written.append(Part(days, days))
    if drawn.random() < 0.7:
        month, tilde = part(drawn, 1, 12), drawn.random() < 0.3
        day = day_from_end(drawn) if tilde else part(drawn, 1, 31)
        date = Part(*(f"{m}{'~' if tilde else '-'}{d}" for m, d in zip(month, day, strict=True)))
        if drawn.random() < 0.5:
            year = part(drawn, 2026, 2060, star=0.7)
            date = Part(*(f"{y}-{rest}" for y, rest in zip(year, date, strict=True)))
        written.append(date)
    if drawn.random() < 0.8 or not written:
        clock = [part(drawn, 0, 23), part(drawn, 0, 59)]
        if drawn.random() < 0.4:
            clock.append(part(drawn, 0, 59, star=0.2))
        written.append(Part(*(":".join(pieces) for pieces in zip(*clock, strict=True))))
    return Part(*(" ".join(pieces) for pieces in zip(*written, strict=True)))


def ask(text: str) -> tuple[str, list[str]] | None:
    """Normal form and the next firings, as systemd says them; None where it refuses or nothing fires."""
    base = f"--base-time={AFTER[:10]} {AFTER[11:19]} UTC"
    said = subprocess.run(
        ["systemd-analyze", "calendar", f"--iterations={FIRINGS}", base, text],
        capture_output=True, text=True, env=ENVIRONMENT, check=False,
    )  # fmt: skip
    if said.returncode or "Next elapse: never" in said.stdout:
        return None
    normal = re.search(r"Normalized form: (.*)", said.stdout)
    times = re.findall(r"(?:Next elapse|Iter\. #[0-9]+|Iteration #[0-9]+): \w+ (\S+) (\S+) UTC", said.stdout)
    return normal[1] if normal else text, [f"{date}T{clock}Z" for date, clock in times]


def answer(text: str) -> tuple[str, list[str]] | None:
    try:
        made = parse_oncalendar(text)
    except BadCadence:
        return None
    fires = [shown(found.instant_s) for found in islice(calendar(made).walk(utc(AFTER), LAST_S), FIRINGS)]
    return (made.text, fires) if fires else None


@pytest.mark.rule("CAL-09")
@pytest.mark.timeout(0 if ROUNDS > 1000 else 300)
def test_systemd_says_the_same() -> None:
    if shutil.which("systemd-analyze") is None:
        why = "systemd-analyze is not installed: random calendar events are compared with nothing"
        if os.environ.get("CI"):
            pytest.fail(f"{why}; .ci/run installs systemd")
        pytest.skip(why)
    drawn, firing = random.Random(SEED), 0
    for _ in range(ROUNDS):
        ours, closed = event(drawn)
        said, theirs = answer(ours), ask(closed)
        assert (said is None) == (theirs is None), (ours, said, theirs)
        if said is None or theirs is None:
            continue
        firing += 1
        assert said[1] == theirs[1], ours
        if ours == closed:
            assert said[0] == theirs[0], ours
    print(f"{ROUNDS} events compared, {firing} of them fire")
    assert firing > ROUNDS // 3
