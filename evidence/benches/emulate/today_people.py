"""Ten laws judged by what people notice: pages, a film, a call and a game beside a download, over networks of today.

python evidence/benches/emulate/today_people.py [--seeds 5] writes evidence/measured/today-people.md and
docs/pictures/today-people.svg; simulated, an hour of one core. What was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from page import between, rows_of_seeds, table
from today import CLOSE, LAWS, OPEN, ROOT, with_interval

import windward as ww
from windward.results.stats import mean_and_interval

PAGE = ROOT / "evidence" / "measured" / "today-people.md"
PICTURE = ROOT / "docs" / "pictures" / "today-people.svg"
#: Rows of finished runs are kept here.
KEPT = ROOT / "results" / "today-people"
SEEDS = 5
DURATION = "100 s"
CUBIC = LAWS["CUBIC"]

#: A car that leaves the mast: 3 dB less every 5 s, then back.
DRIVE = [*range(21, -1, -3), *range(0, 22, 3)]


def driving(plain: ww.Scenario) -> ww.Scenario:
    """The phone in a car, which drives away from the mast and back."""
    (cell,) = plain.cell
    phone, *others = cell.station
    steps = [ww.format.ChangeStep(at=f"{10 + 5 * at} s", snr=f"{snr} dB") for at, snr in enumerate(DRIVE)]
    change = ww.Change(station=phone.node, steps=steps)
    return replace(
        plain,
        duration=DURATION,
        cell=[replace(cell, station=[replace(phone, snr="24 dB", speed="50 km/h"), *others])],
        change=[change],
    )


def alone(plain: ww.Scenario) -> ww.Scenario:
    """As it is."""
    return plain


@dataclass(frozen=True)
class Network:
    """A network of today, and the ends of the person's device and the servers in it."""

    key: str
    title: str
    file: str
    device: str
    change: Callable[[ww.Scenario], ww.Scenario] = alone


NETWORKS = (
    Network("lte-town", "LTE in town", "lte", "phone"),
    Network("lte-car", "LTE in a car", "lte", "phone", driving),
    Network("nr-town", "5G in town", "nr", "phone"),
    Network("nr-car", "5G in a car", "nr", "phone", driving),
    Network("wifi", "A home with 802.11ac", "wifi", "laptop"),
    Network("satellite", "A satellite", "satellite", "dish"),
    Network("hop", "A lossy Wi-Fi hop", "hop", "laptop"),
    Network("uplink", "A bloated uplink", "uplink", "home"),
)
#: Where the law under test is: at the sender of the transfer, at the server of pages and films, or nowhere.
PLACES = {"transfer": "The transfer's law", "server": "The law of the pages' and films' server", "idle": ""}


def scenario(network: Network, place: str, law: str) -> ww.Scenario:
    """The network with pages, a film, a call and a game of one device, beside a transfer."""
    plain = network.change(ww.load(ROOT / "scenarios" / "today" / f"{network.file}.toml"))
    of_apps = LAWS[law] if place == "server" else CUBIC
    transfer = replace(plain.flow[0], law=LAWS[law] if place == "transfer" else CUBIC)
    ends = {"from_": network.device, "to": "server"}
    tcp = {"law": of_apps, "tcp": ww.format.Tcp(stack="linux")}
    apps = [
        ww.Page(
            name="page",
            objects=str(ROOT / "scenarios" / "household.json"),
            dns="20 ms",
            reading="5 s",
            **ends,
            **tcp,
        ),
        ww.Video(name="film", rule="bola", **ends, **tcp),
        ww.Call(name="call", **ends),
        ww.Game(name="game", **ends),
    ]
    others = [each for each in plain.background or [] if each.name != "call"]
    flows = [] if place == "idle" else [transfer]
    return replace(plain, duration=DURATION, warmup="10 s", flow=flows, background=others, app=apps)


def figures(run: ww.Run) -> pd.DataFrame:
    """Figures that people notice, for each seed: times in seconds, rates in Mbit/s, stalls in percent."""
    pages, films = run.pages.set_index("seed"), run.videos.set_index("seed")
    games = run.background[run.background["group"] == "game"]
    found = {
        "page_p50": pages["load_p50_s"],
        "page_p95": pages["load_p95_s"],
        "film": films["mean_bitrate_bps"] / 1e6,
        "stalled": 100 * films["stall_share"],
        "mos": run.calls.groupby("seed")["mos"].min(),
        "game": games.groupby("seed")["delay_p95_s"].max(),
    }
    if len(run.flows):
        found["transfer"] = run.flows.set_index("seed")["goodput_bps"] / 1e6
    return pd.DataFrame(found)


def rows(network: Network, place: str, law: str, seeds: int) -> pd.DataFrame:
    """A row for each seed: those kept, or those of a run now."""
    kept = KEPT / f"{network.key}-{place}-{law}.csv"
    return rows_of_seeds(kept, seeds, lambda: figures(scenario(network, place, law).simulate(seeds=seeds)))


#: Columns of the tables: heading, key, and what a figure is multiplied by.
COLUMNS = (
    ("half of the pages within, s", "page_p50", 1.0),
    ("95 % within, s", "page_p95", 1.0),
    ("film, Mbit/s", "film", 1.0),
    ("stalled, %", "stalled", 1.0),
    ("call, MOS", "mos", 1.0),
    ("game, p95, ms", "game", 1e3),
    ("transfer, Mbit/s", "transfer", 1.0),
)


def cells(found: pd.DataFrame) -> list[str]:
    """Mean and interval of each column; – where there is nothing."""
    texts = []
    for _, key, factor in COLUMNS:
        values = found[key].dropna() * factor if key in found else []
        texts.append(with_interval(*mean_and_interval(values)) if len(values) > 1 else "–")
    return texts


def part(network: Network, seeds: int) -> str:
    """The tables of a network."""
    heads = [head for head, _, _ in COLUMNS]
    quiet = ["no transfer", *cells(rows(network, "idle", "CUBIC", seeds))]
    tables = []
    for place, title in PLACES.items():
        if place == "idle":
            continue
        lines = [[law, *cells(rows(network, place, law, seeds))] for law in LAWS]
        first = [quiet] if place == "transfer" else []
        beside = "" if place == "transfer" else ", beside a CUBIC transfer"
        tables.append(f"**{title}**{beside}\n\n{table(['law', *heads], [*first, *lines])}")
    file = f"scenarios/today/{network.file}.toml"
    return f"## {network.title}\n\n[{file}](../../{file})\n\n" + "\n\n".join(tables)


def draw(seeds: int) -> None:
    """A panel for each network: the page's load time over the call's score, one point for each law of the transfer."""
    drawn = Figure(figsize=(12, 6.4), layout="constrained")
    FigureCanvasAgg(drawn)
    panels = drawn.subplots(2, 4)
    for axes, network in zip(panels.flat, NETWORKS, strict=True):
        for at, law in enumerate(LAWS):
            found = rows(network, "transfer", law, seeds)
            axes.plot(found["mos"].mean(), found["page_p95"].mean(), "o", color=f"C{at}", markersize=8, label=law)
        quiet = rows(network, "idle", "CUBIC", seeds)
        axes.plot(quiet["mos"].mean(), quiet["page_p95"].mean(), "+", color="k", markersize=10, label="no transfer")
        axes.set(title=network.title, xlim=(0.9, 4.6), yscale="log", ylim=(0.3, 60))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
    for axes in panels[:, 0]:
        axes.set_ylabel("95 % of the pages within, s")
    for axes in panels[1]:
        axes.set_xlabel("the call's score (MOS)")
    handles, labels = panels.flat[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", frameon=False, ncols=6)
    drawn.savefig(PICTURE)


def page(seeds: int) -> str:
    """The page."""
    return f"""# What to choose for what: ten laws by what people notice

<!-- Generated: make today -->

{between(PAGE, OPEN, CLOSE)}

![Load times of pages over the call's score](../../docs/pictures/today-people.svg)

One device loads pages (thirty objects of two origins, 1.2 MB, again 5 s after the last), plays a film (BOLA, up to 4.3
Mbit/s), has a call and plays a game, for 90 s. A transfer goes to it, or from it over the bloated uplink. Means of
{seeds} seeds with 95 % intervals. The call's MOS is that of its worse direction, and the game's delay is one-way, of
its worse direction. QUIC-TCP keeps 20 packets in the queue. All TCP has `stack = "linux"`.

{(chr(10) * 2).join(part(network, seeds) for network in NETWORKS)}
"""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each case")
    seeds = parser.parse_args().seeds
    text = page(seeds)
    draw(seeds)
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE.relative_to(ROOT), PICTURE.relative_to(ROOT), sep="\n")


if __name__ == "__main__":
    main()
