"""Draws the pictures of the documentation, and fills in the table of the laws: `make docs` runs it.

The same code gives the same bytes.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import windward as ww
from windward import LawSpec
from windward.show.plot import draw, save
from windward.show.plot.style import COLORS, FAINT, styled

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
LAWS_PAGE = ROOT / "docs" / "reference" / "laws" / "README.md"
SCENARIOS = ROOT / "scenarios"
GUIDE = ROOT / "docs" / "start" / "guide.md"

#: Packets that each flow of a delay law shall keep in the queue: little enough for the buffer.
BACKLOG = 20

#: Each law as its page shows it.
LAWS: dict[str, LawSpec] = {
    "reno": ww.Reno(),
    "cubic": ww.Cubic(),
    "vegas": ww.Vegas(),
    "fast": ww.Fast(alpha=BACKLOG),
    "quic-tcp": ww.QuicTcp(backlog=BACKLOG),
    "compound": ww.Compound(),
    "westwood": ww.Westwood(),
    "tcp-fit": ww.TcpFit(),
}

#: When the second flow of a law's picture starts, when counting begins, and when the picture ends, in seconds.
SECOND_START, WARMUP, END = 20, 30, 60

#: What stands around the table that is filled in.
TABLE_BEGIN, TABLE_END = "<!-- Generated: make docs -->\n", "<!-- end -->\n"


def alone(name: str) -> ww.Scenario:
    """Two flows of one law on 10 Mbit/s and 60 ms, with a buffer of one and a half bandwidth-delay products.

    Both know their base RTT, so that what is seen is the law and not its error.
    """
    flow = ww.Flow(
        name="flow",
        from_="a",
        to="b",
        law=LAWS[name],
        count=2,
        start_step=f"{SECOND_START} s",
        known_base_rtt="path",
    )
    return ww.Scenario(
        name=name,
        duration=f"{END} s",
        warmup=f"{WARMUP} s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(name="bottleneck", from_="a", to="b", rate="10 Mbit/s", delay="30 ms", buffer="75 packets")],
        flow=[flow],
    )


def series(frame: pd.DataFrame, entity: str, name: str, column: str, every_s: float = 0) -> pd.Series:
    """One column of one flow or link against time; a mean over every so many seconds where asked."""
    values = frame[frame[entity] == name].set_index("time_s")[column]
    if every_s:
        # A sample stands for the interval before it; the tenth of a millisecond guards against rounding.
        values = values.groupby(((values.index - 1e-4) // every_s + 0.5) * every_s).mean()
    return values


def panel(axes: Axes, label: str, top: float | None = None) -> None:
    """Names what a panel shows; it begins at zero."""
    axes.set_ylabel(label)
    axes.set_ylim(0, top)


def law(name: str, run: ww.Run) -> Figure:
    """The windows of the two flows above, the queue below."""
    figure = Figure(figsize=(7, 4.2))
    FigureCanvasAgg(figure)
    windows, queue = figure.subplots(2, 1, sharex=True)
    for color, flow in zip(COLORS, ("flow-1", "flow-2"), strict=False):
        cwnd = series(run.flow_series, "flow", flow, "cwnd")
        windows.plot(cwnd.index, cwnd, color=color, label=flow.replace("-", " "))
    windows.legend(loc="upper right", ncols=2)
    panel(windows, "window (packets)")
    backlog = series(run.link_series, "link", "bottleneck", "backlog")
    queue.plot(backlog.index, backlog, color=COLORS[2])
    if name in ("fast", "quic-tcp"):
        flows = [1, 1, 2, 2]
        times = [0, SECOND_START, SECOND_START, END]
        line = queue.plot(times, [BACKLOG * count for count in flows], color=FAINT, linestyle="--", linewidth=1)
        queue.legend(line, [f"{BACKLOG} packets a flow"], loc="lower right")
    panel(queue, "queue (packets)", 80)
    queue.set_xlabel("time (s)")
    queue.set_xlim(0, END)
    return figure


def headline() -> Figure:
    """The scenario's laws: goodput of the two downloads above, queueing delay below."""
    run = ww.load(SCENARIOS / "headline.toml").simulate(seeds=1)
    names = [name for name in LAWS if f"{name}-1" in set(run.flow_series["flow"])]
    figure = Figure(figsize=(10, 4.4))
    FigureCanvasAgg(figure)
    rows = figure.subplots(2, len(names), sharex=True, sharey="row")
    for at, name in enumerate(names):
        above, below = rows[:, at]
        above.set_title(name)
        for color, flow in zip(COLORS, (1, 2), strict=False):
            goodput = series(run.flow_series, "flow", f"{name}-{flow}", "goodput_bps", every_s=1) / 1e6
            above.plot(goodput.index, goodput, color=color, label=f"download {flow}")
        delay = series(run.link_series, "link", f"air-{at + 1}", "queue_delay_ms")
        below.plot(delay.index, delay, color=COLORS[2], linewidth=0.9)
        below.set_xticks([0, 20, 40, 60])
    rows[0, 0].set_xlim(0, run.duration_s)
    panel(rows[0, 0], "goodput (Mbit/s)")
    panel(rows[1, 0], "queueing delay (ms)")
    rows[0, 0].set_yticks([0, 5, 10])
    rows[1, 0].set_yticks([0, 50, 100])
    figure.supxlabel("time (s)", fontsize=10)
    figure.legend(*rows[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return figure


def late_starter() -> Figure:
    """Goodput of both pairs above, their queues below, and what the formula says."""
    run = ww.load(SCENARIOS / "late-starter.toml").simulate(seeds=1)
    figure = Figure(figsize=(8, 5))
    FigureCanvasAgg(figure)
    rows = figure.subplots(2, 2, sharex=True, sharey="row")
    # Where the first flow's share and the queue come to rest, see docs/measured/validation/late-starter.md.
    golden = (3 + 5**0.5) / 2
    late_s = 40
    formula = {"color": FAINT, "linestyle": "--", "linewidth": 1, "zorder": 3}
    expected = {"mistaken": ([1 / golden, 1 - 1 / golden], golden * BACKLOG), "informed": ([0.5], 2.0 * BACKLOG)}
    for at, (pair, (shares, packets)) in enumerate(expected.items()):
        above, below = rows[:, at]
        above.set_title(pair)
        for color, flow, label in zip(COLORS, (1, 2), ("first flow", "late flow"), strict=False):
            goodput = series(run.flow_series, "flow", f"{pair}-{flow}", "goodput_bps", every_s=2) / 1e6
            above.plot(goodput.index, goodput, color=color, label=label)
        total = run.flows.set_index("flow")["goodput_bps"].filter(like=pair).sum() / 1e6
        for share in shares:
            above.hlines(share * total, late_s, run.duration_s, label="formula", **formula)
        backlog = series(run.link_series, "link", f"link-{at + 1}", "backlog", every_s=2)
        below.plot(backlog.index, backlog, color=COLORS[2])
        below.hlines(packets, late_s, run.duration_s, **formula)
    rows[0, 0].set_xlim(0, run.duration_s)
    rows[0, 0].set_xticks(range(0, 181, 40))
    panel(rows[0, 0], "goodput (Mbit/s)")
    panel(rows[1, 0], "queue (packets)")
    figure.supxlabel("time (s)", fontsize=10)
    handles, labels = rows[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3)
    return figure


def table(runs: dict[str, ww.Run]) -> str:
    """What each law made of the link while both flows were at work."""
    lines = [
        "| law | first flow | second flow | link used | mean queue | segments lost |",
        "|---|---|---|---|---|---|",
    ]
    for name, run in runs.items():
        link = run.links[run.links["link"] == "bottleneck"].iloc[0]
        first, second = run.flows["goodput_bps"] / 1e6
        lost = run.flows["segments_lost"].sum() / run.flows["segments_sent"].sum()
        lines.append(
            f"| `{name}` | {first:.2f} Mbit/s | {second:.2f} Mbit/s | {100 * link['utilization']:.1f} % "
            f"| {link['mean_backlog']:.1f} packets | {100 * lost:.2f} % |"
        )
    return "\n".join([*lines, ""])


def cafe() -> Figure:
    """What `windward plot` draws of the guide's scenario."""
    text = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)[0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cafe.toml"
        file.write_text(text)
        return draw(ww.load(file).simulate(), "rates")


def quic_fluid() -> Figure:
    """The guide's fluid run, beside the optimum."""
    return ww.load(ROOT / "scenarios" / "quic-one-bottleneck.toml").fluid().plot("rates")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    runs = {name: alone(name).simulate() for name in LAWS}
    before, _, rest = LAWS_PAGE.read_text().partition(TABLE_BEGIN)
    _, _, after = rest.partition(TABLE_END)
    LAWS_PAGE.write_text(f"{before}{TABLE_BEGIN}\n{table(runs)}\n{TABLE_END}{after}")
    # Half a pixel decides what a line needs: the files stay small.
    with styled(), mpl.rc_context({"path.simplify_threshold": 0.5}):
        for name, run in runs.items():
            save(law(name, run), PICTURES / f"{name}.svg")
        save(headline(), PICTURES / "headline.svg")
        save(cafe(), PICTURES / "cafe.svg")
        save(quic_fluid(), PICTURES / "quic-fluid.svg")
        save(late_starter(), PICTURES / "late-starter.svg")


if __name__ == "__main__":
    main()
