"""Workflow versions as they are kept: their stations, how each is done here, and who is pinned to them."""

from __future__ import annotations

import json
from hashlib import sha256

from spellweaver.cli.values import At, Column
from spellweaver.errors import Unusable
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View


def all_of(view: View) -> list[Item]:
    """Every version, by key."""
    return [
        {
            "pattern": f"{key}@{revision}",
            "key": key,
            "revision": revision,
            "stations": stations,
            "schedules": schedules,
            "digest": digest,
            "defined_at": At(int(str(defined_at))),
        }
        for _, key, revision, digest, defined_at, stations, schedules in view.rows(load("pattern")["list"])
    ]


def one(view: View, pattern: int) -> Item:
    """A version with its stations and edges, each station's binding in force, and the revisions pinned to it. It must
    be there.
    """
    sql = load("pattern")
    _, key, revision, kept, snapshot, defined_at = _row(view, pattern)
    score = json.loads(snapshot)
    bound = {str(row[0]): row[1:] for row in view.rows(sql["bindings"], {"key": key, "revision": revision})}
    return {
        "pattern": f"{key}@{revision}",
        "key": key,
        "revision": revision,
        "digest": kept,
        "implementation_revision": score["implementation_revision"],
        "checkpoint_schema": score["checkpoint_schema"],
        "entry": score["entry"],
        "defined_at": At(defined_at),
        "stations": [_station(station, bound.get(station["key"])) for station in score["stations"]],
        "edges": [{name: edge[name] for name in ("source", "target", "relation")} for edge in score["edges"]],
        "schedules": [str(row[0]) for row in view.rows(sql["schedules"], (pattern,))],
    }


def digest(view: View, pattern: int) -> Item:
    """The digest, reckoned again over the kept bytes. Raises Unusable when it is not the kept one (PAT-6)."""
    _, key, revision, kept, snapshot, _ = _row(view, pattern)
    found = sha256(snapshot).hexdigest()
    if found != kept:
        raise Unusable(
            "pattern_damaged",
            f"{key}@{revision}: its kept bytes have the digest {found}, on record is {kept}",
            hint="restore a backup",
        )
    return {"pattern": f"{key}@{revision}", "digest": found, "source": "ledger"}


def _row(view: View, pattern: int) -> tuple[int, str, str, str, bytes, int]:
    row = view.row(load("pattern")["one"], (pattern,))
    assert row is not None, f"pattern version {pattern}"
    id_, key, revision, kept, snapshot, defined_at = row
    assert isinstance(id_, int) and isinstance(snapshot, bytes) and isinstance(defined_at, int)
    return id_, str(key), str(revision), str(kept), snapshot, defined_at


def _station(station: dict[str, str], bound: tuple[object, ...] | None) -> Item:
    from spellweaver.core.binding import binding

    how = binding(str(bound[2])) if bound else None
    return {
        "key": station["key"],
        "label": station["label"],
        "kind": station["kind"],
        "binding": None if how is None or bound is None else {
            "command": list(how.command), "timeout_us": how.timeout_us, "success": list(how.success), "cwd": how.cwd,
            "env": dict(how.env), "env_from": dict(how.env_from), "user": how.user, "umask": f"{how.umask:03o}",
            "nice": how.nice, "generation": bound[0], "digest": bound[1], "bound_at": At(int(str(bound[3]))),
        },
    }  # fmt: skip


LIST = (
    Column("PATTERN", "pattern"), Column("STATIONS", "stations", drop=2), Column("SCHEDULES", "schedules", drop=1),
    Column("DEFINED", "defined_at", drop=3), Column("DIGEST", "digest", drop=4),
)  # fmt: skip
FIELDS = (
    Column("PATTERN", "pattern"),
    Column("DIGEST", "digest"),
    Column("IMPLEMENTATION", "implementation_revision"),
    Column("CHECKPOINT", "checkpoint_schema"),
    Column("ENTRY", "entry"),
    Column("DEFINED", "defined_at"),
    Column("SCHEDULES", "schedules"),
)
STATIONS = (
    Column("STATION", "key"), Column("KIND", "kind"), Column("LABEL", "label", drop=2), Column("NEXT", "next", drop=1),
    Column("TIMEOUT", "timeout", drop=3), Column("COMMAND", "command"),
)  # fmt: skip
