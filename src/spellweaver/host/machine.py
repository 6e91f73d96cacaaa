"""Which machine this is: what a ledger is tied to, so that a copy on another one is noticed (design, ruling 6)."""

from __future__ import annotations

import os
from hashlib import sha256

PLACES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
SALT = (
    b"spellweaver ledger\n"  # machine-id(5): the id itself is confidential; what is kept is a hash with a salt of ours
)


def machine(places: tuple[str, ...] = PLACES) -> tuple[str, str]:
    """(a name of this machine, where it comes from): the hashed machine id, else the hashed host name, which may
    change.
    """
    for path in places:
        try:
            with open(path, encoding="ascii") as file:
                said = file.read(64).strip()
        except (OSError, UnicodeDecodeError):
            continue
        if said and said != "uninitialized":
            return sha256(SALT + said.encode()).hexdigest()[:32], path
    return sha256(SALT + os.uname().nodename.encode()).hexdigest()[:32], "the host name"
