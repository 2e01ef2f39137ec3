"""Does a law do in the Linux kernel what it does in the simulator?

The same scenario, once by the packet simulator and once in real time between two network namespaces: a download under
QUIC-TCP, which keeps 20 packets in the queue. There the law is an eBPF program in the kernel. That needs root; without
it the program says so and draws the simulation alone.

Answer: yes: 9.65 Mbit/s in both, and a queue of 19.4 packets simulated, 19.7 in the kernel.

It prints:

    simulated: 9.65 Mbit/s, a queue of 19.4 packets
    in the kernel: 9.65 Mbit/s, a queue of 19.7 packets
"""

# %% The scenario, simulated
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled

scenario = ww.Scenario(
    name="to-kernel",
    duration="6 s",
    warmup="2 s",
    node=[ww.Node(name="a"), ww.Node(name="b")],
    link=[ww.Link(from_="a", to="b", rate="10 Mbit/s", delay="20 ms", buffer="100 packets")],
    flow=[ww.Flow(name="download", from_="a", to="b", law=ww.QuicTcp(backlog=20), start_spread="500 ms")],
)
runs = {"simulated": scenario.simulate(seeds=5)}

# %% In the kernel
try:
    runs["in the kernel"] = scenario.emulate(seeds=1)
except (ww.EmulationError, ww.KernelError) as error:
    print(f"not emulated: {str(error).splitlines()[0]}")

# %% Goodput and queue
with styled():
    figure, axes = plt.subplots(figsize=(7.5, 3.6))
    for (name, run), color in zip(runs.items(), COLORS, strict=False):
        links = run.links[run.links["link"] == "a->b"]
        goodput, _ = mean_and_interval(run.flows["goodput_bps"] / 1e6)
        backlog, _ = mean_and_interval(links["mean_backlog"])
        print(f"{name}: {goodput:.2f} Mbit/s, a queue of {backlog:.1f} packets")
        series = run.link_series[(run.link_series["link"] == "a->b") & (run.link_series["seed"] == 1)]
        axes.plot(series["time_s"], series["backlog"], color=color, label=name)
    axes.set_xlim(0, 6)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("queue (packets)")
    axes.set_title("QUIC-TCP with 20 packets to keep, 10 Mbit/s, 40 ms")
    axes.legend(loc="upper right", ncols=2)
    figure.savefig("to_kernel.png", dpi=110)
