"""Which law fills a link, and how long is the queue that it keeps?

Every law gets the same bottleneck with four downloads, for itself; one packet in 200 is lost on the way. A law that
takes every loss for a full queue leaves the link empty; a law that watches the delay need not.

It prints:

    reno     14.58 Mbit/s,  1.7 ms
    cubic    15.38 Mbit/s,  2.0 ms
    vegas    18.53 Mbit/s,  3.5 ms
    fast     18.77 Mbit/s, 12.9 ms
    quic-tcp 18.73 Mbit/s, 11.6 ms
    compound 15.53 Mbit/s,  4.1 ms
"""

# %% One network, one law
import matplotlib.pyplot as plt

import windward as ww
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
                reverse=ww.Reverse(loss=0),
            )
        ],
        flow=[ww.Flow(name="download", from_="server", to="client", count=4, law=law)],
    )
    return scenario.simulate(seeds=2)


# %% All laws; those that aim at a backlog are told one that the buffer holds
laws = [ww.Reno(), ww.Cubic(), ww.Vegas(), ww.Fast(alpha=10), ww.QuicTcp(backlog=10), ww.Compound()]
runs = [run(law) for law in laws]

# %% Goodput against queueing delay: up and to the left is better
with styled():
    figure, axes = plt.subplots(figsize=(6.5, 4.2))
    for law, result, color in zip(laws, runs, COLORS, strict=True):
        goodput = result.flows.groupby("seed")["goodput_bps"].sum().mean() / 1e6
        delay = result.links.loc[result.links["link"] == "server->client", "mean_queue_delay_s"].mean() * 1e3
        print(f"{law.TAG[1]:8} {goodput:5.2f} Mbit/s, {delay:4.1f} ms")
        axes.scatter(delay, goodput, color=color, s=60)
        axes.annotate(law.TAG[1], (delay, goodput), (8, -3), textcoords="offset points", color=color)
    axes.margins(x=0.2, y=0.2)
    axes.autoscale_view()
    axes.set_xlim(left=0)
    axes.set_xlabel("mean queueing delay (ms)")
    axes.set_ylabel("goodput of four flows (Mbit/s)")
    axes.set_title("Four flows of one law on 20 Mbit/s, 0.5 % loss")
    figure.savefig("compare_laws.png")
