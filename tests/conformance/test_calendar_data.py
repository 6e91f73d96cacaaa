"""Each case of calendar.jsonl of a family that is offered: what fires, what a missing time does, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spellweaver.core import grammar
from spellweaver.core.cadence import Cadence
from spellweaver.core.grammar import LAST_S, BadCadence
from spellweaver.core.oncalendar import parse_oncalendar
from tests.support.calendars import calendar, shown, utc

OFFERED = ("cron5", "cron6", "interval", "oncalendar")
LINES = (Path(__file__).parent / "calendar.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [case for line in LINES if (case := json.loads(line))["family"] in OFFERED]


def cadence(case: dict[str, object]) -> Cadence:
    expression = case["expr"]
    if case["family"] == "oncalendar":
        return parse_oncalendar(str(expression))
    if not isinstance(expression, dict):
        read = grammar.parse_cron(str(expression))
        assert read.has_seconds == (case["family"] == "cron6")
        return read
    anchor = expression.get("anchor")
    return grammar.every(expression["every_seconds"], None if anchor is None else utc(anchor))


@pytest.mark.rule("CAL-09", "CAL-02", "CAL-03")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_calendar_case(case: dict) -> None:
    if case.get("error"):
        with pytest.raises(BadCadence) as refused:
            cadence(case)
        assert len(str(refused.value)) > 20, "a sentence for the operator"
        return
    made = calendar(cadence(case), case["zone"], fold=case["fold"] or "earlier", gap=case["gap"] or "skip")
    fires: list[str] = []
    fails_at = None
    for found in made.walk(utc(case["after"]), LAST_S):
        if found.fate == "gap_fail":
            fails_at = shown(found.civil_s).removesuffix("Z")
            break
        if found.fate == "fires":
            fires.append(shown(found.instant_s))
            if len(fires) == len(case["expect"]) and "fails_at" not in case:
                break
    assert fires == case["expect"]
    assert fails_at == case.get("fails_at")
    if fails_at is None:
        assert [shown(at_s) for at_s in made.instants(utc(case["after"]), len(fires))] == case["expect"]


def test_no_case_is_passed_over() -> None:
    """Repeat rules of iCalendar are no part of the grammar (CAL-09); nothing else is left out."""
    left_out = {json.loads(line)["family"] for line in LINES} - set(OFFERED)
    assert left_out == {"rrule"}
    assert len(CASES) == 1015
