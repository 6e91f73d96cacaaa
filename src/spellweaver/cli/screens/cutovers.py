"""The last cutover of a Schedule as it is kept: each firing it named with its owner, and what it took for another's."""

from __future__ import annotations

import json

from spellweaver.cli.screens.readings import Readings
from spellweaver.cli.values import At
from spellweaver.core.instant import SECOND
from spellweaver.errors import NotFound
from spellweaver.ledger.queries import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.values import Item
    from spellweaver.ledger.observe import View


def latest(view: View, schedule: int, full: str) -> tuple[list[Item], Item]:
    """(an item for each candidate, what the partition says of itself). Raises NotFound where there was no cutover."""
    sql = load("cutover")
    row = view.row(sql["latest"], (schedule,))
    if row is None:
        raise NotFound(
            "no_cutover", f"{full} has had no cutover", hint=f"spellweaver schedule show {full}", schedule=full
        )
    said, decided_at = json.loads(str(row[0])), int(str(row[1]))
    readings = Readings(view)

    def name(generation: int, civil_s: int, fold: int) -> str:
        found = view.row(sql["revision_of_generation"], (schedule, generation))
        assert found is not None
        return readings.of(int(str(found[0]))).firing(generation, civil_s, fold)

    items: list[Item] = [
        {
            "firing": name(generation, civil_s, fold), "instant": readings.of(owner).at(at_s * SECOND),
            "fate": "skipped" if skipped else "owned", "revision": readings.of(owner).number, "is": None,
        } for generation, civil_s, fold, at_s, _, owner, skipped, _ in said["firings"]
    ]  # fmt: skip
    items += [
        {"firing": name(*each[:3]), "instant": None, "fate": "alias", "revision": None, "is": name(*each[3:])}
        for each in said["aliases"]
    ]
    facts: Item = {
        "schedule": full, "old": said["old"], "new": said["new"], "decided_at": At(decided_at),
        "span_end": At(said["span_end"]), "old_last": said["old_last"], "new_first": said["new_first"],
    }  # fmt: skip
    return items, facts
