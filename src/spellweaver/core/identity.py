"""Ids of different things are of different types (OCC-10, OCC-17): ``occ_12`` is never taken for ``inv_12``.

Each is a row number of one ledger. A checker refuses one type where another is meant; ``parse`` refuses it in a text.
"""

from __future__ import annotations


class Id(int):
    """A row number with the prefix that its kind is shown by."""

    prefix = ""

    def __str__(self) -> str:
        return f"{self.prefix}_{int(self)}"

    @classmethod
    def parse(cls, text: str) -> Id:
        """The id that ``text`` shows. Raises ValueError when it is of another kind or no number."""
        prefix, _, number = text.partition("_")
        if prefix != cls.prefix:
            raise ValueError(f"{text!r} is not a {cls.prefix}_ id")
        if not (number.isascii() and number.isdigit()) or len(number) > 18 or int(number) == 0:
            raise ValueError(f"{text!r} is not {cls.prefix}_ and a number")
        return cls(number)


class ScheduleId(Id):
    prefix = "sch"


class RevisionId(Id):
    prefix = "rev"


class ActivationId(Id):
    prefix = "act"


class OccurrenceId(Id):
    prefix = "occ"


class InvocationId(Id):
    prefix = "inv"


class RunId(Id):
    prefix = "run"


class DeliveryId(Id):
    prefix = "del"


class AttemptId(Id):
    prefix = "att"


class GrantId(Id):
    prefix = "grt"


class EventId(Id):
    prefix = "evt"
