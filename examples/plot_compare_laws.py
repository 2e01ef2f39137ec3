"""Which law fills a link, and how long is the queue that it keeps?

Every law gets the same bottleneck with four downloads, for itself; one packet in 200 is lost on the way. A law that
takes every loss for a full queue leaves the link empty; a law that watches the delay need not.

Answer: the laws that watch the delay have 18.68 to 18.92 of 20 Mbit/s, Vegas with a queue of 3.8 ms; Reno has 14.76.

It prints:

    reno     14.76 ± 0.37 Mbit/s,  1.4 ± 0.4 ms
    cubic    14.08 ± 0.60 Mbit/s,  0.6 ± 0.1 ms
    vegas    18.68 ± 0.20 Mbit/s,  3.8 ± 0.3 ms
    fast     18.92 ± 0.09 Mbit/s, 13.2 ± 0.4 ms
    quic-tcp 18.74 ± 0.17 Mbit/s, 11.7 ± 0.5 ms
    compound 16.06 ± 0.59 Mbit/s,  3.6 ± 0.9 ms
"""

# %% One network, one law
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled


def run(law: ww.Reno | ww.Cubic | ww.Vegas | ww.Fast | ww.QuicTcp | ww.Compound) -> ww.Run:
    scenario = ww.Scenario(
        name="compare-laws",
        duration="30 s",
        warmup="10 s",
        node=[ww.Node(name="server"), ww.Node(name="client")],
        link=[
            ww.Link(
                from_="server",
                to="client",
                rate="20 Mbit/s",
                delay="25 ms",
                buffer="100 packets",
                loss="0.5 %",
                reverse=ww.format.Reverse(loss=0),
            )
        ],
        flow=[ww.Flow(name="download", from_="server", to="client", count=4, law=law)],
    )
    return scenario.simulate(seeds=6)


# %% All laws; those that aim at a backlog are told one that the buffer holds
laws = [ww.Reno(), ww.Cubic(), ww.Vegas(), ww.Fast(alpha=10), ww.QuicTcp(backlog=10), ww.Compound()]
runs = [run(law) for law in laws]

# %% Goodput against queueing delay: up and to the left is better
with styled():
    figure, axes = plt.subplots(figsize=(6.5, 4.2))
    for law, result, color in zip(laws, runs, COLORS, strict=True):
        goodput, above = mean_and_interval(result.flows.groupby("seed")["goodput_bps"].sum() / 1e6)
        links = result.links[result.links["link"] == "server->client"]
        delay, beside = mean_and_interval(1e3 * links["mean_queue_delay_s"])
        print(f"{law.TAG[1]:8} {goodput:5.2f} ± {above:.2f} Mbit/s, {delay:4.1f} ± {beside:.1f} ms")
        axes.errorbar(delay, goodput, above, beside, marker="o", markersize=5, color=color, capsize=2.5)
        place = {"fast": (6, 7), "quic-tcp": (-52, 7)}.get(law.TAG[1], (8, -12))
        axes.annotate(law.TAG[1], (delay, goodput), place, textcoords="offset points", color=color)
    axes.margins(x=0.2, y=0.2)
    axes.autoscale_view()
    axes.set_xlim(left=0)
    axes.set_xlabel("mean queueing delay (ms)")
    axes.set_ylabel("goodput of four flows (Mbit/s)")
    axes.set_title("Four flows of one law on 20 Mbit/s, 0.5 % loss")
    figure.savefig("compare_laws.png", dpi=110)
