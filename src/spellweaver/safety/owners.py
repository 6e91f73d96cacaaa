"""Who owns a place and who else may write it, up to the root.

The rules are those of cron and sudo for files of their own: what somebody else can write, rename or link is not
believed, and nobody makes or writes anything in a directory of another's, root neither.
"""

from __future__ import annotations

import os
import stat

from spellweaver.errors import DiskTrouble, Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def refuse_borrowed_identity() -> None:
    """Raises Unusable in a program that was made to run as somebody else than who started it (set-user-id)."""
    if os.getuid() != os.geteuid() or os.getgid() != os.getegid():
        raise Unusable(
            "set_user_id",
            f"started by uid {os.getuid()} but running as uid {os.geteuid()}: spellweaver never runs set-user-id",
            hint="take the set-user-id and set-group-id bits off; use sudo to act as another user",
        )


def check_private(path: str) -> None:
    """Refuses (Unusable) a directory or file of ours that is a link, that others may write, or whose owner is someone
    else.
    """
    facts = os.lstat(path)
    if stat.S_ISLNK(facts.st_mode):
        raise Unusable("state_is_link", f"{path} is a symbolic link; name the place itself", path=path)
    if facts.st_mode & OTHERS_WRITE:
        raise Unusable("state_writable", f"{path} {_writable(facts)}", hint=f"chmod go-w {path}", path=path)
    if facts.st_uid != os.geteuid():
        raise Unusable(
            "state_owner", owner_and_mode(path),
            hint=f"run as {who(facts.st_uid)}; or, as root, chown {os.geteuid()} {path}", path=path,
        )  # fmt: skip


def check_state(folder: str) -> None:
    """Refuses (Unusable) a state directory that is not private, or that somebody else could put another in place of:
    each directory above it belongs to root or to us, and nobody else may write it unless it is sticky.
    """
    check_private(folder)
    check_above(folder)


def make_private(folder: str) -> None:
    """Makes a directory of ours (0700, and so each missing one above it) where there is none, and checks it. Raises
    Unusable, and DiskTrouble when it can't be made.
    """
    check_above(folder)
    try:
        for each in (*_missing_above(folder), folder):
            os.mkdir(each, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise Unusable("state_not_directory", f"{folder} is not a directory", path=folder) from None
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise DiskTrouble(
            "state_not_made", f"{folder} can't be made: {said}", hint="name another place with --ledger", path=folder
        ) from None
    check_private(folder)


def fault_of_file(facts: os.stat_result) -> str | None:
    """Why an operator's file is not believed, in words: somebody else can change what it says. Whose it is doesn't
    matter, for he named it.
    """
    if facts.st_mode & OTHERS_WRITE and not _private_group(facts):
        return f"{_writable(facts)}; chmod go-w it"
    if facts.st_nlink > 1:
        return f"has {facts.st_nlink} names (hard links), so it can be changed under another one; copy it"
    return None


def owner_and_mode(path: str) -> str:
    """``/x/y belongs to alice (uid 1000), mode 0600, and this is uid 0``. Raises OSError."""
    facts = os.lstat(path)
    mode = stat.S_IMODE(facts.st_mode)
    return f"{path} belongs to {who(facts.st_uid)}, mode {mode:04o}, and this is uid {os.geteuid()}"


def who(uid: int) -> str:
    """``alice (uid 1000)``."""
    import pwd

    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def above(path: str) -> Iterator[str]:
    """The directories above a path, nearest first, without ``/``."""
    each = os.path.dirname(os.path.abspath(path))
    while each != os.path.dirname(each):
        yield each
        each = os.path.dirname(each)


def check_above(folder: str) -> None:
    """Refuses (Unusable) a way on which somebody else could put another directory in the place of this one.

    It is judged by the name given and by the one that links lead to. ``/`` is as it is.
    """
    for each in dict.fromkeys((*above(folder), *above(os.path.realpath(folder)))):
        try:
            facts = os.stat(each)
        except OSError:
            continue  # to be made, or out of reach: then the opening says so
        if facts.st_uid not in (0, os.geteuid()):
            raise Unusable(
                "state_way_owner",
                f"{each} belongs to {who(facts.st_uid)}, who could put another directory in the place of {folder}",
                hint=f"run as uid {facts.st_uid}, or name another place with --ledger", path=each,
            )  # fmt: skip
        if facts.st_mode & OTHERS_WRITE and not facts.st_mode & stat.S_ISVTX and not _private_group(facts):
            raise Unusable(
                "state_way_writable",
                f"{each} {_writable(facts)}, who could put another directory in the place of {folder}",
                hint=f"chmod go-w {each}", path=each,
            )  # fmt: skip


def _missing_above(folder: str) -> list[str]:
    return [each for each in reversed(list(above(folder))) if not os.path.lexists(each)]


def _private_group(facts: os.stat_result) -> bool:
    """Whether the group that may write is the owner's own and has nobody else in it, as many systems make one for each
    user.
    """
    if facts.st_mode & stat.S_IWOTH:
        return False
    import grp
    import pwd

    try:
        owner, group = pwd.getpwuid(facts.st_uid).pw_name, grp.getgrgid(facts.st_gid)
    except KeyError:
        return False
    return group.gr_name == owner and set(group.gr_mem) <= {owner}


def _writable(facts: os.stat_result) -> str:
    mode = f"(mode {stat.S_IMODE(facts.st_mode):04o})"
    if facts.st_mode & stat.S_IWOTH:
        return f"is writable by others {mode}"
    import grp

    try:
        group = f"group {grp.getgrgid(facts.st_gid).gr_name}"
    except KeyError:
        group = f"group {facts.st_gid}"
    return f"is writable by {group} {mode}"
