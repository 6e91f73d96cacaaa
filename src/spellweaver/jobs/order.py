"""From a launch to an order for the keeper: the attempt's folder, who runs it, and all that it is told."""

from __future__ import annotations

import os

from spellweaver.core.launch import NeverStarted
from spellweaver.errors import SpellweaverError
from spellweaver.host import attempt, cgroup, handover, user
from spellweaver.host.keeper import Order
from spellweaver.jobs import environment, permission, secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.core.launch import Launch


def prepare(launch: Launch, folder: str) -> Order | NeverStarted:
    """Makes the folder and says what to run; NeverStarted where this host does not give what the binding asks for.

    Raises OSError, FileExistsError among them when the attempt has a folder already.
    """
    how = launch.binding
    if found := permission.fault(how):
        return NeverStarted(launch.attempt, found[0], detail=found[1])
    who = user.named(how.user) if how.user is not None else None
    try:
        told = secrets.resolve(how.env_from, owners={0, os.geteuid(), *({who.uid} if who else ())})
    except secrets.NoSecret as error:
        return NeverStarted(launch.attempt, "secret", detail=str(error))
    attempt.prepare(folder, launch.input)
    place = folder
    if who is not None:
        try:
            place = handover.make(folder, launch.input, who.uid, who.gid)
        except SpellweaverError as error:
            return NeverStarted(launch.attempt, "user", detail=error.message)
    return Order(
        folder, how.command, environment.build(launch, place, who, told), how.cwd, timeout_us=how.timeout_us,
        grace_us=how.grace_us, place=place, user=None if who is None else (who.name, who.uid, who.gid, who.groups),
        umask=how.umask, nice=how.nice,
    )  # fmt: skip


def abandon(order: Order) -> None:
    """No shim took it, or it ended before its command could pass the gate: what only a shim clears away goes."""
    if order.place != order.folder:
        handover.remove(order.place)
    if group := cgroup.of(order.folder):
        cgroup.kill_all(group)
        cgroup.wait_until_empty(group)
        cgroup.remove(group)
