"""Result folders: what is in them, that they do not depend on threads, that nothing else is overwritten."""

import json
from pathlib import Path

import pandas as pd
import pytest
from conftest import Cli
from scipy import stats

import windward as ww


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_bytes_on_any_number_of_threads(cli: Cli, scenario_file: Path) -> None:
    for threads in ("1", "2", "3"):
        cli("simulate", scenario_file.name, "-q", "--threads", threads, "--output", f"with-{threads}", "--pcap")
    one = contents(scenario_file.parent / "with-1")
    assert len(one) == 2 + 3 * 7
    assert one == contents(scenario_file.parent / "with-2")
    assert one == contents(scenario_file.parent / "with-3")


def test_seeds_differ(small_run: ww.Run) -> None:
    reno = small_run.flows[small_run.flows["flow"] == "reno"]
    assert reno["delivered_bytes"].nunique() == 3


def test_the_folder_gives_back_what_was_simulated(scenario_file: Path, tmp_path: Path) -> None:
    scenario = ww.load(scenario_file)
    in_memory = scenario.simulate()
    scenario.simulate(output=tmp_path / "out")
    opened = ww.open(tmp_path / "out")
    for name in ("flows", "links", "background", "flow_series", "link_series", "internals", "jain"):
        kind = pd.testing.assert_series_equal if name == "jain" else pd.testing.assert_frame_equal
        kind(getattr(in_memory, name), getattr(opened, name))
    assert in_memory.scenario == opened.scenario
    assert ww.Scenario.simulate(ww.load(tmp_path / "out" / "scenario.toml")).flows.equals(opened.flows)


def test_frames(small_run: ww.Run) -> None:
    assert list(small_run.flows["flow"]) == ["reno", "cubic-1", "cubic-2"] * 3
    assert list(small_run.flows["group"]) == ["reno", "cubic", "cubic"] * 3
    assert list(small_run.flows["seed"]) == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert set(small_run.links["link"]) == {"a->b", "b->a"}
    assert list(small_run.background["source"]) == ["voice"] * 3
    # 64 kbit/s in datagrams of 200 B make 40 a second; 4 s are measured.
    assert small_run.background["sent"].between(159, 161).all()
    assert set(small_run.internals["name"]) >= {"ssthresh", "w_max"}


def test_links_carry_no_more_than_they_can(small_run: ww.Run) -> None:
    # A packet counts when its transmission ends, or begins: one more or less in 4 s.
    packet_bps = 1500 * 8 / 4
    links = small_run.links
    assert (links["throughput_bps"] <= links["rate_bps"] + packet_bps).all()
    assert ((links["throughput_bps"] - links["utilization"] * links["rate_bps"]).abs() <= packet_bps).all()
    assert (links.loc[links["link"] == "a->b", "utilization"] > 0.5).all()


def test_series_add_up_to_totals(small_run: ww.Run) -> None:
    series = small_run.flow_series
    step = series["time_s"].unique()[1] - series["time_s"].unique()[0]
    measured = series[series["time_s"] > 1.0 + step / 2].astype({"flow": "str"})
    delivered = measured.groupby(["seed", "flow"], sort=False)["goodput_bps"].sum() * step / 8
    totals = small_run.flows.set_index(["seed", "flow"])["delivered_bytes"]
    # The samples' steps divide the warm-up and the duration, so the sums are of the same bytes.
    assert delivered.to_dict() == pytest.approx(totals.to_dict(), rel=1e-9)


def test_means_and_intervals(small_run: ww.Run) -> None:
    summary = small_run.summary().set_index(["kind", "name", "metric"])
    values = small_run.flows.loc[small_run.flows["flow"] == "reno", "goodput_bps"]
    row = summary.loc[("flows", "reno", "goodput_bps")]
    low, high = stats.t.interval(0.95, df=2, loc=values.mean(), scale=stats.sem(values))
    assert row["mean"] == pytest.approx(values.mean(), rel=1e-12)
    assert row["ci95"] == pytest.approx((high - low) / 2, rel=1e-9)
    assert row["seeds"] == 3


def test_summary_file(small_run: ww.Run, scenario_file: Path, tmp_path: Path) -> None:
    ww.load(scenario_file).simulate(output=tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["complete"] is True
    assert summary["seeds"] == summary["finished"] == [1, 2, 3]
    assert summary["jain"]["mean"] == pytest.approx(small_run.jain.mean(), rel=1e-12)
    assert [flow["flow"] for flow in summary["flows"]] == ["reno", "cubic-1", "cubic-2"]
    assert summary["flows"][0]["completion_s"] == {"mean": None, "ci95": None}
    assert summary["events"] > summary["packet_hops"] > 0
    assert summary["versions"]["windward"] == ww.__version__


def test_a_newer_run_replaces_an_older_one_if_it_may(scenario_file: Path, tmp_path: Path) -> None:
    scenario = ww.load(scenario_file)
    scenario.simulate(output=tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(
        ww.ResultError, match=r"holds a result of `simulate`; it is not overwritten\nhint: .*replace=True"
    ):
        scenario.simulate(output=tmp_path / "out", seeds=[5])
    scenario.simulate(output=tmp_path / "out", seeds=[5], replace=True)
    assert ww.open(tmp_path / "out").seeds == (5,)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "notes.txt",
        "scenario.toml",
        "seed-5",
        "summary.json",
    ]


def test_foreign_folders_are_left_alone(scenario_file: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "summary.json").write_text('{"somebody": "else"}')
    with pytest.raises(ww.ResultError, match=r"out contains `summary\.json` and is not a Windward result"):
        ww.load(scenario_file).simulate(output=tmp_path / "out")
    assert contents(tmp_path / "out") == {"summary.json": b'{"somebody": "else"}'}


def test_a_newer_format_is_refused(scenario_file: Path, tmp_path: Path) -> None:
    ww.load(scenario_file).simulate(output=tmp_path / "out", seeds=1)
    path = tmp_path / "out" / "summary.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 99'))
    with pytest.raises(ww.ResultError, match="has format 99, this version of Windward reads format 1"):
        ww.open(tmp_path / "out")


#: Nothing in it is random.
CERTAIN = """
name = "certain"
duration = "5 s"
seeds = 3
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "5 Mbit/s", delay = "20 ms", buffer = "20 packets" }]

[[flow]]
name = "f"
from = "a"
to = "b"
count = 2
law = "cubic"
"""


def test_where_nothing_is_random_seeds_differ_by_their_starts(cli: Cli, tmp_path: Path) -> None:
    """Seed 1 is the file as written, whichever others run beside it."""
    (tmp_path / "certain.toml").write_text(CERTAIN)
    run = ww.load(tmp_path / "certain.toml").simulate()
    assert run.flows.groupby("flow")["delivered_bytes"].nunique().max() == 3
    assert not run.is_one_run
    as_written = ww.load(tmp_path / "certain.toml").simulate(seeds=1).flows
    pd.testing.assert_frame_equal(run.flows[run.flows["seed"] == 1].reset_index(drop=True), as_written)
    said = cli("simulate", "certain.toml").stdout
    assert "confidence interval over 3 seeds" in said


def test_seeds_that_are_the_same_run_have_no_interval(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "certain.toml").write_text(CERTAIN + 'start_spread = "0 s"\n')
    said = cli("simulate", "certain.toml").stdout
    assert "all 3 seeds are the same run: nothing in the scenario is random" in said
    assert "±" not in said
    run = ww.open(tmp_path / "results" / "certain")
    assert isinstance(run, ww.Run)
    assert run.is_one_run
    assert run.summary()["ci95"].isna().all()
    summary = json.loads((tmp_path / "results" / "certain" / "summary.json").read_text())
    assert summary["one_run"]
    assert summary["flows"][0]["goodput_bps"]["ci95"] is None
    assert "±" not in cli("compare", "certain.toml", "--no-emulate").stdout
