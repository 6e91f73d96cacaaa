"""A span of time as the ledger has it: what is on record up to now, and what the calendars name after that.

What is to come is reckoning and no promise. It is a firing's item with the state ``coming``, which no ledger holds; one
that is due already and that no scheduler has looked at since is ``unresolved``.
"""

from __future__ import annotations

import json
from itertools import islice

from spellweaver.cli.screens import ahead, find
from spellweaver.cli.screens.readings import Readings
from spellweaver.cli.screens.simulation import with_run
from spellweaver.cli.values import At, State
from spellweaver.core.instant import SECOND
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View

KEYS = (
    "schedule", "revision", "firing", "nominal_at", "due_at", "latest_start_at", "state", "reason", "decided_at",
    "invocation", "started_at", "ended_at", "outcome", "outcome_reason", "last_at", "count",
)  # fmt: skip
MOST = 20_000  # firings to come of one picture


def items(
    view: View, names: Sequence[str], *, from_at: int, until_at: int, now: int
) -> tuple[list[Item], list[str]]:
    """The firings in the order of their nominal instants, and sentences of what is left out. No name means every
    Schedule. Raises NotFound.
    """
    marks = {int(str(id_)): (str(full), int(str(mark))) for id_, full, mark in view.rows(load("schedule")["settled"])}
    wanted = [find.schedule(view, name)[0] for name in names]
    values = {"schedules": json.dumps(wanted or list(marks)), "from": from_at, "until": until_at}
    readings, calendars, said = Readings(view), list[ahead.Coming](), list[str]()
    rows = (with_run(row, readings) for row in view.rows(load("occurrence")["span"], values))
    found = [{key: row[key] for key in KEYS} for row in rows]
    for schedule in wanted or (None,):
        more, why = ahead.of_ledger(view, schedule)
        calendars, said = calendars + more, said + why
    coming = list(islice(_coming(calendars, dict(marks.values()), from_at, until_at, now), MOST + 1))
    if len(coming) > MOST:
        said.append(f"the first {MOST} firings to come are shown")
    return [*found, *coming[:MOST]], said


def _coming(
    calendars: Sequence[ahead.Coming], settled: dict[str, int], from_at: int, until_at: int, now: int
) -> Iterator[Item]:
    for item in ahead.items(calendars, after_s=from_at // SECOND, until_s=until_at // SECOND, limit=None):
        at, name = item["instant"], str(item["schedule"])
        if item["note"] != ahead.CUT and isinstance(at, At) and at.us // SECOND > settled.get(name, 0):
            reason = "coming" if at.us > now else "unresolved"
            yield {
                **dict.fromkeys(KEYS), "schedule": name, "revision": item["revision"], "firing": item["firing"],
                "nominal_at": at, "due_at": item["due_at"], "latest_start_at": item["latest_start_at"],
                "state": State("coming"), "reason": reason, "outcome": State("coming"), "outcome_reason": reason,
            }  # fmt: skip
