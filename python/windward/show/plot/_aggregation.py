"""Figure of 802.11n, ac and ax: sizes of A-MPDUs and rates by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from windward.results._names import shorten
from windward.results._values import NothingToDrawError
from windward.show.plot._paper import legend
from windward.show.plot.style import COLORS, INK, left_out_note, looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from windward.results._shapes import Packets

#: At most so many links are drawn, those with the most MPDUs.
MANY = 8

#: Rates with a smaller share of a link's MPDUs than this have no label.
_LABELLED = 0.08

#: Opacities of neighbouring rates.
_SHADES = (1.0, 0.55)


def aggregates(run: Packets, _seed: int, figure: Figure) -> str:
    """Distribution of the sizes of A-MPDUs, and share of the rates, for each link."""
    sizes, rates = (_of_all_seeds(run, kind) for kind in ("ampdu_sizes", "wifi_rates"))
    if sizes.empty:
        raise NothingToDrawError("no links of 802.11n, ac or ax")
    totals = rates.groupby("link", observed=True, sort=False)["mpdus"].sum()
    busiest = set(totals.nlargest(MANY).index)
    links = [link for link in totals.index if link in busiest]
    figure.set_size_inches(9.0, max(3.0, 1.6 + 0.36 * len(links)))
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.2))
    labels = shorten([str(link) for link in links])
    for link, label, look in zip(links, labels, looks(len(links)), strict=True):
        own = sizes[sizes["link"] == link].groupby("mpdus")["ppdus"].sum().sort_index()
        steps = np.concatenate([[0, 1], own.index])
        shares = np.concatenate([[0.0, 0.0], 100 * own.cumsum() / own.sum()])
        left.step(steps, shares, where="post", label=label, linewidth=1.3, **look)
    left.set_xlim(left=0)
    left.set_ylim(0, 102)
    left.set_xlabel("MPDUs in a PPDU, at most")
    left.set_ylabel("share of the PPDUs (%)")
    handles = left.get_lines()
    legend(figure, handles, labels, loc="outside upper right", ncols=min(4, len(labels)))
    for row, link in enumerate(links):
        own = rates[rates["link"] == link].groupby("rate_bps")["mpdus"].sum().sort_index()
        begin = 0.0
        for at, (rate, share) in enumerate((100 * own / own.sum()).items()):
            shade = _SHADES[at % len(_SHADES)]
            right.barh(row, share, 0.7, left=begin, color=COLORS[5], alpha=shade, edgecolor="white", linewidth=0.5)
            if share >= 100 * _LABELLED:
                text = f"{float(str(rate)) / 1e6:.0f}"
                right.text(begin + share / 2, row, text, ha="center", va="center", fontsize=8, color=INK)
            begin += share
    right.set_yticks(range(len(links)), labels)
    right.set_ylim(len(links) - 0.5, -0.5)
    right.set_xlim(0, 100)
    right.set_xlabel("share of the MPDUs by rate (%); labels: Mbit/s")
    right.grid(visible=False, axis="y")
    of = f"{len(run.seeds)} seeds" if len(run.seeds) > 1 else f"seed {run.seeds[0]}"
    return of + left_out_note(len(totals) - len(links), "less used link")


def _of_all_seeds(run: Packets, kind: str) -> pd.DataFrame:
    frames = [run.table(kind, seed).to_pandas().assign(seed=seed) for seed in run.seeds]
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined
