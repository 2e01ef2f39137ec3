"""Claims 36 to 39 and 59: Figs. 8 and 9, the loss of the paper's link from 2 to 6 % and back, 3000 s each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windward.papers import Finding, Results, claim

from ..section_five import RTT_MIN, STEPS

#: Figure of each τ.
FIGURES = {20: "8", 5: "9"}
#: Of Student's distribution with 31 degrees of freedom, both tails: where 95 % of further runs lie.
STUDENT = 2.040
#: By τ: seconds to open the fifth connection and to close all but two, simulated and by the formulas.
PRINTED = {20: (660, 80, 650, 73), 5: (184, 16, 190, 19)}


@dataclass(frozen=True)
class Ramps:
    """Seconds after the step, and n just before it and at the end of the ramp, for each seed."""

    up: np.ndarray
    down: np.ndarray
    n: np.ndarray


def ramps(results: Results, tau: int) -> Ramps:
    """Until five connections are open at 6 %, and until no more than two are at 2 %."""
    table = results.table(f"figure-{FIGURES[tau]}-ramps")
    return Ramps(table["up"].to_numpy(), table["down"].to_numpy(), table[["n_before", "n_after"]].to_numpy())


def off(values: np.ndarray, printed: float) -> float:
    """Distance of a printed run from the mean of ours, in half widths of the 95 % prediction interval."""
    # Of logarithms: the times are sums of waits, skewed to the right.
    logs = np.log(values)
    return float(abs(np.log(printed) - logs.mean()) / (STUDENT * logs.std(ddof=1) * np.sqrt(1 + 1 / len(logs))))


def ramp_finding(results: Results, tau: int) -> Finding:
    found, (up, down, up_formula, down_formula) = ramps(results, tau), PRINTED[tau]
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
def ramps_at_20_s(results: Results) -> Finding:
    return ramp_finding(results, 20)


@claim(37)
def ramps_at_5_s(results: Results) -> Finding:
    return ramp_finding(results, 5)


@claim(38)
def a_shorter_period_is_faster(results: Results) -> Finding:
    slow, fast = ramps(results, 20), ramps(results, 5)
    up, down = slow.up.mean() / fast.up.mean(), np.median(slow.down) / np.median(fast.down)
    return Finding(ours=f"up {up:.1f} times as fast, down {down:.1f} times", holds=2 < up < 6 and 1.5 < down < 8)


def traces(results: Results, tau: int) -> dict[str, np.ndarray]:
    """Thirds by seeds: connections, round trip in seconds, throughput over B(1 − p), and the share lost on the air."""
    table = results.table(f"figure-{FIGURES[tau]}-thirds")
    names = ("open", "rtt", "throughput", "loss")
    return {name: table.pivot(index="third", columns="seed", values=name).to_numpy() for name in names}


def changes(values: np.ndarray) -> list[float]:
    """Change at each of the two steps, in standard deviations of that change over the seeds."""
    steps = np.diff(values, axis=0)
    return [float(step.mean() / step.std(ddof=1)) for step in steps]


@claim(39)
def traces_follow(results: Results) -> Finding:
    found = traces(results, 20)
    middle = {name: values.mean(axis=1) for name, values in found.items()}
    apart = {name: changes(found[name]) for name in ("open", "loss")}
    return Finding(
        ours=f"by thirds {listed(middle['open'], '.1f')} connections, {listed(100 * middle['loss'], '.1f')} % lost, "
        f"{listed(1e3 * middle['rtt'], '.0f')} ms, {listed(middle['throughput'], '.2f')} of B(1 − p)",
        # One run tells the steps of n and of the loss; the round trip and the use of the link stay.
        holds=all(up > 3 and down < -3 for up, down in apart.values())
        and bool(np.all(np.abs(middle["loss"] - STEPS) < 0.002))
        and bool(np.all((middle["rtt"] > RTT_MIN) & (middle["rtt"] < 1.2 * RTT_MIN)))
        and bool(np.all((middle["throughput"] > 0.7) & (middle["throughput"] < 0.9))),
    )


@claim(59)
def changes_are_not_tracked_quickly(results: Results) -> Finding:
    found = ramps(results, 20)
    trips = [time.mean() / RTT_MIN for time in (found.up, found.down)]
    return Finding(
        ours=f"{found.up.mean():.0f} s up and {found.down.mean():.0f} s down, {trips[0]:.0f} and "
        f"{trips[1]:.0f} round trips",
        holds=min(trips) > 100,
    )
