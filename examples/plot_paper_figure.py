"""Does Reno's rate follow Padhye's formula? From a sweep to a figure for a paper.

J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP throughput" (SIGCOMM 1998), eq. (30), beside packets: loss
from 0.1 % to 10 %, a round trip of 100 ms, in the width and the fonts of a column of IEEE's.

Answer: up to 2 % loss packets and formula agree within 5 %; at 10 % Reno gets 0.272 Mbit/s, and the formula gives
0.205.

It prints:

     0.10 %: 4.525 ± 0.298 Mbit/s, formula 4.446
     0.22 %: 3.102 ± 0.105 Mbit/s, formula 2.998
     0.46 %: 2.064 ± 0.116 Mbit/s, formula 1.999
     1.00 %: 1.334 ± 0.062 Mbit/s, formula 1.301
     2.15 %: 0.842 ± 0.043 Mbit/s, formula 0.808
     4.64 %: 0.505 ± 0.015 Mbit/s, formula 0.455
    10.00 %: 0.272 ± 0.012 Mbit/s, formula 0.205
"""

# %% The sweep
from math import sqrt

import matplotlib.pyplot as plt
import numpy as np

import windward as ww
from windward.show.plot.style import COLORS, INK, styled

RTT_S, TIMEOUT_S, SEGMENT_BITS = 0.1, 0.4, 8 * 1448

scenario = ww.Scenario(
    name="padhye",
    duration="300 s",
    stack="rfc",
    warmup="20 s",
    node=[ww.Node(name="server"), ww.Node(name="client")],
    link=[
        ww.Link(
            name="path",
            from_="server",
            to="client",
            rate="1 Gbit/s",
            delay="50 ms",
            buffer="unlimited",
            loss=0.01,
            reverse=ww.format.Reverse(loss=0),
        )
    ],
    flow=[
        ww.Flow(
            name="reno",
            from_="server",
            to="client",
            law="reno",
            delayed_ack=False,
            sack=False,
            timestamps=False,
            min_rto="400 ms",
        )
    ],
)
means = scenario.sweep({"link.path.loss": "0.1..10 % log 7"}, seeds=5).means()


# %% The formula, in bits a second
def formula(p: float) -> float:
    timeouts = TIMEOUT_S * min(1, 3 * sqrt(3 * p / 8)) * p * (1 + 32 * p**2)
    return SEGMENT_BITS / (RTT_S * sqrt(2 * p / 3) + timeouts)


errors = []
for loss, mean, error in zip(means["link.path.loss"], means["mean"], means["ci95"], strict=True):
    errors.append(100 * (mean / formula(loss) - 1))
    print(f"{100 * loss:5.2f} %: {mean / 1e6:.3f} ± {error / 1e6:.3f} Mbit/s, formula {formula(loss) / 1e6:.3f}")

# %% The figure, 88.9 mm wide
with styled(), plt.rc_context({"font.size": 8, "legend.fontsize": 8}):
    figure, axes = plt.subplots(figsize=(3.5, 2.4))
    line = np.geomspace(1e-3, 0.1, 100)
    axes.plot(100 * line, [formula(p) / 1e6 for p in line], color=INK, linewidth=1, label="formula (30)")
    axes.errorbar(
        100 * means["link.path.loss"],
        means["mean"] / 1e6,
        yerr=means["ci95"] / 1e6,
        marker="o",
        markersize=4,
        linestyle="none",
        capsize=2,
        color=COLORS[1],
        label="packets",
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
    axes.set_yticks([0.1, 1], ["0.1", "1"])
    axes.minorticks_off()
    axes.set_xlabel("loss (%)")
    axes.set_ylabel("goodput (Mbit/s)")
    axes.legend(loc="lower left")
    figure.savefig("paper_figure.png", dpi=200)
