"""Claims 36 to 39 and 59: Figs. 8 and 9, the loss of the paper's link from 2 to 6 % and back, 3000 s each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import Finding, claim

from ..network import reno, stepped

#: Losses of the thirds, and their length in seconds.
LOSSES, THIRD = (0.02, 0.06, 0.02), 3000
RTT_MIN = 0.168
SEEDS = 32
#: Of Student's distribution with 31 degrees of freedom, both tails: where 95 % of further runs lie.
STUDENT = 2.040
#: By τ: seconds to open the fifth connection and to close all but two, simulated and by the formulas.
PRINTED = {20: (660, 80, 650, 73), 5: (184, 16, 190, 19)}


@cache
def run(tau: float) -> ww.Run:
    """The experiment at this τ."""
    flow = reno(connections=ww.Emultcp(tau=f"{tau} s", gamma=0.2, max=16))
    return stepped(LOSSES, THIRD, flow).simulate(seeds=SEEDS)


@dataclass(frozen=True)
class Ramps:
    """Seconds after the step, and n just before it and at the end of the ramp, for each seed."""

    up: np.ndarray
    down: np.ndarray
    n: np.ndarray


def shown(tau: float, name: str) -> pd.DataFrame:
    """Values that the controllers show as `name`: seconds as rows, seeds as columns."""
    rows = run(tau).internals
    return rows[rows["name"] == name].pivot(index="time_s", columns="seed", values="value")


@cache
def ramps(tau: float) -> Ramps:
    """Until five connections are open at 6 %, and until no more than two are at 2 %."""
    n, count = shown(tau, "n"), shown(tau, "open")
    up, down, ends = [], [], []
    for seed in n.columns:
        opened = first(count[seed] >= 5, THIRD)
        up.append(opened - THIRD)
        down.append(first(count[seed] <= 2, 2 * THIRD) - 2 * THIRD)
        ends.append((n[seed][THIRD], n[seed][opened]))
    return Ramps(np.array(up), np.array(down), np.array(ends))


def first(is_there: pd.Series[bool], after_s: float) -> float:
    """The first second after `after_s` at which it is."""
    there = is_there[is_there & (is_there.index > after_s)]
    return float(there.index[0])


def off(values: np.ndarray, printed: float) -> float:
    """Distance of a printed run from the mean of ours, in half widths of the 95 % prediction interval."""
    # Of logarithms: the times are sums of waits, skewed to the right.
    logs = np.log(values)
    return float(abs(np.log(printed) - logs.mean()) / (STUDENT * logs.std(ddof=1) * np.sqrt(1 + 1 / len(logs))))


def ramp_finding(tau: float) -> Finding:
    found, (up, down, up_formula, down_formula) = ramps(tau), PRINTED[int(tau)]
    scatter = [off(found.up, up), off(found.down, down)]
    spread = np.log(found.up).std(ddof=1)
    # The formula from n at the step to n when five were open, against what the same run took.
    closed = 2 * tau * (found.n[:, 1] ** 2 - found.n[:, 0] ** 2)
    ratio = found.up / closed
    two_to_five, back = 42 * tau, 4 * tau * np.log(2.5)
    # Two connections are open for n from 2 to 3.
    least = 2 * tau * (25 - 9)
    return Finding(
        ours=f"up {np.mean(found.up):.0f} s ({found.up.min():.0f} to {found.up.max():.0f}), down "
        f"{np.mean(found.down):.0f} s ({found.down.min():.0f} to {found.down.max():.0f}): the printed {up} and {down} "
        f"are {scatter[0]:.0%} and {scatter[1]:.0%} of the way to the ends of the range of a further run. By the "
        f"formula {two_to_five:.0f} s from 2 to 5, {least:.0f} from 3, for the printed {up_formula}, and {back:.0f} s "
        f"back for {down_formula}; from n as it was in the runs they took {ratio.mean():.2f} of it",
        holds=max(scatter) < 1
        and spread < (0.1 if tau == 20 else 0.25)
        and abs(two_to_five / up_formula - 1) > 0.1
        and least < up_formula < two_to_five
        and abs(back / down_formula - 1) < 0.05
        and 1 - 1 / 3 < ratio.mean() < 1 + 2 * ratio.std(ddof=1),
    )


def listed(values: np.ndarray, form: str) -> str:
    return ", ".join(f"{value:{form}}" for value in values)


@claim(36)
def ramps_at_20_s() -> Finding:
    return ramp_finding(20)


@claim(37)
def ramps_at_5_s() -> Finding:
    return ramp_finding(5)


@claim(38)
def a_shorter_period_is_faster() -> Finding:
    slow, fast = ramps(20), ramps(5)
    up, down = slow.up.mean() / fast.up.mean(), np.median(slow.down) / np.median(fast.down)
    return Finding(ours=f"up {up:.1f} times as fast, down {down:.1f} times", holds=2 < up < 6 and 1.5 < down < 8)


#: Of each third: its last 2000 s, for a ramp takes up to 1000.
SETTLED = [(THIRD * (k + 1) - 2000, THIRD * (k + 1)) for k in range(len(LOSSES))]


def thirds(series: pd.DataFrame) -> np.ndarray:
    """Means of each seed in each third: thirds as rows."""
    return np.array([series[(series.index > begin) & (series.index <= end)].mean() for begin, end in SETTLED])


@cache
def traces(tau: float) -> dict[str, np.ndarray]:
    """Thirds by seeds: connections, round trip in seconds, throughput over B(1 − p), and the share lost on the air."""
    answer = run(tau)
    goodput = answer.flow_series.groupby(["time_s", "seed"])["goodput_bps"].sum().unstack() * 1000 / 960
    links = answer.link_series.astype({"link": str})
    dropped = links[links["link"] == "base->r"].pivot(index="time_s", columns="seed", values="dropped")
    # What came to the air is what the wire before it carried.
    offered = links[links["link"] == "s->base"].pivot(index="time_s", columns="seed", values="rate_bps") / 8000
    lost = np.array([dropped.loc[end] - dropped.loc[begin] for begin, end in SETTLED])
    return {
        "open": thirds(shown(tau, "open")),
        "rtt": thirds(shown(tau, "mean_rtt_s")),
        "throughput": thirds(goodput) / (1e6 * (1 - np.array(LOSSES)[:, None])),
        "loss": lost / (2000 * thirds(offered)),
    }


def changes(values: np.ndarray) -> list[float]:
    """Change at each of the two steps, in standard deviations of that change over the seeds."""
    steps = np.diff(values, axis=0)
    return [float(step.mean() / step.std(ddof=1)) for step in steps]


@claim(39)
def traces_follow() -> Finding:
    found = traces(20)
    middle = {name: values.mean(axis=1) for name, values in found.items()}
    apart = {name: changes(found[name]) for name in ("open", "loss")}
    return Finding(
        ours=f"by thirds {listed(middle['open'], '.1f')} connections, {listed(100 * middle['loss'], '.1f')} % lost, "
        f"{listed(1e3 * middle['rtt'], '.0f')} ms, {listed(middle['throughput'], '.2f')} of B(1 − p)",
        # One run tells the steps of n and of the loss; the round trip and the use of the link stay.
        holds=all(up > 3 and down < -3 for up, down in apart.values())
        and bool(np.all(np.abs(middle["loss"] - LOSSES) < 0.002))
        and bool(np.all((middle["rtt"] > RTT_MIN) & (middle["rtt"] < 1.2 * RTT_MIN)))
        and bool(np.all((middle["throughput"] > 0.7) & (middle["throughput"] < 0.9))),
    )


@claim(59)
def changes_are_not_tracked_quickly() -> Finding:
    trips = [time.mean() / RTT_MIN for time in (ramps(20).up, ramps(20).down)]
    return Finding(
        ours=f"{ramps(20).up.mean():.0f} s up and {ramps(20).down.mean():.0f} s down, {trips[0]:.0f} and "
        f"{trips[1]:.0f} round trips",
        holds=min(trips) > 100,
    )
