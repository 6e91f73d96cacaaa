"""Who a command runs as, with which mask and niceness, and the secrets that it alone is told."""

from __future__ import annotations

import ctypes
import errno
import os
import pwd
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from spellweaver.core.launch import Ended, NeverStarted, Started
from spellweaver.errors import Refused
from spellweaver.host import handover, logs, privileges, user
from spellweaver.jobs import permission, results
from spellweaver.jobs.workers import Workers
from tests.support.engine import World, content, draft
from tests.support.processes import Bell, Reports, launch, outcome, reachable_place, run
from tests.support.program import call

OTHER = "nobody"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a command run as somebody else")
CANARY = "s3cr3t-canary-7f1b"


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where jobs of others find their input: each test has its own."""
    with reachable_place() as made:
        monkeypatch.setenv("RUNTIME_DIRECTORY", str(made))
        yield made


def said(workers: Workers, which: int) -> str:
    return logs.text(logs.read(workers.place(launch(which).attempt))).decode()


# user


@as_root
def test_another_user_for_good(workers: Workers) -> None:
    """All three ids of each kind, its groups and no more, its own name and home; and no way back."""
    shell = """
        grep -E '^(Uid|Gid|Groups|CapPrm|CapEff):' /proc/self/status; echo $HOME $USER $LOGNAME; id -un
        python3 -c 'import os; os.setuid(0)' 2>&1 | tail -1
    """
    _, ended = run(workers, launch(1, shell=shell, user=OTHER))
    assert outcome(ended) == ("exited", 0)
    who = user.named(OTHER)
    assert who is not None
    *ids, homes, name, back = said(workers, 1).splitlines()
    facts = {line.split(":")[0]: line.split()[1:] for line in ids}
    assert (facts["Uid"], facts["Gid"]) == ([str(who.uid)] * 4, [str(who.gid)] * 4)
    assert sorted(facts["Groups"]) == sorted(map(str, who.groups))
    assert {int(mask, 16) for mask in (*facts["CapPrm"], *facts["CapEff"])} == {0}
    assert (homes, name) == (f"{who.home} {OTHER} {OTHER}", OTHER)
    assert "Operation not permitted" in back or "python3: not found" in back


def keeps_capabilities() -> None:
    """As under a supervisor that set SECBIT_NO_SETUID_FIXUP: a change of uid then takes no power away."""
    assert ctypes.CDLL(None).prctl(28, 1 << 2, 0, 0, 0) == 0


@as_root
@pytest.mark.parametrize("undone", ["setuid", "setgid", "setgroups", "capabilities"])
def test_a_user_that_could_become_root_again_is_not_run(undone: str) -> None:
    """Planted in a child of ours: what the drop leaves undone is noticed, whichever step it was."""
    prepare: Callable[[], None] = keeps_capabilities
    if undone != "capabilities":

        def prepare() -> None:
            setattr(os, undone, lambda *_: None)

    assert drop_in_a_child(prepare) == errno.EPERM
    assert drop_in_a_child(lambda: None) == 0


def drop_in_a_child(prepare: Callable[[], None]) -> int:
    """The errno that ``drop`` raises; 0 where it does not."""
    child = os.fork()
    if child == 0:
        prepare()
        who = user.named(OTHER)
        assert who is not None
        try:
            privileges.drop(who.uid, who.gid, who.groups)
        except OSError as error:
            os._exit(error.errno or 99)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@as_root
def test_input_and_result_cross_to_another_user_and_back(workers: Workers, place: Path) -> None:
    """The state directory is closed to it: neither the log, nor the status, nor another's input can be reached."""
    shell = """
        stat -c '%U %a' $SPELLWEAVER_INPUT ${SPELLWEAVER_INPUT%/*}; cat $SPELLWEAVER_INPUT; echo
        echo '{"outcome": "ok", "outputs": {"who": "'$(id -un)'"}}' > $SPELLWEAVER_RESULT
        cat FOLDER/log; ls PLACE 2>&1; touch PLACE/mine
    """.replace("FOLDER", workers.place(launch(1).attempt)).replace("PLACE", f"{place}/jobs")
    _, ended = run(workers, launch(1, shell=shell, user=OTHER))
    assert outcome(ended) == ("exited", 1)
    mode, above, given, *denied = said(workers, 1).splitlines()
    assert (mode, above, given) == (f"{OTHER} 400", f"{OTHER} 700", "{}")
    assert len(denied) == 3 and all("ermission denied" in line for line in denied), denied
    folder = workers.place(ended.attempt)
    assert results.read(folder) == results.Result({"outcome": "ok", "outputs": {"who": OTHER}}, None)
    assert os.stat(f"{folder}/result").st_uid == 0
    assert oct(os.stat(f"{place}/jobs").st_mode & 0o777) == "0o711"


@as_root
@pytest.mark.parametrize(
    ("make", "why"),
    [
        ("ln -s /etc/shadow $SPELLWEAVER_RESULT", "is a symbolic link"),
        ("mkfifo $SPELLWEAVER_RESULT", "is not a regular file"),
        ("echo '{}' > ${SPELLWEAVER_RESULT}2; ln ${SPELLWEAVER_RESULT}2 $SPELLWEAVER_RESULT", "is not a file that uid"),
        ("head -c 70000 /dev/zero > $SPELLWEAVER_RESULT", "the limit is 64 KiB"),
        ("mkdir $SPELLWEAVER_RESULT; rmdir $SPELLWEAVER_RESULT", None),
    ],
    ids=["link", "pipe", "second name", "large", "nothing"],
)
def test_root_reads_nothing_for_another_user_that_it_did_not_write(
    workers: Workers, make: str, why: str | None
) -> None:
    _, ended = run(workers, launch(1, shell=make, user=OTHER))
    assert outcome(ended) == ("exited", 0)
    result, note = results.read(workers.place(ended.attempt))
    assert result is None
    assert (note is None) if why is None else (note is not None and why in note), note


@as_root
def test_a_directory_that_only_root_may_enter_is_not_entered_for_another(workers: Workers, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o700)
    reports = Reports()
    workers.start(launch(1, "/bin/true", cwd=str(closed), user=OTHER), reports)
    reports.next(Started)
    seen = reports.next(NeverStarted)
    assert (seen.why, seen.errno) == ("exec", errno.EACCES)
    assert seen.detail == f"the directory '{closed}' can't be used: Permission denied"


@as_root
def test_another_users_job_is_ended_like_any_other(workers: Workers) -> None:
    shell = "trap '' TERM; setsid sleep 600 & sleep 600 & wait; wait"
    _, ended = run(workers, launch(1, shell=shell, user=OTHER, timeout_us=1_000_000))
    assert (ended.state, ended.signal) == ("timed_out", 9)


@as_root
def test_an_account_that_is_gone_by_the_launch(workers: Workers) -> None:
    reports = Reports()
    workers.start(launch(1, "/bin/true", user="no-such-account"), reports)
    seen = reports.next(NeverStarted)
    assert (seen.why, seen.detail) == ("user", "user = 'no-such-account': this host has no such account")


@as_root
def test_a_place_that_others_cannot_reach_is_said(workers: Workers, place: Path) -> None:
    place.chmod(0o700)
    reports = Reports()
    workers.start(launch(1, "/bin/true", user=OTHER), reports)
    seen = reports.next(NeverStarted)
    assert seen.why == "user"
    assert seen.detail is not None and f"{place} is closed to other users (mode 0700)" in seen.detail


@as_root
def test_a_place_that_others_may_write_is_refused(workers: Workers, place: Path) -> None:
    (place / "jobs").mkdir()
    (place / "jobs").chmod(0o777)
    reports = Reports()
    workers.start(launch(1, "/bin/true", user=OTHER), reports)
    seen = reports.next(NeverStarted)
    assert seen.why == "user"
    assert seen.detail is not None and "is writable by others (mode 0777)" in seen.detail


def test_only_root_gives_what_root_alone_can(monkeypatch: pytest.MonkeyPatch, workers: Workers) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    cases = {
        "user": (launch(1, "/bin/true", user=OTHER), f"user = '{OTHER}': only root runs commands as others"),
        "nice": (launch(2, "/bin/true", nice=-1), "nice = -1: only root may go below 0"),
    }
    for why, (wanted, sentence) in cases.items():
        reports = Reports()
        workers.start(wanted, reports)
        seen = reports.next(NeverStarted)
        assert seen.why == why
        assert seen.detail is not None and seen.detail.startswith(f"{sentence}; this is ")
        assert "(uid 54321)" in seen.detail
        with pytest.raises(Refused, match="binding night@1 main: ") as refusal:
            permission.require([wanted.binding])
        assert (refusal.value.code, refusal.value.exit_status) == (f"{why}_not_permitted", 3)
    permission.require([launch(1, "/bin/true", nice=19).binding])


def test_bind_and_define_refuse_it_too_and_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permission, "os", SimpleNamespace(geteuid=lambda: 54321))
    world = World(tmp_path / "state", now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *"))
    file = tmp_path / "host.toml"
    for bound, code in (('user = "daemon"', "user_not_permitted"), ("nice = -1", "nice_not_permitted")):
        file.write_text(f'format = 1\n[binding."job@1".main]\nargv = ["/bin/true"]\ntimeout = "1m"\n{bound}\n')
        before = content(world.ledger.connection)
        for line in (("bind", str(file)), ("define", "--bind", str(file))):
            done = call(*line, "--json", ledger=world.path, clock=world.clock)
            assert (done.status, done.error["code"]) == (3, code)
            assert str(done.error["message"]).startswith(f"binding job@1 main: {bound.split()[0]} = ")
        assert content(world.ledger.connection) == before
    assert call("define", str(file), ledger=world.path, clock=world.clock).status == 0, (
        "without --bind nothing is asked"
    )


# umask and nice


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o000, 0o666)])
def test_new_files_have_the_mode_that_the_mask_leaves(workers: Workers, tmp_path: Path, umask: int, mode: int) -> None:
    run(workers, launch(1, "/usr/bin/touch", str(tmp_path / "new"), umask=umask))
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode


@pytest.mark.parametrize("nice", [0, 7, 19, pytest.param(-5, marks=as_root)])
def test_a_niceness_of_its_own(workers: Workers, nice: int) -> None:
    run(workers, launch(1, shell="cut -d' ' -f19 /proc/self/stat", nice=nice))
    expected = nice or os.getpriority(os.PRIO_PROCESS, 0)
    assert said(workers, 1) == f"{expected}\n"


@as_root
def test_a_better_niceness_goes_with_another_user(workers: Workers) -> None:
    run(workers, launch(1, shell="cut -d' ' -f19 /proc/self/stat; id -un", nice=-3, user=OTHER))
    assert said(workers, 1) == f"-3\n{OTHER}\n"


# secrets


def secret(folder: Path, content: bytes = CANARY.encode() + b"\n", mode: int = 0o600) -> Path:
    file = folder / "secret"
    file.write_bytes(content)
    file.chmod(mode)
    return file


@pytest.mark.rule("CFG-5")
def test_a_secret_is_told_to_the_command_and_to_nothing_else(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it runs: in its environment alone, in no argument list, and in no file of ours."""
    bell, door, reports = Bell(tmp_path / "bell"), Bell(tmp_path / "door"), Reports()
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "db.pass").write_bytes(b"other one\n\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    file = secret(tmp_path)
    shell = f'[ "$TOKEN" = "$(cat {file})" ] && printf %s "$PASS" | wc -c; echo x > {bell.path}; read x < {door.path}'
    references = (("PASS", "credential:db.pass"), ("TOKEN", f"file:{file}"))
    workers.start(launch(1, shell=shell, env_from=references), reports)
    started = reports.next(Started)
    bell.wait()
    environ = Path(f"/proc/{started.command.pid}/environ").read_bytes().split(b"\0")
    assert f"TOKEN={CANARY}".encode() in environ
    assert b"PASS=other one\n" in environ, "one line end is taken off, no more"
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                assert CANARY.encode() not in Path(f"/proc/{entry}/cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
    Path(door.path).write_text("on\n")
    assert outcome(reports.next(Ended)) == ("exited", 0)
    assert said(workers, 1) == "10\n"
    kept = [path for path in Path(workers.place(started.attempt)).rglob("*") if CANARY.encode() in path.read_bytes()]
    assert kept == []


@pytest.mark.parametrize("content", [b"", b"\n", b"x", b"a b\tc\r", b"\xff\xfe\x80", b"l1\nl2", "ž".encode()])
def test_a_secret_arrives_byte_for_byte(workers: Workers, tmp_path: Path, content: bytes) -> None:
    file = secret(tmp_path, content)
    run(workers, launch(1, shell='printf %s "$T"', env_from=(("T", f"file:{file}"),)))
    assert logs.read(workers.place(launch(1).attempt)).head == content.removesuffix(b"\n")


@pytest.mark.rule("CFG-5")
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        ("unlink", "no such file or directory"), ("group", "is writable by others (mode 0620); chmod go-w"),
        ("world", "is writable by others (mode 0602)"), ("link", "is a symbolic link; name the file itself"),
        ("directory", "is not a regular file"), ("pipe", "is not a regular file"), ("nul", "holds a NUL byte"),
        ("large", "the limit is 64 KiB"), pytest.param("owner", "belongs to uid 54321", marks=as_root),
    ],
)  # fmt: skip
def test_a_secret_that_cannot_be_had_starts_nothing(workers: Workers, tmp_path: Path, spoil: str, why: str) -> None:
    file = secret(tmp_path)
    if spoil in ("group", "world"):
        file.chmod(0o620 if spoil == "group" else 0o602)
    elif spoil == "owner":
        os.chown(file, 54321, 0)
    elif spoil in ("nul", "large"):
        file.write_bytes(CANARY.encode() + (b"\0" if spoil == "nul" else b"x" * 65536))
    else:
        file.rename(tmp_path / "away")
        if spoil == "link":
            file.symlink_to(tmp_path / "away")
        elif spoil == "directory":
            file.mkdir()
        elif spoil == "pipe":
            os.mkfifo(file)
    reports = Reports()
    workers.start(launch(1, "/usr/bin/touch", str(tmp_path / "effect"), env_from=(("TOKEN", f"file:{file}"),)), reports)
    seen = reports.next(NeverStarted)
    assert seen.why == "secret"
    assert seen.detail is not None and seen.detail.startswith("env_from TOKEN: ") and why in seen.detail
    assert CANARY not in seen.detail
    assert workers.join(20_000_000)
    assert not (tmp_path / "effect").exists()
    assert not Path(workers.place(launch(1).attempt)).exists(), "no attempt's folder for what never came to be one"


def test_credentials_that_nobody_handed_over(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    reports = Reports()
    workers.start(launch(1, "/bin/true", env_from=(("T", "credential:db"),)), reports)
    detail = reports.next(NeverStarted).detail
    assert detail == "env_from T: the daemon was handed no credentials (CREDENTIALS_DIRECTORY is not set)"


@as_root
def test_a_secret_may_be_the_command_users_own(workers: Workers, tmp_path: Path) -> None:
    file = secret(tmp_path)
    os.chown(file, pwd.getpwnam(OTHER).pw_uid, 0)
    run(workers, launch(1, shell='[ -n "$T" ] && id -un', user=OTHER, env_from=(("T", f"file:{file}"),)))
    assert said(workers, 1) == f"{OTHER}\n"


def test_the_usual_place_survives_a_restart_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY")
    assert handover.place() == "/run/spellweaver.jobs"
    assert handover.name("/var/lib/spellweaver/attempts/att_5") == "var!lib!spellweaver!attempts!att_5"
