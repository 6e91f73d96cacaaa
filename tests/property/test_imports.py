"""Whatever a foreign file holds: no traceback, exactly one answer for each line, and a file that our reader takes.

IMPORT_EXAMPLES sets how many files of each kind.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from spellweaver.core import instant
from spellweaver.manifest.crontab import read_crontab
from spellweaver.manifest.read import read_text
from spellweaver.manifest.units import read_units
from spellweaver.manifest.write import proposal_toml

EXAMPLES = int(os.environ.get("IMPORT_EXAMPLES", "150"))
COMMON = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])

_PARTS = ("*", "*/5", "0", "59", "1-5", "mon", "FRI", "1,2", "L", "?", "~", "61", "-", "7", "a/b", "*/0", "31")
_FIELD = st.sampled_from(_PARTS)
_WHEN = st.lists(_FIELD, min_size=4, max_size=6).map(" ".join) | st.sampled_from(
    ("@daily", "@hourly", "@reboot", "@x", "@", "30 2 * * *", "0 0 13 * 5", "-*/5 * * * *")
)
_COMMAND = st.text(max_size=20) | st.sampled_from(
    ("date +\\%F", "cat%a%b", "cat%END", "a '%' b", "%", "\\", "x\\", "root cat%\\", "backup a", "''' \"\"\" \\u0000")
)
_NAME = st.sampled_from(
    ("MAILTO", "PATH", "CRON_TZ", "TZ", "SHELL", "HOME", "RANDOM_DELAY", "LD_X", "A", "9", "'B'", "é")
)
_VALUE = st.sampled_from(("", "/bin/bash", "Europe/Rome", "Mars/X", "5", "'", '" a "', "$HOME")) | st.text(max_size=8)
_LINE = st.one_of(
    st.tuples(_WHEN, st.sampled_from((" ", "\t", "  ")), _COMMAND).map("".join),
    st.tuples(_NAME, st.sampled_from(("=", " = ", "")), _VALUE).map("".join),
    st.text(max_size=30),
    st.text(max_size=12).map(lambda text: f"# {text}"),
)
_CRONTAB = st.lists(_LINE.map(lambda line: line.replace("\n", "").encode(errors="surrogatepass")), max_size=8).map(
    b"\n".join
) | st.binary(max_size=60)


@COMMON
@given(_CRONTAB, st.booleans())
@example(b"SHELL=/bin/bash\n0 1 * * * cat%\r", False)
@example(b"SHELL=/\x7f'\n0 1 * * * a\x01'%\x02", False)
def test_each_line_of_a_crontab_has_one_answer_and_the_rest_is_a_file(data: bytes, system: bool) -> None:
    proposal = read_crontab(data, "a\tb", zone="Europe/Rome", system=system, home_of=lambda user: None)
    lines = data.split(b"\n")
    assert [answer.line for answer in proposal.answers] == list(range(1, len(lines) + (lines[-1] != b"")))
    for answer in proposal.answers:
        assert answer.what in ("job", "setting", "comment", "blank")
        assert bool(answer.jobs) == (answer.what == "job" and answer.word in ("kept", "changed"))
        assert all(note.sentence.strip() for note in answer.notes)
    manifest = read_text(proposal_toml(proposal), "proposed.toml")
    assert [draft.name for draft in manifest.schedules] == [job.name for job in proposal.jobs]
    for binding, job in zip(manifest.bindings, proposal.jobs, strict=True):
        assert (binding.shell, list(binding.argv)) == (job.binding.get("shell"), job.binding.get("argv", []))
        assert dict(binding.env) == job.binding.get("env", {}) and binding.timeout_us == 24 * instant.HOUR


_KEY = st.sampled_from((
    "OnCalendar", "OnCalendar", "OnBootSec", "Persistent", "RandomizedDelaySec", "Unit", "AccuracySec", "ExecStart",
    "ExecStart", "ExecStartPre", "Environment", "User", "WorkingDirectory", "UMask", "Nice", "TimeoutStartSec", "Type",
    "SuccessExitStatus", "X-Y", "é", "",
))  # fmt: skip
_SETTING = st.tuples(
    _KEY,
    st.sampled_from((
        "daily", "Mon 02:30 UTC", "*-*-* *:0/5", "5min", "99999999w", "yes", "", "/bin/a", "-/bin/a ${B} $C",
        "/bin/a 'b",
        "A=b", "%n", "%", "\\", "oneshot", "077", "10", "\\x00", "b.service", "a \"b\" \\",
    )) | st.text(max_size=10),
).map("=".join)  # fmt: skip
_UNIT = st.lists(
    st.sampled_from(("[Timer]", "[Service]", "[Unit]", "[Install]", "[", "[]", "; x", "#\0", "")) | _SETTING | _SETTING
    | st.text(max_size=10),
    max_size=10,
).map(lambda lines: "\n".join(lines).encode(errors="surrogatepass"))  # fmt: skip
_PAIR = st.tuples(
    _UNIT.map(lambda body: b"[Timer]\nOnCalendar=daily\n" + body),
    _UNIT.map(lambda body: b"[Service]\nExecStart=/bin/a\n" + body) | st.binary(max_size=40),
)


@COMMON
@given(_PAIR)
def test_each_line_of_a_timer_and_a_service_has_one_answer_and_the_rest_is_a_file(pair: tuple[bytes, bytes]) -> None:
    files = [("x/a.timer", pair[0]), ("x/a.service", pair[1])]
    proposal = read_units(files, zone="Europe/Rome")
    for path, data in files:
        lines = data.split(b"\n")
        found = [answer.line for answer in proposal.answers if answer.path == path]
        assert found == list(range(1, len(lines) + (lines[-1] != b""))), data
    for answer in proposal.answers:
        assert answer.what in ("job", "setting", "comment", "blank")
        assert not answer.jobs or answer.word in ("kept", "changed")
    manifest = read_text(proposal_toml(proposal), "proposed.toml")
    assert [draft.name for draft in manifest.schedules] == [job.name for job in proposal.jobs]
