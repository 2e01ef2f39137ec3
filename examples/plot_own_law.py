"""A control law of your own, in Python, against Reno.

Scalable TCP (T. Kelly, 2003) adds 0.01 packets per acknowledged packet and gives up one eighth of its window at a loss:
ten lines. It takes more than its share from Reno; how much more?

It prints:

    Scalable TCP gets 5.1 times as much as Reno
"""

# %% The law
import matplotlib.pyplot as plt

import windward as ww
from windward.show.plot.style import looks, styled


class Scalable:
    """Adds `a` packets per acknowledged packet, takes the share `b` of the window at a loss."""

    def __init__(self, cwnd: float, a: float = 0.01, b: float = 0.125) -> None:
        self.cwnd = cwnd
        self.a = a
        self.b = b
        self.ssthresh = float("inf")

    def on_ack(self, ack: ww.Ack) -> None:
        if ack.app_limited or ack.recovering:
            return
        self.cwnd += ack.acked * (1.0 if self.cwnd < self.ssthresh else self.a)

    def on_congestion(self, event: ww.Congestion) -> None:
        self.ssthresh = max(self.cwnd * (1 - self.b), 2.0)
        self.cwnd = 1.0 if event.kind == "timeout" else self.ssthresh


# %% One flow of each on one link
scenario = ww.Scenario(
    name="own-law",
    duration="40 s",
    warmup="10 s",
    node=[ww.Node(name="a"), ww.Node(name="b")],
    link=[ww.Link(from_="a", to="b", rate="20 Mbit/s", delay="25 ms", buffer="83 packets")],
    flow=[
        ww.Flow(name="scalable", from_="a", to="b", law=Scalable),
        ww.Flow(name="reno", from_="a", to="b", law="reno"),
    ],
)
run = scenario.simulate()
share = run.flows.set_index("flow")["goodput_bps"]
print(f"Scalable TCP gets {share['scalable'] / share['reno']:.1f} times as much as Reno")

# %% Their windows
with styled():
    figure, axes = plt.subplots(figsize=(7.5, 4))
    for (name, flow), look in zip(run.flow_series.groupby("flow", observed=True), looks(2), strict=True):
        axes.plot(flow["time_s"], flow["cwnd"], label=name, **look)
    axes.set_xlim(0, 40)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("window (packets)")
    axes.set_title("Scalable TCP, written in Python, and Reno")
    axes.legend(loc="upper right", ncols=2)
    figure.savefig("own_law.png")
