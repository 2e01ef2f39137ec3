"""The windows of a scenario as differential equations: where they go, and how fast."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd

from windward import _engine
from windward.convert import to_plain
from windward.digest import Digest, quantity
from windward.num import Array, Network, Numbers, as_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from windward import _model


@dataclass(frozen=True, kw_only=True)
class Fluid:
    """A fluid run: all flows send from the beginning and for ever; see `docs/reference/models/fluid.md`."""

    #: Short name of the scenario.
    name: str
    #: The question that the scenario asks.
    title: str | None
    #: The scenario as resolved, in TOML.
    scenario: str
    #: How long, in seconds.
    duration_s: float
    #: How the equations were followed.
    how: str
    #: One row per flow, at the end: `cwnd` in packets, `rate_bps` on the wire, `goodput_bps`, `queue_delay_ms`;
    #: `optimum_bps` is the goodput at the optimum of what the laws maximise, NaN where a flow's law keeps no backlog.
    flows: pd.DataFrame
    #: One row per flow and sample: `time_s`, `flow`, `cwnd`, `rate_bps`, `goodput_bps`, `queue_delay_ms`.
    series: pd.DataFrame
    #: One row per sample: `time_s` and Y(w) as `lyapunov`; None unless all flows are QUIC-TCP of one rho.
    lyapunov: pd.DataFrame | None
    #: When all rates were within 1 % of their last values for good, in seconds; None if they were not.
    settled_s: float | None
    #: Evaluations of the right-hand side.
    evaluations: int
    #: Nothing at the beginning is left out.
    warmup_s: ClassVar[float] = 0.0

    #: What is drawn unless something is asked for.
    default_figure: ClassVar[str] = "windows"

    def to_dict(self) -> list[dict[str, Any]]:
        """The flows at the end, as what JSON can hold."""
        from windward.run import number

        return [{str(key): number(value) for key, value in row.items()} for row in self.flows.to_dict("records")]

    def plot(self, what: str = "windows") -> Figure:
        """Draws "windows", "rates", "delays" or "lyapunov" over time.

        Raises
        ------
        ValueError
            For another figure, and where there is nothing to draw.
        """
        from windward.plot.answers import FLUID, draw

        return draw(self, FLUID, what)

    def save(self, path: str | Path) -> None:
        """Keeps the run in a folder, in place of an older result.

        Raises
        ------
        windward.ResultError
            If the folder holds something else, or cannot be written.
        """
        from windward.results import save_fluid

        save_fluid(self, Path(path))

    @classmethod
    def open(cls, path: str | Path) -> Fluid:
        """Opens the folder of a fluid run.

        Raises
        ------
        windward.ResultError
            If it holds none that this version reads.
        """
        from windward.results import open_fluid

        return open_fluid(Path(path))

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about the run and returns its path."""
        from windward.report import write

        return write(self, Path(path))


#: How late flows see their paths: seconds, or a round trip of each.
Delay = float | Literal["rtt"]


def run(
    compiled: _engine.Scenario, *, tolerance: float, period_s: float | None, feedback_delay_s: Delay | None = None
) -> Fluid:
    """The fluid run of a scenario.

    Raises
    ------
    ValueError
        Where the scenario has no fluid form; for a tolerance, a period or a delay that is not positive; for both a
        period and a delay.
    """
    _above_zero("tolerance", tolerance)
    if period_s is not None:
        _above_zero("period", period_s)
    answer = compiled.fluid(tolerance=tolerance, period=period_s, feedback_delay=_delay(feedback_delay_s, period_s))
    columns: dict[str, Any] = dict(answer["series"])
    columns["flow"] = pd.Categorical.from_codes(columns["flow"].astype(np.int64), answer["flow"])
    series = pd.DataFrame(columns)
    last = series.tail(len(answer["flow"])).drop(columns=["time_s"]).reset_index(drop=True)
    last["flow"] = answer["flow"]
    last.insert(1, "group", compiled.entities()["flows"]["group"])
    last.insert(2, "law", answer["law"])
    last["optimum_bps"] = _optimum(compiled, answer["law"])
    lyapunov = None
    if answer["lyapunov"] is not None:
        times = series["time_s"].to_numpy()[:: len(answer["flow"])]
        lyapunov = pd.DataFrame({"time_s": times, "lyapunov": answer["lyapunov"]})
    return Fluid(
        name=compiled.name,
        title=compiled.title,
        scenario=compiled.to_toml(),
        duration_s=compiled.duration_s,
        how=_how(tolerance, period_s, feedback_delay_s),
        flows=last,
        series=series,
        lyapunov=lyapunov,
        settled_s=answer["settled_s"],
        evaluations=answer["evaluations"],
    )


def _optimum(compiled: _engine.Scenario, laws: Sequence[str]) -> Any:
    """Goodputs at the optimum of what the laws maximise, as far as all maximise what is known."""
    from windward.plot.answers import BACKLOG_LAWS

    if not set(laws) <= BACKLOG_LAWS:
        return np.nan
    try:
        return compiled.optimum("law", None)["flows"]["goodput_bps"]
    except ValueError:
        # What has a fluid form and no optimum: a cell whose scheduler leaves some flow nothing.
        return np.nan


def _how(tolerance: float, period_s: float | None, feedback_delay_s: Delay | None) -> str:
    if period_s is not None:
        return f"updates every {period_s:g} s"
    if feedback_delay_s is None:
        return f"differential equations, tolerance {tolerance:g}"
    lag = "a round trip" if isinstance(feedback_delay_s, str) else f"{feedback_delay_s:g} s"
    return f"differential equations, paths seen {lag} late"


@dataclass(frozen=True, kw_only=True, eq=False)
class Trajectory:
    """Windows through time over a network that is no scenario; one row per sample, one column per flow."""

    #: Seconds.
    time_s: Array
    #: In packets.
    windows: Array
    #: In packets a second, or whatever unit the capacities have.
    rates: Array
    #: Queueing delays of the paths in seconds.
    delays_s: Array
    #: Evaluations of the right-hand side.
    evaluations: int

    def settled_s(self, rates: Numbers, share: float = 0.01) -> float | None:
        """From when on all rates are within this share of the given ones, in seconds; None if the last are not."""
        far = (np.abs(self.rates / np.asarray(rates) - 1) > share).any(axis=1)
        if far[-1]:
            return None
        return float(self.time_s[np.flatnonzero(far)[-1] + 1]) if far.any() else float(self.time_s[0])


def follow(
    network: Network,
    laws: Sequence[_model.LawSpec],
    *,
    base_rtt_s: Numbers,
    windows: Numbers,
    duration_s: float,
    interval_s: float,
    tolerance: float = 1e-6,
    period_s: float | None = None,
    feedback_delay_s: Delay | None = None,
    clock: Literal["round trip", "common"] = "round trip",
    buffers: Numbers | None = None,
) -> Trajectory:
    """Follows the windows of laws over any network, any capacity region.

    Parameters
    ----------
    network
        As `windward.num` takes it; capacities in packets a second.
    laws
        Of every flow, such as `ww.QuicTcp(rho=0.5)`.
    base_rtt_s
        Round trip of every flow without queues.
    windows
        At the start, in packets.
    duration_s, interval_s
        How long, and how often a sample is taken.
    tolerance
        Of a step of the differential equation.
    period_s
        Update all windows every so often instead, as the papers' own computations do.
    feedback_delay_s
        Every flow sees delay and loss of its path as they were so long ago, or a round trip ago ("rtt"). By steps of a
        64th of the shortest delay; takes no tolerance and no period.
    clock
        FAST and QUIC-TCP state dW/dt per step. In the differential equation a step is a round trip, or the same second
        for all flows, as in the papers' proofs. With a period and "round trip" a step is an update.
    buffers
        Packets that may wait at each link. Default: no limit.

    Raises
    ------
    ValueError
        If something is wrong; the message says what.
    """
    flows = len(laws)
    for name, numbers in (("base_rtt_s", base_rtt_s), ("windows", windows)):
        if len(numbers) != flows or not all(np.isfinite(number) and number > 0 for number in numbers):
            raise ValueError(f"{name}: it takes {flows} numbers above 0, one for each law")
    for name, value in (("duration_s", duration_s), ("interval_s", interval_s), ("tolerance", tolerance)):
        _above_zero(name, value)
    if period_s is not None:
        _above_zero("period_s", period_s)
    limits = np.full(len(network["links"]), np.inf) if buffers is None else np.asarray(buffers, dtype=float)
    if len(limits) != len(network["links"]) or not (limits >= 0).all():
        raise ValueError(f"buffers: it takes {len(network['links'])} numbers from 0, one for each link")
    answer = _engine.fluid_follow(
        as_json(network),
        json.dumps([to_plain(law, repr) for law in laws]),
        base_rtt=np.asarray(base_rtt_s, dtype=float),
        windows=np.asarray(windows, dtype=float),
        buffers=limits,
        duration=duration_s,
        interval=interval_s,
        tolerance=tolerance,
        period=period_s,
        feedback_delay=_delay(feedback_delay_s, period_s),
        is_common=clock == "common",
    )
    return Trajectory(**answer)


@dataclass(frozen=True, kw_only=True, eq=False)
class EmultcpTrajectory:
    """Rates and numbers of connections through time; one row per sample, one column per user."""

    #: Seconds.
    time_s: Array
    #: x, in the unit of the capacities.
    rates: Array
    #: n.
    connections: Array
    #: The price Σ g of every user's path.
    prices: Array
    #: Evaluations of the right-hand side.
    evaluations: int


@dataclass(frozen=True, kw_only=True)
class EmultcpUser:
    """A user of E-MULTCP's fluid model; the defaults are those of chen2007's simulations."""

    #: Round-trip time T in seconds.
    rtt_s: float = 0.168
    #: Loss of the wireless links of the path.
    loss: float = 0.0
    #: Speed c of the number of connections, a second; 0 for plain TCP.
    speed: float = 0.0125
    #: Size S of a packet, in the unit of the capacities times a second.
    segment: float = 1.0


def follow_emultcp(
    capacities: Numbers,
    routes: Sequence[Sequence[int]],
    users: Sequence[EmultcpUser],
    *,
    rates: Numbers,
    connections: Numbers,
    duration_s: float,
    interval_s: float,
    beta: float | None = None,
    tolerance: float = 1e-6,
) -> EmultcpTrajectory:
    """Follows E-MULTCP's fluid model (chen2007, section III) on two time scales.

    Parameters
    ----------
    capacities
        Of the links, in packets a second (or any one unit).
    routes
        For each user the links that it crosses.
    users
        One for each route.
    rates, connections
        At the start, above 0; one for each user.
    duration_s, interval_s
        How long, and how often a sample is taken.
    beta
        Of the smooth form (12)-(14). Default: the discontinuous form (2), (9)-(11).
    tolerance
        Error allowed in a step.

    Raises
    ------
    ValueError
        If something is wrong; the message says what.
    """
    for name, numbers in (("rates", rates), ("connections", connections)):
        if len(numbers) != len(users) or not all(np.isfinite(number) and number > 0 for number in numbers):
            raise ValueError(f"{name}: it takes {len(users)} numbers above 0, one for each user")
    for name, value in (("duration_s", duration_s), ("interval_s", interval_s), ("tolerance", tolerance)):
        _above_zero(name, value)
    answer = _engine.fluid_emultcp(
        np.asarray(capacities, dtype=float),
        routes,
        users=[(user.segment, user.rtt_s, user.loss, user.speed) for user in users],
        rates=np.asarray(rates, dtype=float),
        connections=np.asarray(connections, dtype=float),
        beta=beta,
        duration=duration_s,
        interval=interval_s,
        tolerance=tolerance,
    )
    return EmultcpTrajectory(**answer)


def _delay(delay_s: Delay | None, period_s: float | None) -> float | None:
    """The delay as the engine takes it: 0 stands for a round trip."""
    if delay_s is None:
        return None
    if period_s is not None:
        raise ValueError("a feedback delay and a period cannot be had together: updates see the instant before them")
    if isinstance(delay_s, str):
        if delay_s != "rtt":
            raise ValueError(f'the feedback delay is "{delay_s}"; it must be a number of seconds or "rtt"')
        return 0.0
    _above_zero("feedback delay", delay_s)
    return float(delay_s)


def _above_zero(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"the {name} is {value:g}; it must be above 0")


def digest(fluid: Fluid) -> Digest:
    """The end of a fluid run as a table."""
    rows = [
        [
            row["flow"],
            row["law"],
            quantity(row["cwnd"]),
            quantity(row["goodput_bps"], "bit/s"),
            quantity(row["queue_delay_ms"] / 1e3, "s"),
        ]
        for row in fluid.flows.to_dict("records")
    ]
    settled = (
        "rates have not settled" if fluid.settled_s is None else f"rates settle within 1 % after {fluid.settled_s:g} s"
    )
    return Digest(
        title="Fluid", columns=["flow", "law", "window", "goodput", "queueing delay"], words=2, rows=rows, note=settled
    )
