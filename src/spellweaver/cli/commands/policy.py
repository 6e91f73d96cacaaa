"""What the host allows: workers, the usual misfire horizon, how the clock is judged."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import At, Column, Lasts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import DryRun, File
    from spellweaver.cli.values import Item
    from spellweaver.core.policy import HostPolicy

KEYS = (
    Column("WORKERS", "workers"),
    Column("MISFIRE HORIZON", "misfire_horizon_us"),
    Column("CLOCK TICK", "clock_tick_us"),
    Column("CLOCK STEP", "clock_step_us"),
    Column("CLOCK SETTLE", "clock_settle_us"),
)


@command("spellweaver policy show", "spellweaver policy show --json")
def show(ctx: typer.Context) -> int:
    """Shows the policy in force, and who applied it when."""
    import json

    from spellweaver.core.policy import host_policy
    from spellweaver.ledger.queries import load

    frame: Frame = ctx.obj
    with frame.observe() as view:
        row, head = view.row(load("policy")["in_force"]), view.head()
    assert row is not None
    generation, body, applied_at, actor = row
    item: Item = {
        "generation": generation,
        "applied_at": At(int(str(applied_at))),
        "actor": actor,
        **_keys(host_policy(json.loads(str(body)))),
    }
    columns = (Column("GENERATION", "generation"), Column("APPLIED", "applied_at"), Column("BY", "actor"), *KEYS)
    frame.describe("policy_show", item, columns, head=head)
    return 0


@command("spellweaver policy check host.toml", "spellweaver policy check --json host.toml")
def check(ctx: typer.Context, file: File) -> int:
    """Judges the file by itself, and shows the policy that it would make."""
    frame: Frame = ctx.obj
    frame.describe("policy_check", _keys(_policy(file)), KEYS)
    return 0


@command("spellweaver policy apply host.toml", "spellweaver policy apply --dry-run host.toml")
def apply(ctx: typer.Context, file: File, dry_run: DryRun = False) -> int:
    """Puts the policy of a file in force as a new generation, and says what changed.

    Revisions keep what they pinned when they were defined; what runs is not stopped when there are fewer workers.
    """
    from spellweaver.cli.writing import deciding
    from spellweaver.engine.policy import apply_policy

    frame: Frame = ctx.obj
    policy = _policy(file)
    with deciding(frame, dry_run=dry_run) as tx:
        done = apply_policy(tx, policy)
    item: Item = {
        "status": done.status,
        "generation": done.generation,
        "changes": list(done.changes),
        "dry_run": dry_run,
    }
    would = "WOULD BE" if dry_run and done.status == "applied" else "STATUS"
    frame.describe(
        "policy_apply",
        item,
        (Column(would, "status"), Column("GENERATION", "generation"), Column("CHANGES", "changes")),
    )
    return 0


def _policy(file: str) -> HostPolicy:
    """Raises BadFile for a file without a policy too."""
    from spellweaver.errors import BadFile
    from spellweaver.manifest.read import read

    policy = read([file]).policy
    if policy is None:
        raise BadFile("no_policy", f"{file}: there is no [policy] in it", hint="spellweaver check FILE", path=file)
    return policy


def _keys(policy: HostPolicy) -> Item:
    clock = policy.clock
    return {
        "workers": policy.workers, "misfire_horizon_us": Lasts(policy.misfire_horizon_us),
        "clock_tick_us": Lasts(clock.tick_us), "clock_step_us": Lasts(clock.step_us),
        "clock_settle_us": Lasts(clock.settle_us),
    }  # fmt: skip
