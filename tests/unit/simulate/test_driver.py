"""The course of a simulation: what happens at a moment, in which order, and where the clock jumps next."""

from __future__ import annotations

import pytest

from spellweaver.core.instant import MINUTE
from spellweaver.ledger.journal import parse
from spellweaver.simulate.script import Job, Takes
from tests.support.engine import draft, policy, us
from tests.support.simulated import Seen, most_at_once, simulated, text

BEGIN = "2026-03-01T00:00:00Z"


def events(seen: Seen, type_: str) -> list[dict[str, object]]:
    rows = seen.done.ledger.connection.execute("SELECT data FROM event WHERE type = ? ORDER BY seq", (type_,))
    return [parse(data) for (data,) in rows.fetchall()]


def minutes(*numbers: int) -> list[str]:
    return [f"2026-03-01T{n // 60:02d}:{n % 60:02d}:00Z" for n in numbers]


def test_the_span_is_open_at_its_begin_and_closed_at_its_end() -> None:
    seen = simulated(draft("s", "*/10 * * * *"), begin=BEGIN, length="30m")
    assert seen.due("s") == minutes(10, 20, 30)
    assert [item["outcome"] for item in seen.of("s")] == ["completed", "completed", "running"]


def test_decisions_fall_on_the_very_moment() -> None:
    seen = simulated(draft("s", every="90s"), begin=BEGIN, length="1h")
    assert seen.late_s("s") == [0] * 40


def test_an_end_comes_before_a_firing_of_the_same_moment() -> None:
    seen = simulated(draft("s", "* * * * *"), begin=BEGIN, length="10m", runtimes={"*": "60s"})
    assert set(seen.counts("s")) == {("admitted", "foreground")}
    over = simulated(draft("s", "* * * * *"), begin=BEGIN, length="10m", runtimes={"*": "61s"})
    assert over.due("s") == minutes(1, 3, 5, 7, 9)


def test_workers_are_all_that_run_at_once() -> None:
    drafts = [draft(f"s{n}", "0 * * * *") for n in range(5)]
    seen = simulated(*drafts, begin=BEGIN, length="2h", runtimes={"*": "10m"}, policy=policy(workers=2))
    runs = [run for n in range(5) for run in seen.runs(f"s{n}")]
    assert most_at_once(runs) == seen.done.peak == 2
    assert sorted(late for n in range(5) for late in seen.late_s(f"s{n}")) == [0, 0, 0, 0, 600, 600, 1200]


def test_what_nothing_is_bound_to_has_no_timeout() -> None:
    seen = simulated(draft("s", "0 0 2 * *"), begin=BEGIN, length="40d", runtimes={"*": "20d"})
    assert [str(item["outcome"]) for item in seen.of("s")] == ["completed", "running"]


def test_nothing_is_decided_in_an_outage_and_what_ran_is_found_again() -> None:
    seen = simulated(
        draft("s", "*/10 * * * *"), begin=BEGIN, length="2h", runtimes={"*": "15m"},
        outages=[(minutes(22)[0], minutes(75)[0])],
    )  # fmt: skip
    decided = [text(item["decided_at"]) for item in seen.of("s")]
    assert [at for at in decided if minutes(22)[0] < at < minutes(75)[0]] == []
    first, *_ = [item for item in seen.of("s") if text(item["nominal_at"]) == minutes(10)[0]]
    assert (text(first["started_at"]), text(first["ended_at"])) == (minutes(10)[0], minutes(75)[0])
    assert seen.fates("s")[2:6] == [(at, "skipped", "superseded") for at in minutes(30, 40, 50, 60)]
    assert seen.items[6]["mode"] == "catch_up"
    assert text(seen.items[6]["decided_at"]) == minutes(75)[0]


def test_a_command_that_outlives_the_outage_goes_on_blocking() -> None:
    seen = simulated(
        draft("s", "*/10 * * * *"), begin=BEGIN, length="2h", runtimes={"*": "55m"},
        outages=[(minutes(12)[0], minutes(38)[0])],
    )  # fmt: skip
    assert seen.runs("s")[0] == (us(minutes(10)[0]), us(minutes(65)[0]))
    assert ("skipped", "overlap") in seen.counts("s")


def test_an_outage_to_the_end_is_never_recovered() -> None:
    seen = simulated(
        draft("s", "*/10 * * * *"), begin=BEGIN, length="1h", outages=[(minutes(15)[0], minutes(300)[0])],
        until_quiet=True,
    )  # fmt: skip
    assert seen.due("s") == minutes(10)


@pytest.mark.rule("CAT-05")
def test_a_forward_step_is_an_outage_and_a_backward_one_fires_nothing_again() -> None:
    seen = simulated(
        draft("s", "*/10 * * * *"), begin=BEGIN, length="3h",
        steps=[(minutes(35)[0], "+1h"), (minutes(65)[0], "-90m")],
    )  # fmt: skip
    assert seen.fates("s")[3:9] == [(at, "skipped", "superseded") for at in minutes(40, 50, 60, 70, 80)] + [
        (minutes(90)[0], "admitted", "foreground")
    ]
    assert seen.items[8]["mode"] == "catch_up" and seen.late_s("s")[3] == 315, "after the step had settled"
    firings = [item["firing"] for item in seen.of("s")]
    assert len(firings) == len(set(firings))
    (back,) = events(seen, "clock_stepped_back")
    assert (back["before_at"], back["after_at"]) == (us("2026-03-01T02:00:01Z"), us(minutes(35)[0]))
    # the clock shows 00:35 again; nothing fires until it shows 02:10, what fired stays, and then it goes on
    assert [text(item["nominal_at"]) for item in seen.of("s")][-1] == minutes(150)[0]
    assert seen.due("s")[-3:] == minutes(130, 140, 150)


def test_until_quiet_lets_what_waits_come_to_its_end_and_takes_in_nothing_more() -> None:
    windowed = draft("w", "*/10 * * * *", allowed_delay="30m")
    going = simulated(windowed, begin=BEGIN, length="1h", runtimes={"*": "25m"})
    assert [item["state"] for item in going.of("w")][-2:] == ["pending", "pending"]
    quiet = simulated(windowed, begin=BEGIN, length="1h", runtimes={"*": "25m"}, until_quiet=True)
    assert [text(item["nominal_at"]) for item in quiet.of("w")] == minutes(10, 20, 30, 40, 50, 60)
    assert [str(item["outcome"]) for item in quiet.of("w")] == [
        "completed", "completed", "missed", "completed", "missed", "completed",
    ]  # fmt: skip
    assert quiet.done.ends_at == us(minutes(110)[0])


def test_what_ends_as_it_begins_frees_its_worker_at_that_moment() -> None:
    drafts = [draft(f"s{n}", "0 * * * *") for n in range(5)]
    seen = simulated(*drafts, begin=BEGIN, length="1h", runtimes={"*": "0s"}, policy=policy(workers=2))
    assert [item["outcome"] for item in seen.items] == ["completed"] * 5
    assert {late for n in range(5) for late in seen.late_s(f"s{n}")} == {0}


def test_scripts_may_go_by_the_firing() -> None:
    def script(job: Job) -> Takes:
        assert (job.schedule, job.pattern, job.station) == ("local/s", "job@1", "main")
        return Takes(MINUTE, code=job.nominal_at // MINUTE % 2)

    seen = simulated(draft("s", "*/5 * * * *"), begin=BEGIN, length="20m", script=script, until_quiet=True)
    assert [str(item["outcome"]) for item in seen.of("s")] == ["failed", "completed", "failed", "completed"]
    assert [item["outcome_reason"] for item in seen.of("s")] == ["exit", "none", "exit", "none"]
