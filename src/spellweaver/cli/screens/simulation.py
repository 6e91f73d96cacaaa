"""What a simulation shows: an item for each firing or range, a summary, and for people a table in which many alike are
one line.
"""

from __future__ import annotations

from collections import Counter

from spellweaver.cli import sentences, times
from spellweaver.cli.screens import occurrences
from spellweaver.cli.screens.readings import Readings, shown
from spellweaver.cli.values import At, Column, Lasts, State
from spellweaver.core.instant import SECOND
from spellweaver.ledger import simulation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import Row, View
    from spellweaver.simulate.run import Simulated
    from spellweaver.simulate.scenario import Scenario

FOLDED_FROM = 5  # so many neighbours with one outcome are shown as the first and a line for the rest


def items(done: Simulated) -> list[Item]:
    """Every firing of the simulation."""
    with simulation.reading(done.ledger) as view:
        return since(view, done.mark)


def since(view: View, mark: simulation.Mark) -> list[Item]:
    """Every firing after a mark, in the order of nominal instants: the keys of ``occurrence list``, then those of its
    run. ``outcome`` is the run's state, else the firing's.
    """
    readings = Readings(view)
    return [with_run(row, readings) for row in simulation.since(view, mark)]


def with_run(row: Row, readings: Readings) -> Item:
    """A row of the queries ``since`` and ``span``."""
    started_at, ended_at, state, reason = row[simulation.FIRING : simulation.FIRING + 4]
    firing = occurrences.item(row[: simulation.FIRING], readings)
    reading = readings.of(int(str(row[1])))
    return {
        **firing,
        "started_at": reading.at(started_at if isinstance(started_at, int) else None),
        "ended_at": reading.at(ended_at if isinstance(ended_at, int) else None),
        "outcome": State(str(firing["state"] if state is None else state)),
        "outcome_reason": firing["reason"] if state is None else reason,
    }


def summary(found: list[Item], done: Simulated, scenario: Scenario) -> Item:
    """The counts, and what the files brought. A range counts as all of its firings."""
    outcomes = Counter[tuple[str, str]]()
    for item in found:
        outcomes[str(item["state"]), str(item["reason"])] += _firings(item)
    runs = Counter(str(item["outcome"]) for item in found if item["invocation"] is not None)
    waits = [_us(item["decided_at"]) - _us(item["due_at"]) for item in found if item["state"] == "admitted"]
    return {
        "from_at": At(scenario.from_at),
        "until_at": At(scenario.until_at),
        "firings": sum(outcomes.values()),
        "outcomes": [{"state": s, "reason": r, "count": n} for (s, r), n in sorted(outcomes.items())],
        "runs": [{"outcome": outcome, "count": count} for outcome, count in sorted(runs.items())],
        "peak_workers": done.peak,
        "workers": done.ledger.policy(done.ledger.connection)[1].workers,
        "longest_wait_us": Lasts(max(waits, default=0)),
        "found_open": done.found,
        "scripted": list(done.introduced.scripted),
        "policy": list(done.introduced.policy),
        "defined": [
            {"kind": d.kind, "name": d.name, "revision": d.revision, "status": d.status, "changes": list(d.changes)}
            for d in done.introduced.defined
        ],
    }


def sentences_of(told: Item) -> list[str]:
    """The counts as two lines for people."""
    outcomes, runs, wait = told["outcomes"], told["runs"], told["longest_wait_us"]
    assert isinstance(outcomes, list) and isinstance(runs, list) and isinstance(wait, Lasts)
    of_states = ", ".join(f"{o['count']} {o['state']} ({sentences.spaced(o['reason'])})" for o in outcomes) or "none"
    of_runs = ", ".join(f"{r['count']} {sentences.spaced(r['outcome'])}" for r in runs) or "none"
    peak = f"at most {told['peak_workers']} of {told['workers']} workers busy"
    return [
        f"{told['firings']} {'firing' if told['firings'] == 1 else 'firings'}: {of_states}",
        f"runs: {of_runs}; {peak}; longest wait {times.exact(max(0, wait.us))}",
    ]


def notes(told: Item, scenario: Scenario, found: list[Item], *, utc: bool) -> Iterator[str]:
    """What must be known to read the rows rightly."""
    scripted, policy, defined = told["scripted"], told["policy"], told["defined"]
    assert isinstance(scripted, list) and isinstance(policy, list) and isinstance(defined, list)
    for each in defined:
        if each["status"] == "revision":
            changed = f": {', '.join(each['changes'])}" if each["changes"] else ""
            yield f"{each['name']}: revision {each['revision']} in place of the one in force{changed}"
    if policy:
        yield f"the policy of the files is in force: {', '.join(policy)}"
    if scripted:
        yield f"not bound, so the script stands in: {', '.join(scripted)}"
    if told["found_open"]:
        yield f"{told['found_open']} open at the begin, taken to run on as scripted"
    for outage in scenario.merged_outages():
        fell = sum(_firings(item) for item in found if outage.begins_at <= _us(item["nominal_at"]) < outage.ends_at)
        what = "no firing" if fell == 0 else "1 firing" if fell == 1 else f"{fell} firings"
        begin, end = (times.reading(at, None, utc=utc) for at in (outage.begins_at, outage.ends_at))
        yield f"outage {begin} to {end}: {what} fell in it"
    for step in scenario.steps:
        sign = "forward" if step.by_us >= 0 else "back"
        yield f"{times.reading(step.at, None, utc=utc)}: the clock was set {sign} by {times.exact(abs(step.by_us))}"


def folded(found: list[Item]) -> list[Item]:
    """For people: of many neighbours of a Schedule with one outcome, the first, and a line that counts the rest."""
    alike: dict[object, list[Item]] = {}
    lines: list[Item] = []
    of_schedule: dict[object, object] = {}
    for item in found:
        name, fate = item["schedule"], _fate(item)
        if fate is None or of_schedule.get(name) != fate:
            lines += _closed(alike.pop(name, []))
        of_schedule[name] = fate
        alike.setdefault(name, []).append(item)
    for left in alike.values():
        lines += _closed(left)
    return sorted(lines, key=lambda line: (_us(line["nominal_at"]), str(line["schedule"])))


def _closed(run: list[Item]) -> list[Item]:
    if len(run) < FOLDED_FROM:
        return run
    return [run[0], {**run[1], "last_at": run[-1]["nominal_at"], "rest": len(run) - 1}]


def _fate(item: Item) -> object:
    """What must be equal for two firings to be shown as one; None for one that is always shown."""
    nominal = item["nominal_at"]
    assert isinstance(nominal, At)
    if item["offset"] is None or item["count"] is not None or _is_repeated(nominal):
        return None
    return item["outcome"], item["outcome_reason"], item["mode"], _waited(item), item["revision"]


def _is_repeated(at: At) -> bool:
    """Whether the clock shows this reading twice."""
    if at.zone is None:
        return False
    second = at.us // SECOND
    return len(at.zone.readings(second + at.zone.offset(second))) == 2


def _waited(item: Item) -> str:
    if item["state"] != "admitted":
        return ""
    late = _us(item["decided_at"]) - _us(item["due_at"])
    said = "on time" if late == 0 else f"+{times.exact(late)}" if late > 0 else "before its due instant, by this clock"
    return f"caught up, {said}" if item["mode"] == "catch_up" else said


def why(item: Item) -> str:
    """A few words for why a firing ended as it did."""
    said = [_waited(item)] if item["state"] == "admitted" else []
    said.append(sentences.brief(str(item["outcome"]), str(item["outcome_reason"])))
    blockers = item["blockers"]
    assert isinstance(blockers, list)
    if item["state"] != "admitted" and blockers and "rest" not in item:
        said.append(", ".join(blockers))
    return "; ".join(part for part in said if part)


def _nominal(item: Item) -> object:
    last = item["last_at"]
    if isinstance(last, At):
        said = f"{item['rest']} more" if "rest" in item else f"{item['count']} firings"
        return f"{said} to {times.reading(last.us, last.zone)}"
    return shown({"instant": item["nominal_at"] if item["offset"] is not None else None, "civil": item["civil"]})


def _utc(item: Item) -> str:
    if item["offset"] is None:
        return "-"
    clock = times.rfc3339(_us(item["nominal_at"]))[11:-1]
    return f"{clock.removesuffix(':00')}Z"


def _us(value: object) -> int:
    assert isinstance(value, At)
    return value.us


def _firings(item: Item) -> int:
    count = item["count"]
    return count if isinstance(count, int) else 1


PEOPLE = (
    Column("SCHEDULE", "schedule"), Column("NOMINAL", _nominal), Column("UTC", _utc, drop=3),
    Column("OUTCOME", "outcome"), Column("DECIDED", "decided_at", drop=4), Column("WHY", why),
)  # fmt: skip


def programs(keys: Iterable[str]) -> tuple[Column, ...]:
    """Every key of an item is a column behind a pipe."""
    return tuple(Column(key.upper(), key) for key in keys)
