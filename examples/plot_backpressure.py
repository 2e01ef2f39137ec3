"""Why does TCP starve under backpressure, and what cures it?

Backpressure sends to the neighbour with the shorter queue. A flow with a small window never builds the difference of
backlogs that its packets need, beside one with a large window. TCP-aware backpressure (H. Seferoglu and E. Modiano, ITA
2014) counts a queue below a threshold as full. A diamond of four stations without RTS, two TCP flows.

Answer: under classical backpressure the flow over two hops has 221 ± 75 kbit/s, beside 734 of the other, and nothing
in 18 of 40 runs; TCP-aware backpressure gives it 368 ± 12.

It prints:

    classical, one hop: 734 ± 148 kbit/s
    classical, two hops, two ways: 221 ± 75 kbit/s
    TCP-aware, one hop: 458 ± 23 kbit/s
    TCP-aware, two hops, two ways: 368 ± 12 kbit/s
"""

# %% The diamond of the paper under both rules
import dataclasses
from pathlib import Path

import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled

PAPER = Path(__file__).resolve().parent.parent / "evidence" / "papers" / "seferoglu2014"
RULES = {
    "classical": ww.format.BackpressureRouting(k=0, links="downstream"),
    "TCP-aware": ww.format.BackpressureRouting(k="shared", links="downstream"),
}
diamond = ww.load(PAPER / "diamond.toml")


def run(rule: ww.format.BackpressureRouting) -> ww.Run:
    wifi = dataclasses.replace(diamond.wifi[0], routing=rule, rts_threshold="3 kB")
    flows = [dataclasses.replace(flow, coding="random") for flow in diamond.flow]
    return dataclasses.replace(diamond, duration="60 s", warmup="10 s", wifi=[wifi], flow=flows).simulate(seeds=40)


# %% Goodput of both flows
with styled():
    figure, axes = plt.subplots(figsize=(7, 3.4))
    for at, (name, rule) in enumerate(RULES.items()):
        flows = run(rule).flows
        for shift, flow, label, color in (
            (-0.2, "flow1", "one hop", COLORS[0]),
            (0.2, "flow2", "two hops, two ways", COLORS[1]),
        ):
            mean, error = mean_and_interval(flows.loc[flows["flow"] == flow, "goodput_bps"] / 1e3)
            print(f"{name}, {label}: {mean:.0f} ± {error:.0f} kbit/s")
            axes.bar(at + shift, mean, 0.38, yerr=error, color=color, capsize=3, label=label if at == 0 else None)
    axes.set_xticks(range(len(RULES)), [f"{name} backpressure" for name in RULES])
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("goodput (kbit/s)")
    axes.set_title("Two TCP flows over a diamond of 802.11 at 2 Mbit/s")
    axes.set_ylim(0, 1250)
    axes.legend(loc="upper right")
    figure.savefig("backpressure.png", dpi=110)
