"""Lays Table 4 of wang2016 and its theorems 4 and 5 beside packets.

python evidence/benches/sim/validate_table_four.py

Writes evidence/measured/validation/wang2016-table-4.md; what was simulated is kept in results/table-four.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.optimize import brentq

import windward as ww
from windward.show.plot import save
from windward.show.plot.style import COLORS, FAINT, committed, head

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from papers.wang2016.table_four import ALPHA, ROWS, Measured, Row, connections, measure, reno  # noqa: E402

PAGE = ROOT / "evidence" / "measured" / "validation" / "wang2016-table-4.md"
KEPT = ROOT / "results" / "table-four"
PICTURE = ROOT / "docs" / "pictures" / "wang2016-table-4.svg"
LOSSES = (0.0, 1e-4, 1e-3, 1e-2)
DELAYS_S = (0.05, 0.2)
#: Greatest α of TCP-FIT beside a Reno.
ALPHAS = (0.02, 0.1)
#: Losses that a run should have, and the seconds that it takes at least and at most.
ENOUGH, LEAST_S, MOST_S = 150, 100, 400
#: The link's rate over that of the formula without a queue: idle, and full.
WIDE, FULL = 3.0, 0.8
#: Without a loss of its own the link has this rate in packets a second; it never has more than 100 Mbit/s.
LOSSLESS, GREATEST = 1000.0, 8333.0


def seconds(loss: float, rate: float) -> float:
    """Duration of a run, in seconds."""
    return min(MOST_S, max(LEAST_S, ENOUGH / (loss * rate))) if loss else 400


def link_rate(row: Row, delays_s: list[float], loss: float, is_wide: bool) -> float:
    """Packets a second of the link."""
    if not loss:
        return LOSSLESS
    # The rows without a bound fill what they get: as much as three, and nine tenths, of Renos.
    rates = [row.bound(d, loss) if row.is_bounded else reno(d, 0, loss) for d in delays_s]
    return sum(rates) * (WIDE if is_wide else FULL)


def kept(name: str, run: Callable[[], Measured]) -> Measured:
    """Measurement kept under this name; runs and keeps it if missing."""
    path = KEPT / f"{name}.json"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(run())))
        print(name, flush=True)
    return Measured(**json.loads(path.read_text()))


class Cell:
    """One point of the grid."""

    def __init__(self, row: Row, delays_s: list[float], loss: float, is_wide: bool) -> None:
        self.row, self.loss, self.is_wide = row, loss, is_wide
        rate = link_rate(row, delays_s, loss, is_wide)
        slowest = min(reno(d, 0, loss) for d in delays_s) if loss else 1.0
        name = f"{row.name}-{'-'.join(map(str, delays_s))}-{loss}-{rate:.0f}"
        laws = [row.law] * len(delays_s)
        self.seen = kept(name, lambda: measure(laws, delays_s, loss, rate, duration_s=seconds(loss, slowest)))

    @property
    def formulas(self) -> list[float]:
        """T at the delays, the queue and the losses that the packets had."""
        return [self.row.rate(d, self.seen.queue, self.seen.loss) for d in self.seen.delays]

    @property
    def ratio(self) -> float:
        """Packets over formula."""
        return self.seen.rates[0] / self.formulas[0]

    @property
    def bounded(self) -> float:
        """Packets over the bound of the losses that were random."""
        return self.seen.rates[0] / self.row.bound(self.seen.delays[0], self.loss or self.seen.loss)

    @property
    def fairness(self) -> tuple[float, float]:
        """T_i/T_j of packets and of the formula."""
        near, far = self.seen.delays
        return self.seen.rates[0] / self.seen.rates[1], self.row.fairness(near, far, self.seen.queue, self.seen.loss)


def singles() -> list[Cell]:
    """A flow by itself, over every loss, delay and link. Without random losses there is no idle link."""
    points = [(loss, is_wide) for loss in LOSSES for is_wide in (True, False) if loss or not is_wide]
    return [
        Cell(row, [d], loss, is_wide)
        for row in ROWS
        for loss, is_wide in points
        for d in DELAYS_S
        if link_rate(row, [d], loss, is_wide) <= GREATEST
    ]


def pairs() -> list[Cell]:
    """Two flows of one law, one with a longer way."""
    points = [(0.0, False), (1e-3, True), (1e-3, False), (1e-2, True), (1e-2, False)]
    return [
        Cell(row, list(DELAYS_S), loss, is_wide)
        for row in ROWS
        for loss, is_wide in points
        if link_rate(row, list(DELAYS_S), loss, is_wide) <= GREATEST
    ]


def span(values: list[float]) -> str:
    """The least to the greatest; a dash for none."""
    if not values:
        return "–"
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low}–{high}"


def percent(loss: float) -> str:
    return f"{loss * 100:g} %"


def rate_rows(cells: list[Cell]) -> list[str]:
    """A line for each row and loss: the span over the delays."""
    lines = []
    for row in ROWS:
        for loss in LOSSES:
            columns = []
            for is_wide in (True, False):
                these = [c for c in cells if c.row is row and c.loss == loss and c.is_wide == is_wide]
                columns.append(span([c.ratio for c in these]))
            full = [c for c in cells if c.row is row and c.loss == loss and not c.is_wide]
            every = [c for c in cells if c.row is row and c.loss == loss]
            columns.append(span([c.seen.queue * 1e3 for c in full]))
            columns.append(span([c.bounded for c in every]) if row.is_bounded else "none")
            if every:
                lines.append(f"| {row.name} | {percent(loss)} | {' | '.join(columns)} |")
    return lines


def fairness_rows(cells: list[Cell]) -> list[str]:
    lines = []
    for row in ROWS:
        these = [c for c in cells if c.row is row]
        for loss, is_wide in dict.fromkeys((c.loss, c.is_wide) for c in these):
            group = [c.fairness for c in these if (c.loss, c.is_wide) == (loss, is_wide)]
            words = " | ".join(f"{seen:.2f} | {theory:.2f}" for seen, theory in group)
            lines.append(f"| {row.name} | {percent(loss)} | {'idle' if is_wide else 'full'} | {words} |")
    return lines


def connection_rows(cells: list[Cell]) -> list[str]:
    """E[N] of TCP-FIT: measured, by (25) at the mean queue, and what (22) makes of the measured one."""
    lines = []
    for c in cells:
        if c.row.name != "TCP-FIT":
            continue
        [n], [d], q = c.seen.n, c.seen.delays, c.seen.queue
        theory, rate = connections(d, q), n * reno(d, q, c.seen.loss)
        lines.append(
            f"| {percent(c.loss)} | {d * 1e3:.0f} ms | {'wide' if c.is_wide else 'narrow'} | {q * 1e3:.1f} ms | "
            f"{n:.2f} | {theory:.2f} | {n / theory:.2f} | {c.seen.rates[0] / rate:.2f} |"
        )
    return lines


def friendliness() -> list[tuple[float, float, float, float, float]]:
    """Theorem 4: loss, buffer, q_M/(D + q_M) of two Renos, α, and what is left of a Reno beside TCP-FIT."""
    points = []
    near = DELAYS_S[0]
    for loss in (0.0, 1e-3, 1e-2):
        rate = 2 * FULL * reno(near, 0, loss) if loss else LOSSLESS

        def both(other: Any, buffer: float, name: str, loss: float = loss, rate: float = rate) -> Measured:
            laws, at = [ww.Reno(), other], [near, near]
            return kept(
                f"beside-{name}-{loss}-{buffer}",
                lambda: measure(laws, at, loss, rate, buffer=buffer, duration_s=300),
            )

        for buffer in (0.25, 0.5, 1.0, 2.0):
            alone = both(ww.Reno(), buffer, "reno")
            share = alone.queue / (alone.delays[0] + alone.queue)
            for alpha in ALPHAS:
                mixed = both(ww.TcpFit(alpha=alpha), buffer, f"fit-{alpha}")
                points.append((loss, buffer, share, alpha, mixed.rates[0] / statistics.fmean(alone.rates)))
    return points


def shares() -> list[str]:
    """Theorem 5: two TCP-FIT flows, on links ever wider, and with N = 1."""
    lines = []
    for loss in (1e-3, 1e-2):
        renos = sum(reno(d, 0, loss) for d in DELAYS_S)
        for times in (FULL, WIDE, 10.0, 30.0):
            if (rate := times * renos) > GREATEST:
                continue
            law = ww.TcpFit(alpha=ALPHA)
            seen = kept(
                f"shares-{loss}-{times}",
                lambda law=law, loss=loss, rate=rate: measure([law, law], list(DELAYS_S), loss, rate, duration_s=400),
            )
            near, far = seen.delays
            lines.append(
                f"| {percent(loss)} | {times:g} | {seen.queue * 1e3:.1f} ms | {seen.n[0]:.2f} | {seen.n[1]:.2f} | "
                f"{seen.rates[0] / seen.rates[1]:.2f} | {(far + seen.queue) / (near + seen.queue):.2f} |"
            )
    return lines


def theory_friendliness() -> list[tuple[float, float]]:
    """Theorem 4 by (30): α over q_M/(D + q_M), and what is left of a Reno; the link loses 2 % per second of queue."""
    delay, bandwidth = DELAYS_S[0], 1000.0

    def alone(q: float) -> float:
        return reno(delay, q, 1e-3 + 0.02 * q)

    def rest(alpha: float) -> float:
        """The queueing delay that fills the link."""
        surplus = brentq(lambda q: alone(q) * (1 + connections(delay, q, alpha)) - bandwidth, 1e-9, 10)
        return float(surplus)

    q_m = rest(0.0)
    overs = (0.25, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0, 4.0)
    return [(over, alone(rest(over * q_m / (delay + q_m))) / alone(q_m)) for over in overs]


def picture(rates: list[Cell], fair: list[Cell], friendly: list[tuple[float, float, float, float, float]]) -> Figure:
    figure = Figure(figsize=(11, 4.6))
    FigureCanvasAgg(figure)
    left, middle, right = figure.subplots(1, 3)
    colors = dict(zip([row.name for row in ROWS], [*COLORS, FAINT, "#000000"], strict=True))
    for cells, axes, pair in ((rates, left, False), (fair, middle, True)):
        for c in cells:
            theory, seen = (c.fairness[1], c.fairness[0]) if pair else (c.formulas[0], c.seen.rates[0])
            color = colors[c.row.name]
            axes.plot(
                theory, seen, "o", ms=4.5, mec=color, mfc="none" if c.is_wide else color, label=c.row.name, alpha=0.8
            )
        axes.set(xscale="log", yscale="log")
        low, high = (0.5, 20) if pair else (20, 3e5)
        axes.plot([low, high], [low, high], color=FAINT, lw=0.8, zorder=0)
        axes.set(xlim=(low, high), ylim=(low, 10 if pair else 3e4))
    left.set(title="Rate, packets/s", xlabel="formula of Table 4", ylabel="packets")
    middle.set(title="Ratio of the rates at 50 and 200 ms", xlabel="η of Table 4", ylabel="packets")
    for at, alpha in enumerate(ALPHAS):
        points = [(alpha / share, kept) for _, _, share, a, kept in friendly if a == alpha]
        right.plot(*zip(*points, strict=True), "o", ms=4.5, color=COLORS[at], label=f"packets, α ≤ {alpha}")
    right.plot(*zip(*theory_friendliness(), strict=True), color=FAINT, label="(30)")
    right.axvline(1, color=FAINT, lw=0.8, ls=":")
    right.set(xscale="log", ylim=(0, 1.3), title="What a Reno keeps beside TCP-FIT", xlabel="α over q_M/(D + q_M)")
    right.legend(loc="lower left")
    handles = {label: h for h, label in zip(*left.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower left", ncols=8)
    head(figure, "Table 4 of wang2016 beside packets", "Filled: full links. Hollow: idle ones. On the line they agree.")
    return figure


def main() -> None:
    rates, fair, friendly = singles(), pairs(), friendliness()
    with committed():
        save(picture(rates, fair, friendly), PICTURE)
    friendly_rows = [
        f"| {percent(loss)} | {buffer:g} | {share:.3f} | {alpha:g} | {alpha / share:.2f} | {kept:.2f} |"
        for loss, buffer, share, alpha, kept in friendly
    ]
    overs, fluid = zip(*theory_friendliness(), strict=True)
    held = [kept for _, _, share, alpha, kept in friendly if alpha <= share]
    broken = [kept for _, _, share, alpha, kept in friendly if alpha > share]
    PAGE.write_text(
        TEXT.format(
            rates="\n".join(rate_rows(rates)),
            fairness="\n".join(fairness_rows(fair)),
            connections="\n".join(connection_rows(rates)),
            friendliness="\n".join(friendly_rows),
            overs=" | ".join(f"{over:g}" for over in overs),
            rule="---|" * len(overs),
            fluid=" | ".join(f"{kept:.3f}" for kept in fluid),
            held=span(held),
            broken=span(broken),
            shares="\n".join(shares()),
        )
    )
    print(PAGE.relative_to(ROOT))


TEXT = """# Throughput formulas of wang2016's Table 4 compared with packets

<!-- Generated: make validate WHAT=formulas -->

Each throughput formula of Table 4 of [wang2016](../papers/wang2016.md), as corrected there, is compared with packets
of the engine's law. D is the round trip with an empty queue, q the mean queueing delay and P + p the share of packets
lost, all three measured from the packets.

* **Network:** one flow, or two of a law, over one link with a buffer of one bandwidth-delay product. There are random
  losses P in the direction of data. Values are means over 3 seeds of 100 to 400 s.
* **Receiver:** SACK, and an ACK for every segment.
* **Rate of the link:** three times the formula's rate without a queue (idle), or 0.8 times that (full). In rows
  without a bound it is 3 and 0.8 times Reno's, without random losses 1000 packets/s. Points above 100 Mbit/s are
  omitted.
* **Laws:** CUBIC is Linux 2.6.22's, whose decrease by 0.2 the table's 1.17 assumes. Compound has its default
  parameters, Veno γ' = 4/5. Vegas keeps 3 packets queued, FAST 10.

![Rates and their ratios by formula and in packets](../../../docs/pictures/wang2016-table-4.svg)

## Rates and bounds

*Idle* and *full*: rate of the packets over the formula's, as the range over D = 50 and 200 ms. *q, full*: queueing
delay of the full link in ms. *Over the bound*: rate of the packets over the bound, which depends on P alone.

| law | P | idle | full | q, full | over the bound |
|---|---|---|---|---|---|
{rates}

* **Reno, Compound, Veno, idle**: within 17 %. The formulas assume losses at equal distances. Under random
  losses Reno gets up to 7 % more (Ott, Kemperman and Mathis 1996), and exceeds the bounds by up to 13 %. At 1 %, with
  windows of a few packets, timeouts and whole packets cost Reno and Veno up to 12 %. There, below 41 packets, Compound
  equals Reno and gets more than its formula.
* **Veno, full**: γ' is 4/5 only while fewer than 3 packets wait. With γ' = 1/2 the formula gives 0.58 of that. Halved
  growth, as Veno's with a queue, gives 0.41. Packets are between, at 0.42 where the queue never empties.
* **Compound, full**: with 30 packets waiting its delay component vanishes, and Reno's remains.
* **CUBIC**: the formula lacks the TCP-friendly region, so packets have Reno's rate at 1 %, and at 0.1 % and 50 ms.
  The cause of 1.3 to 1.6 on idle links at 0.01 %, and at 0.1 % and 200 ms, is unknown. On full links p counts each
  packet of the bursts that a full queue drops; the law counts one event.
* **Westwood**: the formula assumes a settled filter. The engine's takes ten round trips, during which the window falls
  several times, so packets have 0.4 of the formula.
* **Vegas, FAST**: γ/q holds without losses, within Vegas' band of 2 to 4 packets (3.9 packets instead of 3). Where
  losses keep windows from filling the link q has no meaning, and packets have a hundredth to a quarter of γ/q.
* **TCP-FIT**: (26) at the mean queue is up to 2.5 times too low on idle links: see E[N].

## Fairness

T_i/T_j of two flows of a law with D = 50 and 200 ms, and η.

| law | P | link | packets | η |
|---|---|---|---|---|
{fairness}

On idle links packets are within 8 % of η for Reno, Compound, Veno and Westwood. CUBIC's TCP-friendly region limits
its fairness. With drops by the full queue alone (0 %), the flows do not lose the same share, which η assumes. The
ratio of the round trips appears to the power of 3 to 4. Vegas and FAST have η = 1, which needs a queue and no losses.
FAST then has 1.02, Vegas 0.61, as its band allows.

## E[N]

N of (25) at the mean queue, the mean N of the packets, and their rate over that of (22) with the mean N.

| P | D | link | q | E[N], packets | E[N], (25) | packets over (25) | rate over (22) |
|---|---|---|---|---|---|---|---|
{connections}

N rises by one in half a second, and falls at once when a queue appears. The falls determine the mean queue, the rises
the mean N. Therefore (25) at the mean queue is up to four times too low on a wide link, and within a third where N
stays near 1. With the mean N (22) is up to 17 % too high at 50 ms and 30 to 38 % at 200 ms, where the window adapts
more slowly than N changes. At a constant queue, and with N held, both are exact to 1 % (claims 4 and 5).

## Theorem 4

Rate of a Reno beside TCP-FIT, over the mean of two Renos. q_M is the mean queueing delay of the two Renos, α the
largest that TCP-FIT may use. Buffers are in bandwidth-delay products, and D = 50 ms.

| P | buffer | q_M/(D + q_M) | α | α over it | Reno's share |
|---|---|---|---|---|---|
{friendliness}

(30) with p proportional to q gives:

| α over the condition's | {overs} |
|---|{rule}
| Reno's share | {fluid} |

In packets Reno keeps {held} where the condition holds and {broken} where it does not.
The queue is a sawtooth: while it is below its mean N is above 1. With a
buffer of one bandwidth-delay product or more, Reno keeps at least 0.95.

## Theorem 5

Two TCP-FIT flows with D = 50 and 200 ms over links with a multiple of two Renos' rate.

| P | link | q | N at 50 ms | N at 200 ms | T_i/T_j | Reno's η |
|---|---|---|---|---|---|---|
{shares}

With N = 1 the ratio is Reno's. With N > 1 it is not 1. In the theorem N = α·RTT/q at rest, which is three to four
times as many connections at 200 ms. In packets both flows add a connection each half second and close them once they
detect the queue. The flow of 200 ms then has at most 2.2 times as many. On a link of ten Renos, which they hardly
ever fill, the near flow has more. In the fluid engine, where N is at rest, rates are within 9 % (claim 16).
"""


if __name__ == "__main__":
    main()
