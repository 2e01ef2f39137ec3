"""Files for other tools, read as these read them."""

import csv
import gzip
import io
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import Cli

import windward as ww
from windward.show._export import write
from windward.show.digest._numbers import quantity
from windward.show.digest._table import Digest


def flent(path: Path) -> dict[str, Any]:
    """Reads a data file, with all that Flent's loader and its formatters ask of one."""
    with gzip.open(path, "rt") as file:
        content: dict[str, Any] = json.load(file)
    assert content["version"] == 4
    for values in content["results"].values():
        assert len(values) == len(content["x_values"])
    for name, points in content["raw_values"].items():
        assert name in content["results"]
        assert all("t" in point and "val" in point for point in points)
    for name in ("TIME", "T0"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", content["metadata"][name])
    assert set(content["metadata"]["SERIES_META"]) == set(content["results"])
    return content


def test_flent(small_run: ww.Run, tmp_path: Path) -> None:
    content = flent(small_run.export(tmp_path / "run.flent.gz", "flent", seed=2))
    series = small_run.flow_series
    for at, name in enumerate(("reno", "cubic-1", "cubic-2"), 1):
        rows = series[(series["seed"] == 2) & (series["flow"] == name)]
        stream = f"TCP upload::{at}"
        np.testing.assert_array_equal(content["x_values"], rows["time_s"])
        np.testing.assert_allclose(content["results"][stream], rows["goodput_bps"] / 1e6)
        assert content["metadata"]["SERIES_META"][stream]["WINDWARD_FLOW"] == name
        assert content["metadata"]["SERIES_META"][stream]["CONG_CONTROL"] == name.split("-")[0]
        windows = [point["tcp_cwnd"] for point in content["raw_values"][stream] if "tcp_cwnd" in point]
        np.testing.assert_array_equal(windows, rows["cwnd"].dropna())
    assert content["metadata"]["TEST_PARAMETERS"] == {"upload_streams": "3"}
    # Before anybody's connection is open there is no RTT: null, as Flent writes what is missing.
    assert content["results"]["Ping (ms) ICMP"][0] is None
    small_run.export(tmp_path / "again.flent.gz", "flent", seed=2)
    again = flent(tmp_path / "again.flent.gz")
    assert again["results"] == content["results"]


def test_flent_itself_reads_it(small_run: ww.Run, tmp_path: Path) -> None:
    resultset = pytest.importorskip("flent.resultset", reason="needs flent")
    found = resultset.load(str(small_run.export(tmp_path / "run.flent.gz", "flent")))
    assert found.meta("NAME") == "tcp_nup"
    series = small_run.flow_series
    rows = series[(series["seed"] == 1) & (series["flow"] == "cubic-2")]
    np.testing.assert_allclose(found.series("TCP upload::3"), rows["goodput_bps"] / 1e6)
    assert [time for time, _ in found.raw_series("TCP upload::3", raw_key="tcp_rtt")] == list(
        rows["time_s"][rows["srtt_ms"].notna()]
    )


def test_iperf3(small_run: ww.Run, tmp_path: Path) -> None:
    content = json.loads(small_run.export(tmp_path / "run.json", "iperf3", seed=3).read_text())
    flows = small_run.flows[small_run.flows["seed"] == 3].set_index("flow")
    sockets = {one["flow"]: one["socket"] for one in content["start"]["connected"]}
    assert list(sockets) == list(flows.index)
    assert content["start"]["test_start"]["num_streams"] == 3
    assert content["start"]["tcp_mss_default"] == 1448
    assert [part["sum"]["end"] for part in content["intervals"]] == [1, 2, 3, 4, 5]
    measured: dict[int, int] = defaultdict(int)
    for part in content["intervals"]:
        assert part["sum"]["bytes"] == sum(stream["bytes"] for stream in part["streams"])
        for stream in part["streams"]:
            assert stream["bits_per_second"] == pytest.approx(8 * stream["bytes"])
            if stream["start"] >= small_run.warmup_s:
                measured[stream["socket"]] += stream["bytes"]
    for flow, socket in sockets.items():
        # The warm-up ends with an interval here, so that these are the run's own totals.
        assert measured[socket] == flows.loc[flow, "delivered_bytes"]
    for end, flow in zip(content["end"]["streams"], flows.index, strict=True):
        own = [s for part in content["intervals"] for s in part["streams"] if s["socket"] == sockets[flow]]
        assert end["receiver"]["bytes"] == sum(s["bytes"] for s in own)
        assert end["sender"]["retransmits"] == sum(s["retransmits"] for s in own) >= flows.loc[flow, "retransmits"]
        assert end["sender"]["bytes"] >= end["receiver"]["bytes"]
        assert end["sender"]["min_rtt"] <= end["sender"]["mean_rtt"] <= end["sender"]["max_rtt"]
        assert own[-1]["rtt"] == pytest.approx(1e6 * flows.loc[flow, "mean_rtt_s"], rel=0.5)
    assert content["end"]["sum_received"]["bits_per_second"] < 5e6
    assert content["end"]["sender_tcp_congestion"] == "reno,cubic"


def mahimahi(path: Path) -> dict[str, list[tuple[int, ...]]]:
    """Reads a log as mm-throughput-graph and mm-delay-graph do, and stops where they stop."""
    events: dict[str, list[tuple[int, ...]]] = {"+": [], "-": [], "#": []}
    base = None
    for line in path.read_text().splitlines():
        if found := re.match(r"# base timestamp: (\d+)", line):
            assert base is None
            base = int(found[1])
        if line.startswith("#"):
            continue
        found = re.fullmatch(r"(\d+) ([+#]) (\d+)|(\d+) (-) (\d+) (\d+)", line)
        assert found, line
        assert base is not None
        time, kind, *numbers = [group for group in found.groups() if group is not None]
        events[kind].append((int(time) - base, *map(int, numbers)))
        if kind == "-":
            assert int(time) - base - int(numbers[1]) >= 0
    return events


def test_mahimahi(small_run: ww.Run, tmp_path: Path) -> None:
    events = mahimahi(small_run.export(tmp_path / "link.log", "mahimahi", seed=2))
    series = small_run.link_series
    rows = series[(series["seed"] == 2) & (series["link"] == "a->b")].set_index("time_s")
    step = rows.index[1] - rows.index[0]
    for first in range(5):
        rate = 8 * sum(size for time, size, _ in events["-"] if 1000 * first <= time < 1000 * (first + 1))
        within = rows[(rows.index > first + 1e-9) & (rows.index < first + 1 + 1e-9)]
        # To two packets at the edges.
        assert rate == pytest.approx((within["rate_bps"] * step).sum(), abs=2 * 8 * 1500)
        opportunities = 8 * sum(size for time, size in events["#"] if 1000 * first <= time < 1000 * (first + 1))
        assert opportunities == pytest.approx(5e6, rel=0.01)
    assert len(events["+"]) == len(events["-"])
    # What is in and not out again is the queue: its mean is that of the samples by Little's law.
    waits = [delay for time, _, delay in events["-"] if time >= 1000]
    measured = rows["queue_delay_ms"][rows.index > 1].mean()
    assert np.mean(waits) == pytest.approx(measured, abs=1.5)
    drops = [int(count) for count in re.findall(r"# dropped: \d+ (\d+)", (tmp_path / "link.log").read_text())]
    assert sum(drops) == rows["dropped"].iloc[-1] > 0
    reverse = mahimahi(small_run.export(tmp_path / "acks.log", "mahimahi", seed=2, link="b->a"))
    assert {size for _, size, _ in reverse["-"]} < set(range(40, 80))


def test_mahimahi_has_the_opportunities_of_a_trace(tmp_path: Path) -> None:
    """A trace of 20 ms that a run of a second repeats; the way back has a rate."""
    (tmp_path / "up.trace").write_text("3\n3\n12\n20\n")
    rate = {"trace": "up.trace"}
    link = ww.Link(
        name="air", from_="a", to="b", rate=rate, delay="5 ms", reverse=ww.format.Reverse(rate="12032 kbit/s")
    )
    scenario = ww.Scenario(
        name="traced",
        duration="1 s",
        folder=tmp_path,
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[link],
        flow=[ww.Flow(from_="a", to="b", law=ww.Reno())],
    )
    run = scenario.simulate()
    events = mahimahi(run.export(tmp_path / "air.log", "mahimahi", link="air"))
    assert [time for time, _ in events["#"]] == [20 * turn + ms for turn in range(50) for ms in (3, 3, 12, 20)]
    back = mahimahi(run.export(tmp_path / "back.log", "mahimahi", link="air-reverse"))
    assert [time for time, _ in back["#"]] == list(range(1, 1001))
    changed = replace(scenario, change=[ww.Change(link="air", at="500 ms", rate="1 Mbit/s")])
    with pytest.raises(ValueError, match="link `air` has no single rate and no trace"):
        changed.simulate().export(tmp_path / "x.log", "mahimahi", link="air")


def test_what_cannot_be_exported_is_refused(
    cli: Cli, scenario_file: Path, link: Callable[..., ww.Scenario], tmp_path: Path
) -> None:
    scenario = ww.load(scenario_file)
    folder = scenario_file.parent
    scenario.simulate(seeds=1, output=folder / "run")
    scenario.optimum().save(folder / "best")
    for arguments, said in (
        (
            ["run", "--as", "flnt", "-o", "x"],
            "error: unknown format `flnt`; formats: csv, flent, iperf3, mahimahi\nhint: did",
        ),
        (["run", "--as", "flent", "-o", "x.gz"], "error: x.gz: Flent reads files that end in .flent.gz"),
        (["run", "--as", "mahimahi", "--link", "c", "-o", "x"], "error: the run has no link `c`; links: a->b, b->a"),
        (["run", "--as", "iperf3", "--link", "a->b", "-o", "x"], "error: a link is chosen for mahimahi's log alone"),
        (["run", "--as", "iperf3", "--seed", "9", "-o", "x"], "error: the run has no seed 9; seeds: 1"),
        (["best", "--as", "iperf3", "-o", "x"], "error: a result of `optimum` has no series of packets; iperf3 holds"),
    ):
        result = cli("export", *arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith(said)
        assert not (folder / "x").exists()
    done = cli("export", "run", "--as", "iperf3", "-o", "run.json")
    assert (done.returncode, done.stdout) == (0, "run.json\n")
    with pytest.raises(ValueError, match="no TCP flows"):
        link(background=[ww.Background(from_="a", to="b", pattern=ww.format.Cbr(rate="1 Mbit/s"))]).simulate().export(
            tmp_path / "x", "iperf3"
        )


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_tables_are_plain_numbers_with_their_units(cli: Cli, scenario_file: Path) -> None:
    run = ww.load(scenario_file).simulate(output=scenario_file.parent / "run")
    head, *rows = rows_of(cli("show", "run", "--as", "csv", "--table", "flows").stdout)
    assert head[:6] == ["flow", "law", "goodput (bit/s)", "goodput ± (bit/s)", "loss (%)", "loss ± (%)"]
    means = run.summary().set_index(["kind", "name", "metric"])
    for row in rows:
        found = dict(zip(head, row, strict=True))
        for column, metric, factor in (("goodput (bit/s)", "goodput_bps", 1), ("mean RTT (s)", "mean_rtt_s", 1)):
            mean = means.loc[("flows", found["flow"], metric)]
            assert float(found[column]) == pytest.approx(factor * mean["mean"], rel=1e-9)
            assert float(found[column.replace(" (", " ± (")]) == pytest.approx(factor * mean["ci95"], rel=1e-9)
    # Every column of numbers is numbers.
    for table in ("flows", "links", "background"):
        for row in rows_of(cli("show", "run", "--as", "csv", "--table", table).stdout)[1:]:
            for cell in row[2 if table == "flows" else 1 :]:
                assert cell == "" or math.isfinite(float(cell))


def test_a_column_of_a_paper_s_table_has_one_unit() -> None:
    rows = [["fast", quantity(12.3e6, "bit/s", 0.4e6)], ["slow", quantity(450e3, "bit/s")], ["none", "–"]]
    text = write([Digest(title="T", columns=["flow", "goodput"], words=1, rows=rows)], "latex")
    assert "flow & goodput (Mbit/s)" in text
    assert r"fast & 12.30 $\pm$ 0.40 \\" in text
    assert r"slow & 0.450 \\" in text
    assert r"none & -- \\" in text


def test_a_table_that_no_terminal_shows_has_all_its_columns(
    cli: Cli, link: Callable[..., ww.Scenario], tmp_path: Path
) -> None:
    name = "a-name-that-leaves-no-room-for-much-beside-it-in-120-columns"
    flow = ww.Flow(name=name, from_="a", to="b", law="reno", size="50 kB")
    link(flow, seeds=2).simulate(output=tmp_path / "run")
    shown = cli("show", "run").stdout
    assert "completed after" in shown
    assert "no room for" not in shown


def test_series_as_csv(cli: Cli, small_run: ww.Run, scenario_file: Path, tmp_path: Path) -> None:
    def read(path: Path) -> pd.DataFrame:
        return pd.read_csv(path, keep_default_na=True)

    found = read(small_run.export(tmp_path / "flows.csv", "csv"))
    expected = small_run.flow_series.astype({"flow": "str"})
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-12)
    one = read(small_run.export(tmp_path / "links.csv", "csv", table="link_series", seed=2))
    links = small_run.link_series.query("seed == 2").drop(columns="seed").reset_index(drop=True)
    pd.testing.assert_frame_equal(one, links.astype({"link": "str"}), check_dtype=False, rtol=1e-12)
    with pytest.raises(ValueError, match="the result has no table `flws`; tables: flow_series, link_series, flows"):
        small_run.export(tmp_path / "x.csv", "csv", table="flws")
    with pytest.raises(ValueError, match="a table is chosen for CSV alone"):
        small_run.export(tmp_path / "x", "iperf3", table="flows")
    fluid = ww.load(scenario_file).fluid()
    fluid.save(scenario_file.parent / "fluid")
    assert cli("export", "fluid", "--as", "csv", "-o", "windows.csv").returncode == 0
    columns = ["time_s", "flow", "cwnd", "rate_bps", "goodput_bps", "queue_delay_ms"]
    assert list(read(scenario_file.parent / "windows.csv").columns) == columns
