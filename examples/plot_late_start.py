"""Does a flow that starts late get its share?

Vegas and FAST keep a number of packets in the queue, which they tell from the least round trip that they have seen. A
flow that starts while others keep a queue never sees the empty path: it takes their queue for distance, adds its own,
and takes more than its share. Five flows start 20 s apart.

Answer: it gets too much: under Vegas the last of five has 36.1 % and the first 10.0 %, under FAST 42.1 and 10.4 %;
CUBIC, which asks for losses, has no such order.

It prints:

    vegas first 10.0 ± 0.4 %, last 36.1 ± 2.2 %
    fast  first 10.4 ± 0.1 %, last 42.1 ± 0.4 %
    cubic first 18.3 ± 4.6 %, last 18.5 ± 2.0 %
"""

# %% Five flows, one after the other, on 20 Mbit/s
import matplotlib.pyplot as plt
import numpy as np

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, FAINT, styled

FLOWS, STEP = 5, 20
LAWS = {"vegas": ww.Vegas(), "fast": ww.Fast(alpha=20), "cubic": ww.Cubic()}


def shares(law: ww.Vegas | ww.Fast | ww.Cubic) -> list[tuple[float, float]]:
    """Each flow's share of the goodput in percent, in the order of their starts, once all have started."""
    scenario = ww.Scenario(
        name="late-start",
        duration="180 s",
        stack="rfc",
        warmup="120 s",
        node=[ww.Node(name="server"), ww.Node(name="client")],
        link=[ww.Link(from_="server", to="client", rate="20 Mbit/s", delay="20 ms", buffer="400 packets")],
        flow=[
            ww.Flow(
                name="flow",
                from_="server",
                to="client",
                law=law,
                count=FLOWS,
                start_step=f"{STEP} s",
                start_spread="2 s",
            )
        ],
    )
    flows = scenario.simulate(seeds=5).flows
    share = 100 * flows["goodput_bps"] / flows.groupby("seed")["goodput_bps"].transform("sum")
    return [mean_and_interval(share[flows["flow"] == f"flow-{at + 1}"]) for at in range(FLOWS)]


# %% The figure
with styled():
    figure, axes = plt.subplots(figsize=(7, 3.6))
    for shift, (name, law), color in zip((-0.27, 0, 0.27), LAWS.items(), COLORS, strict=False):
        means, errors = zip(*shares(law), strict=True)
        print(f"{name:5} first {means[0]:.1f} ± {errors[0]:.1f} %, last {means[-1]:.1f} ± {errors[-1]:.1f} %")
        axes.bar(np.arange(FLOWS) + shift, means, 0.25, yerr=errors, color=color, capsize=2, label=name)
    axes.axhline(100 / FLOWS, color=FAINT, linewidth=1, linestyle="--", zorder=0)
    axes.set_xticks(range(FLOWS), [f"{STEP * at} s" for at in range(FLOWS)])
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("start of the flow")
    axes.set_ylabel("share of the goodput (%)")
    axes.set_title("Five flows that start one after the other, 20 Mbit/s, 40 ms")
    axes.legend(loc="upper left")
    figure.savefig("late_start.png", dpi=110)
