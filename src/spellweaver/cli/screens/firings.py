"""Which firing a date or a time of a Schedule means, and what answers for it.

It is looked up as it is named, first as a row. What no row answers is asked of the calendar of the revision that owns
it: a time that another firing took in finds its taker (CAL-03), and a firing inside a range is answered by its range
(OCC-13).
"""

from __future__ import annotations

from spellweaver.cli.screens.readings import Readings
from spellweaver.core.instant import DAY_S, SECOND, civil_text
from spellweaver.errors import NotFound
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spellweaver.cli.references import Reference
    from spellweaver.cli.screens.readings import Reading
    from spellweaver.core.calendar import Calendar
    from spellweaver.core.line import Candidate
    from spellweaver.ledger.observe import View

    Values = dict[str, object]
    Showings = tuple[tuple[int, ...], ...]
    Ask = Callable[[Calendar], Iterable[Candidate]]

SHOWN = 8  # how many a message lists
FIRST_SHOWING, SECOND_SHOWING = (-1, 0), (1,)  # as the ledger's fold has them
REACH_S = 26 * 3600  # no reading of a clock is further from UTC


class Found:
    """``kind`` is ``occurrence`` or ``range``, ``id`` its row number; the rest names the firing, of a range the one
    asked for. ``alias``: generation, civil second and fold of what was asked for, where a cutover made it this firing.
    """

    __slots__ = ("alias", "civil", "fold", "generation", "id", "kind")

    def __init__(
        self, kind: str, id_: int, generation: int, civil: int, fold: int, alias: tuple[int, int, int] | None = None
    ) -> None:
        self.kind = kind
        self.id = id_
        self.generation = generation
        self.civil = civil
        self.fold = fold
        self.alias = alias


def found(kind: str, row: tuple[object, ...]) -> Found:
    """Of a row that begins with id, generation, civil, fold."""
    id_, generation, civil, fold = (int(str(value)) for value in row[:4])
    return Found(kind, id_, generation, civil, fold)


def of_schedule(view: View, schedule: int, full: str, reference: Reference) -> Found:
    """The one firing that ``SCHEDULE@…`` means. Raises NotFound: none, several, not decided yet, or a revision."""
    if reference.kind == "latest":
        return _latest(view, schedule, full)
    lookup = _Lookup(view, schedule, reference.generation)
    if reference.kind == "date":
        asked, date = reference.id * DAY_S, civil_text(reference.id * DAY_S)[:10]
        return lookup.only(lookup.on_date(reference.id), full, date, asked)
    if reference.kind == "time":
        civil_s, wanted = lookup.named(reference)
        asked_text = civil_text(civil_s) + ("+1" if reference.second else "")
        return lookup.only(lookup.at_time(civil_s, wanted), full, asked_text, civil_s)
    name = f"{full}@{reference.id}"
    raise NotFound("no_firing", f"{name} is a revision, not a firing", hint=f"spellweaver schedule show {name}")


def _latest(view: View, schedule: int, full: str) -> Found:
    """The newest firing that has a fate or waits for one."""
    sql = load("occurrence")
    row, last = view.row(sql["newest_row"], (schedule,)), view.row(sql["newest_range"], (schedule,))
    if row is not None and (last is None or int(str(row[4])) >= int(str(last[4]))):
        return found("occurrence", row)
    if last is not None:
        return found("range", last)
    raise NotFound("no_firing", f"{full} has had no firing yet", hint=f"spellweaver next {full}")


class _Lookup:
    """The firings of one Schedule; ``generation`` None means any. Calendars are loaded only where no row answers."""

    def __init__(self, view: View, schedule: int, generation: int | None) -> None:
        self.view = view
        self.schedule = schedule
        self.generation = generation
        self._sql = load("occurrence")
        self._readings = Readings(view)
        self._calendars: dict[int, Calendar] = {}
        self._said: list[dict[tuple[int, int, int], tuple[int, int, int]]] | None = None

    def named(self, reference: Reference) -> tuple[int, Showings]:
        """(civil second, folds that are meant, the first that is there). A time without ``+1`` is the first showing,
        and the second only where the first is no firing. An instant with ``Z`` is read in the zone; ``every`` and
        ``at`` go by it as it stands.
        """
        reading = self._reading()
        if reference.second:
            return reference.id, (SECOND_SHOWING,)
        if not reference.utc or reading is None or reading.precision == "instant":
            return reference.id, (FIRST_SHOWING, SECOND_SHOWING)
        civil_s = reference.id + reading.zone.offset(reference.id)
        is_second = reading.zone.readings(civil_s)[1:] == (reference.id,)
        return civil_s, (SECOND_SHOWING if is_second else FIRST_SHOWING,)

    def at_time(self, civil_s: int, showings: Showings) -> list[Found]:
        return next((there for folds in showings if (there := self._at(civil_s, folds))), [])

    def _at(self, civil_s: int, folds: tuple[int, ...]) -> list[Found]:
        rows = self.view.rows(self._sql["at_civil"], {"schedule": self.schedule, "civil": civil_s})
        there = [
            each
            for each in (found("occurrence", row) for row in rows)
            if each.fold in folds and self._means(each.generation)
        ]
        return there or self._answers(lambda calendar: [c for c in calendar.find(civil_s) if c.fold in folds])

    def on_date(self, day: int) -> list[Found]:
        begin, end = day * DAY_S - REACH_S, (day + 1) * DAY_S + REACH_S
        if self._ranges(begin * SECOND, end * SECOND):
            return self._answers(lambda calendar: calendar.on_date(day))
        near: Values = {"schedule": self.schedule, "begin": begin, "end": end}
        rows = [row for row in self.view.rows(self._sql["between"], near) if self._date(row) == day]
        return [each for each in (found("occurrence", row) for row in rows) if self._means(each.generation)]

    def only(self, there: list[Found], full: str, asked: str, civil_s: int) -> Found:
        """The one that is there. Raises NotFound, listing them or what is near."""
        if len(there) == 1:
            return there[0]
        if not there:
            raise self._unknown(full, asked, civil_s)
        listed = [self._listed(each) for each in there[:SHOWN]]
        more = "" if len(there) <= SHOWN else f" and {len(there) - SHOWN} more"
        raise NotFound(
            "ambiguous_firing", f"{full}@{asked} names {len(there)} firings: {', '.join(listed)}{more}",
            hint=f"name one of them, as {full}@{listed[0].partition(' ')[0]}", firings=listed,
        )  # fmt: skip

    def _means(self, generation: int) -> bool:
        return self.generation in (None, generation)

    def _generations(self) -> list[tuple[int, int]]:
        """(generation, a revision of it), oldest first: those of one generation name the same firings (CUT-03)."""
        rows = self.view.rows(self._sql["generations"], (self.schedule,))
        return [(int(str(number)), int(str(revision))) for number, revision in rows if self._means(int(str(number)))]

    def _reading(self) -> Reading | None:
        newest = self._generations()[-1:]
        return self._readings.of(newest[0][1]) if newest else None

    def _date(self, row: tuple[object, ...]) -> int:
        """The nominal civil date of a row; those of ``every`` and ``at`` are dated by the zone that they are shown
        in.
        """
        civil_s, reading = int(str(row[2])), self._readings.of(int(str(row[5])))
        return (civil_s + (reading.zone.offset(civil_s) if reading.precision == "instant" else 0)) // DAY_S

    def _calendar(self, revision: int) -> Calendar:
        """Raises KeptRulesDamaged."""
        from spellweaver.ledger.revisions import Revisions

        if revision not in self._calendars:
            self._calendars[revision] = Revisions().get(self.view.connection, revision).calendar
        return self._calendars[revision]

    def _answers(self, ask: Ask) -> list[Found]:
        """What became of the candidates that each generation's calendar names: their rows, or the ranges that they
        lie in.
        """
        there: dict[tuple[str, int, int, int], Found] = {}
        for generation, revision in self._generations():
            for candidate in ask(self._calendar(revision).whole()):
                for each in self._fates(generation, candidate):
                    there[each.kind, each.id, each.civil, each.fold] = each
        return list(there.values())

    def _fates(self, generation: int, candidate: Candidate) -> list[Found]:
        key: Values = {
            "schedule": self.schedule, "generation": generation, "civil": candidate.civil_s, "fold": candidate.fold,
        }  # fmt: skip
        if row := self.view.row(self._sql["at_key"], key):
            return [found("occurrence", row)]
        at = candidate.instant_s * SECOND
        if taken := self._taker((generation, candidate.civil_s, candidate.fold)):
            return [taken]
        ids = [id_ for id_, of_generation in self._ranges(at, at) if of_generation == generation]
        ids = [id_ for id_ in ids if not self._calendar(self._revision_of_range(id_)).excludes(candidate)]
        return [Found("range", id_, generation, candidate.civil_s, candidate.fold) for id_ in ids]

    def _revision_of_range(self, id_: int) -> int:
        row = self.view.row(self._sql["revision_of_range"], (id_,))
        assert row is not None
        return int(str(row[0]))

    def _taker(self, key: tuple[int, int, int]) -> Found | None:
        """The firing with a row that a candidate is by a cutover."""
        from spellweaver.ledger.switches import aliases, root

        if self._said is None:
            rows = self.view.rows(load("cutover")["partitions"], (self.schedule,))
            self._said = aliases(str(text) for (text,) in rows)
        generation, civil, fold = taker = root(key, self._said)
        values: Values = {"schedule": self.schedule, "generation": generation, "civil": civil, "fold": fold}
        row = self.view.row(self._sql["at_key"], values) if taker != key else None
        return None if row is None else Found("occurrence", int(str(row[0])), generation, civil, fold, key)

    def _ranges(self, begin_at: int, end_at: int) -> list[tuple[int, int]]:
        """(row number, generation) of the ranges that reach into a stretch of instants, both ends included."""
        stretch: Values = {"schedule": self.schedule, "begin": begin_at, "end": end_at}
        return [(int(str(row[0])), int(str(row[1]))) for row in self.view.rows(self._sql["ranges_over"], stretch)]

    def _listed(self, each: Found) -> str:
        row = self.view.row(self._sql["revision_of" if each.kind == "occurrence" else "revision_of_range"], (each.id,))
        assert row is not None
        key = self._readings.of(int(str(row[0]))).firing(each.generation, each.civil, each.fold)
        several = len(self._generations()) > 1
        named = key if several else key.partition(":")[2]
        return f"{named} (occ_{each.id})" if each.kind == "occurrence" else f"{named} (in a range)"

    def _excluded(self, full: str, asked: str, civil_s: int, *, whole_day: bool) -> NotFound | None:
        """CAL-10: `except` of the revision in force then leaves the date out."""
        for _, revision in self._generations()[-1:]:
            whole = self._calendar(revision).whole()
            for candidate in whole.on_date(civil_s // DAY_S) if whole_day else whole.find(civil_s):
                key: Values = {"schedule": self.schedule, "at": candidate.instant_s * SECOND - 1}
                row = self.view.row(load("schedule")["in_force"], key)
                if row is not None and self._calendar(int(str(row[0]))).excludes(candidate):
                    return NotFound(
                        "firing_excluded",
                        f"{full}@{asked} is no firing: except of revision {row[1]} leaves that date out",
                        hint=f"spellweaver schedule show {full}@{row[1]}",
                    )
        return None

    def _unknown(self, full: str, asked: str, civil_s: int) -> NotFound:
        """Why no firing is there: nothing decided of it yet, or none at all; with what is near."""
        row = self.view.row(load("schedule")["settled_to"], (self.schedule,))
        if row is None or not isinstance(row[0], int):
            return NotFound(
                "never_activated",
                f"{full} has never been active, so it has had no firing",
                hint=f"spellweaver activate {full}",
            )
        settled_to, whole_day = row[0], "T" not in asked
        for _, revision in self._generations()[-1:]:
            calendar = self._calendar(revision)
            named = calendar.on_date(civil_s // DAY_S) if whole_day else calendar.find(civil_s)
            if any(candidate.instant_s > settled_to for candidate in named):
                return NotFound(
                    "firing_ahead",
                    f"{full}@{asked} lies ahead; nothing is decided of it yet",
                    hint=f"spellweaver next {full}",
                )
        if excluded := self._excluded(full, asked, civil_s, whole_day=whole_day):
            return excluded
        near = self.view.rows(self._sql["around"], {"schedule": self.schedule, "civil": civil_s})
        listed = ", ".join(f"{civil_text(int(str(civil)), seconds=False)} (occ_{id_})" for id_, civil in near)
        said = f"{full} had no firing {'on' if whole_day else 'at'} {asked}" + (
            f"; near it: {listed}" if listed else ""
        )
        return NotFound("no_firing", said, hint=f"spellweaver occurrence list --schedule {full}")
