"""Calls the program in this process, and sees what it wrote: ``call("status", "--json", ledger=path,
clock=VirtualClock(…))``.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import jsonschema

from spellweaver.cli.main import main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.clock import Clock

SRC = Path(__file__).parents[2] / "src"
SCHEMAS = SRC / "spellweaver" / "cli" / "schemas"


@dataclass(frozen=True)
class Done:
    """The exit status, what was written to stdout and what to stderr."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, object]:
        """The JSON document of stdout, checked against the schema of its kind."""
        body = json.loads(self.out)
        valid(body)
        return body

    @property
    def items(self) -> list[dict[str, object]]:
        items = self.document["items"]
        assert isinstance(items, list)
        return items

    @property
    def error(self) -> dict[str, object]:
        """The JSON object of stderr."""
        body = json.loads(self.err.splitlines()[-1])
        jsonschema.validate(body, json.loads((SCHEMAS / "error.json").read_text()))
        return body


class Screen(io.StringIO):
    """A text stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def call(
    *words: str, ledger: Path | str | None = None, clock: Clock | None = None, env: dict[str, str] | None = None
) -> Done:
    """Runs one command line behind a pipe."""
    return _call(words, io.StringIO(), ledger, clock, env)


def at_terminal(
    *words: str,
    width: int = 80,
    ledger: Path | str | None = None,
    clock: Clock | None = None,
    env: dict[str, str] | None = None,
) -> Done:
    """The same as a person sees it: a terminal of that width."""
    return _call(words, Screen(), ledger, clock, {"COLUMNS": str(width), "TERM": "xterm", **(env or {})})


def _call(
    words: tuple[str, ...], out: io.StringIO, ledger: Path | str | None, clock: Clock | None, env: dict[str, str] | None
) -> Done:
    err = io.StringIO()
    line = [*(("--ledger", str(ledger)) if ledger else ()), *words]
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TZ")}
    with mock.patch.dict(os.environ, {**kept, "LANG": "C.UTF-8", "TZ": "UTC", **(env or {})}, clear=True), \
            redirect_stdout(out), redirect_stderr(err):  # fmt: skip
        status = main(line, clock=clock)
    return Done(status, out.getvalue(), err.getvalue())


def process(*words: str, env: dict[str, str] | None = None, **rest: object) -> subprocess.CompletedProcess[str]:
    """The same in a real process of its own."""
    environ = {
        "PYTHONPATH": str(SRC),
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        **(env or {}),
    }
    return subprocess.run(
        [sys.executable, "-m", "spellweaver.cli.main", *words],
        env=environ,
        text=True,
        capture_output=True,
        timeout=60,
        **rest,
    )


_REPORT = """
import sys
before = set(sys.modules)
from spellweaver.cli.main import main
sys.argv[1:] = {words!r}
status = main()
print("\\n".join(sorted(set(sys.modules) - before)), file=sys.stderr)
print("status", status, file=sys.stderr)
"""


def imported(*words: str, ledger: Path | str | None = None, env: dict[str, str] | None = None) -> set[str]:
    """The modules that a real process loads for one command line, behind a pipe. The command must succeed."""
    line = [*(("--ledger", str(ledger)) if ledger and words[0] != "__names" else ()), *words]
    environ = {
        "PYTHONPATH": str(SRC),
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        **(env or {}),
    }
    done = subprocess.run(
        [sys.executable, "-c", _REPORT.format(words=line)], env=environ, text=True, capture_output=True, timeout=60
    )
    *modules, status = done.stderr.splitlines()
    assert status == "status 0", done.stderr
    return set(modules)


def valid(body: object) -> None:
    """Checks a document against the schema of its kind, and that it has no key which the schema doesn't name."""
    assert isinstance(body, dict)
    path = SCHEMAS / f"{body['kind']}.json"
    assert path.exists(), (
        f"kind {body['kind']} has no schema; declare it in cli/kinds and run python -m spellweaver.cli.generate"
    )
    jsonschema.validate(body, closed(json.loads(path.read_text())), format_checker=jsonschema.FormatChecker())


def closed(schema: object) -> object:
    """The schema with every object closed: a test may not meet a key that nobody declared."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(part) for key, part in schema.items()}
    if "properties" in made:
        made["additionalProperties"] = False
    return made
