"""Network coding under TCP, from the scenario to tables, figures and the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

import windward as ww
from windward.show.digest._run import digests


def scenario(coding: ww.format.RandomCoding | ww.format.IdealCoding | None) -> ww.Scenario:
    return ww.Scenario(
        name="lossy",
        duration="30 s",
        seeds=2,
        stack="rfc",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[
            ww.Link(from_="a", to="b", rate="2 Mbit/s", delay="20 ms", loss=ww.format.BernoulliLoss(probability=0.1))
        ],
        flow=[ww.Flow(from_="a", to="b", law="reno", receive_window="40 packets", coding=coding)],
    )


@pytest.fixture(scope="module")
def coded() -> ww.Run:
    return scenario(ww.format.RandomCoding()).simulate()


def test_coding_hides_losses_from_tcp(coded: ww.Run) -> None:
    """Nine tenths of what the link carries, less headers; without coding a fraction of it."""
    plain = scenario(None).simulate()
    assert coded.flows["retransmits"].sum() < 5 < 100 < plain.flows["retransmits"].sum()
    assert (coded.flows["goodput_bps"] > 3 * plain.flows["goodput_bps"]).all()
    assert plain.coding.empty
    assert plain.blocks.empty


def test_tables_agree(coded: ww.Run) -> None:
    layer, blocks = coded.coding, coded.blocks
    assert list(layer["flow"]) == ["a->b"] * 2
    assert (layer["innovative"] <= layer["received"]).all()
    assert (layer["received"] < layer["combinations"]).all()
    # A repair for each combination that is lost, but for those under way; some are asked for too early.
    lost = (layer["combinations"] - layer["received"]).astype(float)
    surplus = layer["repairs"] - lost
    assert (surplus > -(40 + 20)).all()
    assert (surplus < 0.3 * lost).all()
    assert (blocks["opened_s"] < blocks["began_s"]).all()
    assert (blocks["began_s"] <= blocks["decoded_s"]).all()
    segments = coded.flows.groupby("seed")["delivered_bytes"].sum() / 1448
    whole = blocks.groupby("seed")["size"].sum()
    assert ((segments - whole).between(0, 40)).all(), "all but the blocks that are not whole at the end"


def test_the_field_costs_little() -> None:
    """Random coefficients waste 1/255 of the combinations at most: the ideal is not much better."""
    real = scenario(ww.format.RandomCoding(block="16 packets")).simulate().flows["goodput_bps"]
    ideal = scenario(ww.format.IdealCoding(block="16 packets")).simulate().flows["goodput_bps"]
    assert ((real - ideal).abs() < 0.03 * ideal).all()


def test_it_is_drawn_and_printed(tmp_path: Path) -> None:
    scenario(ww.format.RandomCoding()).simulate(output=tmp_path / "run")
    again = ww.open(tmp_path / "run")
    assert isinstance(again, ww.Run)
    figure = again.plot("blocks")
    delays, sizes = figure.axes
    assert len(delays.lines[0].get_xdata()) == (again.blocks["seed"] == 1).sum() == len(sizes.lines[0].get_xdata())
    with pytest.raises(ValueError, match="no flow is coded"):
        scenario(None).simulate().plot("blocks")
    assert any("innovative" in digest.columns for digest in digests(again))
