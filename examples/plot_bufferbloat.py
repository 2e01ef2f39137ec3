"""Bufferbloat and AQM: what does a bloated uplink do to a call, and what does AQM do about it?

A backup uploads over a 5 Mbit/s modem with a buffer of one second, beside a call of 80 kbit/s. The upload fills the
buffer, and every packet of the call waits behind it. Active queue management (AQM) signals before the buffer fills.

Answer: behind a full buffer a call waits 779.5 ± 21.1 ms; PIE, CoDel and FQ-CoDel cut that to 17.2, 5.1 and 1.2 ms, and
cost the upload at most 5 % of its 4.75 Mbit/s.

It prints:

    drop-tail  779.5 ± 21.1 ms, upload 4.75 Mbit/s
    pie         17.2 ± 0.2 ms, upload 4.74 Mbit/s
    codel        5.1 ± 0.0 ms, upload 4.52 Mbit/s
    fq-codel     1.2 ± 0.0 ms, upload 4.57 Mbit/s
"""

# %% The uplink, with one of four queues
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled

QUEUES = ("drop-tail", "pie", "codel", "fq-codel")
BASE_MS = 15.32  # propagation, and 200 bytes at 5 Mbit/s


def uplink(queue: str) -> ww.Run:
    scenario = ww.Scenario(
        name="bufferbloat",
        duration="60 s",
        warmup="20 s",
        node=[ww.Node(name="home"), ww.Node(name="server")],
        link=[
            ww.Link(
                from_="home",
                to="server",
                rate="5 Mbit/s",
                delay="15 ms",
                buffer="417 packets",
                queue=queue,
                reverse=ww.format.Reverse(rate="50 Mbit/s", queue="drop-tail"),
            )
        ],
        flow=[ww.Flow(name="backup", from_="home", to="server", law="cubic", start_spread="2 s")],
        background=[
            ww.Background(
                name="call", from_="home", to="server", pattern=ww.format.Cbr(rate="80 kbit/s"), packet="200 B"
            )
        ],
    )
    return scenario.simulate(seeds=10)


# %% The call's wait, and the upload's goodput
waits = []
for queue in QUEUES:
    run = uplink(queue)
    wait, error = mean_and_interval(1e3 * run.background["mean_delay_s"] - BASE_MS)
    goodput, _ = mean_and_interval(run.flows["goodput_bps"] / 1e6)
    waits.append((wait, error))
    print(f"{queue:9} {wait:6.1f} ± {error:.1f} ms, upload {goodput:.2f} Mbit/s")

# %% The figure
with styled():
    figure, axes = plt.subplots(figsize=(7, 3.2))
    means, errors = zip(*waits, strict=True)
    axes.barh(QUEUES, means, xerr=errors, color=COLORS[: len(QUEUES)], height=0.6, capsize=3)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
    axes.set_xlim(0.1, 2000)
    axes.set_xticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1000"])
    axes.set_xlabel("time that the call's packets wait (ms)")
    axes.set_title("A call beside an upload, 5 Mbit/s with a second of buffer")
    figure.savefig("bufferbloat.png", dpi=110)
