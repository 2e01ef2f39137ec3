"""Totals of a run: goodput of all flows, losses, unfinished transfers; the quantities that `compare` compares."""

import csv
import io
import json
import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Cli

import windward as ww
from windward.results._figures import packets
from windward.results.stats import total_goodput

ENDS = """\
[[node]]
name = "a"

[[node]]
name = "b"

[[link]]
name = "air"
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "20 ms"
buffer = "50 packets"
"""

#: One flow after the other: each has the link to itself for half of the time.
IN_TURNS = f"""\
name = "turns"
duration = "12 s"
{ENDS}
[[flow]]
name = "first"
from = "a"
to = "b"
law = "cubic"
stop = "6 s"

[[flow]]
name = "second"
from = "a"
to = "b"
law = "cubic"
start = "6 s"
"""


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    (tmp_path / "turns.toml").write_text(IN_TURNS)
    return tmp_path / "turns.toml"


def test_flows_in_turns_get_no_more_than_the_link_has(cli: Cli, turns: Path, tmp_path: Path) -> None:
    run = ww.load(turns).simulate(output=tmp_path / "run")
    # Each alone fills the link while it is open; together they have what arrived, over the counted time.
    assert run.flows["goodput_bps"].min() > 8.5e6
    expected = 8 * run.flows["delivered_bytes"].sum() / 12
    assert 8.5e6 < expected < 1e7
    summary = run.summary().set_index(["kind", "metric"])
    assert summary.loc[("all", "goodput_bps"), "mean"] == pytest.approx(expected)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["goodput_bps"]["mean"] == pytest.approx(expected)
    shown = next(line for line in cli("show", "run").stdout.splitlines() if line.startswith("goodput of all flows"))
    assert shown.split()[-2:] == [f"{expected / 1e6:.2f}", "Mbit/s"]
    swept = ww.load(turns).sweep({"link.air.delay": ["20 ms"]}, seeds=1)
    assert swept.runs["goodput_bps"].iloc[0] == pytest.approx(expected)


def test_the_warm_up_is_no_counted_time() -> None:
    assert total_goodput({"delivered_bytes": [1000, 4000]}, 4.0) == 10_000.0


def test_datagrams_under_way_are_not_lost(link: Callable[..., ww.Scenario]) -> None:
    ends = {"from_": "a", "to": "b"}
    long = ww.Link(**ends, rate="10 Mbit/s", delay="100 ms", buffer="100 packets")
    source = ww.Background(**ends, packet="1000 B", pattern=ww.format.Cbr(rate="1 Mbit/s"))
    nodes = [ww.Node(name="a"), ww.Node(name="b")]
    run = ww.Scenario(name="t", duration="1 s", node=nodes, link=[long], background=[source]).simulate()
    (row,) = run.background.to_dict("records")
    # 125 a second, of which those of the last tenth are under way.
    assert row["sent"] - row["received"] == pytest.approx(12.5, abs=1)
    assert (row["lost"], row["loss"]) == (0, 0.0)
    lossy = ww.Link(**ends, rate="10 Mbit/s", delay="100 ms", buffer="100 packets", loss=0.2)
    run = ww.Scenario(
        name="t", duration="40 s", warmup="10 s", node=nodes, link=[lossy], background=[source]
    ).simulate()
    (row,) = run.background.to_dict("records")
    # What arrives within the counted time left 100 ms before it did: as many at the beginning as at the end.
    assert row["sent"] - row["received"] == pytest.approx(row["lost"], abs=12)
    # 3750 with a chance of 0.2: a deviation of 0.0065.
    assert row["loss"] == row["lost"] / row["sent"] == pytest.approx(0.2, abs=0.02)


def test_transfers_that_did_not_end_are_counted(cli: Cli, link: Callable[..., ww.Scenario], tmp_path: Path) -> None:
    flows = [
        ww.Flow(name="small", from_="a", to="b", law="reno", size="100 kB"),
        ww.Flow(name="large", from_="a", to="b", law="reno", size="100 MB"),
        ww.Flow(name="endless", from_="a", to="b", law="reno"),
    ]
    scenario = link(*flows)
    run = scenario.simulate(output=tmp_path / "run")
    assert list(run.flows["unfinished"]) == [0, 1, 0]
    assert list(run.flows["completion_s"].notna()) == [True, False, False]
    head, *rows = csv.reader(io.StringIO(cli("show", "run", "--as", "csv", "--table", "flows").stdout))
    assert [row[head.index("not completed (%)")] for row in rows] == ["0", "100", "0"]
    sweep = scenario.sweep({"flow.large.size": ["150 kB", "100 MB"]}, seeds=1)
    assert list(sweep.runs["unfinished"]) == [0, 1]
    # When the last has ended is not known while one has not.
    assert list(sweep.runs["completion_s"].notna()) == [True, False]
    from windward.show._page import tables

    (points, *_) = tables(sweep)
    assert "transfers not completed" in points.columns


def test_one_flow_has_no_index_of_fairness(cli: Cli, link: Callable[..., ww.Scenario], tmp_path: Path) -> None:
    run = link(ww.Flow(name="only", from_="a", to="b", law="reno")).simulate(output=tmp_path / "run")
    assert math.isnan(run.jain.iloc[0])
    shown = cli("show", "run").stdout
    assert "goodput of all flows" in shown
    assert "Jain" not in shown
    with pytest.raises(ValueError, match="one flow shares with nobody"):
        run.plot("fairness")
    assert "Jain" not in run.report(tmp_path / "report.html").read_text().partition("<script")[0]


def test_figures_of_a_run_are_over_all_its_flows() -> None:
    flows = {
        "flow": ["one", "coded"],
        "delivered_bytes": [1000, 3000],
        "goodput_bps": [8000.0, 8000.0],
        # Thirty combinations left the source for ten segments: what is lost is lost of those.
        "segments_sent": [10, 10],
        "segments_lost": [1, 3],
        "mean_rtt_s": [0.1, 0.3],
        **{f"rtt_p{percent}_s": [0.1, 0.3] for percent in (50, 95, 99)},
        "mean_cwnd": [2.0, 4.0],
        "timeouts": [1, 2],
        "completion_s": [0.5, math.nan],
        "unfinished": [0, 0],
    }
    links = {"utilization": [0.5, 0.1], "mean_queue_delay_s": [0.01, math.nan]}
    links |= {f"queue_delay_p{percent}_s": [0.01, math.nan] for percent in (50, 95, 99)}
    coding = {"flow": ["coded"], "combinations": [30]}
    # Neither datagrams nor applications.
    kinds = ("apps", "background", "videos", "pages", "calls", "call_videos", "games")
    others = {kind: defaultdict(list) for kind in kinds}
    row = packets({"flows": flows, "links": links, "coding": coding, **others}, {}, measured_s=4.0)
    assert row["goodput_bps"] == [8000.0]
    assert (row["loss"], row["completion_s"], row["unfinished"]) == ([0.1], [0.5], [0.0])


CHANGING = f"""\
name = "changing"
duration = "20 s"
warmup = "4 s"
{ENDS}
[[flow]]
name = "one"
from = "a"
to = "b"
law = "reno"

[[change]]
link = "air"
at = "12 s"
rate = "2 Mbit/s"
"""


def test_the_optimum_of_a_network_that_changes_is_over_time(tmp_path: Path) -> None:
    (tmp_path / "changing.toml").write_text(CHANGING)
    scenario = ww.load(tmp_path / "changing.toml")
    compared = scenario.compare(emulate=False, output=tmp_path / "kept")
    first, last = (scenario.optimum(time_s=at).flows["goodput_bps"].iloc[0] for at in (0.0, 20.0))
    assert first == pytest.approx(5 * last)
    # Of the sixteen seconds that count half are at 10 and half at 2 Mbit/s.
    row = compared.table.iloc[0]
    assert row["optimum_bps"] == pytest.approx((first + last) / 2)
    assert row["share"] == pytest.approx(row["packets_bps"] / row["optimum_bps"])
    # A queue that stood at the warm-up is more than a link carries by a little.
    assert row["share"] <= 1.01
    assert "the mean over 2 pieces between changes" in compared.notes[0]
    assert ww.Comparison.open(tmp_path / "kept").table.equals(compared.table)


def test_a_network_whose_end_is_down_is_compared_over_the_rest(tmp_path: Path) -> None:
    outage = CHANGING.replace('rate = "2 Mbit/s"', "up = false")
    (tmp_path / "outage.toml").write_text(outage)
    scenario = ww.load(tmp_path / "outage.toml")
    compared = scenario.compare(emulate=False, output=tmp_path / "kept")
    assert compared.table["optimum_bps"].iloc[0] == scenario.optimum(time_s=0.0).flows["goodput_bps"].iloc[0]
    assert "the network of 0 s, as its end has none" in compared.notes[-1]
    # Where no piece has best rates the optimum is left out.
    (tmp_path / "outage.toml").write_text(outage.replace('at = "12 s"', 'at = "0 s"'))
    without = ww.load(tmp_path / "outage.toml").compare(emulate=False)
    assert without.optimum is None
    assert "nothing crosses it" in without.left_out["optimum"]
    assert (without.table["packets_bps"] == 0).all()


def test_a_comparison_says_what_the_optimum_does_not_know(
    cli: Cli, link: Callable[..., ww.Scenario], turns: Path, tmp_path: Path
) -> None:
    flows = [
        ww.Flow(name="page", from_="a", to="b", law="reno", size="50 kB", count=30, start_spread="4 s"),
        ww.Flow(name="long", from_="a", to="b", law="reno"),
    ]
    link(*flows).compare(emulate=False, output=tmp_path / "kept")
    shown = cli("show", "kept").stdout
    assert "without `size` of page, as if it had no end" in shown
    assert "without `start` and `stop` of page" in shown
    # Groups are folded, and what is not comparable is not compared.
    lines = [line.split() for line in shown.splitlines()]
    assert [line for line in lines if line[:3] == ["page,", "30", "flows"]]
    assert not [line for line in lines if line[:1] == ["page-1"]]
    (long,) = (line for line in lines if line[:1] == ["long"])
    assert long[-1] == "%"
    (page,) = (line for line in lines if line[:1] == ["page,"])
    assert page[-1] == "–"
    compared = ww.load(turns).compare(emulate=False)
    assert "`start` and `stop` of first, second" in compared.notes[0]
    assert compared.table["share"].isna().all()


def test_a_law_of_ones_own_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def cwnd(self):\n        return 10.0\n"
        "    def on_ack(self, ack):\n        pass\n    def on_congestion(self, congestion):\n        pass\n"
    )
    law = 'law = { name = "python", class = "mine.py:Mine" }'
    (tmp_path / "own.toml").write_text(IN_TURNS.replace('law = "cubic"', law, 1))
    assert list(ww.load(tmp_path / "own.toml").optimum().flows["law"]) == ["Mine", "cubic"]
