"""The zone source: where the host's zone rules come from (ruling 9 of the design, CAL-01).

It is the ``tzdata`` package, or the directory that SPELLWEAVER_ZONES names. A zone is a name in the source's list, in
exact case; a near miss is named and never used. The host's own zone (``localtime``, TZ) is no source. Ledgers keep the
bytes that a Schedule was defined with (CAL-04): definitions and ``doctor`` read this, firings never do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache

VARIABLE = "SPELLWEAVER_ZONES"
NOT_ZONES = frozenset({"localtime", "posixrules", "Factory"})
NOT_ZONE_TREES = ("posix", "right")
_REMEDY = f"install the tzdata package, or set {VARIABLE} to a directory of TZif files"
_LIMIT = 1 << 20  # bytes; the largest zone has four thousand


class UnknownZone(ValueError):
    """The zone source has no such zone, or nothing at all: a sentence that says which and what to do."""


def names() -> tuple[str, ...]:
    """Every zone name, ascending. Raises UnknownZone when the source has none."""
    return tuple(_files(_root()))


def rules(name: str) -> bytes:
    """The TZif bytes of a zone. Raises UnknownZone, naming the nearest zone that there is."""
    files = _files(_root())
    if name not in files:
        raise UnknownZone(_why_not(name, tuple(files)))
    try:
        return _read(files[name])
    except OSError as error:
        raise UnknownZone(f"zone {name!r} can't be read from {files[name]}: {error.strerror}") from None


def source() -> str:
    """The source in words, with its version: ``tzdata 2026f``, or the directory. Raises nothing."""
    directory = os.environ.get(VARIABLE)
    if not directory:
        try:
            from tzdata import IANA_VERSION  # type: ignore[import-untyped]
        except ImportError:
            return "no zone rules (the tzdata package is missing)"
        return f"tzdata {IANA_VERSION}"
    return f"{directory}{_version(directory)}"


def _version(directory: str) -> str:
    """What a tz directory says of itself: zic installs ``+VERSION`` or the first line of ``tzdata.zi``."""
    for name in ("+VERSION", "tzdata.zi"):
        try:
            with open(os.path.join(directory, name), encoding="ascii") as file:
                words = file.readline(80).removeprefix("# version").split()
        except (OSError, UnicodeDecodeError):
            continue
        if words:
            return f" ({words[0]})"
    return ""


def _root() -> tuple[str, bool]:
    """The directory of the source, and whether it is the package's."""
    directory = os.environ.get(VARIABLE)
    if directory:
        return os.path.abspath(directory), False
    try:
        import tzdata
    except ImportError:
        raise UnknownZone(f"there are no zone rules on this host: {_REMEDY}") from None
    return os.path.join(tzdata.__path__[0], "zoneinfo"), True


@lru_cache(maxsize=4)
def _files(root: tuple[str, bool]) -> dict[str, str]:
    """The files of the source by zone name, ascending; looked at once in a process."""
    directory, packaged = root
    listed = _listed(directory) if packaged else _walked(directory)
    found = {name: os.path.join(directory, name) for name in sorted(set(listed)) if _may_be_zone(name)}
    if not found:
        raise UnknownZone(f"there are no zone rules in {directory}: {_REMEDY}")
    return found


def _listed(directory: str) -> list[str]:
    try:
        with open(os.path.join(directory, os.pardir, "zones"), encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def _walked(directory: str) -> Iterator[str]:
    for folder, _, files in os.walk(directory):
        for file in files:
            path = os.path.join(folder, file)
            if os.path.isfile(path) and _begins_as_zone(path):
                yield os.path.relpath(path, directory)


def _begins_as_zone(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"TZif"
    except OSError:
        return False


def _may_be_zone(name: str) -> bool:
    return name not in NOT_ZONES and name.split("/")[0] not in NOT_ZONE_TREES


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_LIMIT)


def _why_not(name: str, known: tuple[str, ...]) -> str:
    if name in NOT_ZONES or name.startswith(("/", ".", "posix/", "right/", ":")) or name.endswith("/"):
        return f"zone {name!r} means something else on each host, or nothing; write one like Europe/Bratislava or UTC"
    from difflib import get_close_matches  # a fifth of the time of a light command, and seldom needed

    folded = {zone.casefold(): zone for zone in known}
    near = folded.get(name.casefold()) or next(iter(get_close_matches(name, known, n=1)), None)
    hint = f"did you mean {near}?" if near else "zones are those of the IANA tz database, such as Europe/Bratislava"
    return f"zone {name!r} is unknown to {source()}; {hint}"
