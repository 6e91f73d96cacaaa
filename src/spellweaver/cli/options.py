"""Options and arguments that several commands share, as types. Command modules name them as strings; ``app`` gives
them meaning.
"""

from __future__ import annotations

from typing import Annotated, Literal, Optional

import typer

Ledger = Annotated[Optional[str], typer.Option("--ledger", metavar="PATH", help="The ledger, if not the usual one.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document.")]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line.")]
Header = Annotated[bool, typer.Option("--header", help="Name the columns, behind a pipe too.")]
Color = Annotated[
    Optional[Literal["auto", "always", "never"]], typer.Option("--color", help="Colours; auto looks at the terminal.")
]
Utc = Annotated[bool, typer.Option("--utc", help="Show every time in UTC.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only data, warnings and errors.")]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Decide everything, write nothing, say what would be done.")]
AnyFileSystem = Annotated[
    bool,
    typer.Option(
        "--accept-network-file-system", help="Keep the ledger on the file system of a network; goes on record."
    ),
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it goes on record.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="A TOML file.")]
Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="TOML files.")]
Schedule = Annotated[str, typer.Argument(metavar="SCHEDULE", help="A Schedule's name, as nightly or ops/nightly.")]
MaybeSchedule = Annotated[
    Optional[str], typer.Argument(metavar="[SCHEDULE]", help="A Schedule's name; all of them if absent.")
]
Ref = Annotated[
    str, typer.Argument(metavar="REF", help="occ_12, inv_12, run_12, evt_12, SCHEDULE@DATE, @TIME or @latest.")
]


def shared(
    ledger: Ledger = None, json: Json = False, jsonl: Jsonl = False, header: Header = False,
    color: Color = None, utc: Utc = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Declares what every command takes, before or after the verb."""
