"""The figures of chen2007: Fig. 5 by its formula, Figs. 7 to 9 with the runs that claims are judged by."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windward.papers import Context, figure
from windward.show.plot.style import COLORS, FAINT

from . import live, section_five as runs
from .controller import cycle_utilisation


@figure(
    "5",
    title="Utilisation against responsiveness",
    caption="Utilisation of a link with errors under E-MULTCP, against 1 - β. Line: (22). Dots: the mean of n over n* "
    "when the update (21) cycles to n* = 20. Cross: the paper's choice, β = 3/4.",
)
def figure_5(context: Context) -> Figure:
    line = np.linspace(0, 1, 101)
    dots = np.linspace(0.1, 0.9, 9)
    measured = [cycle_utilisation(1 - float(alpha), 20.0) for alpha in dots]
    context.results.keep("figure-5", pd.DataFrame({"responsiveness": line, "utilisation": ratio(1 - line)}))
    context.results.keep("figure-5-updates", pd.DataFrame({"responsiveness": dots, "utilisation": measured}))
    drawn = Figure(figsize=(6, 4), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.add_subplot()
    axes.plot(line, ratio(1 - line), color=COLORS[0], label="(22)")
    axes.plot(dots, measured, "o", color=COLORS[1], label="updates (21)")
    axes.plot([0.25], [ratio(np.array([0.75]))[0]], "x", color=FAINT, markersize=10, label="β = 3/4")
    axes.set(xlabel="normalised responsiveness 1 - β", ylabel="utilisation", xlim=(0, 1), ylim=(0.6, 1.02))
    axes.legend(frameon=False)
    return drawn


def ratio(beta: np.ndarray) -> np.ndarray:
    """(22)."""
    return np.asarray(2 / 3 * (1 + beta + beta**2) / (1 + beta))


@figure(
    "7",
    title="Throughput, round trip and connections over the loss",
    caption="The link of 1 Mbit/s and 168 ms under E-MULTCP, τ = 20 s, means of four runs of 9000 s. Grey: the best "
    "throughput, B(1 - p), a quarter less, and (22); RTT_min and a fifth more. The text specifies neither the "
    "rounding of n nor whether a lost packet has occupied the link.",
    rehearsed_share=0.05,
)
def figure_7(context: Context) -> Figure:
    found = runs.over_losses(lambda text: context.progress(f"figure 7: {text}"), context.seeds, context.share)
    context.results.keep("figure-7-runs", found)
    losses = np.array([0.0, *runs.LOSSES])
    best = 1e3 * (1 - losses)
    rows = []
    drawn_runs = found[(found["gamma"] == runs.GAMMA) & (found["packet"] == runs.PACKET)]
    for reading in (runs.FLOOR, runs.NEAREST, runs.BEFORE):
        for loss in losses:
            chosen = drawn_runs[(drawn_runs["reading"] == reading.name) & (drawn_runs["loss"] == loss)]
            kbps = float(chosen["throughput"].mean()) * 1e3 * (1 - loss)
            rows.append((reading.name, loss, kbps, 1e3 * float(chosen["rtt"].mean()), float(chosen["n"].mean())))
    table = pd.DataFrame(rows, columns=["reading", "loss", "kbps", "rtt_ms", "n"])
    context.results.keep("figure-7", table)
    drawn = Figure(figsize=(9, 3.2), layout="constrained")
    FigureCanvasAgg(drawn)
    throughput, rtt, n = drawn.subplots(1, 3)
    percent = 100 * losses
    for share, style in ((1.0, "-"), (0.75, ":"), (float(ratio(np.array([0.75]))[0]), "--")):
        throughput.plot(percent, share * best, style, color=FAINT)
    for limit in (1.0, 1.2):
        rtt.axhline(1e3 * runs.RTT_MIN * limit, color=FAINT, linestyle=":" if limit > 1 else "-")
    for at, (name, each) in enumerate(table.groupby("reading", sort=False)):
        for axes, column in ((throughput, "kbps"), (rtt, "rtt_ms"), (n, "n")):
            axes.plot(100 * each["loss"], each[column], "o-", color=COLORS[at], label=str(name))
    throughput.set(xlabel="loss, %", ylabel="throughput, kbit/s", ylim=(0, 1050))
    rtt.set(xlabel="loss, %", ylabel="round trip, ms", ylim=(0, None))
    n.set(xlabel="loss, %", ylabel="n", ylim=(0, None))
    drawn.legend(*n.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return drawn


def traces(context: Context, number: str, tau: float) -> Figure:
    """Throughput, round trip, loss and connections of the step experiment at this τ."""
    run = runs.run_steps(tau, context.seeds)
    context.results.keep(f"figure-{number}-ramps", runs.ramps(run))
    context.results.keep(f"figure-{number}-thirds", runs.thirds(run))
    goodput = run.flow_series.groupby(["time_s", "seed"])["goodput_bps"].sum().unstack() * 1000 / 960 / 1e3
    links = run.link_series.astype({"link": str})
    dropped = links[links["link"] == "base->r"].pivot(index="time_s", columns="seed", values="dropped")
    offered = links[links["link"] == "s->base"].pivot(index="time_s", columns="seed", values="rate_bps") / 8000
    # As in the paper: loss every 30 s; throughput and round trip are measured every second and drawn as means of 30.
    every = 30
    group = ((goodput.index.to_numpy() - 1) // every).astype(int)
    loss = 100 * dropped.diff().groupby(group).sum() / offered.groupby(group).sum()
    panels = {
        "throughput, kbit/s": goodput.groupby(group).mean(),
        "round trip, ms": 1e3 * runs.shown(run, "mean_rtt_s").groupby(group).mean(),
        "loss, %": loss,
        "connections": runs.shown(run, "open").groupby(group).mean(),
    }
    times = every * (np.arange(group.max() + 1) + 1)
    kept = {f"{name} of {which}": values for name, panel in panels.items() for which, values in _lines(panel)}
    context.results.keep(f"figure-{number}", pd.DataFrame({"time_s": times} | kept))
    drawn = Figure(figsize=(7, 7), layout="constrained")
    FigureCanvasAgg(drawn)
    for axes, (name, panel) in zip(drawn.subplots(4, 1, sharex=True), panels.items(), strict=True):
        for at, (which, values) in enumerate(_lines(panel)):
            axes.plot(times, values, color=(FAINT, COLORS[0])[at], linewidth=(1, 1.5)[at], label=which)
        axes.set(ylabel=name, ylim=(0, None))
        for step in (runs.THIRD, 2 * runs.THIRD):
            axes.axvline(step, color=FAINT, linestyle=":")
    axes.set(xlabel="s")
    axes.legend(frameon=False, loc="upper right")
    return drawn


def _lines(panel: pd.DataFrame) -> list[tuple[str, np.ndarray]]:
    """One run, and the mean over all."""
    return [("seed 1", panel.iloc[:, 0].to_numpy()), ("mean", panel.mean(axis=1).to_numpy())]


STEPS = (
    "The link of Fig. 7 with a loss of 2 %, of 6 % from 3000 s, and of 2 % again from 6000 s. Means of 30 s of one run "
    "and of thirty-two."
)


@figure("8", title="Steps of the loss, τ = 20 s", caption=STEPS)
def figure_8(context: Context) -> Figure:
    return traces(context, "8", 20)


@figure("9", title="Steps of the loss, τ = 5 s", caption=STEPS)
def figure_9(context: Context) -> Figure:
    return traces(context, "9", 5)


def tables(context: Context, number: str, network: str, found: pd.DataFrame) -> Figure:
    """Printed values beside ours: throughput, round trip, connections."""
    context.results.keep(f"table-{number}", found)
    printed = live.PRINTED[network]
    alone = found[found["count"] == 1]
    drawn = Figure(figsize=(9, 3.4), layout="constrained")
    FigureCanvasAgg(drawn)
    panels = drawn.subplots(1, 3)
    protocols = list(dict.fromkeys(alone["protocol"]))
    for axes, (at, column, label) in zip(
        panels, ((0, "kbps", "kbit/s"), (1, "rtt_ms", "round trip, ms"), (2, "connections", "connections")), strict=True
    ):
        for place, protocol in enumerate(protocols):
            if protocol in printed:
                axes.plot(place, printed[protocol][at], "x", color=FAINT, markersize=10, label="printed")
            for which, (where, each) in enumerate(alone[alone["protocol"] == protocol].groupby("where", sort=False)):
                shift = 0.12 * (which + 1)
                for step, (_, row) in enumerate(each.iterrows()):
                    filled = row["rounding"] == "nearest"
                    axes.plot(
                        place + shift + 0.03 * step,
                        row[column],
                        "os"[row["tau_s"] < 10],
                        color=COLORS[which],
                        fillstyle="full" if filled else "none",
                        label=f"{where}, τ = {row['tau_s']:g} s, " + ("n rounded" if filled else "⌊n⌋"),
                    )
        _, top = axes.get_ylim()
        axes.set(ylabel=label, ylim=(0, 1.08 * top), xlim=(-0.3, len(protocols) - 0.3))
        axes.set_xticks(range(len(protocols)), protocols)
    handles = {text: handle for axes in panels for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    drawn.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, fontsize=7)
    return drawn


EMULATED = "Crosses: printed. The link was fitted to TCP's throughput and round trip; the rest is predicted. "


@figure("table-1", title="1xRTT, emulated", caption=EMULATED + "A link of 97 kbit/s, means of 16 runs of 1800 s.")
def table_1(context: Context) -> Figure:
    found = live.rows(live.ONE_X, "constant rate", seeds=context.seeds or 16, duration_s=1800 * context.share)
    return tables(context, "1", "1xRTT", found)


@figure(
    "table-2",
    title="EVDO, emulated",
    caption=EMULATED
    + "A recorded EVDO link: 20 starts along a drive, and along those stretches of it whose rate stays "
    "within 35 % for 30 s; files of 5 MB.",
    is_rehearsed=False,
)
def table_2(context: Context) -> Figure:
    trace = live.recording()
    parts = (("the drive", live.EVDO_DRIVE, trace), ("steady stretches", live.EVDO_STEADY, live.steady(trace)))
    found = [
        live.rows(path, where, trace=part, seeds=context.seeds or live.STARTS, duration_s=live.SPAN_S)
        for where, path, part in parts
    ]
    return tables(context, "2", "EVDO", pd.concat(found, ignore_index=True))
