"""An access point with a strict FIFO."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import REPOSITORY

import windward as ww


def test_alternating_receivers_get_aggregates_of_one() -> None:
    """scenarios/strict-fifo.toml: an exchange of one packet takes 382.5 us, so that two receivers get 15.7 Mbit/s each.

    With `queue = "fifo"` all of 20 Mbit/s each fits.
    """
    strict = ww.load(REPOSITORY / "scenarios" / "strict-fifo.toml")
    wifi = strict.wifi[0]
    free = replace(strict, wifi=[replace(wifi, txq=replace(wifi.txq, queue="fifo"))])
    rates, sizes = [], []
    for scenario in (strict, free):
        run = scenario.simulate()
        rates.append(run.background.received_bps / 1e6)
        sizes.append(run.edca_links.mean_ampdu.max())
    assert rates[0].tolist() == pytest.approx([15.7, 15.7], rel=0.02)
    assert rates[1].tolist() == pytest.approx([20.0, 20.0], rel=0.01)
    assert sizes[0] == 1.0 < 1.5 < sizes[1]
