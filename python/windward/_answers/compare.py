"""Answers of all engines about one scenario, side by side."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from windward._answers.fluid import Fluid
from windward._answers.optimum import Optimum
from windward._answers.run import Run, open as open_run
from windward._engine import __version__
from windward.errors import ResultError
from windward.results._applications import APPLICATIONS
from windward.results._files import replace_text
from windward.results._folder import read_scenario, read_summary, to_json
from windward.results._place import SCENARIO, SUMMARY, is_result
from windward.results._summary import FORMAT, number, rows_of, versions
from windward.results.stats import mean_and_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from windward._engine import Scenario

#: The folder of each engine's answer, and what the answer is called here.
_FOLDERS = {"optimum": "optimum", "fluid": "fluid", "ideal": "ideal", "packets": "simulate", "kernel": "emulate"}

#: Tables of applications and other sources.
_APPS = tuple(one.table for one in APPLICATIONS)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The best rates of a network that changes, from one change to the next."""

    from_s: float
    until_s: float
    #: Of each flow, in the scenario's order; None where there are none.
    goodput_bps: Sequence[float] | None
    #: Why there are none.
    reason: str = ""

    def within(self, begin_s: float, end_s: float) -> float:
        """Time of the piece between two instants, in seconds."""
        return max(0.0, min(self.until_s, end_s) - max(self.from_s, begin_s))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Results of all engines on one scenario.

    Examples
    --------
    >>> import windward as ww
    >>> comparison = ww.load("scenarios/dumbbell.toml").compare(seeds=2, emulate=False)
    >>> len(comparison.table)
    16
    >>> sorted(comparison.left_out)
    ['kernel']
    """

    #: The scenario as resolved, in TOML.
    scenario: str = field(repr=False)
    optimum: Optimum | None
    fluid: Fluid | None
    #: Packets with every wireless network of 802.11 replaced by ideal CSMA over the same links; None without one.
    ideal: Run | None
    packets: Run | None
    kernel: Run | None
    #: Reasons for missing engines, by name: "optimum", "fluid", "ideal", "packets" or "kernel".
    left_out: Mapping[str, str]
    #: Optimal rates between the changes of the network; `optimum` is that of its end.
    pieces: Sequence[Piece] = ()
    #: Intervals of the means, and differences between an engine's assumptions and the scenario.
    notes: Sequence[str] = ()
    #: Flows that do not send all the time, for which the optimum does not hold.
    partial: Sequence[str] = ()
    #: Interval over which packets are counted, in seconds.
    span_s: tuple[float, float] = (0.0, math.inf)

    engine: ClassVar[str] = "compare"

    @property
    def name(self) -> str:
        """Short name of the scenario."""
        return self._any.name

    @property
    def title(self) -> str | None:
        """The question that the scenario asks."""
        return self._any.title

    @property
    def _any(self) -> Optimum | Fluid | Run:
        """The answer of an engine that answered; there is one."""
        answers = (self.optimum, self.packets, self.fluid, self.kernel, self.ideal)
        return next(answer for answer in answers if answer is not None)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table`, of plain values; without pandas."""
        fluid, partial = self._fluid(), set(self.partial)
        ideal, packets, kernel = _goodputs(self.ideal), _goodputs(self.packets), _goodputs(self.kernel)
        rows = []
        laws = self._laws()
        best = {} if self.optimum is None else {row["flow"]: row["goodput_bps"] for row in self.optimum.rows("flows")}
        bests = self._over_time([best.get(flow, math.nan) for flow in laws])
        groups = self._groups()
        for (flow, law), most in zip(laws.items(), bests, strict=True):
            mean, error = mean_and_interval(packets.get(flow, []))
            rows.append(
                {
                    "flow": flow,
                    "group": groups.get(flow, flow),
                    "law": law,
                    "optimum_bps": most,
                    "fluid_bps": fluid.get(flow, float("nan")),
                    "ideal_bps": mean_and_interval(ideal.get(flow, []))[0],
                    "packets_bps": mean,
                    "packets_error_bps": error,
                    "kernel_bps": mean_and_interval(kernel.get(flow, []))[0],
                    "share": mean / most if most and flow not in partial else float("nan"),
                }
            )
        return rows

    @cached_property
    def app_rows(self) -> list[dict[str, Any]]:
        """One row per application: its completion times by each engine, of plain values.

        `sharing_mean_s` is the mean under processor sharing, by the optimum. `packets_` and `kernel_` have `mean_s` and
        `p50_s`, means over the seeds, and `kernel_share` is the kernel's median divided by the packets'. Missing values
        are NaN.
        """
        rows = []
        best = {row["app"]: row["completion_s"] for row in self._loads()}
        packets, kernel = _completions(self.packets), _completions(self.kernel)
        for app, law in (_laws(self.packets) | _laws(self.kernel)).items():
            of_packets, of_kernel = (times.get(app, (math.nan, math.nan)) for times in (packets, kernel))
            rows.append(
                {
                    "app": app,
                    "law": law,
                    "sharing_mean_s": best.get(app, math.nan),
                    "packets_mean_s": of_packets[0],
                    "packets_p50_s": of_packets[1],
                    "kernel_mean_s": of_kernel[0],
                    "kernel_p50_s": of_kernel[1],
                    "kernel_share": of_kernel[1] / of_packets[1] if of_packets[1] else math.nan,
                }
            )
        return rows

    @cached_property
    def applications(self) -> dict[str, list[dict[str, Any]]]:
        """The tables of applications, each with one row per application and engine, as in the summary of a run."""
        runs = {"ideal": self.ideal, "packets": self.packets, "kernel": self.kernel}
        tables: dict[str, list[dict[str, Any]]] = {
            kind: [
                {"engine": engine, **row}
                for engine, run in runs.items()
                if run is not None
                for row in rows_of(run.draws(kind))
            ]
            for kind in _APPS
        }
        best = [
            {
                "engine": "optimum",
                "app": row["app"],
                "completion_mean_s": {"mean": number(row["completion_s"]), "ci95": None},
            }
            for row in self._loads()
        ]
        return tables | {"apps": best + tables["apps"]}

    def _loads(self) -> Sequence[Mapping[str, Any]]:
        """The applications of the optimum."""
        return self.optimum.rows("apps") if self.optimum is not None and "apps" in self.optimum.tables else []

    def _laws(self) -> dict[str, str]:
        """The law of each flow, in the scenario's order."""
        for answer in (self.optimum, self.fluid):
            if answer is not None:
                return {row["flow"]: row["law"] for row in answer.rows("flows")}
        return next((_laws(run, "flows") for run in (self.packets, self.kernel, self.ideal) if run is not None), {})

    def _groups(self) -> dict[str, str]:
        """The group of each flow, as far as an engine that knows it answered."""
        for run in (self.packets, self.ideal, self.kernel):
            if run is not None:
                flows = run.totals("flows")
                return dict(zip(flows.names, flows.attribute("group"), strict=True))
        return {} if self.fluid is None else {row["flow"]: row["group"] for row in self.fluid.rows("flows")}

    def _over_time(self, at_the_end: Sequence[float]) -> Sequence[float]:
        """The best rates of the flows, each piece of the network as long as it counts."""
        known = [(piece.within(*self.span_s), piece.goodput_bps) for piece in self.pieces if piece.goodput_bps]
        whole = math.fsum(length for length, _ in known)
        if not whole:
            return at_the_end
        return [math.fsum(length * rates[at] for length, rates in known) / whole for at in range(len(at_the_end))]

    def _fluid(self) -> dict[str, float]:
        """Rates at rest of the equations: at the end, or piece by piece, weighted by the time that each counts."""
        if self.fluid is None:
            return {}
        if "rests" not in self.fluid.tables or not self.pieces:
            return {row["flow"]: row["goodput_bps"] for row in self.fluid.rows("flows")}
        sums: dict[str, list[float]] = {}
        for row in self.fluid.rows("rests"):
            length = max(0.0, min(row["until_s"], self.span_s[1]) - max(row["from_s"], self.span_s[0]))
            both = sums.setdefault(row["flow"], [0.0, 0.0])
            both[0] += length * row["goodput_bps"]
            both[1] += length
        return {flow: total / length if length else math.nan for flow, (total, length) in sums.items()}

    @property
    def table(self) -> pd.DataFrame:
        """One row per flow: its goodput by each engine.

        Columns: `flow`, `group`, `law`, `optimum_bps`, `fluid_bps` (at the end), `ideal_bps` (packets over ideal CSMA
        in place of 802.11), `packets_bps`, `packets_error_bps`, `kernel_bps` (emulated between real kernels) and
        `share` (packets over optimum). `packets_error_bps` is the half width of the 95 % confidence interval over
        seeds. It is NaN for a single seed, and if all seeds are the same run. The columns of missing engines are NaN,
        and so is `share` for flows that do not send all the time. If the network changes, optimum and fluid are means
        over its pieces, weighted by their duration.
        """
        import pandas as pd

        return pd.DataFrame(self.rows)

    def plot(self, what: str = "goodput", *, for_: str | None = None) -> Figure:
        """Draws the answers of the engines side by side.

        Parameters
        ----------
        what
            "goodput", "rates", "windows", …: of the engines that have it.
        for_
            The paper's column that it is for: "ieee", "ieee-wide", "acm" or "acm-wide".

        Raises
        ------
        ValueError
            If there is no such figure or column, or nothing to draw.
        """
        from windward.show.plot import draw

        return draw(self, what, for_=for_)

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about all engines and returns its path."""
        from windward.show._report import write

        return write(self, Path(path))

    @classmethod
    def begin(cls, path: Path, scenario: Scenario) -> None:
        """Says, before any engine's answer is there, that the folder is to be a comparison.

        Raises
        ------
        windward.ResultError
            If it cannot be written.
        """
        head = {"name": scenario.name, "title": scenario.title, "complete": False}
        _write(path, scenario.to_toml(), head | {"versions": versions(), "engines": [], "left_out": {}, "flows": []})

    def note(self, path: Path) -> None:
        """Writes beside the engines' folders what was compared, and why engines were left out.

        Raises
        ------
        windward.ResultError
            If it cannot be written.
        """
        _write(path, self.scenario, self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values: what `summary.json` and the command line's JSON hold."""
        return {
            "name": self.name,
            "title": self.title,
            "complete": True,
            "versions": versions(),
            "engines": [kind for kind in _FOLDERS if getattr(self, kind) is not None],
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "partial": list(self.partial),
            "span_s": list(self.span_s),
            "pieces": [asdict(piece) for piece in self.pieces],
            "flows": [{key: number(value) for key, value in row.items()} for row in self.rows],
            **self.applications,
        }

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Opens the folder of a comparison.

        Raises
        ------
        windward.ResultError
            If it holds none that this version reads, or one that was interrupted.
        """
        path = Path(path)
        summary = read_summary(path, cls.engine)
        if not summary["complete"]:
            there = [folder for folder in _FOLDERS.values() if is_result(path / folder)]
            hint = f"\nhint: answers of engines are in {', '.join(f'{path / name}' for name in there)}" if there else ""
            raise ResultError(f"{path} holds a comparison that was interrupted{hint}")
        answers: dict[str, Any] = dict.fromkeys(_FOLDERS)
        openers: dict[str, Any] = {"optimum": Optimum.open, "fluid": Fluid.open}
        for kind in summary["engines"]:
            answers[kind] = openers.get(kind, open_run)(path / _FOLDERS[kind])
        begin, end = summary.get("span_s", (0.0, math.inf))
        return cls(
            scenario=read_scenario(path),
            left_out=summary["left_out"],
            pieces=[Piece(**piece) for piece in summary.get("pieces", ())],
            notes=summary.get("notes", ()),
            partial=summary.get("partial", ()),
            span_s=(begin, end),
            **answers,
        )


def _write(path: Path, scenario: str, summary: Mapping[str, Any]) -> None:
    about = {"windward": __version__, "format": FORMAT, "engine": Comparison.engine}
    try:
        replace_text(path / SCENARIO, scenario)
        replace_text(path / SUMMARY, to_json(about | dict(summary)))
    except OSError as error:
        raise ResultError(f"{path} cannot be written: {error.strerror}") from error


def _completions(run: Run | None) -> dict[str, tuple[float, float]]:
    """Mean and median completion time of each application, over the seeds."""
    if run is None:
        return {}
    apps = run.draws("apps")
    mean, median = (
        [mean_and_interval(apps.values(f"completion_{part}_s", at))[0] for at in range(len(apps.names))]
        for part in ("mean", "p50")
    )
    return dict(zip(apps.names, zip(mean, median, strict=True), strict=True))


def _laws(run: Run | None, kind: str = "apps") -> dict[str, str]:
    """Law of each application, or of each flow."""
    if run is None:
        return {}
    totals = run.totals(kind)
    return dict(zip(totals.names, totals.attribute("law"), strict=True))


def _goodputs(run: Run | None) -> dict[str, list[float]]:
    """Goodput of each flow, by seed."""
    if run is None:
        return {}
    flows = run.draws("flows")
    return {name: flows.values("goodput_bps", at) for at, name in enumerate(flows.names)}
