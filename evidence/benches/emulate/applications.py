"""Requests and pages of Windward's own client and server between kernels beside the simulator's.

python evidence/benches/emulate/applications.py; as root, a quarter of an hour in real time on a machine that does
nothing else, to evidence/measured/validation/applications.md. Finished runs are kept in results/applications. Ends with
1 where a median differs by more than the tolerance.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import pandas as pd
from nginx import LAW, NETWORKS, OBJECTS, Network, off, scenario
from page import table
from repeat import in_time

import windward as ww
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "applications.md"
KEPT = ROOT / "results" / "applications"
SEEDS = (1, 2, 3)
DURATION, WARMUP = 40, 2
#: Lateness of the 99th of 100 packets at which a run is repeated, in seconds.
LATE_S = 0.0005
#: Tolerance of a median.
WITHIN = 0.05
WEB = ww.format.LognormalSize(mean="50 kB", cv=2.0)
HALF = ww.format.PoissonArrivals(load=0.5)
THIRD = ww.format.PoissonArrivals(load=0.3)
USERS = ww.format.ClosedArrivals(users=10, think="500 ms")


class Case(NamedTuple):
    """An application over a line."""

    network: Network
    what: str
    app: ww.Requests | ww.Page
    #: True if a download shares the line.
    is_shared: bool = False

    def scenario(self) -> ww.Scenario:
        """The line with the application."""
        download = ww.Flow(name="download", from_="server", to="client", law=LAW, stack="linux")
        return replace(
            scenario(self.network, self.app),
            name="applications",
            duration=f"{DURATION} s",
            warmup=f"{WARMUP} s",
            flow=[download] if self.is_shared else [],
        )

    def times(self, run: ww.Run) -> pd.Series[float]:
        """Completion times of the requests, or load times of the visits, in milliseconds."""
        times = run.requests["completion_s"] if isinstance(self.app, ww.Requests) else run.visits["load_s"]
        return 1e3 * times.dropna()


#: Ends and stack of every application.
BOTH: dict[str, Any] = {"from_": "client", "to": "server", "tcp": ww.format.Tcp(stack="linux")}


def requests(arrivals: Any, connections: str = "new", law: Any = LAW, mean: Any = WEB) -> ww.Requests:
    """A client of a web server."""
    return ww.Requests(name="web", **BOTH, law=law, arrivals=arrivals, response=mean, connections=connections)


def page(protocol: Any) -> ww.Page:
    """A browser and the page of the comparison with nginx, whose first object names all others."""
    objects = [ww.format.PageObject(name="page", size="20 kB")]
    objects += [ww.format.PageObject(name=f"object-{at}", size=f"{size} B") for at, size in enumerate(OBJECTS)]
    return ww.Page(name="page", **BOTH, law=LAW, objects=objects, protocol=protocol, reading="500 ms")


SLOW, SHARED, LOSSY, FAST, SPACE = NETWORKS
CASES = (
    Case(SLOW, "load 0.5, new connections", requests(HALF)),
    Case(SLOW, "the same with Reno", requests(HALF, law="reno")),
    Case(
        SHARED,
        "20 a second beside a download, kept connections",
        requests(ww.format.PoissonArrivals(rate=20.0), "pool"),
        is_shared=True,
    ),
    Case(LOSSY, "load 0.3, new connections", requests(THIRD)),
    Case(
        FAST,
        "ten users, kept connections, 200 kB",
        requests(USERS, "pool", mean=ww.format.ExponentialSize(mean="200 kB")),
    ),
    Case(SPACE, "load 0.3, new connections", requests(THIRD)),
    Case(SHARED, "a page over HTTP/1.1", page("http/1.1")),
    # Of a page with losses a hundred times as many visits would be needed; `nginx.py` has one.
    Case(SLOW, "a page over HTTP/2", page("h2")),
    Case(SPACE, "a page over HTTP/2", page("h2")),
)


def emulated(number: int, case: Case) -> list[ww.Run]:
    """Runs between kernels, one a seed."""
    runs = []
    for seed in SEEDS:
        place = KEPT / str(number) / str(seed)
        in_time(case.scenario().emulate, place, late_s=LATE_S, seed=seed, even_if_slow=True)
        # Not what it returns, whose tables are in a folder that is gone.
        runs.append(cast("ww.Run", ww.open(place)))
    return runs


def main() -> int:
    """Measures, and writes the page."""
    if os.geteuid() != 0:
        raise SystemExit("needs root")
    rows, worst, late = [], 0.0, 0
    for number, case in enumerate(CASES):
        runs = emulated(number, case)
        late += sum(int(run.timing["late_p99_s"].iloc[0] > LATE_S) for run in runs)
        theirs = pd.concat([case.times(run) for run in runs])
        ours = case.times(case.scenario().simulate(seeds=list(SEEDS)))
        row = [case.network.name, case.what, str(len(theirs))]
        for share in (0.5, 0.95):
            real, model = float(theirs.quantile(share)), float(ours.quantile(share))
            row += [f"{real:.1f}", f"{model:.1f}", off(real, model)]
            if share == 0.5:
                worst = max(worst, abs(model / real - 1))
        rows.append(row)
        print(row, flush=True)
    columns = ["line", "application", "times"]
    columns += [f"{share}, {who}" for share in ("p50", "p95") for who in ("kernels", "simulator", "off by")]
    replace_text(
        PAGE,
        f"""# Applications between kernels beside the simulator's

<!-- Generated: make validate WHAT=applications -->

Linux {platform.release()}, {os.cpu_count()} processors. Client and server are Windward's own, over the kernels' TCP;
CUBIC has HyStart. The simulator has `stack = "linux"`, the same seeds, and so the same arrivals, sizes and thinking
times.

Completion times of requests and load times of pages, in milliseconds: quantiles over {len(SEEDS)} runs of
{DURATION - WARMUP} s. Responses are lognormal with a mean of 50 kB and cv 2, or exponential with 200 kB. The page has
an object of 20 kB that names twelve others of 5 to 180 kB.

{table(columns, rows)}

The largest difference of a median is {worst:.1%}; the tolerance is {WITHIN:.0%}. In {late} of
{len(CASES) * len(SEEDS)} runs between kernels 1 % of the packets were more than {1e3 * LATE_S:g} ms late.
""".replace("%;", " %;").replace("%.", " %."),
    )
    print(PAGE.relative_to(ROOT))
    return int(worst > WITHIN)


if __name__ == "__main__":
    sys.exit(main())
