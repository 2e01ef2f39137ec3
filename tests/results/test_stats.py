"""Statistics against printed tables and numbers worked out by hand."""

import math
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy.special import betaincinv, gammaincinv, stdtrit

import windward as ww
from windward.results._rare import EVENTS, binomial_interval, events_interval, is_event, is_extreme
from windward.results._schema import PACKETS
from windward.results._summary import Rows
from windward.results._tables import Columns, Packed, Totals
from windward.results.stats import (
    half_width,
    is_one_run,
    jain,
    mean_and_interval,
    metric_interval,
    percentile,
    percentile_of_buckets,
    t_quantile,
)
from windward.show.digest._numbers import events, quantity


@pytest.mark.parametrize(("count", "quantile"), [(2, 12.706), (3, 4.303), (5, 2.776), (10, 2.262), (31, 2.042)])
def test_student_s_quantiles(count: int, quantile: float) -> None:
    # Two-sided 95 %, as printed in every table, to three decimals.
    assert half_width(1.0, count) * math.sqrt(count) == pytest.approx(quantile, abs=5e-4)


def test_interval_of_three() -> None:
    # 1, 2, 3: mean 2, deviation 1, half-width 4.303/√3 = 2.484
    mean, interval = mean_and_interval([1.0, 2.0, 3.0, math.nan])
    assert mean == 2.0
    assert interval == pytest.approx(2.484, abs=5e-4)
    assert math.isnan(mean_and_interval([5.0])[1])
    assert math.isnan(mean_and_interval([math.nan])[0])


def test_percentiles() -> None:
    assert [percentile([1.0, 2.0, 3.0, 4.0], percent) for percent in (50, 95, 99)] == [2.0, 4.0, 4.0]
    assert [percentile(list(range(1, 101)), percent) for percent in (50, 95, 99)] == [50, 95, 99]
    assert math.isnan(percentile([], 50))
    # Buckets from 0 and from 1 ms, whose bucket is 4096 ns wide: 244 · 2^12 = 999424 ns is its lower bound.
    counts = {0.0: 95, 999424e-9: 5}
    assert percentile_of_buckets(counts, 95) == 0.0
    assert percentile_of_buckets(counts, 99) == (999424 + 4095 / 2) / 1e9
    assert math.isnan(percentile_of_buckets({}, 50))


def test_jain_s_index() -> None:
    assert jain([3.0, 3.0, 3.0]) == 1.0
    assert jain([1.0, 0.0, 0.0, 0.0]) == 0.25
    # (1 + 2 + 3)² / (3 (1 + 4 + 9)) = 36/42
    assert jain([1.0, 2.0, 3.0]) == pytest.approx(6 / 7)
    assert math.isnan(jain([0.0, 0.0]))
    assert math.isnan(jain([]))
    # One flow shares with nobody.
    assert math.isnan(jain([3.0]))


@pytest.mark.parametrize(
    ("value", "unit", "error", "text"),
    [
        (4_348_123.0, "bit/s", math.nan, "4.35 Mbit/s"),
        (4_348_123.0, "bit/s", 123_456.0, "4.35 ± 0.12 Mbit/s"),
        (0.1053, "s", 0.0012, "105.3 ± 1.2 ms"),
        (0.0, "s", 0.0, "0 s"),
        (84.0, "", 0.0, "84.0"),
        (math.nan, "s", math.nan, "–"),
        (1234.0, "", 150.0, "1234 ± 150"),
        (2.5e-9, "s", math.nan, "0.003 µs"),
    ],
)
def test_quantities(value: float, unit: str, error: float, text: str) -> None:
    assert quantity(value, unit, error) == text


def test_student_s_quantiles_to_the_last_digits() -> None:
    """Against SciPy, and where it is less exact against closed forms: tan(0.475 π) and 0.95 √(2 / (1 - 0.95²))."""
    for freedom in [*range(1, 200), 999, 1000, 12_345, 100_000]:
        assert t_quantile(freedom) == pytest.approx(float(stdtrit(freedom, 0.975)), rel=1e-12)
    assert t_quantile(1) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-14)
    assert t_quantile(2) == pytest.approx(0.95 * math.sqrt(2 / (1 - 0.95**2)), rel=1e-14)


def test_means_of_frames_and_totals_agree(small_run: ww.Run) -> None:
    summary = small_run.summary().set_index(["kind", "name", "metric"])
    flows = small_run.flows.groupby("flow")["goodput_bps"]
    for name, values in flows:
        row = summary.loc["flows", name, "goodput_bps"]
        assert row["mean"] == pytest.approx(values.mean(), rel=1e-14)
        assert row["ci95"] == pytest.approx(t_quantile(2) * values.std() / math.sqrt(3), rel=1e-12)
        assert row["seeds"] == 3


def test_intervals_of_shares() -> None:
    # Clopper and Pearson: all of 20 is (0.025)^(1/20); the others by the quantiles of the beta distribution.
    assert binomial_interval(20, 20) == pytest.approx((0.025 ** (1 / 20), 1))
    assert binomial_interval(0, 20) == pytest.approx((0, 1 - 0.025 ** (1 / 20)))
    assert binomial_interval(19, 20) == pytest.approx((betaincinv(19, 2, 0.025), betaincinv(20, 1, 0.975)))
    assert binomial_interval(0, 0) == (0, 1)


def test_intervals_of_rare_events() -> None:
    # Rule of three: none in five runs are fewer than 3/5 a run.
    assert events_interval([0.0] * 5, 2.776) == (0, 0.6)
    # Garwood's, as published for one event (0.025, 5.572) and for five (1.623, 11.668), over n runs.
    assert events_interval([1, 0, 0, 0, 0], 2.776) == pytest.approx((0.0253 / 5, 5.572 / 5), abs=2e-3)
    assert events_interval([1, 2, 0, 1, 1], 2.776) == pytest.approx((1.6235 / 5, 11.668 / 5), abs=1e-3)
    # Events in clusters: the variance of 0, 6, 3, 0, 0 is 28.8/4 = 7.2, over the mean 4; times (2.776/1.96)².
    phi = 4 * (2.776 / 1.959964) ** 2
    ends = tuple(phi * gammaincinv(9 / phi + at, p) / 5 for at, p in ((0, 0.025), (1, 0.975)))
    assert events_interval([0, 6, 3, 0, 0], 2.776) == pytest.approx(ends, rel=1e-5)


def test_tables_say_what_no_event_means() -> None:
    assert events("timeouts", [0.0] * 5) == "< 0.6"
    assert events("timeouts", [0.0]) == "0"
    assert events("timeouts", [1.0, 2, 0, 1, 1]) == "1.0 (0.3 to 2.3)"
    # Many events, and seeds that agree on some: as any other figure.
    assert events("timeouts", [20.0, 22, 24]) == "22.0 ± 5.0"
    assert events("timeouts", [3.0, 3, 3]) == "3.00"
    assert metric_interval("timeouts", [0.0] * 5) == (0, 0.6)
    # The mean of the largest values of runs has no interval.
    assert math.isnan(metric_interval("max_backlog", [50.0, 50, 49])[1])


def test_zeros_of_all_seeds_are_not_certain() -> None:
    for kind, metric in (
        *(("flows", "segments_lost"), ("flows", "retransmits"), ("flows", "unfinished"), ("links", "dropped")),
        *(("links", "lost"), ("background", "lost"), ("apps", "late"), ("pages", "unfinished")),
    ):
        assert metric_interval(metric, [0.0] * 5, kind) == (0, 0.6)
    # Shares and amounts: none, as the scatter is unknown. Seeds that agree on another value have none.
    for kind, metric in (("calls", "lost"), ("calls", "late"), ("links", "loss"), ("videos", "stalled_s")):
        mean, interval = metric_interval(metric, [0.0] * 5, kind)
        assert mean == 0
        assert math.isnan(interval)
    assert metric_interval("goodput_bps", [3.0, 3.0, 3.0], "flows") == (3, 0)


#: Counts that are work done, not events that may be rare.
_AMOUNTS = {
    *("delivered_bytes", "segments_sent", "packets", "bytes", "blocks", "scheduling_requests", "attempts", "failure"),
    *("rts_frames", "cts_frames", "data_frames", "ack_frames", "broadcast_frames", "routing_messages", "routing_bytes"),
    *("successes", "background_txops", "best_effort_txops", "video_txops", "voice_txops", "block_ack_frames"),
    *("request_frames", "mpdus", "requests", "arrived", "sent", "ppdus", "activations", "active_slots", "received"),
    *("round_trips", "completed", "finished", "connections", "chunks", "visits", "last_backlog", "combinations"),
    *("repairs", "unmasked", "innovative", "requested"),
}


def test_each_count_is_of_events_or_of_work() -> None:
    for table in PACKETS.values():
        for column in table.columns:
            if column.kind in ("uint64", "uint32") and not column.is_fixed and column.names is None:
                name = column.name
                if table.shape != "series" and not is_extreme(name):
                    assert is_event(name, table.name) != (name in _AMOUNTS), f"{table.name}.{name}"
            elif column.kind == "float64":
                assert not is_event(column.name, table.name), f"{table.name}.{column.name} is a share"


def test_the_playground_has_the_same_events() -> None:
    text = (Path(__file__).parents[2] / "site" / "playground" / "numbers.js").read_text(encoding="utf-8")
    found = re.search(r"const RARE = new Set\(\[(.*?)\]\)", text, re.DOTALL)
    assert found is not None
    assert set(re.findall(r'"(\w+)"', found[1])) == EVENTS


@pytest.mark.parametrize("cluster", [1.0, 2.0])
@pytest.mark.parametrize("mean", [0.1, 0.3, 1.0, 3.0])
def test_intervals_of_rare_events_cover_the_mean(cluster: float, mean: float) -> None:
    # Poisson, and Poisson clusters of geometric size. Student's interval covers 19 to 95 % of these.
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        clusters = random.poisson(mean / cluster, 5)
        values = [float(random.geometric(1 / cluster, each).sum()) for each in clusters]
        if not sum(values):
            # 95 % of them: where three are the mean of all runs, 5 % have none.
            held += mean <= 0.6
            continue
        low, high = events_interval(values, t_quantile(4))
        held += low <= mean <= high
    # Where clusters of two make one event a run, 8 % of five runs have none.
    assert held >= (0.94 if (cluster, mean) != (2.0, 1.0) else 0.88) * 400


def test_the_summary_of_many_seeds_takes_little_memory(small_run: ww.Run) -> None:
    # 14 558 seeds of one flow took 1.15 GB: the summary held views of all columns of all seeds at once.
    packed: Columns | None = None
    tables: list[Columns] = []
    for seed in range(3000):
        columns = small_run.totals("flows").tables[seed % len(small_run.seeds)] if seed < 3 else tables[seed - 3]
        plain = {
            key: column if isinstance(column, list) else memoryview(np.asarray(column).tobytes()).cast("d")
            for key, column in columns.items()
            if isinstance(column, list) or np.asarray(column).dtype == np.float64
        }
        packed = Packed.of(plain, packed)
        tables.append(packed)
    run = Totals(kind="flows", tables=tables)
    plain_rows = Totals(kind="flows", tables=[dict(table) for table in tables[:3]])
    assert list(Rows(Totals(kind="flows", tables=tables[:3]))) == list(Rows(plain_rows))
    tracemalloc.start()
    try:
        rows = list(Rows(run))
        assert not is_one_run([run])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [row["flow"] for row in rows] == list(run.names)
    # A view of a column of a seed takes 400 B, and there are some forty columns.
    assert peak < 3000 * 2500
