"""Custom control law in Python: how does it share a link with Reno?

Scalable TCP (T. Kelly, 2003) adds 0.01 packets per acknowledged packet and reduces its window by one eighth at a loss:
ten lines of Python. One flow of each runs on 20 Mbit/s; host jitter of up to a millisecond prevents phase effects.

Answer: Scalable TCP gets 4.7 ± 0.8 times as much as Reno.

It prints:

    Scalable TCP gets 4.7 ± 0.8 times as much as Reno
"""

# %% The law
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
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
    duration="100 s",
    stack="rfc",
    warmup="20 s",
    node=[ww.Node(name="a"), ww.Node(name="b")],
    link=[ww.Link(from_="a", to="b", rate="20 Mbit/s", delay="25 ms", buffer="83 packets")],
    flow=[
        ww.Flow(name="scalable", from_="a", to="b", law=Scalable, start_spread="2 s", host_jitter="1 ms"),
        ww.Flow(name="reno", from_="a", to="b", law="reno", start_spread="2 s", host_jitter="1 ms"),
    ],
)
run = scenario.simulate(seeds=10)
share = run.flows.pivot_table(index="seed", columns="flow", values="goodput_bps")
ratio, error = mean_and_interval(share["scalable"] / share["reno"])
print(f"Scalable TCP gets {ratio:.1f} ± {error:.1f} times as much as Reno")

# %% Their windows, of the first seed
series = run.flow_series[run.flow_series["seed"] == 1]
with styled():
    figure, axes = plt.subplots(figsize=(7.5, 4))
    for (name, flow), look in zip(series.groupby("flow", observed=True), looks(2), strict=True):
        axes.plot(flow["time_s"], flow["cwnd"], label=name, **look)
    axes.set_xlim(0, 100)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("window (packets)")
    axes.set_title("Scalable TCP, written in Python, and Reno")
    axes.legend(loc="upper right", ncols=2)
    figure.savefig("own_law.png", dpi=110)
