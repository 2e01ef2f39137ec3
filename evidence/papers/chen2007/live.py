"""Tables I and II emulated: a slow deep link for 1xRTT, a recorded one for EVDO, and what each protocol gets over them.

The paper measured on Verizon's network of 2007. Here a link is fitted to the table's TCP column alone, rate and round
trip, and the other columns are predicted. EVDO's rates are those that the Saturator recorded while driving (Winstein,
Sivaraman, Balakrishnan, NSDI 2013), as mahimahi distributes them under the GPL: they are not part of this repository.
The folder that holds `Verizon-EVDO-driving.down` is named by the environment variable WINDWARD_TRACES.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

import windward as ww
from windward.papers import MissingInputError

#: Names the folder of the recordings.
VARIABLE = "WINDWARD_TRACES"
EVDO = "Verizon-EVDO-driving.down"

#: Payload of the paper's packets, and with 40 bytes of headers what the link carries.
PAYLOAD = 1460

#: By protocol: kbit/s, round trip in ms, connections. Tables I and II.
PRINTED: dict[str, dict[str, tuple[float, float, float]]] = {
    "1xRTT": {"TCP": (59, 1954, 1), "E-MULTCP": (93, 2447, 1.7), "E-MULTFRC": (89, 2767, 1.9)},
    "EVDO": {"TCP": (249, 702, 1), "E-MULTCP": (355, 946, 1.8)},
}


@dataclass(frozen=True)
class Access:
    """A network of the tables: what was fitted to TCP's column."""

    name: str
    #: Round trip without queues, in ms, and packets that wait at most.
    base_ms: float
    buffer: int
    loss: float
    #: kbit/s; None where the recording says.
    kbps: float | None = None


def recording() -> list[int]:
    """The opportunities of the recorded EVDO link, in milliseconds.

    Raises
    ------
    MissingInputError
        If the recording is not here.
    """
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise MissingInputError(
            f"the recording {EVDO} is not part of the repository; {VARIABLE} names the folder that has it "
            "(github.com/ravinet/mahimahi, traces/)"
        )
    file = Path(folder) / EVDO
    if not file.exists():
        raise MissingInputError(f"{VARIABLE} names {folder}, which does not hold {EVDO}")
    return [int(line) for line in file.read_text(encoding="utf-8").split()]


def cut(trace: list[int], begin_s: float, span_s: float) -> list[int]:
    """So much of a recording, from then on, round its end."""
    times = np.array(trace)
    length = int(times[-1])
    begin, span = int(1000 * begin_s) % length, int(1000 * span_s)
    rounds = [times + turn * length for turn in range(span // length + 2)]
    whole = np.concatenate(rounds) - begin
    kept = whole[(whole > 0) & (whole <= span)]
    return [*kept.tolist(), span] if len(kept) and kept[-1] < span else kept.tolist()


def steady(trace: list[int], span_s: int = 30, spread: float = 0.35) -> list[int]:
    """The stretches of a recording in which each 5 s keep within a share of their mean rate, one after the other."""
    times = np.array(trace)
    pieces: list[np.ndarray] = []
    end = 0
    for begin in range(0, int(times[-1]) - 1000 * span_s, 1000 * span_s):
        inside = times[(times > begin) & (times <= begin + 1000 * span_s)] - begin
        counts, _ = np.histogram(inside, bins=span_s // 5, range=(0, 1000 * span_s))
        mean = counts.mean()
        if mean > 0 and np.all(np.abs(counts / mean - 1) <= spread):
            pieces.append(inside + end)
            end += 1000 * span_s
    return [int(time) for time in np.concatenate(pieces)] if pieces else []


def scenario(
    path: Access,
    protocol: str,
    duration_s: float,
    *,
    trace: list[int] | None = None,
    tau_s: float = 20,
    rounding: Literal["floor", "nearest"] = "nearest",
) -> ww.Scenario:
    """A flow of a protocol over the network."""
    way = f"{path.base_ms / 2} ms"
    rate: Any = ww.format.RecordedRate(trace=trace) if trace is not None else f"{path.kbps} kbit/s"
    more: dict[str, Any] = {}
    if protocol != "TCP":
        more["connections"] = ww.format.Emultcp(tau=f"{tau_s} s", rounding=rounding, max=16)
    law: Any = ww.format.Tfrc() if protocol == "E-MULTFRC" else "reno"
    if protocol != "E-MULTFRC":
        more["min_rto"] = "1 s"
    flow = ww.Flow(name="flow", from_="s", to="r", law=law, segment=f"{PAYLOAD} B", overhead="40 B", **more)
    return ww.Scenario(
        name=path.name,
        duration=f"{duration_s} s",
        stack="rfc",
        output=ww.Output(sample_interval="1 s", internals=True),
        node=[ww.Node(name="s"), ww.Node(name="r")],
        link=[
            ww.Link(
                from_="s", to="r", duplex=False, rate=rate, delay=way, buffer=f"{path.buffer} packets", loss=path.loss
            ),
            ww.Link(from_="r", to="s", duplex=False, rate="1 Mbit/s", delay=way),
        ],
        flow=[flow],
    )


def measured(run: ww.Run, bytes_: float | None = None) -> pd.DataFrame:
    """kbit/s, mean round trip in ms and connections, for each seed; up to `bytes_` bytes where given."""
    rows = []
    for seed in run.seeds:
        series = run.flow_series[run.flow_series["seed"] == seed]
        arrived = series.groupby("time_s")["goodput_bps"].sum() / 8
        end = float(arrived.index[-1])
        if bytes_ is not None:
            there = arrived.cumsum()
            end = float(there.index[there >= bytes_][0]) if there.iloc[-1] >= bytes_ else end
        span = arrived[arrived.index <= end]
        own = series[series["time_s"] <= end].dropna(subset=["rtt_ms"])
        # Weighed by what each connection got: the mean over packets, as a sender's probes see it.
        weights = own["goodput_bps"].clip(lower=1)
        rtt = float(np.average(own["rtt_ms"], weights=weights))
        shown = run.internals[(run.internals["seed"] == seed) & (run.internals["time_s"] <= end)]
        count = shown[shown["name"] == "open"]["value"]
        rows.append((seed, 8e-3 * span.sum() / len(span), rtt, float(count.mean()) if len(count) else 1.0))
    return pd.DataFrame(rows, columns=["seed", "kbps", "rtt_ms", "connections"])


#: Fitted to TCP's column: kbit/s and round trip. 97 kbit/s is what the paper's UDP probes found at most.
ONE_X = Access(name="1xRTT", base_ms=1580, buffer=50, loss=0.0158, kbps=97)
#: On the whole drive, and on the stretches of it with a steady rate: the paper's phone stood still.
EVDO_DRIVE = Access(name="EVDO", base_ms=415, buffer=40, loss=0.0068)
EVDO_STEADY = Access(name="EVDO", base_ms=578, buffer=40, loss=0.0073)

#: What the text leaves open about its live experiments: τ, and how n becomes whole.
VARIANTS: tuple[tuple[float, Literal["floor", "nearest"]], ...] = (
    (20, "floor"),
    (20, "nearest"),
    (5, "floor"),
    (5, "nearest"),
)

#: Starts along a recording, the seconds that each lasts at most, and the bytes of the paper's files.
STARTS, SPAN_S, FILE = 20, 300, 5e6


def rows(
    path: Access, where: str, *, trace: list[int] | None = None, seeds: int = 16, duration_s: float = 1800
) -> pd.DataFrame:
    """Each protocol over a network, with every variant of the controller, and two and three TCP connections.

    Over a recording runs begin at so many places of it as there are seeds, and end with the file.
    """
    found = []
    for protocol, tau, rounding, count in _cases():
        parts = []
        if trace is None:
            run = _case(path, protocol, tau, rounding, count, duration_s, None).simulate(seeds=seeds)
            parts.append(_summed(run, None))
        else:
            length = trace[-1] / 1000
            for start in range(seeds):
                piece = cut(trace, start * length / seeds, duration_s)
                run = _case(path, protocol, tau, rounding, count, duration_s, piece).simulate(seeds=[start + 1])
                parts.append(_summed(run, FILE))
        table = pd.concat(parts)
        found.append(
            {
                "network": path.name,
                "where": where,
                "protocol": protocol,
                "tau_s": tau,
                "rounding": rounding,
                "count": count,
                **{name: float(table[name].mean()) for name in ("kbps", "rtt_ms", "connections", "loss")},
                "kbps_error": float(table["kbps"].std(ddof=1) / np.sqrt(len(table))) if len(table) > 1 else np.nan,
            }
        )
    return pd.DataFrame(found)


def _cases() -> list[tuple[str, float, Literal["floor", "nearest"], int]]:
    protocols = ("E-MULTCP", "E-MULTFRC")
    alone: list[tuple[str, float, Literal["floor", "nearest"], int]] = [("TCP", 20, "floor", n) for n in (1, 2, 3)]
    return alone + [(protocol, *variant, 1) for protocol in protocols for variant in VARIANTS]


def _case(
    path: Access,
    protocol: str,
    tau: float,
    rounding: Literal["floor", "nearest"],
    count: int,
    duration_s: float,
    trace: list[int] | None,
) -> ww.Scenario:
    plain = scenario(path, protocol, duration_s, trace=trace, tau_s=tau, rounding=rounding)
    return plain if count == 1 else replace(plain, flow=[replace(plain.flow[0], count=count)])


def _summed(run: ww.Run, bytes_: float | None) -> pd.DataFrame:
    """Columns of `measured`, and the share of lost packets."""
    table = measured(run, bytes_)
    of_seed = run.flows.groupby("seed")[["segments_lost", "segments_sent"]].sum()
    return table.assign(loss=(of_seed["segments_lost"] / of_seed["segments_sent"]).to_numpy())
