"""Figures."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.stats
from conftest import Cli
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

import windward as ww
from windward.show.page._figures import of_packets
from windward.show.page._map import network
from windward.show.plot import PACKETS, draw, save

#: Of what this run does not have.
NOT_HERE = (
    *("stations", "map", "airtime", "air", "aggregates", "backlogs", "trapped", "shares", "blocks"),
    *("completion", "loads", "waterfall", "video", "call", "causes", "resources", "sites"),
)


def lines(figure: Figure) -> int:
    return sum(len(axes.get_lines()) for axes in figure.axes)


@pytest.mark.parametrize("what", [what for what in PACKETS if what not in NOT_HERE])
def test_every_figure(small_run: ww.Run, what: str, tmp_path: Path) -> None:
    figure = small_run.plot(what)
    for axes in figure.axes:
        assert axes.get_xlabel() or figure.get_supxlabel() or what == "internals"
    for name in ("one.svg", "one.pdf", "one.png"):
        save(figure, tmp_path / name)
    again = small_run.plot(what)
    for ending in ("svg", "pdf"):
        save(again, tmp_path / f"two.{ending}")
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


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
    source = ww.Background(from_="a", to="b", pattern=ww.format.Cbr(rate="1 Mbit/s"))
    run = link(background=[source]).simulate()
    with pytest.raises(ValueError, match="nothing to draw: the run has no cell"):
        run.plot("stations")
    for what in ("windows", "goodput", "internals"):
        with pytest.raises(ValueError, match=r"nothing to draw|no internals"):
            run.plot(what)
    assert lines(run.plot("queues")) >= 1


def test_the_figure_by_default_is_one_with_something_to_draw(
    link: Callable[..., ww.Scenario], small_run: ww.Run
) -> None:
    source = ww.Background(from_="a", to="b", pattern=ww.format.Cbr(rate="1 Mbit/s"))
    run = link(background=[source]).simulate()
    figure = draw(run)
    assert (figure.what, draw(small_run).what) == ("datagrams", "windows")
    assert len(figure.axes[0].get_lines()) == 1
    assert lines(run.plot()) == lines(figure)
    assert run._repr_html_().count("<svg") == 1
    swept = link(background=[source]).sweep({"link.0.rate": ["5 Mbit/s", "9 Mbit/s"]}, seeds=1)
    with pytest.raises(ValueError, match=r"figures with values: .*received"):
        swept.plot("goodput")


def test_few_seeds_are_lines_of_their_own(small_run: ww.Run) -> None:
    """The interval of three seeds would fill the figure: 4.3 standard errors on either side."""
    (axes,) = small_run.plot("queues").axes
    series = small_run.link_series
    values = series[series["link"] == "a->b"].pivot_table(index="time_s", columns="seed", values="backlog")
    np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), values.mean(axis=1))
    lines = axes.collections[0].get_segments()
    assert len(lines) == 3
    for line, seed in zip(lines, values.columns, strict=True):
        np.testing.assert_allclose(line[:, 1], values[seed])
    assert not small_run.plot("queues", seed=2).axes[0].collections


def test_bands_over_seeds() -> None:
    run = one_flow("reno", 0.01).simulate(seeds=4)
    (axes,) = run.plot("queues").axes
    series = run.link_series
    values = series[series["link"] == "a->b"].pivot_table(index="time_s", columns="seed", values="backlog")
    np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), values.mean(axis=1))
    half = scipy.stats.t.ppf(0.975, 3) * values.std(axis=1) / np.sqrt(4)
    mean = values.mean(axis=1)
    # An instant at which the interval does not reach below zero, where it would end.
    instant = next(at for at in values.index if half[at] > 0 and mean[at] > half[at])
    band = axes.collections[0].get_paths()[0].vertices
    ends = band[np.isclose(band[:, 0], instant), 1]
    np.testing.assert_allclose([ends.min(), ends.max()], [mean[instant] - half[instant], mean[instant] + half[instant]])


def one_flow(law: str, loss: float) -> ww.Scenario:
    return ww.Scenario(
        name="t",
        duration="5 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate="5 Mbit/s", delay="10 ms", buffer="20 packets", loss=loss)],
        flow=[ww.Flow(name="f", from_="a", to="b", law=law)],
    )


def test_one_seed_has_no_band() -> None:
    for seeds, bands in ((1, 0), (3, 1)):
        figure = one_flow("reno", 0.01).simulate(seeds=seeds).plot("windows")
        assert len(figure.axes[0].collections) == bands


def fonts(pdf: bytes) -> set[tuple[bytes, bytes]]:
    """Subtype and name of the fonts of a PDF."""
    objects = re.findall(rb"<<(?:(?!endobj).)*?/Type /Font\b(?:(?!endobj).)*", pdf, flags=re.DOTALL)
    return {
        (re.search(rb"/Subtype /(\w+)", one)[1], re.search(rb"/BaseFont /(\S+)", one)[1])  # type: ignore[index]
        for one in objects
        if b"/BaseFont" in one
    }


@pytest.mark.parametrize(("column", "width"), [("ieee", 3.5), ("ieee-wide", 7.16), ("acm", 3.33), ("acm-wide", 7.0)])
@pytest.mark.parametrize("what", ["rates", "internals", "goodput"])
def test_figures_for_papers(small_run: ww.Run, column: str, width: float, what: str, tmp_path: Path) -> None:
    figure = small_run.plot(what, for_=column)
    # The Python user's own savefig embeds the same.
    figure.savefig(tmp_path / "one.pdf")
    pdf = (tmp_path / "one.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    assert box is not None
    assert float(box[1]) == pytest.approx(72 * width, abs=0.01)
    assert b"/FontFile2" in pdf
    found = fonts(pdf)
    assert found
    assert {subtype for subtype, _ in found} <= {b"Type0", b"CIDFontType2", b"TrueType"}
    assert any(b"DejaVu" not in name for _, name in found)
    sizes = {text.get_fontsize() for text in figure.findobj(Text) if text.get_text() and text.get_visible()}
    assert sizes <= {7.0, 8.0}
    assert figure.get_suptitle() == ""
    # Nothing that is read stands outside the page.
    page = figure.bbox
    renderer = figure.canvas.get_renderer()
    for legend in figure.legends:
        extent = legend.get_window_extent(renderer)
        assert page.x0 <= extent.x0
        assert extent.x1 <= page.x1
        assert extent.y1 <= page.y1 + 1


def test_several_runs_in_one_figure() -> None:
    runs = {law: one_flow(law, 0.01).simulate(seeds=3) for law in ("reno", "cubic")}
    figure = runs["reno"].plot("rates", beside={"with CUBIC": runs["cubic"]})
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["t", "with CUBIC"]
    assert len(axes.get_lines()) == len(axes.collections) == 2
    alone = runs["cubic"].plot("rates").axes[0].get_lines()[0]
    np.testing.assert_array_equal(axes.get_lines()[1].get_ydata(), alone.get_ydata())
    with pytest.raises(ValueError, match="one flow shares with nobody"):
        runs["reno"].plot("fairness", beside=[runs["cubic"]])
    bars = runs["reno"].plot("goodput", beside=[runs["cubic"]]).axes[0].patches
    assert [bar.get_width() for bar in bars] == pytest.approx(
        [run.flows["goodput_bps"].mean() / 1e6 for run in runs.values()]
    )


def test_other_engines_beside_packets(scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    run, fluid, best = scenario.simulate(seeds=1), scenario.fluid(), scenario.optimum()
    figure = run.plot("rates", beside=[fluid])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["small, simulate", "small, fluid"]
    assert len(best.plot("goodput", beside=[run, fluid]).axes[0].patches) == 9
    with pytest.raises(ValueError, match="a result of `optimum` has no `rates` to lay beside others"):
        run.plot("rates", beside=[best])


def test_several_runs_from_the_command_line(cli: Cli, scenario_file: Path) -> None:
    scenario = ww.load(scenario_file)
    folder = scenario_file.parent
    for name in ("one", "two"):
        scenario.simulate(seeds=2, output=folder / name)
    result = cli("plot", "one", "two", "--what", "rates", "--for", "acm", "--output", "both.pdf")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "both.pdf",
        "caption: Goodput over time: mean over 2 seeds, and each of them (thin)",
    ]
    assert (folder / "both.pdf").stat().st_size > 5000
    scenario.sweep({"link.a->b.loss": [0, 0.01]}, seeds=1, output=folder / "sweep")
    for arguments, said in (
        (["one", "sweep"], "error: sweep is a sweep; one figure shows several runs, or one sweep\n"),
        (["one", "one"], "error: the same folder twice in one figure\n"),
        (["one", "--for", "iee"], "error: unknown column `iee`; columns: ieee, ieee-wide, acm, acm-wide\n"),
        (["one", "two", "--over", "x"], "error: --over, --by and --at are for sweeps\n"),
        (["one", "two", "--what", "map"], "error: several results have no figure `map` in common; figures: rates"),
    ):
        result = cli("plot", *arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith(said)


def test_a_comparison_is_drawn(cli: Cli, scenario_file: Path) -> None:
    folder = scenario_file.parent
    ww.load(scenario_file).compare(emulate=False, seeds=2, output=folder / "all")
    assert cli("plot", "all").stdout == "goodput.svg\n"
    drawn = (folder / "goodput.svg").read_text()
    for name in ("optimum", "fluid", "packets", "cubic-2"):
        assert f">{name}</text>" in drawn or f"<!-- {name} -->" in drawn
    assert cli("plot", "all", "--what", "rates", "-o", "rates.pdf").returncode == 0
    refused = cli("plot", "all", "--what", "utilisation")
    assert (refused.returncode, "hint: did you mean `utilization`?" in refused.stderr) == (2, True)
    assert ww.Comparison.open(folder / "all").plot("windows", for_="ieee").caption.startswith("Windows: ")


#: What matplotlib would leave out, take for mathematics, or have no room for.
ODD = ["_hidden", "p$a$_{^", "$", "^frac", "<b>&amp;", "x" * 60 + "-A-", "x" * 60 + "-B-"]


@pytest.fixture(scope="module")
def odd_run() -> ww.Run:
    flows = [ww.Flow(name=name, from_="_a", to="$b$", law="reno") for name in ODD]
    return ww.Scenario(
        name="odd$x$_{names",
        duration="3 s",
        node=[ww.Node(name="_a"), ww.Node(name="$b$")],
        link=[ww.Link(name="_$air$", from_="_a", to="$b$", rate="5 Mbit/s", delay="10 ms", buffer="20 packets")],
        flow=flows,
        output=ww.Output(internals=True),
    ).simulate()


def texts(figure: Figure) -> set[str]:
    return {text.get_text() for text in figure.findobj(Text) if text.get_visible()}


@pytest.mark.parametrize("for_", [None, "ieee"])
@pytest.mark.parametrize("what", ["windows", "goodput", "queues", "internals", "links"])
def test_names_are_data(odd_run: ww.Run, what: str, for_: str | None, tmp_path: Path) -> None:
    figure = odd_run.plot(what, for_=for_)
    save(figure, tmp_path / "one.svg")
    ElementTree.parse(tmp_path / "one.svg")
    if what in ("goodput", "internals", "windows"):
        found = texts(figure)
        assert {name for name in ODD if len(name) < 20} <= found
        # Long ones lose their middle, and still differ.
        assert len([text for text in found if text.startswith("xxx") and "…" in text]) == 2
    assert not any(text.get_parse_math() for text in figure.findobj(Text) if "$" in text.get_text())


def test_names_in_legends_are_data(odd_run: ww.Run, tmp_path: Path) -> None:
    figure = odd_run.plot("goodput", beside={"_first": odd_run, "$x$ \x1b[2J": odd_run})
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == ["odd$x$_{names", "_first", "$x$ \N{REPLACEMENT CHARACTER}[2J"]
    save(figure, tmp_path / "one.svg")
    ElementTree.parse(tmp_path / "one.svg")


def test_no_band_is_where_no_value_can_be() -> None:
    # Four seeds have intervals wider than their means.
    run = one_flow("reno", 0.05).simulate(seeds=4)
    for what in ("windows", "rates", "rtt", "queues", "delays"):
        for axes in run.plot(what).axes:
            assert axes.get_ylim()[0] >= 0
            for band in axes.collections:
                assert min(np.nanmin(path.vertices[:, 1]) for path in band.get_paths()) >= 0
    for what in ("utilization", "loss"):
        (axes,) = run.plot(what).axes
        low, high = axes.get_xlim()
        assert low == 0
        assert high <= 100
        for line in axes.collections:
            for segment in line.get_segments():
                assert 0 <= segment[:, 0].min() <= segment[:, 0].max() <= 100
    flows = [ww.Flow(name=name, from_="a", to="b", law="reno") for name in ("one", "two")]
    pair = ww.Scenario(
        name="t",
        duration="4 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate="5 Mbit/s", delay="10 ms", buffer="20 packets", loss=0.05)],
        flow=flows,
    ).simulate(seeds=4)
    (axes,) = pair.plot("fairness").axes
    assert max(np.nanmax(path.vertices[:, 1]) for band in axes.collections for path in band.get_paths()) <= 1
    for chart in of_packets(pair):
        low, high = chart.span()
        assert low >= 0
        assert chart.key != "fairness" or high <= 1.02
        for panel in chart.panels:
            for line in panel.lines:
                if line.low is not None and line.high is not None:
                    assert np.nanmin(line.low) >= 0
                    assert chart.key != "fairness" or np.nanmax(line.high) <= 1


def test_a_short_warm_up_has_its_name_beside_it() -> None:
    scenario = one_flow("reno", 0.01)
    run = dataclasses.replace(scenario, warmup="100 ms").simulate()
    figure = run.plot("windows")
    (axes,) = figure.axes
    renderer = figure.canvas.get_renderer()
    figure.canvas.draw()
    (word,) = (text for text in axes.texts if text.get_text() == "warm-up")
    assert word.get_window_extent(renderer).x0 >= axes.get_window_extent(renderer).x0


def wireless(*places: str, motion: str = "") -> str:
    names = [f"s{at}" for at in range(len(places))]
    stations = "".join(
        f'[[wifi.station]]\nnode = "{name}"\nat = [{place}]\n{motion if name == "s1" else ""}\n'
        for name, place in zip(names, places, strict=True)
    )
    nodes = ", ".join(f'{{ name = "{name}" }}' for name in names)
    routing = 'routing = "aodv"' if motion else ""
    return (
        f'name = "air"\nduration = "2 s"\nnode = [{nodes}]\n[[wifi]]\nname = "air"\n'
        f'{routing}\nreach = {{ receive = "250 m", sense = "550 m" }}\n{stations}'
        f'[[flow]]\nname = "up"\nfrom = "s0"\nto = "{names[-1]}"\nlaw = "reno"\n'
    )


@pytest.mark.parametrize("line", ["horizontal", "vertical"])
def test_stations_in_a_line_have_a_map(tmp_path: Path, line: str) -> None:
    at = ['"{} m", "0 m"', '"0 m", "{} m"'][line == "vertical"]
    path = tmp_path / "line.toml"
    path.write_text(wireless(*(at.format(120 * number) for number in range(4))))
    run = ww.load(path).simulate()
    figure = run.plot("map")
    (axes,) = figure.axes
    wide, tall = (abs(np.diff(ends)[0]) for ends in (axes.get_xlim(), axes.get_ylim()))
    assert 0.25 < tall / wide < 4
    # A link over two hops goes around the station between: not all lines are straight.
    assert max(len(line.get_xdata()) for line in axes.get_lines()) > 2
    assert "Q" in network(run, run.scenario)


def test_the_map_has_what_is_behind_the_access_point(tmp_path: Path) -> None:
    """A server and a DSL line that is always busy: as wide as a link can be, beside an air that is mostly idle."""
    path = tmp_path / "flat.toml"
    path.write_text(
        wireless('"0 m", "0 m"', '"10 m", "0 m"')
        .replace('to = "s1"', 'to = "server"')
        .replace("node = [", 'node = [{ name = "server" }, { name = "dslam" }, ')
        + '[[link]]\nname = "dsl"\nfrom = "dslam"\nto = "s0"\nrate = "1 Mbit/s"\ndelay = "5 ms"\n'
        + '[[link]]\nfrom = "server"\nto = "dslam"\nrate = "1 Gbit/s"\ndelay = "5 ms"\n'
        + '[[background]]\nfrom = "server"\nto = "s1"\npattern = { kind = "cbr", rate = "2 Mbit/s" }\n'
    )
    run = ww.load(path).simulate()
    picture = network(run, run.scenario)
    assert [name in picture for name in (">server</text>", ">dslam</text>", ">s1</text>")] == [True] * 3
    drawn = r'<title>dsl: [^<]*busy 100 %</title><path class="link busy" stroke-width="(.*?)"'
    (width,) = re.findall(drawn, picture)
    assert float(width) == 6.0
    assert ">100 %</text>" in picture
    # From left to right: the server, the line, the home.
    places = {name: float(x) for x, name in re.findall(r'<text class="name" x="(.*?)" [^>]*>(\w+)<', picture)}
    assert places["server"] < places["dslam"] < places["s0"] < places["s1"]


def test_the_way_of_a_station_that_moves_is_on_the_map(tmp_path: Path) -> None:
    points = ", ".join(f'{{ time = "{time} s", at = ["100 m", "{y} m"] }}' for time, y in ((0, 0), (1, 90)))
    turns = f'motion = {{ kind = "waypoints", points = [{points}] }}'
    path = tmp_path / "moving.toml"
    path.write_text(wireless('"0 m", "0 m"', '"100 m", "0 m"', '"200 m", "0 m"', motion=turns))
    run = ww.load(path).simulate()
    (axes,) = run.plot("map").axes
    ways = [line for line in axes.get_lines() if line.get_linestyle() not in ("-", "None")]
    assert [list(zip(*way.get_data(), strict=True)) for way in ways] == [[(100, 0), (100, 90)]]
    low, high = axes.get_ylim()
    assert low < 0
    assert high > 90
    assert 'path class="way"' in network(run, run.scenario)


def driving(*, places: bool = True) -> ww.Scenario:
    """A car that passes two LTE sites."""
    places_of_it = {
        "at": ["100 m", "0 m"],
        "motion": {"kind": "waypoints", "points": [{"time": "20 s", "at": ["900 m", "0 m"]}]},
    }
    sites = [ww.format.RanSite(name=name, at=[f"{x} m", "0 m"]) for name, x in (("west", 0), ("east", 1000))]
    cell = ww.RanCell(
        name="street",
        access_point="core",
        technology="lte",
        preset="lte-10mhz",
        site=sites if places else [],
        **({"shadowing": False, "line_of_sight": False} if places else {}),  # type: ignore[arg-type]
        station=[ww.format.RanStation(node="car", **(places_of_it if places else {"snr": "20 dB"}))],  # type: ignore[arg-type]
    )
    return ww.Scenario(
        name="drive",
        duration="20 s",
        node=[ww.Node(name=name) for name in ("server", "core", "car")],
        link=[ww.Link(from_="server", to="core", rate="1 Gbit/s", delay="5 ms")],
        cell=[cell],
        background=[ww.Background(from_="server", to="car", pattern=ww.format.Cbr(rate="4 Mbit/s"))],
        output=ww.Output(air=ww.format.AirSpan(from_="10 s", length="30 ms")),
    )


def test_the_causes_of_a_delay_are_stacked() -> None:
    """The bars of a link end at its mean delay; the second panel leaves the queue out."""
    run = driving().simulate()
    figure = run.plot("causes")
    left, right = figure.axes
    ends = [
        max(patch.get_x() + patch.get_width() for patch in axes.patches if round(patch.get_y() + 0.35) == 0)
        for axes in (left, right)
    ]
    delays = run.ran_delays.set_index("link").loc["core->car"]
    assert ends[0] == pytest.approx(1e3 * delays["mean_delay_s"])
    assert ends[1] == pytest.approx(1e3 * (delays["mean_delay_s"] - delays["queue_s"]))
    assert {"transmission", "HARQ", "handover", "decoding"} <= texts(figure)


def test_resource_blocks_and_sites_over_time() -> None:
    """Boxes for all transport blocks of the period, by direction and site; a line with a gap for a handover."""
    run = driving().simulate()
    figure = run.plot("resources")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[0] == "downlink of west"
    boxes = sum(len(collection.get_paths()) for axes in figure.axes for collection in axes.collections)
    assert boxes == len(run.ran_blocks)
    [axes] = run.plot("sites").axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["west", "east"]
    assert np.isnan(axes.get_lines()[0].get_ydata()).sum() == 1
    still = driving(places=False).simulate()
    with pytest.raises(ValueError, match="no station of a cell of LTE or NR has a place"):
        still.plot("sites")
    assert still.plot("resources").axes[0].get_title(loc="left") == "downlink"


def test_few_seeds_are_lines_and_many_a_band(scenario_file: Path) -> None:
    # Student's t of three is 4.3: their interval would fill the figure.
    scenario = ww.load(scenario_file)
    for seeds, bands, lines in ((3, 0, 3), (4, 3, 0)):
        figure = scenario.simulate(seeds=seeds).plot("rates")
        (axes,) = figure.axes
        assert len(axes.get_lines()) >= 3
        drawn = [own for own in axes.collections if isinstance(own, LineCollection)]
        assert len(drawn) == (3 if lines else 0)
        assert all(len(own.get_segments()) == lines for own in drawn)
        assert sum(isinstance(own, PolyCollection) for own in axes.collections) == bands


def test_bars_of_a_comparison_are_those_of_its_table(tmp_path: Path) -> None:
    """A network that changes: the optimum's and the fluid's own tables have its end alone, 9.65 Mbit/s."""
    file = tmp_path / "s.toml"
    file.write_text(
        'name = "s"\nduration = "8 s"\nnode = [{ name = "a" }, { name = "b" }]\n'
        'link = [{ name = "l", from = "a", to = "b", rate = "2 Mbit/s", delay = "5 ms", buffer = "20 packets" }]\n'
        'flow = [{ name = "f", from = "a", to = "b", law = "reno" }]\n'
        '[[change]]\nlink = "l"\nsteps = [{ at = "4 s", rate = "10 Mbit/s" }]\n'
    )
    compared = ww.load(file).compare(emulate=False, output=tmp_path / "c")
    (row,) = compared.rows
    axes = compared.plot("goodput").axes[0]
    drawn = [bar.get_width() * 1e6 for bar in axes.patches]
    assert drawn == pytest.approx([row["optimum_bps"], row["fluid_bps"], row["packets_bps"]])
    # The mean of 2 and 10 Mbit/s, less headers.
    assert drawn[0] == pytest.approx(6e6 * 1448 / 1500, rel=0.001)
