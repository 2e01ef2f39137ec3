"""Is BBR fair to CUBIC?

One download of each shares 20 Mbit/s and a round trip of 40 ms. The buffer decides: CUBIC fills it, BBR does not.

Answer: it depends on the buffer: BBR takes 92 % of a link whose buffer is half a bandwidth-delay product (BDP), and is
left with 24 ± 6 % where it is 16 BDP; near 2 to 4 BDP they are about even.

It prints:

     0.5 BDP: BBR has 92 ± 0 %
       1 BDP: BBR has 89 ± 0 %
       2 BDP: BBR has 60 ± 1 %
       4 BDP: BBR has 46 ± 2 %
       8 BDP: BBR has 40 ± 3 %
      16 BDP: BBR has 24 ± 6 %
"""

# %% Buffers from half a bandwidth-delay product to sixteen
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, FAINT, styled

BDP = 20e6 * 0.04 / (8 * 1500)  # packets
BUFFERS = (0.5, 1, 2, 4, 8, 16)


def share(buffer: float) -> tuple[float, float]:
    """BBR's share of the goodput in percent, and the half width of its 95 % interval."""
    scenario = ww.Scenario(
        name="bbr-cubic",
        duration="60 s",
        warmup="20 s",
        node=[ww.Node(name="server"), ww.Node(name="client")],
        link=[
            ww.Link(
                from_="server",
                to="client",
                rate="20 Mbit/s",
                delay="20 ms",
                buffer=f"{round(buffer * BDP)} packets",
            )
        ],
        flow=[ww.Flow(name=law, from_="server", to="client", law=law, start_spread="5 s") for law in ("bbr", "cubic")],
    )
    goodput = scenario.simulate(seeds=10).flows.pivot_table(index="seed", columns="flow", values="goodput_bps")
    return mean_and_interval(100 * goodput["bbr"] / goodput.sum(axis=1))


shares = [share(buffer) for buffer in BUFFERS]
for buffer, (mean, error) in zip(BUFFERS, shares, strict=True):
    print(f"{buffer:4g} BDP: BBR has {mean:.0f} ± {error:.0f} %")

# %% The figure
with styled():
    figure, axes = plt.subplots(figsize=(7, 3.6))
    means, errors = zip(*shares, strict=True)
    axes.errorbar(BUFFERS, means, yerr=errors, marker="o", markersize=4, capsize=2.5, color=COLORS[0])
    axes.axhline(50, color=FAINT, linewidth=1, linestyle="--", zorder=0)
    axes.annotate("an equal share", (16, 50), (0, 4), textcoords="offset points", ha="right", color=FAINT)
    axes.set_xscale("log", base=2)
    axes.set_xticks(BUFFERS, [f"{buffer:g}" for buffer in BUFFERS])
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.set_xlabel("buffer (bandwidth–delay products)")
    axes.set_ylabel("BBR's share (%)")
    axes.set_title("One BBR and one CUBIC on 20 Mbit/s, 40 ms")
    figure.savefig("bbr_cubic.png", dpi=110)
