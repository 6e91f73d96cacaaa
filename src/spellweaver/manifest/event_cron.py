"""The calendar events of systemd that a cron text can say as well: the shorthands, and ``[weekdays] [*-month-day]
hour:minute[:second]`` where weekday and date are not both restricted (systemd wants both to match, cron either).

For the time in which the reader takes no ``oncalendar``.
"""

from __future__ import annotations

import re

from spellweaver.manifest.unit_text import NotKept

_SHORT = {
    "minutely": "* * * * *", "hourly": "0 * * * *", "daily": "0 0 * * *", "weekly": "0 0 * * MON",
    "monthly": "0 0 1 * *", "quarterly": "0 0 1 1,4,7,10 *", "semiannually": "0 0 1 1,7 *", "yearly": "0 0 1 1 *",
    "annually": "0 0 1 1 *",
}  # fmt: skip
_PART = r"(?:\*|[0-9.,/]+)"
_DAY = "(?:mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_EVENT = re.compile(
    rf"(?:(?P<days>{_DAY}(?:(?:\.\.|,){_DAY})*)(?:\s+|$))?(?:(?:\*-)?(?P<month>{_PART})-(?P<date>{_PART})(?:\s+|$))?"
    rf"(?:(?P<hour>{_PART}):(?P<minute>{_PART})(?::(?P<second>{_PART}))?)?"
)


def as_cron(event: str) -> str:
    """The cron text that fires as ``event`` does. Raises NotKept where there is none so simple."""
    text = event.strip().lower()
    if text in _SHORT:
        return _SHORT[text]
    found = _EVENT.fullmatch(text)
    if not text or not found or (found["days"] and (found["month"] or "*", found["date"] or "*") != ("*", "*")):
        raise NotKept(
            f"oncalendar is not available in this version, and a cron text can't simply say {event!r}; "
            "write the cron texts that together mean it"
        )
    days = re.sub(r"[a-z]+", lambda name: name[0][:3].upper(), found["days"] or "*")
    hour, minute, second = (found["hour"] or "0", found["minute"] or "0", found["second"] or "0")
    fields = [hour, found["date"] or "*", found["month"] or "*", days]
    times = [minute] if re.fullmatch("0+", second) else [second, minute]
    return " ".join(field.replace("..", "-") for field in (*times, *fields))
