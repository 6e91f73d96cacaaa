"""What systemd is told and asked: sd_notify(3), and whether standard error is the journal (systemd.exec(5),
JOURNAL_STREAM)."""

from __future__ import annotations

import os
import socket


def notify(state: str) -> bool:
    """Sends ``READY=1``, ``STOPPING=1``, ``STATUS=…`` to the supervisor; False where none listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]  # an abstract name
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.setblocking(False)
        try:
            door.sendto(state.encode("utf-8", "replace"), address)
        except OSError:
            return False
    return True


def stderr_is_journal() -> bool:
    """True where each line of standard error becomes a journal entry: then no time is printed, and a level may be."""
    device, _, inode = os.environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        facts = os.fstat(2)
    except OSError:
        return False
    return (device, inode) == (str(facts.st_dev), str(facts.st_ino))
