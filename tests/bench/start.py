"""How long commands take to start, as multiples of ``python -c pass``, and what they may take.

    python tests/bench/start.py [VENV]

Without VENV one is made, its pip is upgraded, and this repository is installed into it. All commands of a round run in
turn, so the machine's drift meets each of them; figures are ratios of medians. One JSON object a line; exit status 1
when one is over its limit.
SPELLWEAVER_BENCH_ROUNDS sets the rounds (default 21).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROUNDS = int(os.environ.get("SPELLWEAVER_BENCH_ROUNDS", "21"))
NAMES, READING = 1.6, 8.0
READERS = (
    "status", "status --json", "schedule list", "schedule show NAME", "occurrence list", "invocation list",
    "pattern list", "events", "explain NAME@latest", "explain NAME@latest --json", "logs NAME@latest",
    "next NAME", "next --cron TEXT --zone Europe/Rome",
)  # fmt: skip
LINES = {
    "__names schedules n": NAMES,
    **dict.fromkeys(READERS, READING),
}
FILES = """
format = 1
[[pattern]]
key = "job"
revision = "1"
[binding."job@1".main]
argv = ["/bin/true"]
timeout = "1m"
[[schedule]]
name = "nightly"
pattern = "job@1"
[schedule.calendar]
cron = "*/2 * * * * *"
zone = "Europe/Rome"
"""


def made(folder: str) -> str:
    """A virtual environment with this repository in it."""
    subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
    pip = [f"{folder}/venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--upgrade", "pip"], check=True)
    subprocess.run([*pip, str(ROOT)], check=True)
    return f"{folder}/venv"


def filled(program: str, folder: str, env: dict[str, str]) -> str:
    """A ledger with a Schedule and a firing that ran."""
    ledger, file = f"{folder}/state/ledger.db", f"{folder}/job.toml"
    Path(file).write_text(FILES)
    for words in (["init"], ["define", file, "--bind", "--activate"]):
        subprocess.run([program, "--ledger", ledger, *words], check=True, env=env, capture_output=True)
    subprocess.run([program, "--ledger", ledger, "run", "--for", "5s"], check=True, env=env, capture_output=True)
    return ledger


def words(line: str) -> list[str]:
    named = {"NAME": "nightly", "NAME@latest": "nightly@latest", "TEXT": "30 2 * * *"}
    return [named.get(word, word) for word in line.split()]


def took(command: list[str], env: dict[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> int:
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8"}
    with tempfile.TemporaryDirectory() as folder:
        venv = sys.argv[1] if len(sys.argv) > 1 else made(folder)
        program, python = f"{venv}/bin/spellweaver", f"{venv}/bin/python"
        env["SPELLWEAVER_LEDGER"] = filled(program, folder, env)
        commands = {"python -c pass": [python, "-c", "pass"], **{line: [program, *words(line)] for line in LINES}}
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(took(command, env))
    bare, over = statistics.median(times["python -c pass"]), False
    for name, limit in LINES.items():
        ratio = statistics.median(times[name]) / bare
        over |= ratio > limit
        print(
            json.dumps({"command": name, "ratio": round(ratio, 2), "limit": limit, "ms": round(ratio * bare * 1000, 1)})
        )
    print(json.dumps({"command": "python -c pass", "ms": round(bare * 1000, 1), "rounds": ROUNDS}))
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
