"""``ledger adopt``: makes sure that nobody works on the ledger and that it is sound, and takes it on as it is.

An older copy does not know of attempts that were made after it. Their folders are set aside, since its own next
attempts will have the same numbers, and a status found there would be taken for theirs. While one of them still runs,
nothing is adopted.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from spellweaver import files
from spellweaver.core.identity import AttemptId
from spellweaver.engine.adopt import Adopted, adopt
from spellweaver.errors import Refused, Unusable
from spellweaver.host import attempt
from spellweaver.host.machine import machine
from spellweaver.ledger import witness
from spellweaver.ledger.audit import laws
from spellweaver.ledger.decide import Ledger
from spellweaver.ledger.opening import open_ledger
from spellweaver.safety import ledger_file
from spellweaver.service import lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.clock import Clock
    from spellweaver.ledger.witness import Witness
    from spellweaver.service.run import Site

ASIDE = ".unknown"


@dataclass(frozen=True, slots=True)
class Taken:
    """``ledger`` is its id, ``done`` what was adopted (None: nothing had to be), ``aside`` attempts of the history that
    it does not have.
    """

    ledger: str
    done: Adopted | None
    aside: tuple[AttemptId, ...]


def take(site: Site, *, clock: Clock, actor: str, why: str, confirm: str | None, dry_run: bool) -> Taken:
    """``confirm`` is the name of the ledger: the first eight characters of its id.

    Raises Refused (not confirmed, or an attempt that it does not know of still runs), Unusable (not sound), TryAgain (a
    daemon runs), NotFound, NotAuthorised, DiskTrouble.
    """
    ledger_file.check_owned(site.ledger)
    with lock.held(site.lock, socket=None, clock=clock, program=site.program):
        ledger = open_ledger(site.ledger, clock, actor=actor, unwitnessed=True, alone=True)
        with contextlib.closing(ledger):
            _refuse_unsound(ledger)
            name, here, seen = witness.of(ledger.connection).ledger, machine()[0], _seen(site.ledger)
            unknown = _unknown(site.attempts, ledger)
            if ledger.machine == here and _agrees(ledger, seen) and not unknown:
                return Taken(name, None, ())
            if confirm != name[:8] and not dry_run:
                raise Refused(
                    "adopt_unconfirmed",
                    f"{site.ledger} is ledger {name[:8]}; adopting it can't be undone, so it must be named",
                    hint=f"spellweaver ledger adopt --confirm {name[:8]} --reason …",
                    ledger=name,
                )
            with ledger.decide(dry_run=dry_run, unsettled=True) as tx:
                done = adopt(tx, machine=here, seen=seen, why=why)
                if not dry_run:
                    _set_aside(site.attempts, unknown)
            return Taken(name, done, tuple(unknown))


def _refuse_unsound(ledger: Ledger) -> None:
    if found := laws.audit(ledger.connection):
        raise Unusable(
            "ledger_unsound",
            f"{ledger.path} is not sound ({found[0].sentence}); only a sound ledger is adopted",
            hint="spellweaver ledger check", path=ledger.path, findings=[each.id for each in found],
        )  # fmt: skip


def _seen(ledger: str) -> Witness | None:
    """What the witness says; nothing, if it can't be read."""
    with contextlib.suppress(Unusable):
        return witness.read(witness.beside(ledger))
    return None


def _agrees(ledger: Ledger, seen: Witness | None) -> bool:
    """Whether the ledger would be opened as it is."""
    if seen is None:
        return not os.path.lexists(witness.beside(ledger.path))
    try:
        witness.compare(ledger.connection, seen, ledger.path)
    except Unusable:
        return False
    return True


def _unknown(folder: str, ledger: Ledger) -> list[AttemptId]:
    """Attempts with a folder that the ledger does not know of. Raises Refused while one of them runs."""
    last = ledger.last_attempt
    found = []
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        with contextlib.suppress(ValueError):
            which = AttemptId.parse(name)
            if which > last:
                found.append(AttemptId(which))
    running = [which for which in sorted(found) if not attempt.lock_is_free(f"{folder}/{which}")]
    if running:
        raise Refused(
            "unknown_runs",
            f"{', '.join(map(str, running))} still run, and this ledger, being older, does not know of them",
            hint=f"wait for them, or end them: ps -ef | grep {folder}",
            attempts=[str(which) for which in running],
        )
    return sorted(found)


def _set_aside(folder: str, unknown: list[AttemptId]) -> None:
    for which in unknown:
        place, number = f"{folder}/{which}{ASIDE}", 1
        while os.path.lexists(place):
            number += 1
            place = f"{folder}/{which}{ASIDE}-{number}"
        os.rename(f"{folder}/{which}", place)
    if unknown:
        files.sync_directory(folder)
