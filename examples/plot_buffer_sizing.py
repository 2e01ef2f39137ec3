"""Buffer sizing: how much buffer does a link need?

The classic rule is one bandwidth-delay product. With n unsynchronised flows, that over √n is enough (G. Appenzeller,
I. Keslassy, N. McKeown, "Sizing router buffers", SIGCOMM 2004). Means over seeds with 95 % confidence intervals.

Answer: with one flow a twentieth of the bandwidth-delay product fills 75.5 % of the link, with sixteen flows 92.9 %.

It prints:

     1 flows: 75.5, 80.8, 87.7, 96.9, 100.0 %
     4 flows: 84.6, 88.5, 92.6, 98.5, 100.0 %
    16 flows: 92.9, 92.9, 96.5, 99.8, 100.0 %
"""

# %% Utilization for a buffer and a number of flows
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import looks, styled

BDP = 20e6 * 0.1 / (8 * 1500)  # packets: 20 Mbit/s times 100 ms
SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)


def utilization(flows: int, share: float) -> tuple[float, float]:
    scenario = ww.Scenario(
        name="buffer-sizing",
        duration="30 s",
        stack="rfc",
        warmup="10 s",
        node=[ww.Node(name="server", count=flows), ww.Node(name="router"), ww.Node(name="client")],
        link=[
            ww.Link(from_="server", to="router", rate="100 Mbit/s", delay="20 ms"),
            ww.Link(
                name="link",
                from_="router",
                to="client",
                rate="20 Mbit/s",
                delay="30 ms",
                buffer=f"{max(1, round(share * BDP))} packets",
            ),
        ],
        flow=[ww.Flow(name="reno", from_="server", to="client", law="reno", start_spread="5 s")],
    )
    links = scenario.simulate(seeds=3).links
    return mean_and_interval(100 * links.loc[links["link"] == "link", "utilization"])


# %% Three numbers of flows, five buffers
results = {flows: [utilization(flows, share) for share in SHARES] for flows in (1, 4, 16)}
for flows, points in results.items():
    print(f"{flows:2} flows: " + ", ".join(f"{mean:.1f}" for mean, _ in points) + " %")

# %% The figure
with styled():
    figure, axes = plt.subplots(figsize=(7, 4))
    for (flows, points), look in zip(results.items(), looks(3), strict=True):
        mean, interval = zip(*points, strict=True)
        label = f"{flows} flow" + ("s" if flows > 1 else "")
        axes.errorbar(SHARES, mean, yerr=interval, marker="o", markersize=4, capsize=2.5, label=label, **look)
    axes.set_xscale("log")
    axes.set_xticks(SHARES, [f"{share:g}" for share in SHARES])
    axes.minorticks_off()
    axes.set_ylim(top=101)
    axes.set_xlabel("buffer (bandwidth–delay products)")
    axes.set_ylabel("utilization (%)")
    axes.set_title("Reno on a 20 Mbit/s link, 100 ms")
    axes.legend(loc="lower right")
    figure.savefig("buffer_sizing.png", dpi=110)
