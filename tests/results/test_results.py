"""Result folders: what is in them, that they do not depend on threads, that nothing else is overwritten."""

import itertools
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli
from scipy import stats

import windward as ww
from windward.results._schema import KEPT, PACKETS, TABLES, TOTALS, Table
from windward.results._tables import to_arrow


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_bytes_on_any_number_of_threads(cli: Cli, scenario_file: Path) -> None:
    for threads in ("1", "2", "3"):
        cli("simulate", scenario_file.name, "-q", "--threads", threads, "--output", f"with-{threads}", "--pcap")
    one = contents(scenario_file.parent / "with-1")
    assert len(one) == 2 + 3 * 11
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


def check(arrow: pa.Table, table: Table) -> None:
    """The columns of a table are those of its schema, in order and with its types."""
    assert arrow.column_names == [column.name for column in table.columns]
    for column, field in zip(table.columns, arrow.schema, strict=True):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        expected = {"float64": "double"}.get(column.kind, column.kind)
        assert str(kind) == expected, f"{table.name}.{column.name}"


def test_tables_are_those_of_the_schema(small_run: ww.Run, scenario_file: Path, tmp_path: Path) -> None:
    ww.load(scenario_file).simulate(seeds=1, output=tmp_path / "out")
    for name, table in PACKETS.items():
        for run in (small_run, ww.open(tmp_path / "out")):
            arrow = run.table(name, 1)
            check(arrow, table)
            field = arrow.schema.field(table.columns[-1].name)
            assert field.metadata[b"description"].decode() == table.columns[-1].doc
            assert list(getattr(run, name).columns) == ["seed", *arrow.column_names]
    assert small_run.table("flows", 1).schema.field("rtt_p99_s").metadata[b"relative_width"] == b"0.0078125"
    scenario = ww.load(scenario_file)
    for kind, answer in (("optimum", scenario.optimum()), ("fluid", scenario.fluid())):
        for name, columns in answer.tables.items():
            check(to_arrow(columns), TABLES[kind][name])


def test_every_column_says_what_it_is() -> None:
    for tables in TABLES.values():
        for table in tables.values():
            assert table.doc.endswith(".")
            for column in table.columns:
                assert column.doc.endswith("."), f"{table.name}.{column.name}"
                assert not column.doc[0].islower(), f"{table.name}.{column.name}"
                ending = {"_s": "s", "_ms": "ms", "_us": "µs", "_bps": "bit/s", "_m": "m"}
                if column.name.endswith("_per_s"):
                    ending = {"_per_s": "1/s"}
                for end, unit in ending.items():
                    assert not column.name.endswith(end) or column.unit == unit, f"{table.name}.{column.name}"


def test_kinds_of_tables_come_from_the_schema() -> None:
    of_wifi = ("wifi_stations", "wifi_links", "edca_stations", "edca_links")
    of_cells = ("stations", "ran_links", "ran_delays", "ran_bearers", "ran_mobility")
    media = (*of_cells, *of_wifi, "csma_links", "slotted_links")
    assert (
        "flows",
        "links",
        *media,
        "background",
        "calls",
        "call_videos",
        "games",
        "groups",
        "apps",
        "videos",
        "pages",
    ) == TOTALS
    assert (
        *TOTALS,
        "ran_mcs",
        "ran_handovers",
        "wifi_queues",
        "wifi_rates",
        "ampdu_sizes",
        "request_classes",
        "flow_windows",
        "link_windows",
        "backlogs",
        "shares",
        "coding",
    ) == KEPT
    assert PACKETS["wifi_stations"].attributes == {"node", "x_m", "y_m"}
    assert PACKETS["links"].attributes == {"link", "from", "to", "rate_bps", "delay_s"}


def test_files_say_their_units(scenario_file: Path, tmp_path: Path) -> None:
    ww.load(scenario_file).simulate(seeds=1, output=tmp_path / "out")
    file = tmp_path / "out" / "seed-1" / "links.parquet"
    about = json.loads(pq.read_schema(file).metadata[b"windward"])
    assert (about["table"], list(about["columns"])) == ("links", pq.read_schema(file).names)
    assert about["columns"]["queue_delay_p95_s"]["unit"] == "s"
    assert about["columns"]["queue_delay_p95_s"]["relative_width"] == 1 / 128
    assert about["columns"]["utilization"]["description"].startswith("Busy time of the link as a share")
    assert pd.read_parquet(file).attrs["units"]["rate_bps"] == "bit/s"


def test_percentiles_lie_among_the_samples(small_run: ww.Run) -> None:
    flows, links = small_run.flows, small_run.links
    rising = [flows[name] for name in ("min_rtt_s", "rtt_p50_s", "rtt_p95_s", "rtt_p99_s", "max_rtt_s")]
    for low, high in itertools.pairwise(rising):
        assert (low <= high * (1 + 1 / 256)).all()
    busy = links[links["link"] == "a->b"]
    assert (busy["queue_delay_p50_s"] < busy["queue_delay_p95_s"]).all()
    # 20 packets of 1500 bytes at 5 Mbit/s, and the rest of one in transmission.
    assert (busy["queue_delay_p99_s"] <= 21 * 1500 * 8 / 5e6 * (1 + 1 / 256)).all()
    waits = small_run.queue_delay_histograms.groupby(["seed", "link"], observed=True)["count"].sum()
    assert waits.to_dict() == links.set_index(["seed", "link"])["packets"][lambda packets: packets > 0].to_dict()


def test_percentiles_merge_over_seeds(small_run: ww.Run) -> None:
    merged = small_run.percentiles("rtt")
    assert list(merged["flow"]) == ["reno", "cubic-1", "cubic-2"]
    histograms = small_run.rtt_histograms
    for name, row in merged.set_index("flow").iterrows():
        own = histograms[histograms["flow"] == name]
        samples = own["least_s"].repeat(own["count"].astype(int)).sort_values().to_numpy()
        for percent in (50, 95, 99):
            least = samples[-(-len(samples) * percent // 100) - 1]
            assert least <= row[f"p{percent}_s"] <= least * (1 + 1 / 128)
    # Of one seed it is the column of its table.
    one = ww.Run(about=small_run._about | {"finished": [2]}, scenario="", load=small_run._load)
    columns = one.flows[["rtt_p50_s", "rtt_p95_s", "rtt_p99_s"]].to_numpy()
    assert (one.percentiles("rtt").set_index("flow").to_numpy() == columns).all()
    columns = one.links[["queue_delay_p50_s", "queue_delay_p95_s", "queue_delay_p99_s"]].to_numpy()
    assert (one.percentiles("queue_delay").set_index("link").to_numpy() == columns).all()
    with pytest.raises(ValueError, match="allowed: rtt, queue_delay"):
        small_run.percentiles("jain")


def test_groups_have_percentiles_of_completion_times(tmp_path: Path) -> None:
    text = """
name = "web"
duration = "40 s"
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "8 Mbit/s"
delay = "10 ms"
[[flow]]
name = "page"
from = "a"
to = "b"
law = "cubic"
count = 40
size = "100 kB"
start_spread = "10 s"
[[flow]]
name = "bulk"
from = "a"
to = "b"
law = "reno"
size = "1 GB"
"""
    (tmp_path / "web.toml").write_text(text)
    run = ww.load(tmp_path / "web.toml").simulate(seeds=1)
    page, bulk = run.groups.to_dict("records")
    times = sorted(run.flows[run.flows["group"] == "page"]["completion_s"])
    assert (page["group"], page["flows"], page["completed"], page["unfinished"]) == ("page", 40, 40, 0)
    assert [page[f"completion_p{percent}_s"] for percent in (50, 95, 99)] == [times[19], times[37], times[39]]
    assert (bulk["flows"], bulk["completed"], bulk["unfinished"]) == (1, 0, 1)
    assert pd.isna(bulk["completion_p50_s"])
    assert bulk["rtt_p50_s"] > 0.02
    summary = run.summary()
    assert set(summary[summary["kind"] == "groups"]["name"]) == {"page", "bulk"}


def test_results_without_the_newer_columns_open(cli: Cli, scenario_file: Path) -> None:
    cli("simulate", scenario_file.name, "-q", "--output", "out")
    folder = scenario_file.parent / "out"
    for seed in folder.glob("seed-*"):
        for name in ("groups", "rtt_histograms", "queue_delay_histograms", "datagram_histograms"):
            (seed / f"{name}.parquet").unlink()
        for name in ("flows", "links", "background"):
            table = pq.read_table(seed / f"{name}.parquet")
            old = [column for column in table.column_names if "_p50_" not in column and "_p9" not in column]
            pq.write_table(table.select(old).replace_schema_metadata(None), seed / f"{name}.parquet")
    run = ww.open(folder)
    assert "rtt_p50_s" not in run.flows.columns
    assert run.groups.empty
    assert "rtt_p50_s" not in set(run.summary()["metric"])
    assert run.percentiles("rtt")["p50_s"].isna().all()
    shown = cli("show", "out").stdout
    assert "mean RTT" in shown
    assert "p95" not in shown
    cli("report", "out")


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
