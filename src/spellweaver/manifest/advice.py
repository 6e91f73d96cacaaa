"""What a Schedule means that its author may not expect: lawful, hence no problem, but said before it surprises."""

from __future__ import annotations

from itertools import pairwise

from spellweaver.core import instant, zone
from spellweaver.core.grammar import Cron
from spellweaver.core.schedule import ScheduleDraft

_CYCLES = {"second": 60, "minute": 60, "hour": 24}
_STILL_S = instant.days_from_civil(2035, 1, 1) * instant.DAY_S


def of_schedule(draft: ScheduleDraft) -> list[str]:
    """Sentences about the cron text of a draft; none for other cadences."""
    calendar = draft.calendar
    if calendar is None or not isinstance(calendar.cadence, Cron):
        return []
    cron = calendar.cadence
    said = _uneven_steps(cron)
    if cron.either:
        said.append(
            "day of month and weekday are both restricted: a day fires when either of them matches, as in crontab"
        )
    rules = calendar.host_rules
    if calendar.fold != "both" and _more_than_hourly(cron) and rules and _still_moves(rules):
        said.append(
            f'fires more than once an hour, and fold = "{calendar.fold}" leaves one showing of a repeated hour silent; '
            'fold = "both" or every fires through it'
        )
    return said


def _uneven_steps(cron: Cron) -> list[str]:
    """A step that doesn't divide its cycle starts over: ``*/50`` fires at 0 and 50, ten minutes apart (RP-57)."""
    fields = cron.text.split()
    names = ("second", "minute", "hour") if cron.has_seconds else ("minute", "hour")
    said = []
    for name, text in zip(names, fields, strict=False):
        for element in text.split(","):
            head, _, step = element.partition("/")
            if head == "*" and step and _CYCLES[name] % int(step):
                values = ", ".join(map(str, range(0, _CYCLES[name], int(step))))
                said.append(
                    f"{name} {element} starts over each time, at {values}; for an even interval use every with anchor"
                )
    return said


def _more_than_hourly(cron: Cron) -> bool:
    seconds = cron.seconds_of_day
    return any(later - earlier < 3600 for earlier, later in pairwise((*seconds, seconds[0] + 86_400)))


def _still_moves(rules: bytes) -> bool:
    """Whether the zone's clock is still set back and forth in years to come."""
    return zone.parse(rules).cuts[-1] >= _STILL_S
