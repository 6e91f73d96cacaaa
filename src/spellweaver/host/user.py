"""Accounts: who runs this, and who a command may be made to run as, by the account database."""

from __future__ import annotations

import os
import pwd
from typing import NamedTuple


class Account(NamedTuple):
    """``groups`` are all that it belongs to, its own among them."""

    uid: int
    gid: int
    name: str
    home: str
    groups: tuple[int, ...]


def account() -> Account:
    """Of the effective uid. One that the database does not know (a container's) is named by its number and lives in
    ``/``.
    """
    uid = os.geteuid()
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return Account(uid, os.getegid(), str(uid), "/", tuple(os.getgroups()))
    return Account(uid, os.getegid(), entry.pw_name, entry.pw_dir or "/", tuple(os.getgroups()))


def named(name: str) -> Account | None:
    """The account of this name; None where this host has none."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(
        entry.pw_uid, entry.pw_gid, entry.pw_name, entry.pw_dir or "/", tuple(os.getgrouplist(name, entry.pw_gid))
    )
