"""Policy: what the host allows, applied as a new generation by an operator's act and never by a definition (ruling
19).
"""

from __future__ import annotations

from dataclasses import dataclass

from spellweaver.core.policy import HostPolicy
from spellweaver.ledger import definitions
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Applied:
    """``status`` applied or unchanged; ``changes`` the dotted keys that differ, each with old and new value."""

    status: str
    generation: int
    changes: tuple[str, ...]


def apply_policy(tx: Transaction, policy: HostPolicy) -> Applied:
    """Revisions defined before keep what they pinned; what runs is not stopped when ``workers`` shrinks."""
    old, new = _flat(tx.policy), _flat(policy)
    changes = tuple(f"{key}: {old[key]} → {new[key]}" for key in old if old[key] != new[key])
    if not changes:
        return Applied("unchanged", tx.policy_generation, ())
    generation, at = tx.policy_generation + 1, tx.decided_at()
    before = tx.policy
    definitions.store_policy(tx, policy, generation=generation, at=at)
    tx.policy_generation, tx.policy = generation, policy  # what follows in this transaction decides by it
    tx.record(
        "policy.applied", at, {"generation": generation, "before": before.canonical(), "after": policy.canonical()}
    )
    return Applied("applied", generation, changes)


def _flat(policy: HostPolicy) -> dict[str, int]:
    clock = policy.clock
    return {
        "workers": policy.workers, "misfire_horizon_us": policy.misfire_horizon_us,
        "clock.tick_us": clock.tick_us, "clock.step_us": clock.step_us, "clock.settle_us": clock.settle_us,
    }  # fmt: skip
