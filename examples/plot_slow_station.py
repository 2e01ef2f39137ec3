"""Wi-Fi performance anomaly: how much does one slow station cost the others?

802.11 shares the medium by frames, not by time. A station at a low rate occupies the medium longer for each frame, so
that all stations get about as little as it does (M. Heusse et al., "Performance anomaly of 802.11b", INFOCOM 2003).

Answer: a station at 1 Mbit/s cuts each of the three fast ones from 1.57 to 0.61 Mbit/s, about what it gets itself
(0.57).

It prints:

    11 Mbit/s  the fast ones get 1.57 ± 0.01 Mbit/s each, the slow one 1.57
    5.5 Mbit/s the fast ones get 1.38 ± 0.03 Mbit/s each, the slow one 1.28
    2 Mbit/s   the fast ones get 0.92 ± 0.03 Mbit/s each, the slow one 0.86
    1 Mbit/s   the fast ones get 0.61 ± 0.01 Mbit/s each, the slow one 0.57
"""

# %% Three uploads at 11 Mbit/s, and one at another rate
import matplotlib.pyplot as plt
import numpy as np

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled

RATES = ("11 Mbit/s", "5.5 Mbit/s", "2 Mbit/s", "1 Mbit/s")


def home(rate: str) -> ww.Run:
    stations = [ww.format.WifiStation(node="router", at=["0 m", "0 m"])]
    stations += [ww.format.WifiStation(node=f"fast-{at}", at=["10 m", f"{at} m"]) for at in (1, 2, 3)]
    stations.append(ww.format.WifiStation(node="slow", at=["10 m", "4 m"], data_rate=rate))
    scenario = ww.Scenario(
        name="anomaly",
        duration="25 s",
        warmup="5 s",
        node=[ww.Node(name="router"), ww.Node(name="fast", count=3), ww.Node(name="slow")],
        wifi=[ww.Wifi(name="home", standard="802.11b", station=stations)],
        background=[
            ww.Background(
                name=name,
                from_=name,
                to="router",
                count=count,
                pattern=ww.format.Poisson(rate="9 Mbit/s"),
                packet="1500 B",
            )
            for name, count in (("fast", None), ("slow", None))
        ],
    )
    return scenario.simulate(seeds=5)


# %% What each gets
results = {}
for rate in RATES:
    received = home(rate).background.assign(mbps=lambda rows: rows["received_bps"] / 1e6)
    each = {group: mean_and_interval(rows.groupby("seed")["mbps"].mean()) for group, rows in received.groupby("group")}
    results[rate] = each
    (fast, error), (slow, _) = each["fast"], each["slow"]
    print(f"{rate:10} the fast ones get {fast:.2f} ± {error:.2f} Mbit/s each, the slow one {slow:.2f}")

# %% The figure
with styled():
    figure, axes = plt.subplots(figsize=(7, 3.6))
    at = np.arange(len(RATES))
    for shift, group, label, color in (
        (-0.2, "fast", "each of three at 11 Mbit/s", COLORS[0]),
        (0.2, "slow", "the fourth station", COLORS[1]),
    ):
        means, errors = zip(*(results[rate][group] for rate in RATES), strict=True)
        axes.bar(at + shift, means, 0.38, yerr=errors, color=color, capsize=2.5, label=label)
    axes.set_xticks(at, RATES)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("rate of the fourth station")
    axes.set_ylabel("throughput (Mbit/s)")
    axes.set_title("Four saturated stations, 802.11b")
    axes.legend(loc="upper right")
    figure.savefig("slow_station.png", dpi=110)
