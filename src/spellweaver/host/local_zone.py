"""The name of the zone that this host's clock on the wall shows, as its files say it. Only an import asks: a Schedule
names its own zone (CAL-01).
"""

from __future__ import annotations

import os


def local_zone(root: str = "/etc") -> str | None:
    """``Europe/Bratislava``, ``UTC`` where nothing is set up; None where the files hold rules without a name."""
    try:
        _, found, name = os.path.realpath(f"{root}/localtime", strict=True).partition("/zoneinfo/")
    except OSError:
        return "UTC"
    if found:
        return name
    try:
        with open(f"{root}/timezone", encoding="ascii") as file:
            return file.read(256).strip() or None
    except (OSError, UnicodeDecodeError):
        return None
