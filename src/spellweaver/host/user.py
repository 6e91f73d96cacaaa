"""Who runs this: uid, and what the account database says of it."""

from __future__ import annotations

import os
import pwd
from typing import NamedTuple


class Account(NamedTuple):
    """Of the effective uid: jobs run as it, never as more."""

    uid: int
    name: str
    home: str


def account() -> Account:
    """A uid that the database does not know (a container's) is named by its number and lives in ``/``."""
    uid = os.geteuid()
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return Account(uid, str(uid), "/")
    return Account(uid, entry.pw_name, entry.pw_dir or "/")
