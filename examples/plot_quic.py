"""Does a law behave over QUIC as over TCP?

One upload over 10 Mbit/s and 100 ms, with a buffer of half a bandwidth-delay product, under six laws. It runs over
Linux's TCP, and over QUIC between two endpoints of quinn. quinn paces at 1.25 windows a round trip, whatever rate a law
asks for.

Answer: for laws that steer by the window, yes: their goodputs differ by at most 2 %. BBR steers by a rate that does not
reach quinn's pacer: it loses 29.0 % of its packets over QUIC and 0.0 % over TCP.

It prints:

    reno : TCP 9.26 Mbit/s,  0.0 % lost; QUIC 9.15 Mbit/s,  0.0 % lost
    cubic: TCP 9.65 Mbit/s,  0.0 % lost; QUIC 9.60 Mbit/s,  0.0 % lost
    vegas: TCP 9.65 Mbit/s,  0.0 % lost; QUIC 9.60 Mbit/s,  0.0 % lost
    copa : TCP 9.65 Mbit/s,  0.0 % lost; QUIC 9.45 Mbit/s,  0.1 % lost
    bbr3 : TCP 9.33 Mbit/s,  0.1 % lost; QUIC 9.29 Mbit/s,  0.3 % lost
    bbr  : TCP 9.37 Mbit/s,  0.0 % lost; QUIC 9.27 Mbit/s, 29.0 % lost
"""

# %% Six laws over two transports
import matplotlib.pyplot as plt

import windward as ww
from windward.show.plot.style import COLORS, styled

LAWS = ("reno", "cubic", "vegas", "copa", "bbr3", "bbr")


def upload(law: str, transport: str) -> ww.Run:
    return ww.Scenario(
        name="transports",
        duration="70 s",
        warmup="10 s",
        node=[ww.Node(name="phone"), ww.Node(name="server")],
        link=[ww.Link(from_="phone", to="server", rate="10 Mbit/s", delay="50 ms", buffer="42 packets")],
        flow=[ww.Flow(from_="phone", to="server", law=law, transport=transport)],
    ).simulate()


def figures(run: ww.Run) -> tuple[float, float]:
    """Goodput in Mbit/s, and lost packets in percent."""
    flow = run.flows.iloc[0]
    return flow["goodput_bps"] / 1e6, 100 * flow["loss"]


rows = {law: [figures(upload(law, transport)) for transport in ("tcp", "quic")] for law in LAWS}
for law, (tcp, quic) in rows.items():
    print(f"{law:5}: TCP {tcp[0]:.2f} Mbit/s, {tcp[1]:4.1f} % lost; QUIC {quic[0]:.2f} Mbit/s, {quic[1]:4.1f} % lost")

# %% The figure
with styled():
    figure, (rate, lost) = plt.subplots(1, 2, figsize=(8, 3.4))
    for shift, name, of in ((-0.2, "TCP", 0), (0.2, "QUIC", 1)):
        places = [at + shift for at in range(len(LAWS))]
        rate.bar(places, [rows[law][of][0] for law in LAWS], 0.38, color=COLORS[of], label=name)
        lost.bar(places, [rows[law][of][1] for law in LAWS], 0.38, color=COLORS[of], label=name)
    for axes, label in ((rate, "goodput (Mbit/s)"), (lost, "lost packets (%)")):
        axes.set_xticks(range(len(LAWS)), LAWS)
        axes.set_ylabel(label)
    # Where the bars are low.
    lost.legend(loc="upper left")
    figure.suptitle("Half a bandwidth-delay product of buffer")
    figure.savefig("quic.png", dpi=110)
