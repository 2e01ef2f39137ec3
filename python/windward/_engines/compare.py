"""The engines side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._engine import EmulationError, KernelError, Scenario, ScenarioError
from windward._engines.emulate import emulate, why_not
from windward._engines.fluid import run as follow
from windward._engines.optimum import solve
from windward._engines.simulate import simulate
from windward.results.stats import mean_and_interval

if TYPE_CHECKING:
    import pandas as pd

    from windward._answers.fluid import Fluid
    from windward._answers.optimum import Optimum
    from windward._answers.run import Run
    from windward.results._shapes import Progress

#: An emulation that nobody asked for takes at most this long, in seconds.
_PATIENCE_S = 120.0

#: Ideal CSMA beside 802.11. As printed, β = 1, the aggressiveness of a few waiting packets passes any cap, and links
#: take turns whatever their queues are; with this one that of 80 packets is 4.
_IDEAL = {"kind": "ideal", "scale": 0.05}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What the engines answer about one scenario."""

    optimum: Optimum
    fluid: Fluid | None
    #: Packets with every wireless network of 802.11 replaced by ideal CSMA over the same links; None without one.
    ideal: Run | None
    packets: Run | None
    kernel: Run | None
    #: Why an engine did not answer, by its name: "fluid", "ideal", "packets" or "kernel".
    left_out: Mapping[str, str]

    @property
    def table(self) -> pd.DataFrame:
        """One row per flow: its goodput by each engine.

        Columns `flow`, `law`, `optimum_bps`, `fluid_bps` (at the end), `ideal_bps` (packets over ideal CSMA, where the
        scenario has 802.11), `packets_bps` and `packets_error_bps` (mean and half width of the 95 % confidence interval
        over seeds; NaN for one seed or several that are the same run), `kernel_bps` (emulated between real kernels),
        and `share`, packets over optimum. NaN where an engine did not answer.
        """
        best, fluid = self.optimum.flows, self.fluid
        ideal, packets, kernel = _goodputs(self.ideal), _goodputs(self.packets), _goodputs(self.kernel)
        table = best[["flow", "law"]].copy()
        table["optimum_bps"] = best["goodput_bps"]
        table["fluid_bps"] = float("nan") if fluid is None else fluid.flows["goodput_bps"].to_numpy()
        table["ideal_bps"] = [mean_and_interval(ideal.get(flow, []))[0] for flow in table["flow"]]
        means = [mean_and_interval(packets.get(flow, [])) for flow in table["flow"]]
        table["packets_bps"] = [mean for mean, _ in means]
        table["packets_error_bps"] = [error for _, error in means]
        table["kernel_bps"] = [mean_and_interval(kernel.get(flow, []))[0] for flow in table["flow"]]
        table["share"] = table["packets_bps"] / table["optimum_bps"]
        return table


def _goodputs(run: Run | None) -> dict[str, list[float]]:
    """Of each flow, by seed."""
    if run is None:
        return {}
    flows = run.draws("flows")
    return {name: flows.values("goodput_bps", at) for at, name in enumerate(flows.names)}


def compare(
    scenario: Scenario,
    *,
    folder: Path,
    laws: Mapping[str, Callable[..., Any]] | None = None,
    objective: str = "proportional",
    seeds: int | Sequence[int] | None = None,
    with_emulation: bool | None = None,
    output: Path | None = None,
    progress: Callable[[str, Progress], None] | None = None,
) -> Comparison:
    """Asks every engine; `Scenario.compare` says what the arguments mean, `simulate` what `folder` and `laws` do."""
    left_out = {}
    best = solve(scenario, objective)
    try:
        fluid = follow(scenario)
    except ValueError as error:
        fluid, left_out["fluid"] = None, _first_line(error)
    if output is not None:
        best.save(output / best.engine)
        if fluid is not None:
            fluid.save(output / fluid.engine)

    def keep(engine: str) -> dict[str, Any]:
        return {
            "output": None if output is None else output / engine,
            "progress": None if progress is None else partial(progress, engine),
        }

    ideal = packets = kernel = None
    if scenario.has_region:
        left_out["packets"] = "a region says which rates are possible, not how packets get them"
    else:
        other = None
        try:
            other = _with_ideal_access(scenario, folder)
        except ScenarioError as error:
            left_out["ideal"] = _first_line(error)
        if other is not None:
            ideal = simulate(other, folder=folder, laws=laws, seeds=seeds, **keep("ideal"))
        packets = simulate(scenario, folder=folder, laws=laws, seeds=seeds, **keep("simulate"))
    if reason := left_out.get("packets") or _why_no_emulation(scenario, with_emulation):
        left_out["kernel"] = reason
    else:
        try:
            kernel = emulate(scenario, **keep("emulate"))
        except (EmulationError, KernelError) as error:
            left_out["kernel"] = _first_line(error)
    return Comparison(optimum=best, fluid=fluid, ideal=ideal, packets=packets, kernel=kernel, left_out=left_out)


def _with_ideal_access(scenario: Scenario, folder: Path) -> Scenario | None:
    """The scenario with ideal CSMA in place of 802.11, by backlogs or over fixed routes; None if nothing changes."""
    fields = json.loads(scenario.to_json())
    networks = [network for network in fields.get("wifi", []) if network["access"]["kind"] != "ideal"]
    for network in networks:
        network["access"] = _IDEAL
        # Backlogs are compared there too, but by no rule of a user's own; protocols have no frames for their messages.
        if network["routing"]["kind"] != "backpressure" or "class" in network["routing"]:
            network["routing"] = "shortest"
    # Frames are 802.11's.
    fields["output"].pop("air", None)
    return Scenario.from_json(json.dumps(fields), "scenario", folder) if networks else None


def _why_no_emulation(scenario: Scenario, wanted: bool | None) -> str | None:
    if wanted is False:
        return "not asked for"
    if wanted is None and scenario.duration_s > _PATIENCE_S:
        return f"it would take {scenario.duration_s:g} s; ask for it with --emulate"
    return why_not()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
