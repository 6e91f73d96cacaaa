"""Opening a ledger for decisions, and making one: of a file, or in memory for a simulation.

A new one is made beside its place, whole or not at all; an existing one is opened only when it is the newest that its
witness knows of (RCV-04).
"""

from __future__ import annotations

import contextlib
import os
import uuid
from typing import TYPE_CHECKING

import apsw

from spellweaver import files
from spellweaver.core.policy import HostPolicy
from spellweaver.core.schedule import canonical_json
from spellweaver.errors import DiskTrouble, Refused, TryAgain
from spellweaver.ledger import journal, migrate, observe, witness
from spellweaver.ledger.decide import Ledger
from spellweaver.safety import ledger_file, owners, volume

if TYPE_CHECKING:
    from spellweaver.clock import Clock


def open_ledger(path: str, clock: Clock, *, actor: str, unwitnessed: bool = False, alone: bool = False) -> Ledger:
    """Opens an existing ledger for decisions; one of an earlier version is brought to this one. ``alone``: the caller
    holds the daemon's lock. Raises NotFound, NotAuthorised, Unusable (also for one that is not the newest, unless
    ``unwitnessed``), DiskTrouble, TryAgain (also while a daemon works on one of an earlier version).
    """
    connection, beside = observe.open_file(path, apsw.SQLITE_OPEN_READWRITE, older=True), witness.beside(path)
    try:
        if not unwitnessed and (said := witness.read(beside)) is not None:
            witness.compare(connection, said, path)
        if observe.older(connection):
            _bring_over(connection, path, alone=alone)
    except BaseException as error:
        connection.close()
        if isinstance(error, apsw.Error):
            raise observe.trouble(error, path) from None
        raise
    return Ledger(connection, path, clock, actor, witness=beside)


def _bring_over(connection: apsw.Connection, path: str, *, alone: bool) -> None:
    """Takes the steps to this version; never under a daemon, which would go on by what an earlier version says."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(contextlib.nullcontext() if alone else files.locked(f"{path}.lock"))
        except TryAgain:
            raise TryAgain(
                "older_daemon",
                f"{path} is a ledger of an earlier version, and a daemon of that version works on it",
                hint="stop the daemon, and start it with this version",
                path=path,
            ) from None
        connection.set_busy_timeout(observe.OPENING_MS)
        migrate.climb(connection, path)
        connection.set_busy_timeout(0)


def accept_network(path: str, clock: Clock, *, actor: str) -> str | None:
    """An operator takes it upon himself to keep the ledger on the file system of a network that it lies on: the type,
    which goes on record; None where it lies on none, or that stands there already. Raises as ``open_ledger``.
    """
    network = volume.network(os.path.dirname(path) or ".")
    if network is None:
        return None
    connection = observe.open_file(path, apsw.SQLITE_OPEN_READWRITE, any_file_system=True)
    with contextlib.closing(Ledger(connection, path, clock, actor)) as ledger, ledger.decide(unsettled=True) as tx:
        if observe.accepted(connection, network):
            return None
        tx.record("ledger.network_accepted", tx.decided_at(), {"file_system": network})
    return network


def judge_place(path: str, *, any_file_system: bool) -> str | None:
    """Whether a ledger could be made there; nothing is made. Returns the type of an accepted network's file system.
    Raises Refused, Unusable, Usage.
    """
    ledger_file.check_name(path)
    folder = os.path.dirname(path) or "."
    network = volume.network(folder)
    if network is not None and not any_file_system:
        raise volume.refuse_network(path, network)
    owners.check_state(folder) if os.path.lexists(folder) else owners.check_above(folder)
    if os.path.lexists(path):
        raise Refused("ledger_exists", f"there is a ledger at {path} already", hint="spellweaver status", path=path)
    return network


def create_ledger(path: str, clock: Clock, *, actor: str, machine: str, any_file_system: bool = False) -> Ledger:
    """Makes a new ledger in a private directory, whole or not at all. Raises Refused where one stands already,
    Unusable (also on a network's file system, unless that is accepted), DiskTrouble.
    """
    network = judge_place(path, any_file_system=any_file_system)
    folder = os.path.dirname(path) or "."
    owners.make_private(folder)
    half = f"{path}.{os.getpid()}.new"
    try:
        os.close(os.open(half, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        connection = apsw.Connection(half)
        found = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if found != ("wal",):
            raise DiskTrouble(
                "no_wal",
                f"{path}: write-ahead mode can't be had here ({found})",
                hint="choose a local disk with --ledger",
                path=path,
            )
        _lay_out(connection, clock, actor=actor, kind="real", machine=machine, network=network)
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        connection.close()
        os.link(half, path)  # fails if another init was quicker; rename would take its place
    except FileExistsError:
        raise Refused(
            "ledger_exists", f"there is a ledger at {path} already", hint="spellweaver status", path=path
        ) from None
    except OSError as error:
        raise DiskTrouble("ledger_not_made", f"{path} can't be made: {error.strerror}", path=path) from None
    except apsw.Error as error:
        raise observe.trouble(error, path) from None
    finally:
        for leftover in (half, f"{half}-wal", f"{half}-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(leftover)
    files.sync_directory(folder)
    ledger = open_ledger(path, clock, actor=actor, unwitnessed=True)  # one of an earlier ledger may lie there still
    witness.write(witness.beside(path), witness.of(ledger.connection))
    return ledger


def memory_ledger(clock: Clock, *, actor: str, copy_of: str | None = None) -> Ledger:
    """A ledger of kind ``simulated`` in memory: empty, or a copy of the one at a path, which is only read (SIM-01)."""
    connection = apsw.Connection(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    if copy_of is None:
        _lay_out(connection, clock, actor=actor, kind="simulated", machine="simulated")
    else:
        try:
            with observe.observe(copy_of) as source, connection.backup("main", source.connection, "main") as backup:
                backup.step(-1)
            connection.execute("UPDATE ledger SET kind = 'simulated'")
        except apsw.Error as error:
            raise observe.trouble(error, copy_of) from None
    return Ledger(connection, ":memory:", clock, actor)


def _lay_out(
    connection: apsw.Connection, clock: Clock, *, actor: str, kind: str, machine: str, network: str | None = None
) -> None:
    ledger = Ledger(connection, ":memory:", clock, actor)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(migrate.newest())
    connection.execute(f"PRAGMA application_id = {observe.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {observe.VERSION}")
    now = clock.now()
    name = str(uuid.uuid4()) if kind == "real" else "simulated"
    connection.execute("INSERT INTO ledger VALUES (1, ?, ?, ?, ?, ?, 0, 0)", (name, kind, machine, now, now))
    policy = HostPolicy()
    connection.execute("INSERT INTO policy VALUES (1, ?, ?, ?)", (canonical_json(policy.canonical()), now, actor))
    connection.execute("INSERT INTO account VALUES ('workers', ?)", (policy.workers,))
    entries = [journal.Entry(now, "ledger.made", ledger.actor, {"id": name, "kind": kind, "machine": machine})]
    if network is not None:
        entries.append(journal.Entry(now, "ledger.network_accepted", ledger.actor, {"file_system": network}))
    journal.write(connection, entries, seq=0, previous=journal.START)
    connection.execute("COMMIT")
