"""LTE drive: how long do packets wait, and what does each law get?

A recorded link is a list of times at which a packet may leave. This one is synthetic: the rate varies between 0.5 and
20 Mbit/s like that of a phone in a car, with a different drive for each seed. The buffer is deep, as in LTE.

Answer: CUBIC uses the whole link and its packets wait 1169.4 ms; BBR gives up 3 % of it for 99.1 ms, Vegas and Copa 6 %
for about 20 ms.

It prints:

    cubic     1169.4 ms (761 to 1797), 100.0 ± 0.0 % of the link
    bbr         99.1 ms (72 to 137), 97.1 ± 0.9 % of the link
    westwood   321.4 ms (211 to 489), 95.4 ± 4.5 % of the link
    vegas       24.0 ms (15 to 38), 94.5 ± 1.9 % of the link
    copa        21.0 ms (9 to 49), 93.1 ± 0.8 % of the link
"""

# %% A drive: every half second another rate
import math
import random

import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled

LAWS = ("cubic", "bbr", "westwood", "vegas", "copa")
SEEDS = range(1, 9)


def drive(seed: int) -> list[int]:
    """Times in milliseconds at which a packet of 1500 bytes may leave, for a minute."""
    stream = random.Random(seed)
    times, due, rate_mbps = [], 0.0, 8.0
    for half_second in range(120):
        rate_mbps = min(20.0, max(0.5, rate_mbps * stream.lognormvariate(0, 0.35)))
        begin = 500.0 * half_second
        due = max(due, begin)
        while due < begin + 500:
            times.append(round(due))
            due += 12 / rate_mbps
    return [*times, 60_000]


drives = {seed: drive(seed) for seed in SEEDS}


def ride(law: str, seed: int) -> tuple[float, float]:
    """Share of the link that a download uses, in percent, and its mean wait in ms."""
    scenario = ww.Scenario(
        name="drive",
        duration="60 s",
        warmup="5 s",
        seeds=[seed],
        node=[ww.Node(name="server"), ww.Node(name="phone")],
        link=[
            ww.Link(
                name="radio",
                from_="server",
                to="phone",
                rate=ww.format.RecordedRate(trace=drives[seed]),
                delay="25 ms",
                buffer="750 packets",
                reverse=ww.format.Reverse(rate="5 Mbit/s"),
            )
        ],
        flow=[ww.Flow(from_="server", to="phone", law=law)],
    )
    run = scenario.simulate()
    radio = run.links.set_index("link").loc["radio"]
    return 100 * radio["utilization"], 1e3 * radio["mean_queue_delay_s"]


# %% Means over drives; up and to the left is better
with styled():
    figure, axes = plt.subplots(figsize=(7, 4))
    for law, color in zip(LAWS, COLORS, strict=False):
        shares, waits = zip(*(ride(law, seed) for seed in SEEDS), strict=True)
        share, share_error = mean_and_interval(shares)
        # Waits of drives differ by factors: the geometric mean, and the ends of its interval.
        log, log_error = mean_and_interval([math.log(wait) for wait in waits])
        low, wait, high = (math.exp(log + shift) for shift in (-log_error, 0, log_error))
        print(f"{law:9} {wait:6.1f} ms ({low:.0f} to {high:.0f}), {share:.1f} ± {share_error:.1f} % of the link")
        axes.errorbar(wait, share, share_error, [[wait - low], [high - wait]], marker="o", color=color, capsize=2)
        place = (-30, -14) if law == "copa" else (6, 6)
        axes.annotate(law, (wait, share), place, textcoords="offset points", color=color)
    axes.set_xscale("log")
    axes.set_xlim(5, 3000)
    axes.set_ylim(80, 102)
    axes.set_xticks([10, 100, 1000], ["10", "100", "1000"])
    axes.set_xlabel("mean wait in the radio's queue (ms)")
    axes.set_ylabel("share of the link that is used (%)")
    axes.set_title("A download on a drive: means of eight drives, 95 % intervals")
    figure.savefig("lte_drive.png", dpi=110)
