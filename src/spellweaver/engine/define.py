"""Define: stores workflow versions and Schedule revisions; an equal one changes nothing and says so (CUT-01, PAT-19).

The kept zone rules are picked here (CAL-04, ruling 16): those of the active revision for the same zone, else of the
newest defined one, else the host's, unless the draft asks for the host's or for kept ones by digest. Definition
activates nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spellweaver.core.pattern import Pattern
from spellweaver.core.schedule import CalendarDraft, Definition, ScheduleDraft, revise
from spellweaver.errors import Refused
from spellweaver.ledger import definitions
from spellweaver.ledger.decide import Transaction
from spellweaver.ledger.revisions import kept_zone


@dataclass(frozen=True, slots=True)
class Defined:
    """``kind`` is pattern or schedule; ``status`` new, unchanged or revision (a further one); ``changes`` the keys
    that differ.
    """

    kind: str
    name: str
    status: str
    revision: str
    changes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def define(
    tx: Transaction, *, patterns: Sequence[Pattern], schedules: Sequence[ScheduleDraft], owner: str
) -> list[Defined]:
    """Stores all of them or, on a refusal, none. ``owner`` is the OS user an authority is made for.

    Raises Refused: a version with other content, a Schedule that names a workflow version that is not there or can't
    run yet, kept rules that are not there.
    """
    return [*(_pattern(tx, p) for p in patterns), *(_schedule(tx, s, owner) for s in schedules)]


def _pattern(tx: Transaction, new: Pattern) -> Defined:
    found = definitions.pattern(tx, new.key, new.revision)
    if found is not None:
        if found[1].digest() != new.digest():
            raise Refused(
                "pattern_rewritten",
                f"pattern {new.version} is in the ledger with other content ({found[1].digest()[:12]}…, "
                f"this is {new.digest()[:12]}…); a version is never rewritten",
                hint=f"give it a new revision, then spellweaver pattern show {new.version}",
                pattern=new.version,
            )
        return Defined("pattern", new.version, "unchanged", new.revision)
    at = tx.decided_at()
    definitions.store_pattern(tx, new, at)
    tx.record("pattern.defined", at, {"pattern": new.version, "digest": new.digest()})
    return Defined("pattern", new.version, "new", new.revision)


def _schedule(tx: Transaction, draft: ScheduleDraft, owner: str) -> Defined:
    pattern_id, pattern = _runnable(tx, draft)
    known = definitions.schedule(tx, draft.authority, draft.name)
    if known is not None and known.state == "retired":
        raise Refused(
            "schedule_retired", f"{draft.full_name} is retired; its name is not used again", hint="choose another name"
        )
    before = [] if known is None else definitions.revisions(tx, known.id)
    calendar = draft.calendar
    assert calendar is not None
    zone_digest = None
    if calendar.zone is not None:
        zone_digest = _kept_rules(tx, draft, calendar, known.active if known else None, before)
    new = revise(
        draft, pattern_digest=pattern.digest(), zone_digest=zone_digest, horizon_us=tx.policy.misfire_horizon_us
    )
    if known is not None and (same := definitions.same_revision(tx, known.id, new.digest())):
        return Defined("schedule", draft.full_name, "unchanged", str(same))
    schedule = known.id if known else definitions.new_schedule(tx, draft.authority, draft.name, owner=owner)
    number, at = len(before) + 1, tx.decided_at()
    definitions.store_revision(tx, schedule, new, number=number, pattern_=pattern_id, at=at)
    tx.record(
        "schedule.defined", at, {"revision": number, "digest": new.digest(), "origin": draft.origin}, schedule=schedule
    )
    changes = tuple(_differences(before[-1].definition, new)) if before else ()
    return Defined("schedule", draft.full_name, "revision" if before else "new", str(number), changes)


def _runnable(tx: Transaction, draft: ScheduleDraft) -> tuple[int, Pattern]:
    version = f"{draft.pattern_key}@{draft.pattern_revision}"
    found = definitions.pattern(tx, draft.pattern_key, draft.pattern_revision)
    if found is None:
        others = definitions.pattern_revisions(tx, draft.pattern_key)
        have = f"; revisions of {draft.pattern_key} that are: {', '.join(others)}" if others else ""
        raise Refused(
            "no_pattern",
            f"{draft.full_name}: there is no pattern {version} in this ledger{have}",
            hint="define it in the same call",
            pattern=version,
        )
    if len(found[1].executable_stations) != 1 or len(found[1].stations) != 2:
        raise Refused(
            "many_stations",
            f"{draft.full_name}: pattern {version} has {len(found[1].stations)} stations; "
            "this version runs one station and an end",
            hint="the pattern is kept; a Schedule can name it once workflows run",
            pattern=version,
        )
    return found


def _kept_rules(
    tx: Transaction, draft: ScheduleDraft, calendar: CalendarDraft, active: int | None, before: list[definitions.Stored]
) -> str:
    """The digest of the rules that the revision keeps; the host's are stored when they are the ones. Raises
    KeptRulesDamaged: host rules never stand in (CAL-06).
    """
    assert calendar.host_rules is not None
    if calendar.zone_rules == "host":
        return definitions.keep_rules(tx, calendar.host_rules)
    if calendar.zone_rules != "keep":
        if not definitions.rules_are_kept(tx, calendar.zone_rules):
            raise Refused(
                "no_rules",
                f"{draft.full_name}: zone rules sha256:{calendar.zone_rules} are not kept in this ledger",
                hint='zone_rules = "host" keeps those of this host',
            )
        return calendar.zone_rules
    newest_first = sorted(before, key=lambda stored: (stored.id == active, stored.number), reverse=True)
    for stored in newest_first:
        if stored.definition.zone == calendar.zone and stored.definition.zone_digest is not None:
            kept_zone(tx.connection, bytes.fromhex(stored.definition.zone_digest), draft.full_name)
            return stored.definition.zone_digest
    return definitions.keep_rules(tx, calendar.host_rules)


def _differences(old: Definition, new: Definition) -> Iterator[str]:
    """The dotted keys of the canonical form that differ."""
    yield from _compare(old.canonical(), new.canonical(), "")


def _compare(old: object, new: object, path: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _compare(old.get(key), new.get(key), f"{path}.{key}" if path else str(key))
    elif old != new:
        yield path
