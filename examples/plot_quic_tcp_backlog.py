"""Does QUIC-TCP keep p packets of each flow in the queue, whatever its exponent rho?

Three flows with p = 20 share a link: the queue should settle at 60 packets. The exponent only changes how it gets
there (huang2020, section 2). Nothing here is random: one run is all runs.

Answer: 59.2 to 59.4 packets are kept for exponents up to 0.75; at 1.0 the queue is still on its way after 10 s (53.6).

It prints:

    rho = 0.25 59.2 packets from 10 s on
    rho = 0.5  59.4 packets from 10 s on
    rho = 0.75 59.3 packets from 10 s on
    rho = 1.0  53.6 packets from 10 s on
"""

# %% One run for each exponent
import matplotlib.pyplot as plt

import windward as ww
from windward.show.plot.style import FAINT, looks, styled

P, FLOWS = 20, 3
runs = {}
for rho in (0.25, 0.5, 0.75, 1.0):
    scenario = ww.Scenario(
        name="quic-tcp-backlog",
        duration="20 s",
        stack="rfc",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate="50 Mbit/s", delay="20 ms", buffer="unlimited")],
        flow=[
            ww.Flow(
                name="download",
                from_="a",
                to="b",
                count=FLOWS,
                law=ww.QuicTcp(rho=rho, backlog=P),
                known_base_rtt="path",
            )
        ],
    )
    runs[rho] = scenario.simulate()

# %% The queue over time
with styled():
    figure, axes = plt.subplots(figsize=(7.5, 4))
    for (rho, result), look in zip(runs.items(), looks(len(runs)), strict=True):
        queue = result.link_series[result.link_series["link"] == "a->b"]
        settled = queue.loc[queue["time_s"] >= 10, "backlog"]
        print(f"rho = {rho:<4} {settled.mean():.1f} packets from 10 s on")
        axes.plot(queue["time_s"], queue["backlog"], label=f"ρ = {rho:g}", **look)
    axes.axhline(P * FLOWS, color=FAINT, linewidth=1, linestyle="--", zorder=0)
    axes.set_xlim(0, 20)
    axes.set_ylim(0, 2 * P * FLOWS)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("backlog (packets)")
    axes.set_title(f"{FLOWS} flows that aim at {P} packets each")
    axes.legend(loc="upper right", ncols=2)
    figure.savefig("quic_tcp_backlog.png", dpi=110)
