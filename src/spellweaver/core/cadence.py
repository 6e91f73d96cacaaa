"""Every cadence there is (CAL-09), and the way back from its canonical form.

A *civil* cadence names what a clock on the wall shows, and is read in a zone; ``every`` and ``at`` name instants
(CAL-01).
"""

from __future__ import annotations

from collections.abc import Mapping

from spellweaver.core.grammar import At, BadCadence, Cron, Every, at, every, parse_cron
from spellweaver.core.oncalendar import OnCalendar, parse_oncalendar
from spellweaver.core.structured import Structured, of_canonical

Civil = Cron | OnCalendar | Structured
CIVIL = (Cron, OnCalendar, Structured)  # the same, for isinstance
Cadence = Civil | Every | At


def cadence(body: Mapping[str, object]) -> Cadence:
    """The inverse of ``canonical``. Raises BadCadence for anything that ``canonical`` does not make."""
    match dict(body):
        case {"cron": str(text), **rest} if not rest:
            return parse_cron(text)
        case {"oncalendar": str(text), **rest} if not rest:
            return parse_oncalendar(text)
        case {"times": _, **rest} if rest.keys() <= {"days", "dates", "day_match"}:
            return of_canonical(dict(body))
        case {"every_s": int(every_s), "anchor_s": int(anchor_s), **rest} if not rest:
            return every(every_s, anchor_s)
        case {"at_s": list(instants_s), **rest} if not rest and all(isinstance(at_s, int) for at_s in instants_s):
            return at(instants_s)
    raise BadCadence(f"{sorted(body)} is not a cadence: cron, oncalendar, times, every_s with anchor_s, or at_s")
