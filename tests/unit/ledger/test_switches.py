"""Which firing a candidate is after several cutovers: the latest that names it decides."""

from __future__ import annotations

import json

import pytest

from spellweaver.ledger.switches import aliases, line, root, switch

ONE, TWO, THREE = (1, 100, -1), (2, 200, -1), (3, 300, -1)


def partition(*firings: tuple[int, int, int], **taken: tuple[tuple[int, int, int], tuple[int, int, int]]) -> str:
    return json.dumps({
        "firings": [[*key, key[1], 0, key[0], 0, n] for n, key in enumerate(firings)],
        "aliases": [[*key, *taker] for key, taker in taken.values()],
    })  # fmt: skip


@pytest.mark.rule("CUT-08", "CUT-10")
def test_the_latest_cutover_that_names_a_candidate_decides_which_firing_it_is() -> None:
    there, back = partition(TWO, a=(ONE, TWO)), partition(ONE, a=(TWO, ONE))
    assert [root(key, aliases([there])) for key in (ONE, TWO)] == [TWO, TWO]
    assert [root(key, aliases([back, there])) for key in (ONE, TWO)] == [ONE, ONE]
    assert [root(key, aliases([there, back, there])) for key in (ONE, TWO)] == [TWO, TWO]
    onwards = partition(THREE, a=(TWO, THREE))
    assert [root(key, aliases([onwards, there])) for key in (ONE, TWO, THREE)] == [THREE] * 3
    assert root((9, 9, -1), aliases([onwards, there])) == (9, 9, -1)


@pytest.mark.rule("CUT-04")
def test_a_partition_leaves_nothing_to_the_switches_before_it() -> None:
    first = switch(1, 0, 0, '{"kind":"first"}')
    named = json.loads(partition(TWO)) | {"kind": "cutover", "span_end": 500_000_000, "settled_to": 50}
    cut = switch(2, 150_000_000, 150_000_000, json.dumps(named))
    pieces = line([cut, first], after_s=0, until_s=900)
    assert [(p.revision, p.after_s, p.until_s, p.listed is not None) for p in pieces] == [
        (1, 0, 50, False), (2, 199, 200, True), (2, 500, 900, False),
    ]  # fmt: skip
