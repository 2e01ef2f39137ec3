"""Walk out of Wi-Fi coverage: what becomes of a download?

A phone walks away from its access point at 1.5 m/s, turns round after a minute and comes back. Frame loss follows the
signal-to-noise ratio (Rayleigh fading); the radio does not adapt its rate. Three rates, six seeds each.

Answer: at 54 Mbit/s the download stalls at 32 m, at 6 Mbit/s it lasts up to 85 m. On the way back it resumes seconds
after the radio could carry it.

It prints:

    54 Mbit/s  22.7 Mbit/s near, below 1 Mbit/s from 32 ± 2 m
    18 Mbit/s  11.5 Mbit/s near, below 1 Mbit/s from 70 ± 2 m
    6 Mbit/s    4.6 Mbit/s near, below 1 Mbit/s from 85 ± 3 m
"""

# %% A walk of 90 m and back
import matplotlib.pyplot as plt
import numpy as np

import windward as ww
from windward.results.stats import t_quantile
from windward.show.plot.style import COLORS, styled

RATES = ("54 Mbit/s", "18 Mbit/s", "6 Mbit/s")
SPEED, TURN, SEEDS = 1.5, 60, 6  # m/s, s


def walk(rate: str) -> ww.Run:
    there = [f"{SPEED * TURN:g} m", "0 m"]
    motion = ww.format.WaypointsMotion(
        points=[
            ww.format.Waypoint(time=f"{TURN} s", at=there),
            ww.format.Waypoint(time=f"{2 * TURN} s", at=["1 m", "0 m"]),
        ]
    )
    scenario = ww.Scenario(
        name="walk",
        duration=f"{2 * TURN} s",
        node=[ww.Node(name="server"), ww.Node(name="router"), ww.Node(name="phone")],
        link=[ww.Link(from_="server", to="router", rate="200 Mbit/s", delay="10 ms")],
        wifi=[
            ww.Wifi(
                name="home",
                standard="802.11g",
                data_rate=rate,
                buffer="200 packets",
                routing="aodv",
                reach=ww.format.WifiReach(
                    power="15 dBm",
                    frequency="2437 MHz",
                    path_loss=ww.format.LogDistancePathLoss(exponent=3.3),
                    receive_threshold="-95 dBm",
                    sense_threshold="-95 dBm",
                ),
                noise=ww.format.WifiNoise(power="-95 dBm", rayleigh=True),
                station=[
                    ww.format.WifiStation(node="router", at=["0 m", "0 m"]),
                    ww.format.WifiStation(node="phone", at=["1 m", "0 m"], motion=motion),
                ],
            )
        ],
        flow=[ww.Flow(name="download", from_="server", to="phone", law="cubic")],
        output=ww.Output(sample_interval="2 s"),
    )
    return scenario.simulate(seeds=SEEDS)


# %% Goodput against time, and the distance at which it falls below a Mbit/s
with styled():
    figure, axes = plt.subplots(figsize=(7.5, 3.8))
    for rate, color in zip(RATES, COLORS, strict=False):
        goodput = walk(rate).flow_series.pivot_table(index="time_s", columns="seed", values="goodput_bps") / 1e6
        mean = goodput.mean(axis=1)
        half = t_quantile(SEEDS - 1) * goodput.std(axis=1) / SEEDS**0.5
        axes.plot(mean.index - 1, mean, color=color, label=rate)
        axes.fill_between(mean.index - 1, (mean - half).clip(lower=0), mean + half, color=color, alpha=0.2, linewidth=0)
        out = SPEED * np.array([series[series < 1].index.min() for _, series in goodput.items()])
        error = t_quantile(SEEDS - 1) * out.std(ddof=1) / SEEDS**0.5
        print(f"{rate:9} {mean.iloc[2]:5.1f} Mbit/s near, below 1 Mbit/s from {out.mean():.0f} ± {error:.0f} m")
    axes.set_xlim(0, 2 * TURN)
    axes.set_ylim(bottom=0)
    axes.set_xticks(range(0, 2 * TURN + 1, 20))
    axes.set_xlabel("time (s); distance 0 m, 90 m at 60 s, 0 m at 120 s")
    axes.set_ylabel("goodput (Mbit/s)")
    axes.set_title("A walk out of coverage and back, 802.11g with Rayleigh fading")
    axes.legend(loc="upper center", title="radio rate")
    figure.savefig("wifi_walk.png", dpi=110)
