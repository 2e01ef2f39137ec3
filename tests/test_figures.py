"""Figures and the report."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import windward as ww
from windward.show.plot import PACKETS, save

#: Of what this run does not have.
NOT_HERE = ("stations", "map", "airtime", "air", "backlogs", "trapped", "shares", "blocks")


def lines(figure: Figure) -> int:
    return sum(len(axes.get_lines()) for axes in figure.axes)


@pytest.mark.parametrize("what", [what for what in PACKETS if what not in NOT_HERE])
def test_every_figure(small_run: ww.Run, what: str, tmp_path: Path) -> None:
    figure = small_run.plot(what)
    for axes in figure.axes:
        assert axes.get_xlabel() or figure.get_supxlabel() or what == "internals"
    for name in ("one.svg", "two.svg", "one.pdf", "two.pdf", "one.png"):
        save(small_run.plot(what), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def test_windows_are_those_of_the_series(small_run: ww.Run) -> None:
    figure = small_run.plot("windows", seed=2)
    assert lines(figure) == 3
    series = small_run.flow_series
    reno = series[(series["seed"] == 2) & (series["flow"] == "reno")]
    drawn = figure.axes[0].get_lines()[0]
    # NaN, and nothing drawn, until the connection is open.
    np.testing.assert_array_equal(drawn.get_ydata(), reno["cwnd"])
    assert list(drawn.get_xdata()) == list(reno["time_s"])


def test_groups_have_a_panel_each_and_crowds_a_band(link: Callable[..., ww.Scenario]) -> None:
    flows = [
        ww.Flow(name="few", from_="a", to="b", law="reno", count=2),
        ww.Flow(name="many", from_="a", to="b", law="cubic", count=20),
    ]
    figure = link(*flows).simulate().plot("windows")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["few", "many"]
    assert [len(axes.get_lines()) for axes in figure.axes] == [2, 1]
    assert len(figure.axes[1].collections) == 1


def test_nothing_to_draw(link: Callable[..., ww.Scenario]) -> None:
    source = ww.Background(from_="a", to="b", pattern=ww.Cbr(rate="1 Mbit/s"))
    run = link(background=[source]).simulate()
    with pytest.raises(ValueError, match="nothing to draw: the run has no cell"):
        run.plot("stations")
    for what in ("windows", "goodput", "internals"):
        with pytest.raises(ValueError, match=r"nothing to draw|no internals"):
            run.plot(what)
    assert lines(run.plot("queues")) >= 1


class Links(HTMLParser):
    """Collects what a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [
            value or "" for name, value in attrs if name in {"src", "href", "xlink:href", "srcset", "data"}
        ]


def test_the_report_needs_nothing_else(small_run: ww.Run, tmp_path: Path) -> None:
    page = small_run.report(tmp_path / "page.html").read_text()
    parser = Links()
    parser.feed(page)
    assert all(link.startswith("#") for link in parser.fetched)
    assert "script" not in parser.tags
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in parser.fetched} <= set(ids)


def test_the_report_tells_it_all(small_run: ww.Run, tmp_path: Path) -> None:
    page = small_run.report(tmp_path / "page.html").read_text()
    for word in ("Do Reno and CUBIC share a link?", "cubic-2", "Jain", "utilization", "loss", "mean RTT", "voice"):
        assert word in page
    assert page.count("<figure") == 10
    assert "over 3 seeds" in page
    assert page == small_run.report(tmp_path / "again.html").read_text()


def test_text_in_the_report_is_text(link: Callable[..., ww.Scenario], tmp_path: Path) -> None:
    run = link(ww.Flow(name="<b>", from_="a", to="b", law="reno"), title="1 < 2 & <script>x</script>").simulate()
    page = run.report(tmp_path / "page.html").read_text()
    assert "<script>" not in page
    assert "1 &lt; 2 &amp; &lt;script&gt;" in page
