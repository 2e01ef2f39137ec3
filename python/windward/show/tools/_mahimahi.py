"""The log of mahimahi's mm-link, for mm-throughput-graph and mm-delay-graph.

A run keeps samples of its links, not their packets. The log is made of these: each sample's bytes leave in packets of
the link's mean size, evenly over the sample; a packet that leaves at u came at the a with a + wait(a) = u, where the
wait is that of the samples; opportunities to send come at the link's rate, or as its trace has them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from windward.results._schema import PACKETS
from windward.show.tools._samples import steps

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from windward.results._shapes import Packets

#: What one of mahimahi's opportunities to send carries, in bytes.
_OPPORTUNITY = 1504

#: Tables of the links of media, whose rate changes by the packet.
_MEDIA = tuple(
    name for name, table in PACKETS.items() if name != "links" and table.shape == "totals" and table.entity == "link"
)


def write(run: Packets, seed: int, link: str | None, path: Path) -> bytes:
    """The log of one link.

    Raises
    ------
    ValueError
        If there is no such link, it carried nothing, or its rate is neither one number nor a trace.
    """
    links = run.table("links", seed).to_pandas().set_index("link")
    if links.empty:
        raise ValueError("there is nothing to export: the run has no links")
    if link is not None and link not in links.index:
        raise ValueError(f"the run has no link `{link}`; links: {', '.join(map(str, links.index))}")
    name = str(links["utilization"].idxmax()) if link is None else link
    row = links.loc[name]
    slots = _opportunities(run, seed, name, row)
    series = run.table("link_series", seed).to_pandas()
    samples = series[series["link"] == name].set_index("time_s")
    size = round(row["bytes"] / row["packets"]) if row["packets"] else _OPPORTUNITY
    left, came = _packets(samples, size)
    if not len(left):
        raise ValueError(f"there is nothing to export: link `{name}` carried nothing")
    events = [(time, 0, f"{time} # {_OPPORTUNITY}") for time in slots.astype(int).tolist()]
    for out, arrival in zip(np.floor(left * 1000).astype(int).tolist(), (came * 1000).tolist(), strict=True):
        start = min(int(arrival), out)
        events.append((start, 1, f"{start} + {size}"))
        events.append((out, 2, f"{out} - {size} {out - start}"))
    # The series counts them from the beginning.
    drops = np.diff(samples["dropped"].to_numpy(int), prepend=0)
    # mm-throughput-graph stops at mahimahi's own `d` lines; comments pass.
    for time, count in zip(samples.index[drops > 0], drops[drops > 0], strict=True):
        events.append((int(time * 1000), 3, f"# dropped: {int(time * 1000)} {count}"))
    events.sort(key=lambda event: event[:2])
    head = [
        f"# mahimahi mm-link ({name}) [{run.name}, seed {seed}] > {path.name}",
        f"# command line: windward {run.engine}",
        "# queue: made of samples; packets have the link's mean size",
        "# init timestamp: 0",
        "# base timestamp: 0",
    ]
    return ("\n".join([*head, *(text for *_, text in events)]) + "\n").encode()


def _opportunities(run: Packets, seed: int, link: str, row: pd.Series) -> Any:
    """Times of the opportunities to send, in milliseconds.

    Raises
    ------
    ValueError
        If the link's rate is neither one number nor a trace.
    """
    file = tomllib.loads(run.scenario)
    ends = row["from"], row["to"]
    tables = [entry for entry in file.get("link", []) if {entry["from"], entry["to"]} == set(ends)]
    # Of several links between two nodes the name decides.
    named = [entry for entry in tables if link.removesuffix("-reverse") == entry.get("name")] or tables
    rates = [_rate(entry, ends) for entry in named]
    changed = {str(change.get("link")) for change in file.get("change", []) if {"rate", "steps"} & set(change)}
    is_changed = bool(changed & {link, *(str(entry.get("name")) for entry in named)})
    is_shared = any(link in _column(run, kind, seed) for kind in _MEDIA)
    if not is_shared and not is_changed and len(rates) == 1 and isinstance(rates[0], Mapping):
        times = np.array(rates[0]["trace"], float)
        # It repeats when it ends, and its last time is its length.
        count = int(np.ceil(run.duration_s * 1000 / times[-1]))
        slots = (np.arange(count)[:, None] * times[-1] + times).ravel()
        return slots[slots <= run.duration_s * 1000]
    rate = float(row["rate_bps"])
    is_traced = any(isinstance(each, Mapping) for each in rates)
    if is_shared or is_changed or is_traced or not np.isfinite(rate) or rate <= 0:
        raise ValueError(
            f"link `{link}` has no single rate and no trace, and mahimahi's log needs every opportunity to send\n"
            "hint: choose another link, or export the flows as flent or iperf3"
        )
    return np.floor(np.arange(1, int(run.duration_s * rate / (8 * _OPPORTUNITY)) + 1) * (8000 * _OPPORTUNITY / rate))


def _rate(entry: Mapping[str, Any], ends: tuple[str, str]) -> Any:
    """The rate of a link in one direction."""
    if (entry["from"], entry["to"]) == ends:
        return entry.get("rate")
    return entry.get("reverse", {}).get("rate", entry.get("rate"))


def _column(run: Packets, kind: str, seed: int) -> list[str]:
    return [str(name) for name in run.table(kind, seed).column("link").to_pylist()]


def _packets(samples: pd.DataFrame, size: int) -> tuple[Any, Any]:
    """Times at which packets left and arrived, in seconds."""
    instants = samples.index.to_numpy(float)
    sent = np.cumsum(samples["rate_bps"].to_numpy(float) * steps(instants) / 8)
    total = np.append(0.0, sent)
    # Whole packets: where the count of bytes passes the end of each.
    ends = size * np.arange(1, int(total[-1] / size + 1e-6) + 1)
    left = _inverse(total, np.append(0.0, instants), ends)
    waits = samples["queue_delay_ms"].to_numpy(float) / 1000
    out = np.maximum.accumulate(instants + waits)
    came = np.interp(left, np.append(0.0, out), np.append(0.0, instants))
    return left, np.minimum(came, left)


def _inverse(total: Any, instants: Any, counts: Any) -> Any:
    """Time at which each count was reached, interpolated within its sample."""
    at = np.clip(np.searchsorted(total, counts - 1e-6, side="left"), 1, len(total) - 1)
    share = (counts - total[at - 1]) / np.maximum(total[at] - total[at - 1], 1e-12)
    return instants[at - 1] + np.clip(share, 0, 1) * (instants[at] - instants[at - 1])
