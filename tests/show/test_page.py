"""The pages that `windward report` writes: one file, all engines, figures from the series' own numbers."""

import hashlib
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SMALL, Cli, loaded

import windward as ww
from windward.show.page import _html
from windward.show.page._chart import Chart, Line, Panel
from windward.show.page._svg import decades, panel, ticks


class Page(HTMLParser):
    """Collects what a page would fetch, and what it runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.scripts: list[str] = []
        self.within: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.fetched += [value for name, value in attrs if name in ("src", "href", "data", "action") and value]
        self.within = (given.get("type") or "script") if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self.within is not None:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.within = None


def charts_of(page: str) -> list[dict[str, Any]]:
    """The numbers that the page's script draws."""
    found = re.search(r'<script type="application/json" id="charts">(.*?)</script>', page, flags=re.DOTALL)
    assert found
    return json.loads(found[1])


def numbers(packed: dict[str, Any]) -> np.ndarray:
    """Numbers as the page's script unpacks them."""
    if "v" not in packed:
        return packed["from"] + packed["by"] * np.arange(packed["count"])
    values = [np.nan if value is None else value for value in packed["v"]]
    return np.array(values, float) * 10.0 ** packed["e"]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a comparison."""
    folder = tmp_path_factory.mktemp("compared")
    (folder / "small.toml").write_text(SMALL)
    ww.load(folder / "small.toml").compare(emulate=False, output=folder / "kept")
    return folder / "kept"


@pytest.fixture(scope="module")
def page(compared: Path) -> str:
    """Its page."""
    return ww.Comparison.open(compared).report(compared / "report.html").read_text()


def test_a_page_needs_nothing_else(page: str) -> None:
    parsed = Page(page)
    assert all(link.startswith("#") for link in parsed.fetched)
    style = page[page.index("<style>") : page.index("</style>")]
    assert "@import" not in style
    assert not re.search(r"url\((?!#)", style)
    ids = re.findall(r'\sid="([^"]+)"', re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in parsed.fetched} <= set(ids)
    # Nothing could be fetched if it wanted to.
    assert "default-src 'none'" in page


def test_a_page_tells_of_all_engines(page: str) -> None:
    for word in ("Do Reno and CUBIC share a link?", "cubic-2", "Jain", "utilization", "loss", "mean RTT", "voice"):
        assert word in page
    for section in ("engines", "network", "packets", "fluid", "optimum", "scenario"):
        assert f'<section id="{section}">' in page
    assert "over 3 seeds" in page
    assert "<b>kernel skipped:</b> switched off" in page
    assert 'class="map"' in page


def test_the_same_result_is_the_same_page(page: str, compared: Path, tmp_path: Path) -> None:
    assert ww.Comparison.open(compared).report(tmp_path / "again.html").read_text() == page


def test_what_was_compared_is_what_was_kept(compared: Path) -> None:
    kept = ww.Comparison.open(compared)
    again = ww.load(compared.parent / "small.toml").compare(emulate=False)
    assert kept.left_out == again.left_out == {"kernel": "switched off"}
    assert kept.table.to_json() == again.table.to_json()


def test_a_comparison_takes_no_other_result_s_place(compared: Path) -> None:
    scenario = ww.load(compared.parent / "small.toml")
    with pytest.raises(ww.ResultError, match="holds a result of `fluid`; it is not overwritten"):
        scenario.compare(emulate=False, output=compared / "fluid")


def test_the_numbers_on_the_page_are_those_of_the_series(page: str, compared: Path) -> None:
    """Mean and range over three seeds, to the four digits of the largest in its line; NaN is a gap."""
    run = ww.open(compared / "simulate")
    (chart,) = (chart for chart in charts_of(page) if chart["key"] == "windows")
    series = run.flow_series.pivot_table(index=["seed", "time_s"], columns="flow", values="cwnd", dropna=False)
    mean = series.groupby("time_s").mean()
    np.testing.assert_allclose(numbers(chart["x"]), mean.index, rtol=1e-6, atol=1e-9)
    lines = {line["name"]: line for shown in chart["panels"] for line in shown["lines"] if line["look"] == "line"}
    assert list(lines) == ["reno", "cubic-1", "cubic-2"]
    for name, line in lines.items():
        shown, own = numbers(line["y"]), mean[name].to_numpy()
        np.testing.assert_array_equal(np.isnan(shown), np.isnan(own))
        np.testing.assert_allclose(shown, own, atol=0.5e-3 * np.nanmax(own))
        for end, of_seeds in (
            ("low", series[name].groupby("time_s").min()),
            ("high", series[name].groupby("time_s").max()),
        ):
            np.testing.assert_allclose(numbers(line[end]), of_seeds.to_numpy(), atol=1e-3 * np.nanmax(of_seeds))


def test_the_optimum_stands_beside_the_goodput(page: str, compared: Path) -> None:
    best = ww.Optimum.open(compared / "optimum").flows["goodput_bps"].max() / 1e6
    (chart,) = (chart for chart in charts_of(page) if chart["key"] == "rates")
    levels = [level for shown in chart["panels"] for level in shown["levels"]]
    assert [level["value"] for level in levels] == [pytest.approx(best, rel=1e-3)]
    assert any(line["look"] == "fluid" for shown in chart["panels"] for line in shown["lines"])


def test_text_on_a_page_is_text(link: Callable[..., ww.Scenario], tmp_path: Path) -> None:
    run = link(ww.Flow(name="<b>", from_="a", to="b", law="reno"), title="1 < 2 & <script>x</script>").simulate()
    page = run.report(tmp_path / "page.html").read_text()
    assert "<script>x" not in page
    assert "<b>-" not in page
    assert "1 &lt; 2 &amp; &lt;script&gt;" in page
    assert "\\u003cb>" in page


def test_a_still_picture_has_the_extremes_of_its_line() -> None:
    """From 6000 points on 292 pixels, a single spike is drawn at full height, and a gap stays a gap."""
    x = np.linspace(0, 60, 6000)
    values = np.ones(6000)
    values[3000], values[4000:4300] = 10.0, np.nan
    chart = Chart(
        key="k", title="t", note="", x_label="s", y_label="y", x=x, x_from=0, x_to=60,
        panels=[Panel(title="p", lines=[Line(name="l", values=values)])],
    )  # fmt: skip
    svg = panel(chart, chart.panels[0])
    (path,) = re.findall(r'<path class="line c0" d="([^"]+)"', svg)
    assert path.count("M") == 2
    at, lowest = 0, 10_000
    for move in re.findall(r"M(-?\d+) (-?\d+)l?([-\d ]*)", path):
        at = int(move[1])
        for step in move[2].split()[1::2]:
            at += int(step)
            lowest = min(lowest, at)
    # 10 of 10.4 (a margin of 4 %), from 154 pixels up to 8, in tenths.
    assert lowest == pytest.approx(10 * (154 - 146 * 10 / 10.4), abs=1)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, "0.00 0.25 0.50 0.75 1.00"),
        (0, 10.4, "0 5 10"),
        (0, 317, "0 100 200 300"),
        (-3, 3, "-2 0 2"),
        (0.0012, 0.0048, "0.002 0.003 0.004"),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: str) -> None:
    assert " ".join(text for _, text in ticks(low, high, 4)) == expected


def test_decades_are_marked() -> None:
    assert decades(0.09, 5.5) == [0.1, 0.2, 0.5, 1, 2, 5]
    assert decades(1, 10_000) == [1, 10, 100, 1000, 10_000]


def test_the_library_is_the_one_that_is_named() -> None:
    """uPlot 1.6.32 as the npm registry has it."""
    folder = Path(_html.__file__).parent / "uplot"
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    assert digests["uPlot.iife.min.js"] == DIGESTS[0]
    assert digests["uPlot.min.css"] == DIGESTS[1]
    assert "MIT" in (folder / "LICENSE").read_text()


#: Of dist/uPlot.iife.min.js and dist/uPlot.min.css.
DIGESTS = (
    "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
)


def test_a_page_waits_for_neither_pandas_nor_matplotlib(compared: Path) -> None:
    code = "import sys; sys.argv = ['windward', 'report', 'kept', '-o', 'page.html']\n"
    code += "from windward._cli.main import main\ntry: main()\nexcept SystemExit: pass"
    # The laws of the small scenario show internals, which matplotlib draws: without them.
    text = (compared.parent / "small.toml").read_text().replace("internals = true", "")
    folder = compared.parent / "plain"
    folder.mkdir()
    (folder / "small.toml").write_text(text)
    ww.load(folder / "small.toml").compare(emulate=False, output=folder / "kept")
    assert loaded(code, folder) == {"numpy", "pyarrow"}
    assert (folder / "page.html").exists()


def test_a_sweep_has_such_a_page(cli: Cli, scenario_file: Path) -> None:
    chosen = ("--set", "link.*.loss=0.1%,1%,5%", "--set", "flow.*.law=reno,cubic", "--seeds", "2")
    assert cli("sweep", scenario_file.name, *chosen, "-q", "-o", "sweep").returncode == 0
    assert cli("report", "sweep").stdout == "sweep/report.html\n"
    page = (scenario_file.parent / "sweep" / "report.html").read_text()
    chart = charts_of(page)[0]
    assert (chart["key"], chart["xLabel"], chart["log"]) == ("sweep-goodput", "link.*.loss (%)", True)
    assert [line["name"] for line in chart["panels"][0]["lines"]] == ["reno", "cubic"]
    sweep = ww.Sweep.open(scenario_file.parent / "sweep")
    means = sweep.means("goodput")
    reno = means[means["flow.*.law"] == "reno"]["mean"].to_numpy() / 1e6
    np.testing.assert_allclose(numbers(chart["panels"][0]["lines"][0]["y"]), reno, rtol=1e-3)
    np.testing.assert_allclose(numbers(chart["x"]), [0.1, 1, 5], rtol=1e-6)
    assert page.count('class="cells"') == len(charts_of(page)) > 5


def test_a_paper_has_such_a_page(tmp_path: Path) -> None:
    """Its figures say where their axes are, and its claims stand in a table."""
    from matplotlib.figure import Figure

    from windward import papers
    from windward.papers.judge import Judgement
    from windward.papers.page import write
    from windward.papers.reproduce import Drawn
    from windward.show.plot.style import as_svg

    figure = Figure(figsize=(4, 3))
    axes = figure.add_axes((0.25, 0.2, 0.5, 0.6))
    axes.set_xlim(0, 10)
    axes.set_ylim(1, 1000)
    axes.set_yscale("log")
    (tmp_path / "figure-1.svg").write_text(as_svg(figure))
    svg, pdf = tmp_path / "figure-1.svg", tmp_path / "figure-1.pdf"
    drawn = Drawn(number="1", title="A <figure>", caption="What & how.", svg=svg, pdf=pdf)
    paper = papers.load("wang2013")
    claim = next(iter(paper.claims.values()))
    judgement = Judgement(claim=claim, holds=True, ours="3 < 4")
    page = write(paper, [judgement], [drawn], tmp_path / "index.html").read_text()
    # 4 by 3 inches of 72 points: a quarter from the left, a fifth from the top, half as wide, 0.6 as high.
    assert json.loads(re.search(r"data-axes='([^']+)'", page)[1]) == [[72, 43.2, 144, 129.6, 0, 10, 1, 1000, 0, 1]]
    assert f'id="claim-{claim.id}"' in page
    assert "3 &lt; 4" in page
    assert "A &lt;figure&gt;" in page
    assert all(link.startswith("#") for link in Page(page).fetched)
