"""What lies below a place: the kind of file system, and whether there is room.

A network file system is refused, since the locks and the shared memory of write-ahead mode mean nothing there.
"""

from __future__ import annotations

import os

from spellweaver.errors import Unusable

MOUNTS = "/proc/self/mountinfo"
NETWORK = frozenset((
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "fuse", "fuseblk", "virtiofs", "vboxsf", "afs", "coda",
    "lustre", "beegfs", "orangefs", "gpfs",
))  # fmt: skip
FULL_BELOW = 16 * 1024  # bytes: less than a few pages of a ledger
GROWS_BY = 8 << 20  # bytes that the log of a ledger may grow by at once


def file_system(path: str) -> tuple[str, str] | None:
    """(type, mount point) of the file system that a directory lies on, or will lie on; None where the kernel does not
    say.
    """
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        above = os.path.dirname(path)
        return file_system(above) if above != path else None
    except OSError:
        return None
    try:
        facts = _small(f"/proc/self/fdinfo/{fd}").split()
        mount = facts[facts.index(b"mnt_id:") + 1] + b" "
        line = next(line for line in _small(MOUNTS).splitlines() if line.startswith(mount))
    except (OSError, ValueError, StopIteration):
        return None
    finally:
        os.close(fd)
    before, _, after = line.partition(b" - ")
    point = before.split()[4].decode("unicode_escape").encode("latin-1")  # proc(5): blanks stand as \040
    return after.split()[0].decode(), os.fsdecode(point)


def network(path: str) -> str | None:
    """The type of the file system that a directory lies on, where it is one of a network or a FUSE; else None."""
    found = file_system(path)
    return found[0] if found and (found[0] in NETWORK or found[0].startswith("fuse.")) else None


def refuse_network(path: str, kind: str) -> Unusable:
    """The refusal of a ledger at ``path``."""
    return Unusable(
        "network_file_system",
        f"{path} is on a network file system ({kind}), where the locks of a ledger can't be relied on. "
        "Nothing was written",
        hint="put the ledger on a local disk with --ledger; or spellweaver run --accept-network-file-system",
        path=path, file_system=kind,
    )  # fmt: skip


def no_room(path: str) -> str | None:
    """Why nothing can be written beside ``path`` though its directory may be, in words; None when that is not so."""
    try:
        facts = os.statvfs(os.path.dirname(path) or ".")
    except OSError:
        return None
    if facts.f_flag & os.ST_RDONLY:
        return "the file system is mounted read-only"
    if facts.f_blocks and facts.f_bavail * facts.f_frsize < FULL_BELOW:
        return "the disk is full"
    if facts.f_files and not facts.f_favail:
        return "the disk has no inode free"
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit != resource.RLIM_INFINITY and limit < max(_size(path), _size(f"{path}-wal")) + GROWS_BY:
        return f"files may not pass {limit // 1024} KiB here (ulimit -f)"
    return None


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _small(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = b""
        while chunk := os.read(fd, 1 << 16):
            data += chunk
        return data
    finally:
        os.close(fd)
