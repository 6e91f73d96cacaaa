"""A firing that ran costs at most 800 bytes of ledger, with indexes and journal."""

from __future__ import annotations

from tests.bench.bytes_per_firing import measured


def test_a_firing_stays_within_its_bytes() -> None:
    total, by_table = measured(1500)
    assert total <= 800, sorted(by_table.items(), key=lambda item: -item[1])
