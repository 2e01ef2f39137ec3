"""Ten laws over the networks of today, scenarios/today, simulated and between real kernels; what to choose.

python evidence/benches/emulate/today.py writes evidence/measured/today.md and docs/pictures/today.svg; the kernels'
part needs root and half an hour in real time on a machine that does nothing else. What was interrupted goes on where it
was. Where WINDWARD_TRACES names a folder with mahimahi's ATT-LTE-driving-2016.down, the phone's link is that recording.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from page import between, table
from repeat import in_time

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "today.md"
PICTURE = ROOT / "docs" / "pictures" / "today.svg"
#: Runs between kernels are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "today"
RECORDING = "ATT-LTE-driving-2016.down"

SEEDS = 10
#: Laws that steer by delay see half a millisecond.
LATE_S = 0.0005

#: The backlog laws are told 20 packets, as fits links of some Mbit/s; their defaults are for faster ones.
LAWS: dict[str, ww.format.LawSpec | str] = {
    "CUBIC": ww.Cubic(version="linux", hystart=True),
    "Reno": "reno",
    "BBR": "bbr",
    "BBR v3": "bbr3",
    "Copa": "copa",
    "Vegas": "vegas",
    "Westwood+": "westwood",
    "Compound": "compound",
    "TCP-FIT": "tcp-fit",
    "QUIC-TCP": ww.QuicTcp(backlog=20),
}
#: Laws that run in no kernel here.
SIMULATED_ONLY = ("BBR v3", "Copa")


@dataclass(frozen=True)
class Network:
    """A scenario of today, and how many of it one emulation has side by side."""

    key: str
    title: str
    at_once: int


NETWORKS = (
    Network("phone", "a phone on LTE", 5),
    Network("home", "802.11g behind FQ-CoDel", 2),
    Network("satellite", "a satellite", 5),
    Network("hop", "a lossy Wi-Fi hop", 4),
    Network("uplink", "a bloated uplink", 18),
)


def scenario(network: Network, law: str, *, is_shared: bool) -> ww.Scenario:
    """The scenario with this law, with or without the neighbour."""
    plain = ww.load(ROOT / "scenarios" / "today" / f"{network.key}.toml")
    own, neighbour = plain.flow
    flows = [replace(own, law=LAWS[law]), *([neighbour] if is_shared else [])]
    folder = os.environ.get("WINDWARD_TRACES")
    if network.key == "phone" and folder:
        rate = ww.format.RecordedRate(trace=str(Path(folder) / RECORDING))
        plain = replace(plain, link=[replace(link, rate=rate) for link in plain.link])
    return replace(plain, flow=flows)


def side_by_side(parts: Mapping[str, ww.Scenario]) -> ww.Scenario:
    """Networks without anything in common, as one scenario; names begin with the key."""
    first = next(iter(parts.values()))
    nodes, links, wifi, flows, calls = [], [], [], [], []
    for key, part in parts.items():

        def named(name: str | None, key: str = key) -> str:
            return f"{key}-{name}"

        nodes += [replace(node, name=named(node.name)) for node in part.node]
        links += [
            replace(link, name=named(link.name), from_=named(link.from_), to=named(link.to)) for link in part.link or []
        ]
        wifi += [
            replace(
                each, name=named(each.name), station=[replace(one, node=named(one.node)) for one in each.station or []]
            )
            for each in part.wifi or []
        ]
        flows += [
            replace(flow, name=named(flow.name), from_=named(flow.from_), to=named(flow.to)) for flow in part.flow or []
        ]
        calls += [
            replace(call, name=named(call.name), from_=named(call.from_), to=named(call.to))
            for call in part.background or []
        ]
    return replace(first, node=nodes, link=links, wifi=wifi, flow=flows, background=calls)


def figures(run: ww.Run, prefix: str = "") -> pd.DataFrame:
    """Goodputs in Mbit/s, mean delay of the call's packets in seconds, and their loss, for each seed."""
    flows = run.flows.pivot_table(index="seed", columns="flow", values="goodput_bps") / 1e6
    calls = run.background.set_index(["source", "seed"]).loc[f"{prefix}call"]
    other = f"{prefix}neighbour"
    return pd.DataFrame(
        {
            "own": flows[f"{prefix}transfer"],
            "other": flows.get(other, np.nan),
            "delay": calls["mean_delay_s"],
            "loss": calls["loss"],
        }
    )


def idle(network: Network) -> float:
    """Mean delay of the call's packets without other traffic, in seconds."""
    alone = replace(scenario(network, "CUBIC", is_shared=False), flow=[])
    run = alone.simulate(seeds=1)
    return float(run.background["mean_delay_s"].iloc[0])


def simulated(network: Network) -> pd.DataFrame:
    """A row for each law, neighbour or none, and seed."""
    rows = []
    for law in LAWS:
        for is_shared in (False, True):
            run = scenario(network, law, is_shared=is_shared).simulate(seeds=SEEDS)
            rows.append(figures(run).assign(law=law, is_shared=is_shared))
    return pd.concat(rows, ignore_index=True)


def chunks(items: list[tuple[str, bool]], size: int) -> Iterable[list[tuple[str, bool]]]:
    """In pieces of this size."""
    return (items[at : at + size] for at in range(0, len(items), size))


def emulated(network: Network) -> tuple[pd.DataFrame, list[ww.Run]]:
    """Emulates each law, alone and beside a neighbour, once each: the figures by case, and the runs."""
    cases = [(law, is_shared) for law in LAWS if law not in SIMULATED_ONLY for is_shared in (False, True)]
    rows, runs = [], []
    for at, chunk in enumerate(chunks(cases, network.at_once)):
        keys = {f"n{place}": case for place, case in enumerate(chunk)}
        parts = {key: scenario(network, law, is_shared=shared) for key, (law, shared) in keys.items()}
        both = side_by_side(parts)
        run = in_time(both.emulate, KEPT / f"{network.key}-{at}", late_s=LATE_S, even_if_slow=True)
        runs.append(run)
        rows += [figures(run, f"{key}-").assign(law=law, is_shared=is_shared) for key, (law, is_shared) in keys.items()]
    return pd.concat(rows, ignore_index=True), runs


def summary(found: pd.DataFrame, base_s: float) -> pd.DataFrame:
    """Means and half widths by law: alone, the call's wait, beside, and what the neighbour keeps."""
    kept = found[found["is_shared"] & (found["law"] == "CUBIC")]["other"].mean()
    rows = []
    for law, each in found.groupby("law", sort=False):
        alone, shared = each[~each["is_shared"]], each[each["is_shared"]]
        columns = {
            "own": alone["own"],
            "wait": 1e3 * (alone["delay"] - base_s),
            "beside": shared["own"],
            "other": shared["other"],
            "kept": shared["other"] / kept,
        }
        values = {name: mean_and_interval(series) for name, series in columns.items()}
        rows.append({"law": law, **values})
    return pd.DataFrame(rows).set_index("law")


def number(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def with_interval(mean: float, error: float) -> str:
    """Mean and half width to two digits of the latter; one below a hundredth of the mean is not worth a figure."""
    if error <= 0.005 * abs(mean):
        return number(mean)
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def lines(packets: pd.DataFrame, kernels: pd.DataFrame | None) -> list[list[str]]:
    """A row for each law: packets, and the kernels' figure after a slash."""
    found = []
    for law in packets.index:
        cells = [str(law)]
        for column in ("own", "wait", "beside", "other"):
            text = with_interval(*packets.loc[law, column])
            if kernels is not None:
                text += f" / {number(kernels.loc[law, column][0])}" if law in kernels.index else " / –"
            cells.append(text)
        found.append(cells)
    return found


def draw(summaries: dict[str, pd.DataFrame]) -> None:
    """A panel for each network: goodput over the call's wait, one point for each law."""
    drawn = Figure(figsize=(11, 6.4), layout="constrained")
    FigureCanvasAgg(drawn)
    panels = drawn.subplots(2, 3)
    colors = dict(zip(LAWS, (f"C{at}" for at in range(10)), strict=True))
    for axes, network in zip(panels.flat, NETWORKS, strict=False):
        found = summaries[network.key]
        for law in found.index:
            wait, own = max(found.loc[law, "wait"][0], 0.07), found.loc[law, "own"][0]
            kept = found.loc[law, "kept"][0]
            axes.plot(
                wait,
                own,
                "o",
                color=colors[law],
                fillstyle="full" if kept >= 0.8 else "none",
                markersize=8,
                label=law,
            )
        axes.set(xscale="log", title=f"{network.title[0].upper()}{network.title[1:]}", xlim=(0.05, 5000))
        axes.set_ylim(0, 1.08 * axes.get_ylim()[1])
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
    for axes in panels[:, 0]:
        axes.set_ylabel("goodput alone, Mbit/s")
    for axes in (*panels[1, :2], panels[0, 2]):
        axes.set_xlabel("the call's wait, ms")
    last = panels.flat[-1]
    last.axis("off")
    handles, labels = panels.flat[0].get_legend_handles_labels()
    for handle in handles:
        handle.set_fillstyle("full")
    last.legend(
        handles,
        labels,
        loc="center",
        frameon=False,
        ncols=2,
        title="hollow: a CUBIC neighbour keeps less than 0.8\nof what it has beside another CUBIC",
    )
    drawn.savefig(PICTURE)


def page(packets: dict[str, pd.DataFrame], kernels: dict[str, pd.DataFrame], runs: list[ww.Run], text: str) -> str:
    """The page."""
    parts = []
    for network in NETWORKS:
        rows = lines(packets[network.key], kernels.get(network.key))
        heads = ["law", "alone, Mbit/s", "the call waits, ms", "beside a CUBIC, Mbit/s", "the CUBIC has, Mbit/s"]
        name = f"{network.title[0].upper()}{network.title[1:]}"
        parts.append(
            f"## {name}\n\n[scenarios/today/{network.key}.toml](../../scenarios/today/{network.key}.toml)\n\n"
            + table(heads, rows)
        )
    timing = pd.concat([run.timing for run in runs]) if runs else pd.DataFrame({"late_share": []})
    late = int((timing["late_share"] > 0.01).sum())
    note = (
        f"In {late} of {len(timing)} emulations more than 1 % of the packets were more than 1 ms late." if runs else ""
    )
    recorded = (
        f"The phone's link is mahimahi's recording {RECORDING}, which is not part of the repository."
        if os.environ.get("WINDWARD_TRACES")
        else "The phone's link is the made-up recording of the scenario."
    )
    return f"""# Ten laws over the networks of today

<!-- Generated: make today -->

{text}

![Goodput over the call's wait](../../docs/pictures/today.svg)

Before each slash: the packet simulator, means of {SEEDS} seeds with 95 % intervals. After it: Linux
{platform.release()}, one run between namespaces, the laws as eBPF, CUBIC, Reno and BBR the kernel's own; –
where a law runs in no kernel. The call is 80 kbit/s in packets of 20 ms over the same queue; its wait is what
its packets take longer than without other traffic. QUIC-TCP keeps 20 packets in the queue. {recorded} {note}

{(chr(10) * 2).join(parts)}

{between(PAGE, WIFI_OPEN, WIFI_CLOSE)}
"""


#: Between marks of the page: what a person wrote after reading the tables, which a new run leaves as it is.
OPEN, CLOSE = "<!-- what to choose -->\n", "<!-- end of what to choose -->"
#: The part that today_wifi.py writes.
WIFI_OPEN, WIFI_CLOSE = "<!-- Wi-Fi -->\n\n", "\n<!-- end of Wi-Fi -->"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-emulate", action="store_true", help="the simulator alone")
    arguments = parser.parse_args()
    with_kernels = not arguments.no_emulate
    if with_kernels and os.geteuid() != 0:
        sys.exit("the kernels' part needs root; --no-emulate leaves it out")
    packets, kernels, runs = {}, {}, []
    for network in NETWORKS:
        base = idle(network)
        packets[network.key] = summary(simulated(network), base)
        print(f"{network.key}: simulated", flush=True)
        if with_kernels:
            found, emulations = emulated(network)
            kernels[network.key] = summary(found, base)
            runs += emulations
    draw(packets)
    PAGE.write_text(page(packets, kernels, runs, between(PAGE, OPEN, CLOSE)), encoding="utf-8")
    print(PAGE.relative_to(ROOT), PICTURE.relative_to(ROOT), sep="\n")


if __name__ == "__main__":
    main()
