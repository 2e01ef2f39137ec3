"""Results of stations that forward by backlog: tables, figures, and the page that steps through their queues."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY, SMALL, Cli
from matplotlib.container import BarContainer

import windward as ww
from windward.show.plot import save

PAPER = REPOSITORY / "evidence" / "papers" / "seferoglu2014"


@pytest.fixture(scope="module")
def tree() -> ww.Run:
    """The tree under the classical rule, which traps the second flow's packets where no RTS goes before them."""
    scenario = ww.load(PAPER / "tree.toml")
    air = replace(scenario.wifi[0], routing=ww.format.BackpressureRouting(k=0), rts_threshold="3 kB")
    return replace(scenario, wifi=(air,)).simulate(seeds=2)


@pytest.fixture(scope="module")
def diamond() -> ww.Run:
    return replace(ww.load(PAPER / "diamond.toml"), duration="20 s").simulate(seeds=1)


def test_trapped_packets_are_those_of_queues_that_do_not_move(tree: ww.Run) -> None:
    queues = tree.backlogs[tree.backlogs["node"] == "A"].groupby("flow")[["mean_backlog", "mean_trapped"]].sum()
    assert queues.loc["flow2", "mean_trapped"] > 0.5 * queues.loc["flow2", "mean_backlog"]
    assert queues.loc["flow1", "mean_trapped"] < 0.05 * queues.loc["flow1", "mean_backlog"]
    # The samples say the same as the engine's sums.
    series = tree.backlog_series
    of = series[(series["node"] == "A") & (series["flow"] == "flow2") & (series["seed"] == 1)]
    sampled = (of["backlog"] * (of["idle_s"] > 1)).sum() * 0.5 / 200
    summed = tree.backlogs.query("node == 'A' and flow == 'flow2' and seed == 1")["mean_trapped"].item()
    assert sampled == pytest.approx(summed, rel=0.05)


def test_k_is_the_buffer_over_the_flows(diamond: ww.Run) -> None:
    last = diamond.backlog_series[diamond.backlog_series["time_s"] > 19]
    assert set(last[last["node"] == "A"]["threshold"]) == {50.0}
    assert set(last[last["node"] == "B"]["threshold"]) == {100.0}


def test_every_queue_has_its_line_and_k(diamond: ww.Run) -> None:
    figure = diamond.plot("backlogs")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["A", "B", "C", "D"]
    series = diamond.backlog_series
    drawn = figure.axes[0].get_lines()[0]
    own = series[(series["node"] == "A") & (series["flow"] == "flow1")]
    np.testing.assert_array_equal(drawn.get_ydata(), own["backlog"])
    assert "K" in figure.axes[0].get_legend_handles_labels()[1]


def test_trapped_packets_are_part_of_their_bars(tree: ww.Run) -> None:
    left, right = tree.plot("trapped").axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["A: flow1", "A: flow2", "C: flow2"]
    whole, part = (bars for bars in left.containers if isinstance(bars, BarContainer))
    assert all(a.get_width() >= b.get_width() for a, b in zip(whole, part, strict=True))
    ends = tree.backlogs.groupby(["node", "flow"])["last_backlog"].sum() / 2
    assert right.containers[0][0].get_width() == ends["A", "flow1"]


def test_ways_add_up_to_what_arrives(diamond: ww.Run) -> None:
    first, second = diamond.plot("shares").axes
    for axes, ends in ((first, "A to B"), (second, "A to D")):
        assert ends in axes.get_title(loc="left")
        texts = [int(text.get_text()[:-2]) for text in axes.texts if text.get_text().endswith("%")]
        # Two ways: one link straight and three the other way round for the first flow, twice two for the second.
        assert len(texts) == 4
    ways = [int(text.get_text()[:-2]) for text in second.texts if text.get_text().endswith("%")]
    assert sum(ways) == pytest.approx(200, abs=3)


@pytest.mark.parametrize("what", ["backlogs", "trapped", "shares"])
def test_figures_are_the_same_every_time_and_refuse_other_runs(
    tree: ww.Run, small_run: ww.Run, what: str, tmp_path: Path
) -> None:
    for name in ("one.svg", "two.svg"):
        save(tree.plot(what), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    with pytest.raises(ValueError, match="no stations forward by backlog"):
        small_run.plot(what)


def test_the_page_of_steps_needs_nothing_else(diamond: ww.Run, tmp_path: Path) -> None:
    page = diamond.steps(tmp_path / "steps.html").read_text()
    assert not re.search(r"""(?:src|href|@import|url\()\s*=?\s*["']?https?:""", page)
    shown = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', page)[0])
    series = diamond.backlog_series
    assert shown["times"][-1] == series["time_s"].max()
    last = series[series["time_s"] == series["time_s"].max()]
    assert sorted(queue["backlog"][-1] for queue in shown["queues"]) == sorted(last["backlog"])
    # Without a script it is the picture of the end.
    heights = [float(height) for height in re.findall(r'<rect id="q\d+"[^>]* height="([\d.]+)"', page)]
    assert sorted(heights) == pytest.approx(sorted(shown["scale"] * last["backlog"]), abs=0.06)
    assert diamond.steps(tmp_path / "again.html").read_text() == page


def test_text_on_the_page_is_text(tmp_path: Path) -> None:
    scenario = replace(ww.load(PAPER / "diamond.toml"), title="1 < 2 & <script>x</script>", duration="10 s")
    page = scenario.simulate().steps(tmp_path / "steps.html").read_text()
    assert "<script>x" not in page
    assert "1 &lt; 2 &amp; &lt;script&gt;" in page


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    text = (PAPER / "diamond.toml").read_text().replace('duration = "200 s"', 'duration = "10 s"')
    (tmp_path / "diamond.toml").write_text(text)
    said = cli("simulate", "diamond.toml", "--output", "run")
    assert said.returncode == 0
    assert re.search(r"^station +flow +mean queue +trapped", said.stdout, re.MULTILINE)
    assert re.search(r"^flow1 +A->B +\d+\.\d %$", said.stdout, re.MULTILINE)
    assert cli("plot", "run", "--what", "steps").stdout == "steps.html\n"
    assert cli("plot", "run", "--what", "backlogs", "-o", "queues.pdf").stdout == "queues.pdf\n"
    refused = cli("plot", "run", "--what", "steps", "-o", "steps.svg")
    assert (refused.returncode, "steps are written as .html" in refused.stderr) == (2, True)
    assert cli("report", "run").returncode == 0
    page = (tmp_path / "run" / "report.html").read_text()
    for title in ("Queues of the stations by flow", "Trapped packets", "Ways of the flows"):
        assert f'aria-label="{title}"' in page


def test_other_results_have_no_steps(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    assert cli("optimum", "small.toml", "--output", "best").returncode == 0
    refused = cli("plot", "best", "--what", "steps")
    assert (refused.returncode, "has no steps" in refused.stderr) == (2, True)
