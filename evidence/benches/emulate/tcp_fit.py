"""TCP-FIT between real kernels beside CUBIC, Reno and BBR, and beside the laws of wang2016's Table 10.

python evidence/benches/emulate/tcp_fit.py writes evidence/measured/validation/tcp-fit-kernels.md; as root, on a machine
that does nothing else: half an hour in real time. What was interrupted goes on where it was. Paths that have nothing to
do with each other stand side by side in one emulation.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from networks import path as lone
from page import interval, table
from repeat import in_time

import windward as ww
from windward.results.stats import mean_and_interval

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "tcp-fit-kernels.md"
#: It has the rows of 100 ms, between marks.
LAW_PAGE = ROOT / "docs" / "reference" / "laws" / "tcp-fit.md"

#: Runs are kept here; what is there is not emulated again.
KEPT = ROOT / "results" / "tcp-fit-kernels"

LOSSES = (0.0, 0.001, 0.01, 0.03)
RTTS_MS = (20, 100, 250)
MBPS = (10, 100)

#: How long a run takes, by round trip: TCP-FIT's window of 250 ms and 100 Mbit/s takes 25 s to grow. The second half
#: counts.
SECONDS = {20: 30, 100: 40, 250: 60}

#: TCP-FIT steers by α·RTT/N of queueing delay: at N = 5 and 100 ms by 2 ms.
LATE_S = 0.0005

#: BBR is not among Windward's laws: the kernel runs its own in the place of Reno.
LAWS: dict[str, ww.format.LawSpec | str] = {
    "TCP-FIT": ww.TcpFit(),
    "with noise": ww.TcpFit(noise=0.0005),
    "CUBIC": "cubic",
    "Reno": "reno",
    "BBR": "reno",
}

#: The laws of Table 10.
WIDE_LAWS: dict[str, ww.format.LawSpec | str] = {
    "TCP-FIT": ww.TcpFit(),
    "Reno": "reno",
    "CUBIC": "cubic",
    "Vegas": "vegas",
    "Compound": "compound",
}

#: [G] Seven paths for its seven downloads: rate in Mbit/s, round trip in ms, loss. The paper says that they led from
#: San Diego to 192 cities; near ones are taken for fast and clean, far ones for slow and lossy. In two emulations.
WIDE_PATHS = (
    ((50, 20, 1e-4), (40, 60, 1e-4)),
    ((30, 80, 5e-4), (30, 120, 5e-4), (20, 150, 1e-3), (20, 200, 2e-3), (10, 250, 5e-3)),
)
WIDE_SEEDS, WIDE_SECONDS = 3, 60


class Way(NamedTuple):
    """A path and what is sent over it."""

    law: str
    mbps: int
    rtt_ms: int
    loss: float
    #: Whether a CUBIC flow is there too.
    is_shared: bool

    @property
    def name(self) -> str:
        """Prefix of the names of its nodes, link and flows."""
        shared = "shared" if self.is_shared else "alone"
        return f"{self.law.replace(' ', '-')}-{self.mbps}-{self.rtt_ms}-{self.loss:g}-{shared}"

    @property
    def buffer(self) -> int:
        """A bandwidth-delay product in packets of 1500 B, at least 20."""
        return max(20, round(self.mbps * 1e3 * self.rtt_ms / 12_000))


def side_by_side(paths: Iterable[Way], seconds: int, laws: Mapping[str, ww.format.LawSpec | str] = LAWS) -> ww.Scenario:
    """Paths without anything in common, as one scenario."""
    nodes, links, flows = [], [], []
    for path in paths:
        ends, link = lone(path.name, path.mbps, path.rtt_ms, path.buffer, path.loss, ww.format.Reverse(loss=0.0))
        nodes += ends
        links.append(link)
        flow = ww.Flow(name=f"{path.name}-own", from_=link.from_, to=link.to, law=laws[path.law])
        flows.append(flow)
        if path.is_shared:
            flows.append(replace(flow, name=f"{path.name}-other", law="cubic"))
    return ww.Scenario(
        name="tcp-fit-kernels",
        duration=f"{seconds} s",
        stack="rfc",
        warmup=f"{seconds / 2:g} s",
        output=ww.Output(sample_interval="1 s"),
        node=nodes,
        link=links,
        flow=flows,
    )


def emulated(name: str, paths: list[Way], seconds: int) -> ww.Run:
    """Emulates these paths between kernels, or returns the run kept from an earlier time."""
    network = side_by_side(paths, seconds)
    congestion = {f"{path.name}-own": "bbr" for path in paths if path.law == "BBR"}
    return in_time(network.emulate, KEPT / name, late_s=LATE_S, congestion=congestion, even_if_slow=True)


def groups() -> dict[str, tuple[list[Way], int]]:
    """Which paths are emulated at once, and for how long: at most five of 100 Mbit/s, or twenty of 10."""
    found = {}
    for rtt, is_shared in product(RTTS_MS, (False, True)):
        kind = "shared" if is_shared else "alone"
        slow = [Way(law, 10, rtt, loss, is_shared) for loss in LOSSES for law in LAWS]
        found[f"10-{rtt}-{kind}"] = (slow, SECONDS[rtt])
        for loss in LOSSES:
            fast = [Way(law, 100, rtt, loss, is_shared) for law in LAWS]
            found[f"100-{rtt}-{loss:g}-{kind}"] = (fast, SECONDS[rtt])
    return found


def measured(runs: dict[str, ww.Run]) -> pd.DataFrame:
    """One row for each path: goodputs in Mbit/s, and the mean queueing delay in ms."""
    rows = []
    for name, (paths, _) in groups().items():
        flows = runs[name].flows.set_index("flow")["goodput_bps"] / 1e6
        queues = runs[name].links.set_index("link")["mean_queue_delay_s"] * 1e3
        for path in paths:
            other = flows[f"{path.name}-other"] if path.is_shared else float("nan")
            rows.append(
                {**path._asdict(), "own": flows[f"{path.name}-own"], "other": other, "queue": queues[path.name]}
            )
    return pd.DataFrame(rows)


def rows(found: pd.DataFrame, mbps: int, *, is_shared: bool) -> list[list[str]]:
    """A row for each round trip and loss: of each law goodput and queue, or both goodputs."""
    lines = []
    for rtt, loss in product(RTTS_MS, LOSSES):
        line = [f"{rtt} ms", percent(loss)]
        for law in LAWS:
            chosen = found[
                (found["law"] == law)
                & (found["mbps"] == mbps)
                & (found["rtt_ms"] == rtt)
                & (found["loss"] == loss)
                & (found["is_shared"] == is_shared)
            ].iloc[0]
            second = f"{chosen['other']:.3g}" if is_shared else f"{chosen['queue']:.1f} ms"
            line.append(f"{chosen['own']:.3g}, {second}")
        lines.append(line)
    return lines


def wide() -> pd.DataFrame:
    """Goodputs in Mbit/s over the seven paths, one row for each path, law and seed."""
    rows = []
    for seed in range(1, WIDE_SEEDS + 1):
        for at, group in enumerate(WIDE_PATHS, 1):
            ways = [Way(law, mbps, rtt, loss, is_shared=False) for mbps, rtt, loss in group for law in WIDE_LAWS]
            network = side_by_side(ways, WIDE_SECONDS, WIDE_LAWS)
            run = in_time(network.emulate, KEPT / f"wide-{at}-{seed}", late_s=LATE_S, seed=seed, even_if_slow=True)
            goodputs = run.flows.set_index("flow")["goodput_bps"] / 1e6
            rows += [{**way._asdict(), "seed": seed, "own": goodputs[f"{way.name}-own"]} for way in ways]
    return pd.DataFrame(rows)


def wide_table(found: pd.DataFrame) -> str:
    """A row for each path, then the means, and how much more TCP-FIT gets than each."""
    columns = [*WIDE_LAWS]
    means = found.groupby(["mbps", "rtt_ms", "loss", "law"])["own"].mean()
    lines = [
        [f"{mbps} Mbit/s, {rtt} ms, {percent(loss)}", *(f"{means[mbps, rtt, loss, law]:.1f}" for law in columns)]
        for group in WIDE_PATHS
        for mbps, rtt, loss in group
    ]
    overall = found.groupby(["seed", "law"])["own"].mean()
    each = {law: [overall[seed, law] for seed in range(1, WIDE_SEEDS + 1)] for law in columns}
    lines.append(["**mean**", *(interval(*mean_and_interval(pd.Series(each[law]))) for law in columns)])
    more = {law: pd.Series(each["TCP-FIT"]) / pd.Series(each[law]) - 1 for law in columns}
    lines.append(["TCP-FIT gets more by", "", *(f"{more[law].mean():.0%}" for law in columns[1:])])
    lines.append(["printed (Table 10)", "", "42 %", "23 %", "104 %", "37 %"])
    return table(["path", *columns], lines)


def percent(loss: float) -> str:
    """A loss as people write it."""
    return f"{100 * loss:g} %" if loss else "0"


def marked(text: str, name: str, inner: str) -> str:
    """A page with what stands between the marks of this name replaced."""
    head, _, rest = text.partition(f"<!-- {name} -->")
    _, end, tail = rest.partition(f"<!-- end of {name} -->")
    if not end:
        raise SystemExit(f"the page has no marks `{name}`")
    return f"{head}<!-- {name} -->\n\n{inner}\n\n{end}{tail}"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    runs = {name: emulated(name, paths, seconds) for name, (paths, seconds) in groups().items()}
    found, far = measured(runs), wide()
    timing = pd.concat([run.timing for run in runs.values()])
    columns = ["RTT", "loss", *LAWS]
    alone = {mbps: table(columns, rows(found, mbps, is_shared=False)) for mbps in MBPS}
    beside = {mbps: table(columns, rows(found, mbps, is_shared=True)) for mbps in MBPS}
    late = (timing["late_share"] > 0.01).sum()
    PAGE.write_text(
        f"""# TCP-FIT between real kernels

<!-- Generated: make validate WHAT=tcp-fit -->

TCP-FIT as eBPF in Linux {platform.release()}, beside the kernel's own CUBIC, Reno and BBR, over
[emulated](../../../docs/guides/emulation.md) links that lose packets at random towards the receiver. Buffers of one
bandwidth-delay product, at least 20 packets. One run of each: 30 s at 20 ms, 40 s at 100 ms, 60 s at 250 ms, of which
the second half counts. At 3 % and 250 ms half a minute sees some hundred losses: such figures vary by a fifth from run
to run. *With noise* is TCP-FIT with `noise = 0.0005`: half a millisecond of delay counts as none.

What is seen:

* Without losses TCP-FIT is a Reno, in goodput and in queue, also beside a CUBIC.
* With losses it gets more than CUBIC and Reno, and more so over long paths. At 0.1 % it gets ten times as
  much over 100 Mbit/s and 100 ms, at 1 % six to seven times as much over 100 ms and more.
  A CUBIC beside it keeps 0.7 to 1.2 times, on
  average 0.9, of what it keeps beside another CUBIC.
* It does not fill a lossy link. At 1 % and 100 Mbit/s it leaves nine tenths unused over 100 ms, three quarters over
  20 ms. It steers by a fraction of a millisecond there, which hosts' timers and bursts exceed; `noise = 0.0005` doubles
  what it gets at such rates.
* BBR fills every one of these links. Where they lose nothing it leaves a CUBIC 6 to 38 % of them.

So: TCP-FIT where a flow must not harm its neighbours; BBR where rate is all.

## Alone: goodput in Mbit/s, mean queueing delay

10 Mbit/s, of which TCP can carry 9.65:

{alone[10]}

100 Mbit/s, of which TCP can carry 96.5:

{alone[100]}

## Beside a CUBIC: its own goodput, CUBIC's, in Mbit/s

The third column of a row says what a CUBIC keeps beside another CUBIC.

10 Mbit/s:

{beside[10]}

100 Mbit/s:

{beside[100]}

## A stand-in for PlanetLab

wang2016's Table 10 has means of seven downloads over PlanetLab, which is gone. Here are seven paths, chosen once and
fitted to nothing: only the order of the speed-ups can be compared. Goodput in Mbit/s over the last 30 of
{WIDE_SECONDS} s, means of {WIDE_SEEDS} runs.

TCP-FIT is first in both, and Reno gets less than Compound. The printed order of CUBIC and Vegas does not
appear: these paths have no other traffic, beside which Vegas gets less.

{wide_table(far)}

## Timing

In {late} of {len(timing)} emulations more than 1 % of the packets were more than 1 ms late, which is too many by the
emulator's own account; the worst had {timing["late_share"].max():.1%}. All of these had
five paths of 100 Mbit/s that were full.
""",
        encoding="utf-8",
    )
    law = LAW_PAGE.read_text(encoding="utf-8")
    short = [
        row[1:] for row in rows(found, 10, is_shared=False) + rows(found, 100, is_shared=False) if row[0] == "100 ms"
    ]
    names = [f"{mbps} Mbit/s" for mbps in MBPS for _ in LOSSES]
    both = table(["link", *columns[1:]], [[name, *row] for name, row in zip(names, short, strict=True)])
    LAW_PAGE.write_text(marked(law, "kernels", both), encoding="utf-8")
    print(PAGE.relative_to(ROOT), LAW_PAGE.relative_to(ROOT), sep="\n")


if __name__ == "__main__":
    main()
