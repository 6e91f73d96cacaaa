"""The environment and the state directory: what is unsafe is refused with its reason and a next command, what can be
read is read, and nothing is written where it may not be.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from spellweaver.clock import SystemClock
from spellweaver.host import kernel
from spellweaver.ledger import decide, observe
from spellweaver.ledger.audit import laws
from spellweaver.ledger.opening import open_ledger
from spellweaver.safety import volume
from tests.support.hostile import contents, refused, state
from tests.support.others import NOBODY, OTHER, as_root, as_user, everybodys_place, on_own_disk
from tests.support.program import SRC, call, process

EXAMPLES = SRC.parent / "examples"
PROBE = f"{EXAMPLES}/probe.toml"
READS = (
    ("status",), ("next",), ("schedule", "list"), ("occurrence", "list"), ("invocation", "list"), ("events",),
    ("explain", "nightly@latest"), ("policy", "show"), ("pattern", "list"), ("simulate", "--for", "1h"),
)  # fmt: skip
WRITES = (
    ("define", PROBE), ("bind", PROBE), ("activate", "nightly"), ("policy", "apply", f"{EXAMPLES}/policy.toml"),
    ("tick", "--no-wait"), ("run", "--for", "1s"),
)  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return state(tmp_path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state directory that tests copy."""
    return state(tmp_path_factory.mktemp("template")).parent


@pytest.fixture
def place(template: Path) -> Iterator[Path]:
    """The same where every user can come to, of user NOBODY."""
    with everybodys_place() as made:
        folder = made / "state"
        shutil.copytree(template, folder)
        for each in (made, folder, *folder.iterdir()):
            os.chown(each, NOBODY, NOBODY)
        yield folder / "ledger.db"


def denied(ledger: Path, status: int, *words: str, lines: tuple[tuple[str, ...], ...] = WRITES) -> None:
    """Each command is refused so, and everything stays as it is."""
    before = contents(ledger.parent)
    for line in lines:
        refused(call(*line, ledger=ledger), status, *words)
    assert contents(ledger.parent) == before


def readable(ledger: Path) -> None:
    before = contents(ledger.parent)
    for line in READS:
        done = call(*line, ledger=ledger)
        assert done.status in (0, 4) and "fault" not in done.err, done.err
    assert contents(ledger.parent) == before


# who owns it, and who may write it


@pytest.mark.parametrize(("mode", "words"), [(0o770, "is writable by group"), (0o777, "is writable by others")])
def test_a_state_directory_that_others_may_write(mode: int, words: str, ledger: Path) -> None:
    ledger.parent.chmod(mode)
    denied(ledger, 78, words, f"(mode {mode:04o})", f"chmod go-w {ledger.parent}")
    readable(ledger)


def test_a_ledger_that_others_may_write(ledger: Path) -> None:
    ledger.chmod(0o622)
    denied(ledger, 78, f"{ledger} is writable by", f"chmod go-w {ledger}")
    readable(ledger)


def test_a_log_that_others_may_write(ledger: Path) -> None:
    Path(f"{ledger}-wal").chmod(0o666)
    denied(ledger, 78, f"{ledger}-wal is writable by others")
    readable(ledger)


def test_a_state_directory_behind_a_link(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ledger.parent)
    denied(tmp_path / "link" / "ledger.db", 78, "is a symbolic link; name the place itself")
    readable(tmp_path / "link" / "ledger.db")
    refused(call("init", ledger=tmp_path / "link" / "new.db"), 78, "is a symbolic link")


def test_a_way_that_others_may_change(tmp_path: Path) -> None:
    (tmp_path / "way").mkdir()
    ledger = state(tmp_path / "way")
    (tmp_path / "way").chmod(0o777)
    denied(ledger, 78, "way is writable by others", "could put another directory in the place of")
    refused(call("init", ledger=tmp_path / "way" / "new" / "ledger.db"), 78, "way is writable by others")
    assert not (tmp_path / "way" / "new").exists()
    (tmp_path / "way").chmod(0o1777)  # sticky, as /tmp: nobody takes away what is another's
    assert call("activate", "nightly", ledger=ledger).status == 0


def test_a_way_through_a_link_is_judged_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real" / "open").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "open")
    ledger = state(tmp_path / "link")
    assert call("activate", "nightly", ledger=ledger).status == 0
    (tmp_path / "real").chmod(0o777)
    denied(ledger, 78, "real is writable by others")


@as_root
def test_a_state_directory_of_somebody_else(place: Path) -> None:
    """Root, too, makes and writes nothing there, but may read; the owner works as before."""
    denied(place, 78, f"belongs to nobody (uid {NOBODY})", "and this is uid 0", "run as nobody")
    readable(place)
    refused(call("init", ledger=place.parent / "new.db"), 78, f"belongs to nobody (uid {NOBODY})")
    refused(call("init", ledger=place.parent / "new" / "ledger.db"), 78, f"belongs to nobody (uid {NOBODY})")
    refused(call("demo", ledger=place), 78, f"belongs to nobody (uid {NOBODY})")
    done = as_user(NOBODY, "activate", "nightly", ledger=place)
    assert done.status == 0, done.err
    assert all(each.stat().st_uid == NOBODY for each in place.parent.iterdir())


@as_root
def test_root_reads_before_the_owner_has_a_log_and_leaves_it_to_him(place: Path) -> None:
    for beside in ("-wal", "-shm"):
        Path(f"{place}{beside}").unlink(missing_ok=True)
    assert call("status", ledger=place).status == 0
    made = [each for each in place.parent.iterdir() if each.name.endswith(("-wal", "-shm"))]
    assert all(each.stat().st_uid == NOBODY for each in made)
    assert as_user(NOBODY, "activate", "nightly", ledger=place).status == 0


@as_root
def test_a_private_directory_of_somebody_else_says_who_may(place: Path) -> None:
    for line in (("status",), ("activate", "nightly"), ("backup", "/tmp/never.db")):
        refused(
            as_user(OTHER, *line, ledger=place), 77, f"can't be reached by uid {OTHER}",
            f"{place.parent} belongs to nobody (uid {NOBODY}), mode 0700", "run as the owner of the ledger",
        )  # fmt: skip


@as_root
@pytest.mark.parametrize("beside", ["-wal", "-shm"])
def test_a_log_of_somebody_else_is_named_with_owner_and_mode(beside: str, place: Path) -> None:
    """As left by a command that once ran as root."""
    for each in ("-wal", "-shm"):
        Path(f"{place}{each}").touch(mode=0o600)
    os.chown(f"{place}{beside}", 0, 0)
    for line in (("activate", "nightly"), ("tick", "--no-wait")):
        words = f"{place}{beside} belongs to root (uid 0), mode 0600, and this is uid {NOBODY}"
        refused(as_user(NOBODY, *line, ledger=place), 78, words, f"chown {NOBODY}")
    seen = as_user(NOBODY, "status", ledger=place)
    refused(seen, 74, f"{place}{beside} belongs to root (uid 0), mode 0600", "ls -ld")


@as_root
def test_a_program_that_was_made_set_user_id(place: Path) -> None:
    for line in (("status",), ("init",), ("version",), ("activate", "nightly")):
        refused(as_user(NOBODY, *line, ledger=place, real=OTHER), 78, "never runs set-user-id", "use sudo")
    assert as_user(NOBODY, "__names", "schedules", "n", real=OTHER).out == ""


def test_whatever_the_umask_what_is_made_is_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        ledger = tmp_path / "a" / "b" / "state" / "ledger.db"
        assert call("init", "--example", ledger=ledger).status == 0
        assert call("tick", "--no-wait", ledger=ledger).status == 0
        assert call("backup", str(tmp_path / "copy.db"), ledger=ledger).status == 0
    finally:
        os.umask(before)
    for each in (tmp_path / "a").rglob("*"):
        assert each.stat().st_mode & 0o777 == (0o700 if each.is_dir() else 0o600), each
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


# what lies there


def test_a_ledger_with_two_names(ledger: Path, tmp_path: Path) -> None:
    os.link(ledger, tmp_path / "other.db")
    denied(ledger, 78, "has 2 names (hard links)", "-samefile", lines=READS + WRITES)
    os.unlink(tmp_path / "other.db")
    readable(ledger)


def test_names_that_an_init_left_when_it_was_killed_do_no_harm(ledger: Path) -> None:
    os.link(ledger, f"{ledger}.4711.new")
    assert call("activate", "nightly", ledger=ledger).status == 0


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _device(path: Path) -> None:
    os.mknod(path, 0o020600, os.makedev(1, 5))


NO_FILE = [(_fifo, "is not a regular file"), (_directory, "is not a regular file"), (_link, "is a symbolic link")]


@pytest.mark.parametrize(("make", "words"), NO_FILE, ids=["fifo", "directory", "link"])
@pytest.mark.parametrize("which", ["", "-wal", "-shm"])
def test_what_is_no_regular_file_is_not_opened(
    which: str, make: Callable[[Path], None], words: str, ledger: Path
) -> None:
    target = Path(f"{ledger}{which}")
    target.rename(f"{target}.away") if target.exists() else None
    make(target)
    denied(ledger, 78, f"{target} {words}", lines=READS + WRITES)


@as_root
def test_a_device_is_not_opened(ledger: Path) -> None:
    ledger.unlink()
    try:
        _device(ledger)
    except PermissionError:
        pytest.skip("no devices can be made here")
    denied(ledger, 78, "is not a regular file", lines=READS + WRITES)


def test_a_rollback_journal_is_not_played_back(ledger: Path) -> None:
    Path(f"{ledger}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(504))
    denied(ledger, 78, f"{ledger}-journal: a rollback journal", f"mv {ledger}-journal", lines=READS + WRITES)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is not a spellweaver ledger"), (b"hello\n", "is damaged"), (b"SQLite format 3\0" + bytes(84), "")],
    ids=["empty", "text", "a header alone"],
)
def test_what_is_no_ledger_is_left_as_it_is(content: bytes, words: str, ledger: Path) -> None:
    for each in ledger.parent.iterdir():
        each.unlink()
    ledger.write_bytes(content)
    ledger.chmod(0o600)
    denied(ledger, 78, words, lines=READS + WRITES)


def test_another_programs_database_is_left_as_it_is(ledger: Path) -> None:
    for each in ledger.parent.iterdir():
        each.unlink()
    other = apsw.Connection(str(ledger))
    other.execute("PRAGMA journal_mode = WAL").fetchall()
    other.execute("CREATE TABLE t (a)")
    other.close()
    ledger.chmod(0o600)
    before = ledger.read_bytes()
    for line in READS + WRITES:
        refused(call(*line, ledger=ledger), 78, "is not a spellweaver ledger", "--ledger")
    assert ledger.read_bytes() == before
    assert {each.name: each.stat().st_size for each in ledger.parent.iterdir() if each.name.endswith("-wal")} in (
        {}, {"ledger.db-wal": 0},
    ), "SQLite makes an empty log where it looks, and takes it away when nobody minds"  # fmt: skip


def test_a_ledger_whose_log_was_switched_off(ledger: Path) -> None:
    """RP-61: where write-ahead mode can't be had, that is an error and no silent way round."""
    connection = apsw.Connection(str(ledger))
    connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    connection.close()
    denied(ledger, 78, "journal_mode is delete", "wal and 2 (FULL) are needed", lines=READS + WRITES)


def test_rp_74_a_newer_ledger_names_both_versions_to_every_command(ledger: Path) -> None:
    """With an unknown column and an unknown word of state in it."""
    connection = apsw.Connection(str(ledger))
    connection.execute("ALTER TABLE schedule ADD COLUMN mood TEXT")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    for (trigger,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute("UPDATE schedule SET state = 'dreaming'")
    connection.execute(f"PRAGMA user_version = {observe.VERSION + 1}")
    connection.close()
    words = (f"ledger version {observe.VERSION + 1}", f"knows version {observe.VERSION}", "Nothing was written")
    denied(ledger, 78, *words, lines=READS + WRITES)


# the file system


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes the kernel call every file system by that type."""

    def call_it(kind: str) -> None:
        fake = tmp_path / "mounts"
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        fake.write_text("\n".join(f"{line.partition(' - ')[0]} - {kind} server:/x rw" for line in lines))
        monkeypatch.setattr(volume, "MOUNTS", str(fake))

    return call_it


KINDS = ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse", "fuse.sshfs", "fuseblk", "virtiofs", "ceph", "lustre"]


@pytest.mark.parametrize("kind", KINDS)
def test_rp_61_a_ledger_on_a_network_is_refused(kind: str, ledger: Path, network: Callable[[str], None]) -> None:
    network(kind)
    denied(ledger, 78, f"on a network file system ({kind})", "--accept-network-file-system", lines=READS[:2] + WRITES)
    refused(call("init", ledger=ledger.parent / "new" / "ledger.db"), 78, f"({kind})")
    refused(call("init", "--dry-run", ledger=ledger.parent / "new" / "ledger.db"), 78, f"({kind})")
    assert not (ledger.parent / "new").exists()


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "f2fs"])
def test_a_local_file_system_is_taken(kind: str, ledger: Path, network: Callable[[str], None]) -> None:
    network(kind)
    assert call("activate", "nightly", ledger=ledger).status == 0


def test_rp_61_an_override_goes_on_record_and_status_shows_it(
    tmp_path: Path, network: Callable[[str], None]
) -> None:
    network("nfs4")
    ledger = tmp_path / "state" / "ledger.db"
    assert call("init", "--accept-network-file-system", ledger=ledger).status == 0
    (event,) = call("events", "--type", "ledger.network_accepted", "--jsonl", ledger=ledger).out.splitlines()
    assert json.loads(event)["data"] == {"file_system": "nfs4"}
    assert call("define", PROBE, ledger=ledger).status == 0
    assert call("status", "--json", ledger=ledger).items[0]["network_file_system"] == "nfs4"
    assert "ledger  on nfs4: that its locks hold there is an operator's word" in call("status", ledger=ledger).err
    network("cifs")  # what was accepted is one kind
    refused(call("status", ledger=ledger), 78, "(cifs)")


def test_rp_61_a_run_may_be_told_to_stay(ledger: Path, network: Callable[[str], None]) -> None:
    network("9p")
    refused(call("run", "--for", "1s", ledger=ledger), 78, "(9p)")
    for _ in range(2):
        assert call("run", "--for", "1s", "-q", "--accept-network-file-system", ledger=ledger).status == 0
    assert len(call("events", "--type", "ledger.network_accepted", "--jsonl", ledger=ledger).out.splitlines()) == 1
    network("ext4")
    assert call("status", "--json", ledger=ledger).items[0]["network_file_system"] is None


def test_rp_61_a_ledger_without_write_ahead_mode_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoSharedMemory(apsw.VFS):
        def __init__(self) -> None:
            super().__init__("no-shm", "unix", makedefault=True)

        def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
            return Bare(name, flags)

    class Bare:
        """Over the real file without being one: then there is no shared memory."""

        def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
            self._file = apsw.VFSFile("unix", name, flags)

        def __getattr__(self, name: str) -> object:
            return getattr(self._file, name)

    disk = NoSharedMemory()
    try:
        done = call("init", ledger=tmp_path / "state" / "ledger.db")
    finally:
        disk.unregister()
    refused(done, 74, "write-ahead mode can't be had here", "choose a local disk")
    assert list((tmp_path / "state").iterdir()) == []


# room


def test_a_full_disk_loses_nothing_and_reads_go_on(tmp_path: Path) -> None:
    reads = "\n".join(f"try {' '.join(line)}" for line in READS)
    steps = on_own_disk(
        tmp_path,
        f"""
        mkdir -m 700 $M/s && program init --example -q && program activate nightly -q
        sha256sum $L >$M/before; dd if=/dev/zero of=$M/fill bs=4k status=none 2>/dev/null
        {reads}
        try define {PROBE}
        try activate nightly --dry-run
        try tick --no-wait
        try run --for 1s
        try backup $M/copy.db
        L=$M/t/ledger.db try init
        sha256sum --status -c $M/before || echo changed >&2
        rm $M/fill
        try ledger
        try doctor --full --json
        try define {PROBE}
        """,
    )
    said = {step.line.split()[0]: step for step in steps if step.status == 74}
    for step in steps:
        assert "Traceback" not in step.err and "fault" not in step.err, step
    reading = steps[: len(READS)]
    assert [step.status for step in reading if step.status not in (0, 4)] == []
    assert set(said) == {"define", "tick", "run", "backup", "init"}
    for step in said.values():
        assert "full" in step.err or "no space" in step.err.lower(), step
        assert "df -h" in step.err or "next:" in step.err, step
    assert steps[-1].status == 0
    found = json.loads(steps[-2].out)["items"]
    assert [each["id"] for each in found if each["state"] == "wrong" and each["id"] not in ("daemon", "room")] == []


def test_a_read_only_file_system(tmp_path: Path) -> None:
    """With log and shared memory beside it everything is read; without them it is said why not, and what to do."""
    reads = "\n".join(f"try {' '.join(line)}" for line in READS)
    steps = on_own_disk(
        tmp_path,
        f"""
        mkdir -m 700 $M/s && program init --example -q && program activate nightly -q
        mount -o remount,ro $M
        {reads}
        try doctor
        try define {PROBE}
        try tick --no-wait
        try run --for 1s
        mount -o remount,rw $M && rm $L-shm && mount -o remount,ro $M
        try status
        mount -o remount,rw $M && rm -f $L-shm $L-wal && mount -o remount,ro $M
        try status
        try tick --no-wait
        mkdir -m 700 {tmp_path}/copy && cp -p $L {tmp_path}/copy/ledger.db
        L={tmp_path}/copy/ledger.db try status
        """,
    )
    for step in steps:
        assert "Traceback" not in step.err and "fault" not in step.err, step
    assert [step.status for step in steps[: len(READS)] if step.status not in (0, 4)] == []
    rest = {f"{at} {step.line.split()[0]}": step for at, step in enumerate(steps[len(READS) :])}
    assert {name: step.status for name, step in rest.items()} == {
        "0 doctor": 1, "1 define": 74, "2 tick": 74, "3 run": 74, "4 status": 74, "5 status": 74, "6 tick": 74,
        "7 status": 0,
    }  # fmt: skip
    for name, step in rest.items():
        if step.status == 74:
            assert "mounted read-only" in step.err and ("ls -l" in step.err or "cp -p" in step.err), (name, step)
    assert "ledger.db-shm is missing, and nothing can be made in" in rest["4 status"].err
    assert "mounted read-only" in rest["0 doctor"].out


@as_root
def test_a_directory_that_its_owner_may_not_write(place: Path) -> None:
    """A read-only directory on a disk that could be written: with log and shared memory there, all goes on."""
    assert as_user(NOBODY, "activate", "nightly", ledger=place).status == 0
    Path(f"{place}.lock").touch(mode=0o600)
    os.chown(f"{place}.lock", NOBODY, NOBODY)
    place.parent.chmod(0o500)
    for line in (("status",), ("activate", "nightly"), ("schedule", "list")):
        assert as_user(NOBODY, *line, ledger=place).status == 0
    place.parent.chmod(0o700)
    for beside in ("-wal", "-shm"):
        Path(f"{place}{beside}").unlink(missing_ok=True)
    place.parent.chmod(0o500)
    for line in (("status",), ("activate", "nightly")):
        refused(as_user(NOBODY, *line, ledger=place), 74, "is missing, and nothing can be made in", "mode 0500")


def test_a_limit_of_file_sizes_is_named(ledger: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = max(each.stat().st_size for each in ledger.parent.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 4096, before[1]))
    try:
        assert call("status", ledger=ledger).status == 0
        done = call("define", PROBE, ledger=ledger)
        many = [call("activate", "nightly", ledger=ledger) for _ in range(3)]
        made = call("init", ledger=ledger.parent / "t" / "ledger.db")
        ticked = call("tick", "--no-wait", ledger=ledger)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    for each in (done, *many, made, ticked):
        assert each.status in (0, 74) and "fault" not in each.err, each
    assert "ulimit -f" in ticked.err or "file too large" in ticked.err.lower(), ticked
    assert call("activate", "nightly", ledger=ledger).status == 0
    with observe.observe(str(ledger)) as view:
        assert laws.audit(view.connection) == []


def test_too_many_open_files_is_no_fault_of_ours(ledger: Path) -> None:
    done = process(
        "status", "--ledger", str(ledger),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5)),
    )  # fmt: skip
    assert "fault in spellweaver" not in done.stderr


# others at work


def test_a_ledger_that_is_locked_for_long(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads go on beside it; a writer says after its patience who is in the way and what to do."""
    monkeypatch.setattr(decide, "LOCK_PATIENCE_US", 30_000)
    monkeypatch.setattr(observe, "OPENING_MS", 50)
    holder = apsw.Connection(str(ledger))
    holder.execute("BEGIN IMMEDIATE")
    for line in READS:
        assert call(*line, ledger=ledger).status in (0, 4)
    for line in (("define", PROBE), ("activate", "nightly"), ("tick", "--no-wait")):
        refused(call(*line, ledger=ledger), 75, "has been locked by another writer", "try again in a moment")
    holder.execute("ROLLBACK")
    assert call("activate", "nightly", ledger=ledger).status == 0

    holder.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute("UPDATE ledger SET fences = fences")
    for line in (("status",), ("activate", "nightly")):
        refused(call(*line, ledger=ledger), 75, "is locked by another writer", "try again")
    holder.execute("ROLLBACK")
    holder.close()
    assert call("status", ledger=ledger).status == 0


@pytest.mark.rule("RCV-03")
def test_a_second_daemon_names_the_first(ledger: Path) -> None:
    import fcntl

    pid = os.getpid()
    facts = {"pid": pid, "start_ticks": kernel.start_ticks(pid), "boot_id": kernel.boot_id(), "socket": None}
    lock = Path(f"{ledger}.lock")
    lock.write_text(json.dumps(facts))
    lock.chmod(0o600)
    with open(lock, "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        denied(ledger, 75, f"pid {pid} is running on this ledger already", "status", lines=WRITES[-2:])
        readable(ledger)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"7", b'{"pid": "x"}', b"\xff" * 100, b"[" * 4096, b'{"pid": 1e999}', b"x" * 9000],
    ids=["empty", "half", "list", "number", "text", "bytes", "deep", "inf", "long"],
)  # fmt: skip
def test_a_lock_file_with_nonsense_in_it_is_a_dead_daemons(content: bytes, ledger: Path) -> None:
    lock = Path(f"{ledger}.lock")
    lock.write_bytes(content)
    lock.chmod(0o600)
    assert call("status", "--json", ledger=ledger).items[0]["daemon"]["state"] == "down"
    assert call("activate", "nightly", ledger=ledger).status == 0
    assert call("tick", "--no-wait", ledger=ledger).status == 0


def test_a_lock_file_that_is_no_file(ledger: Path) -> None:
    os.mkfifo(f"{ledger}.lock", 0o600)
    assert call("status", ledger=ledger).status == 0
    assert call("activate", "nightly", ledger=ledger).status == 0


# paths


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nonexistent/ledger.db", 4, "there is no ledger at"),
        ("/etc/passwd/ledger.db", 4, "there is no ledger at"),
        (f"/tmp/{'x' * 300}", 4, "file name too long"),
        ("/tmp/\udcff.db", 2, "is not UTF-8"),
        ("/proc/1/mem", 74, "can't be opened"),
        ("file:/x?mode=memory", 4, "there is no ledger at"),
        (":memory:", 4, "there is no ledger at"),
    ],
)
def test_a_ledger_at_an_impossible_path(path: str, status: int, words: str) -> None:
    for line in READS + WRITES:
        refused(call(*line, ledger=path), status, words)


@pytest.mark.parametrize(
    "path", ["/proc/x/ledger.db", "/dev/null/ledger.db", f"/tmp/{'x' * 300}/ledger.db", "/tmp/\udcff/l.db"]
)
def test_a_ledger_that_can_not_be_made_there(path: str) -> None:
    done = call("init", ledger=path)
    assert done.status in (2, 74, 78) and "fault" not in done.err and done.out == "", done


def test_variables_that_name_no_place(tmp_path: Path) -> None:
    for env in (
        {"SPELLWEAVER_LEDGER": "/nonexistent/x"}, {"STATE_DIRECTORY": ":"}, {"XDG_STATE_HOME": "relative"},
        {"HOME": "/nonexistent"}, {"SPELLWEAVER_LEDGER": "\udcff"}, {"SPELLWEAVER_ZONES": "/nonexistent"},
    ):  # fmt: skip
        for line in (("status",), ("paths",), ("version",), ("next", "--cron", "* * * * *", "--zone", "UTC")):
            assert "fault" not in call(*line, env=env).err


def test_a_socket_path_that_is_too_long_is_said_before_anything_runs(tmp_path: Path) -> None:
    ledger = state(tmp_path / ("x" * 100))
    refused(call("run", "--for", "1s", ledger=ledger), 78, "a socket's path has 107 bytes at most", "RUNTIME_DIRECTORY")
    assert call("tick", "--no-wait", ledger=ledger).status == 0, "a tick listens to nobody"


def test_a_ledger_is_the_same_after_all_that_was_refused(ledger: Path) -> None:
    """The fixtures of this module prove nothing if the ledger they make is not sound."""
    opened = open_ledger(str(ledger), SystemClock(), actor="test")
    assert laws.audit(opened.connection) == []
    opened.close()
