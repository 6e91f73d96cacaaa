"""A revision in canonical form: what its digest covers, what its calendar interpretation covers, and its jitter."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spellweaver.core.grammar import At, Every, parse_cron
from spellweaver.core.schedule import Definition, Jitter, canonical_json, definition, jitter_us, revise
from tests.support.engine import draft

RULES = "ab" * 32


def revision(**changes: object) -> Definition:
    made = revise(
        draft("s", "30 2 * * *", zone="Europe/Rome", allowed_delay="3h"),
        pattern_digest="cd" * 32, zone_digest=RULES, horizon_us=7,
    )  # fmt: skip
    return dataclasses.replace(made, **changes)


# each field of a revision and another value for it; True: it belongs to the calendar interpretation
CHANGES: dict[str, tuple[object, bool]] = {
    "while_paused": ("catch_up", False),
    "authority": ("other", False),
    "name": ("other", False),
    "pattern_key": ("other", False),
    "pattern_revision": ("2", False),
    "pattern_digest": ("ee" * 32, False),
    "service_class": ("foreground", False),
    "allowed_delay_us": (1, False),
    "overlap": ("hold", False),
    "input": ('{"a":1}', False),
    "labels": ('{"team":"x"}', False),
    "from_at": (1_000_000, False),
    "cadence": (parse_cron("31 2 * * *"), True),
    "zone": ("Europe/Paris", True),
    "zone_digest": ("ff" * 32, True),
    "fold": ("later", True),
    "gap": ("fail", True),
    "jitter": (Jitter("deterministic", 5), False),
    "misfire_horizon_us": (8, False),
    "catch_up": ("none", False),
    "excluded": (((20_000, 20_002),), False),
    "cycle": ("date", False),
}


@pytest.mark.rule("CUT-01", "CUT-03")
def test_the_digest_covers_every_field_and_the_interpretation_only_what_reads_the_calendar() -> None:
    assert CHANGES.keys() == {field.name for field in dataclasses.fields(Definition)}
    for field, (value, calendar) in CHANGES.items():
        other = revision(**{field: value})
        assert other.digest() != revision().digest(), field
        assert (other.interpretation() != revision().interpretation()) == calendar, field


@pytest.mark.rule("CUT-01")
@pytest.mark.parametrize("cadence", [parse_cron("*/5 * * * * *"), Every(60, 7), At((1, 5, 9))])
def test_a_stored_revision_reads_back_equal(cadence: object) -> None:
    labels, excluded = '{"b":1,"a":"é"}', ((1, 1), (5, 9))
    made = revision(cadence=cadence, from_at=5, jitter=Jitter("deterministic", 9), excluded=excluded, labels=labels)
    again = definition(made.body())
    assert (again.body(), again.digest()) == (made.body(), made.digest())
    assert again == dataclasses.replace(made, labels='{"a":"é","b":1}')


@pytest.mark.rule("CAT-01")
def test_the_horizon_of_the_draft_is_pinned_and_the_hosts_only_where_it_has_none() -> None:
    for written, pinned in ((None, 99), ("0s", 0), ("3h", 10_800_000_000)):
        made = revise(draft("s", "@daily", horizon=written), pattern_digest="", zone_digest=RULES, horizon_us=99)
        assert made.misfire_horizon_us == pinned


@pytest.mark.rule("CLS-02", "CLS-05")
@pytest.mark.parametrize("how", [{"cron": "@daily"}, {"every": "90s"}, {"at": ["2026-01-01T00:00:00Z"]}])
@pytest.mark.parametrize("delay", [None, "2h"])
def test_any_cadence_carries_any_class(how: dict[str, object], delay: str | None) -> None:
    written = draft("s", allowed_delay=delay, **how)
    made = revise(written, pattern_digest="", zone_digest=RULES, horizon_us=1)
    assert (made.service_class, made.allowed_delay_us) == (
        ("foreground", None) if delay is None else ("deadline_windowed", 7_200_000_000)
    )


@pytest.mark.rule("CAL-08")
@given(st.text("abc/", min_size=1), st.text("c1:", min_size=1), st.integers(1, 10**12))
def test_jitter_is_in_its_bound_and_the_same_every_time(schedule: str, firing: str, bound: int) -> None:
    drawn = jitter_us(Jitter("deterministic", bound), schedule=schedule, firing=firing)
    assert 0 <= drawn < bound
    assert drawn == jitter_us(Jitter("deterministic", bound), schedule=schedule, firing=firing)


@pytest.mark.rule("CAL-08")
def test_jitter_comes_of_schedule_firing_and_bound_and_is_spread() -> None:
    """Pinned: another value would move every stored plan at an upgrade."""

    def drawn(schedule: str = "local/s", firing: str = "c1:2026-01-01T00:00", bound: int = 3_600_000_000) -> int:
        return jitter_us(Jitter("deterministic", bound), schedule=schedule, firing=firing)

    assert drawn() == 3_072_262_553
    others = [drawn(schedule="local/t"), drawn(firing="c1:2026-01-02T00:00"), drawn(bound=3_600_000_001)]
    assert len({drawn(), *others}) == 4
    tenths = [drawn(firing=f"c1:{n}") * 10 // 3_600_000_000 for n in range(1000)]
    assert all(60 < tenths.count(tenth) < 140 for tenth in range(10))
    assert jitter_us(Jitter(), schedule="local/s", firing="c1:1") == 0


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), {1, 2}])
def test_canonical_json_has_one_form_and_refuses_what_has_none(bad: object) -> None:
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'
    assert json.loads(canonical_json({"x": 1})) == {"x": 1}
    with pytest.raises((ValueError, TypeError)):
        canonical_json({"x": bad})
