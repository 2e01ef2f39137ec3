"""Which law fills a satellite link?

20 Mbit/s, a round trip of 600 ms, and one packet in a thousand lost: a law that halves its window at each loss needs a
hundred round trips, a minute, to fill the link again.

Answer: BBR and Copa with 17.15 and 17.72 Mbit/s, then Hybla, made for it, with 13.62; CUBIC has 2.80 and Reno 0.70.

It prints:

    reno       0.70 ± 0.11 Mbit/s
    cubic      2.80 ± 0.45 Mbit/s
    vegas      1.07 ± 0.18 Mbit/s
    westwood   2.13 ± 0.63 Mbit/s
    hybla     13.62 ± 0.57 Mbit/s
    tcp-fit   12.37 ± 2.37 Mbit/s
    bbr       17.15 ± 0.06 Mbit/s
    copa      17.72 ± 0.98 Mbit/s
"""

# %% One download of each law, alone
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, FAINT, styled

LAWS = ("reno", "cubic", "vegas", "westwood", "hybla", "tcp-fit", "bbr", "copa")


def download(law: str) -> tuple[float, float]:
    scenario = ww.Scenario(
        name="satellite",
        duration="120 s",
        warmup="30 s",
        node=[ww.Node(name="server"), ww.Node(name="dish")],
        link=[
            ww.Link(
                from_="server",
                to="dish",
                rate="20 Mbit/s",
                delay="300 ms",
                buffer="500 packets",
                loss="0.1 %",
                reverse=ww.format.Reverse(rate="5 Mbit/s", loss=0),
            )
        ],
        flow=[ww.Flow(from_="server", to="dish", law=law, receive_window="6000 packets")],
    )
    return mean_and_interval(scenario.simulate(seeds=8).flows["goodput_bps"] / 1e6)


goodputs = [download(law) for law in LAWS]
for law, (mean, error) in zip(LAWS, goodputs, strict=True):
    print(f"{law:9} {mean:5.2f} ± {error:.2f} Mbit/s")

# %% The figure
with styled():
    figure, axes = plt.subplots(figsize=(7, 3.6))
    means, errors = zip(*goodputs, strict=True)
    axes.bar(LAWS, means, yerr=errors, color=COLORS[0], width=0.6, capsize=3)
    axes.axhline(20, color=FAINT, linewidth=1, linestyle="--", zorder=0)
    axes.annotate("the link", (-0.4, 20), (0, -11), textcoords="offset points", color=FAINT)
    axes.set_ylim(0, 21)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("goodput (Mbit/s)")
    axes.set_title("One download over a satellite: 600 ms, 0.1 % loss")
    figure.savefig("satellite.png", dpi=110)
