"""Ten laws over a home of 802.11ac and ax, scenarios/today/wifi.toml, with three queues at the access point; simulated.

python evidence/benches/emulate/today_wifi.py [--seeds 10] writes its part of evidence/measured/today.md, and
docs/pictures/today-wifi.svg. What was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from page import rows_of_seeds, table
from today import LAWS, PAGE, ROOT, SEEDS, WIFI_CLOSE, WIFI_OPEN, with_interval

import windward as ww
from windward.results.stats import mean_and_interval

PICTURE = ROOT / "docs" / "pictures" / "today-wifi.svg"
#: Rows of finished runs are kept here.
KEPT = ROOT / "results" / "today-wifi"

STANDARDS = ("802.11ac", "802.11ax")
#: Queues of the access point: title, `txq` and marker.
QUEUES: dict[str, tuple[str, ww.format.TransmitQueues, str]] = {
    "fifo": ("one FIFO of 1000 packets", ww.format.TransmitQueues(queue="fifo"), "s"),
    "shared": ("one FQ-CoDel for all stations", ww.format.TransmitQueues(queue="shared-fq-codel"), "^"),
    "airtime": ("FQ-CoDel for each station with airtime fairness", ww.format.TransmitQueues(), "o"),
}
NEAR, FAR = ("desk", "television"), "garden"


def scenario(standard: str, queue: str, law: str | None, kind: str) -> ww.Scenario:
    """The home: "alone", "busy" (downloads beside the laptop's) or "upload"; idle without a law."""
    plain = ww.load(ROOT / "scenarios" / "today" / "wifi.toml")
    air = replace(plain.wifi[0], standard=standard, txq=QUEUES[queue][1])
    if law is None:
        return replace(plain, wifi=[air], flow=[])
    own = replace(plain.flow[0], law=LAWS[law])
    if kind == "upload":
        own = replace(own, from_=own.to, to=own.from_)
    return replace(plain, wifi=[air], flow=[own, *(plain.flow[1:] if kind == "busy" else [])])


def figures(run: ww.Run, kind: str) -> pd.DataFrame:
    """Goodputs in Mbit/s, mean delay of the call's packets in seconds, MPDUs per PPDU and mean RTT, for each seed."""
    flows = run.flows.pivot_table(index="seed", columns="flow", values="goodput_bps") / 1e6
    sender = "laptop->router" if kind == "upload" else "router->laptop"
    air = run.edca_links.set_index(["link", "seed"])
    found = {
        "own": flows["transfer"],
        "delay": run.background.set_index("seed")["mean_delay_s"],
        "mpdus": air.loc[sender, "mean_ampdu"],
        "rtt": run.flows.set_index(["flow", "seed"]).loc["transfer", "mean_rtt_s"],
    }
    if kind == "busy":
        found |= {"near": flows[[*NEAR]].mean(axis=1), "far": flows[FAR], "sum": flows.sum(axis=1)}
    return pd.DataFrame(found)


def rows(standard: str, queue: str, law: str, kind: str, seeds: int) -> pd.DataFrame:
    """A row for each seed: those kept, or those of a run now."""
    kept = KEPT / f"{standard}-{queue}-{law}-{kind}.csv"
    return rows_of_seeds(kept, seeds, lambda: figures(scenario(standard, queue, law, kind).simulate(seeds=seeds), kind))


def idle(standard: str, queue: str) -> float:
    """Mean delay of the call's packets without other traffic, in seconds."""
    return float(scenario(standard, queue, None, "alone").simulate(seeds=1).background["mean_delay_s"].iloc[0])


def text(values: pd.Series[float]) -> str:
    """Mean over seeds, with its half width."""
    return with_interval(*mean_and_interval(values))


def compared(standard: str, queue: str, seeds: int) -> tuple[list[list[str]], pd.DataFrame]:
    """Cells of a table, and for each law the means of the busy home: the call's wait in ms and the sum in Mbit/s."""
    base = idle(standard, queue)
    cells, busy_means = [], {}
    for law in LAWS:
        alone, busy = (rows(standard, queue, law, kind, seeds) for kind in ("alone", "busy"))
        waits = [1e3 * (each["delay"] - base) for each in (alone, busy)]
        columns = (
            alone["own"],
            alone["mpdus"],
            waits[0],
            busy["own"],
            busy["near"],
            busy["far"],
            busy["sum"],
            waits[1],
        )
        cells.append([law, *map(text, columns)])
        busy_means[law] = {"wait": waits[1].mean(), "sum": busy["sum"].mean()}
    return cells, pd.DataFrame(busy_means).T


def uploads(seeds: int) -> list[list[str]]:
    """Cells of the table of uploads, behind the queues of mac80211."""
    cells = []
    for law in LAWS:
        found = [rows(standard, "airtime", law, "upload", seeds) for standard in STANDARDS]
        columns = [column for each in found for column in (each["own"], each["mpdus"], 1e3 * each["rtt"])]
        cells.append([law, *map(text, columns)])
    return cells


def draw(means: dict[tuple[str, str], pd.DataFrame]) -> None:
    """A panel for each standard: what all stations get over the call's wait; a marker for each queue."""
    drawn = Figure(figsize=(11, 4.8), layout="constrained")
    FigureCanvasAgg(drawn)
    panels = drawn.subplots(1, 2)
    colors = dict(zip(LAWS, (f"C{at}" for at in range(10)), strict=True))
    for axes, standard in zip(panels, STANDARDS, strict=True):
        for queue, (_, _, marker) in QUEUES.items():
            for law, mean in means[standard, queue].iterrows():
                axes.plot(mean["wait"], mean["sum"], marker, color=colors[str(law)], markersize=8, fillstyle="none")
        axes.set(title=standard, xlabel="the call's wait, ms")
        axes.set_xlim(0, None)
        axes.set_ylim(0, 1.08 * axes.get_ylim()[1])
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
    panels[0].set_ylabel("goodput of all four stations, Mbit/s")
    handles = [Line2D([], [], color=colors[law], marker=".", linestyle="", label=law) for law in LAWS]
    handles += [
        Line2D([], [], color="0.3", marker=marker, fillstyle="none", linestyle="", label=title)
        for title, _, marker in QUEUES.values()
    ]
    drawn.legend(handles=handles, loc="outside lower center", frameon=False, ncols=5)
    drawn.savefig(PICTURE)


def part(seeds: int) -> str:
    """The part of the page; draws its picture too."""
    heads = [
        "law",
        "alone, Mbit/s",
        "MPDUs per PPDU",
        "the call waits, ms",
        "in the busy home, Mbit/s",
        "each near CUBIC has",
        "the far CUBIC has",
        "all four, Mbit/s",
        "the call waits, ms",
    ]
    means, tables = {}, []
    for standard in STANDARDS:
        for queue, (title, _, _) in QUEUES.items():
            cells, means[standard, queue] = compared(standard, queue, seeds)
            tables.append(f"### {standard}, {title}\n\n{table(heads, cells)}")
    draw(means)
    of_uploads = ["law"] + [
        f"{standard}: {head}" for standard in STANDARDS for head in ("Mbit/s", "MPDUs per PPDU", "mean RTT, ms")
    ]
    return f"""## A home with 802.11ac and ax

[scenarios/today/wifi.toml](../../scenarios/today/wifi.toml), simulated only: an access point with 1 Gbit/s behind it,
three stations within 8 m and one at 40 m. The law under test downloads to the laptop at 5 m: alone, then in the busy
home, where a CUBIC downloads to each of the other three stations. Means of {seeds} seeds with 95 % intervals.

![Goodput of all stations over the call's wait](../../docs/pictures/today-wifi.svg)

{(chr(10) * 2).join(tables)}

### Uploads from the laptop

Alone, with Linux's queues in the laptop.

{table(of_uploads, uploads(seeds))}
"""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each case")
    found = part(parser.parse_args().seeds)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(WIFI_OPEN)
    PAGE.write_text(f"{before}{WIFI_OPEN}{found}{WIFI_CLOSE}{rest.partition(WIFI_CLOSE)[2]}", encoding="utf-8")
    print(PAGE.relative_to(ROOT), PICTURE.relative_to(ROOT), sep="\n")


if __name__ == "__main__":
    main()
