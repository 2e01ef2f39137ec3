"""The best rates that any congestion control could reach, and a run beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from windward.digest import Digest, percent, quantity, without_empty
from windward.stats import mean_and_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from windward import _engine
    from windward.fluid import Fluid
    from windward.run import Run

#: What the flows may want, beside "alpha=NUMBER".
OBJECTIVES = ("proportional", "max-min", "law")

#: At most so many flows and links have a row in the terminal.
_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class Optimum:
    """The rates that maximise the flows' utilities over the links of a scenario, and the proof.

    All flows are taken as active and unbounded; background sources take their mean rate away from the links; ACKs are
    not counted. `docs/reference/models/num.md` says how the problem is solved.
    """

    #: Short name of the scenario.
    name: str
    #: The question that the scenario asks.
    title: str | None
    #: The scenario as resolved, in TOML.
    scenario: str
    #: What was maximised: "proportional", "max-min", "law" or "alpha=NUMBER".
    objective: str
    #: One row per flow: `rate_bps` on the wire at its source, `goodput_bps` payload that arrives,
    #: `path_price`, `utility`.
    flows: pd.DataFrame
    #: One row per one-way link: `capacity_bps` left by the background, `load_bps`, `price`.
    links: pd.DataFrame
    #: Sum of the utilities; None for max-min, which has none.
    value: float | None
    #: Relative residuals of the optimality conditions, computed from rates and prices alone; all 0 at an exact optimum.
    certificate: dict[str, float]
    #: How it was found.
    method: str
    iterations: int
    #: Rates and prices of the problem count packets of this many bytes.
    packet_bytes: int

    #: What is drawn unless something is asked for.
    default_figure: ClassVar[str] = "rates"

    def plot(self, what: str = "rates") -> Figure:
        """Draws "rates", "links" (how full they are) or "prices".

        Raises
        ------
        ValueError
            For another figure, and where there is nothing to draw.
        """
        from windward.plot.answers import OPTIMUM, draw

        return draw(self, OPTIMUM, what)

    def save(self, path: str | Path) -> None:
        """Keeps the answer in a folder, in place of an older result.

        Raises
        ------
        windward.ResultError
            If the folder holds something else, or cannot be written.
        """
        from windward.results import save_optimum

        save_optimum(self, Path(path))

    @classmethod
    def open(cls, path: str | Path) -> Optimum:
        """Opens the folder of an answer.

        Raises
        ------
        windward.ResultError
            If it holds none that this version reads.
        """
        from windward.results import open_optimum

        return open_optimum(Path(path))

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about the answer and returns its path."""
        from windward.report import write

        return write(self, Path(path))

    def to_dict(self) -> dict[str, Any]:
        """Everything, as what JSON can hold."""
        return {
            "objective": self.objective,
            "value": self.value,
            "method": self.method,
            "iterations": self.iterations,
            "packet_bytes": self.packet_bytes,
            "certificate": self.certificate,
            "flows": self.flows.to_dict("records"),
            "links": self.links.to_dict("records"),
        }


def solve(compiled: _engine.Scenario, objective: str) -> Optimum:
    """The optimum of a scenario for "proportional", "max-min", "law" or "alpha=NUMBER".

    Raises
    ------
    ValueError
        For another objective, and where there are no best rates.
    """
    name, _, number = objective.partition("=")
    alpha = None
    if name == "alpha":
        try:
            alpha = float(number)
        except ValueError:
            alpha = -1.0
    if (name not in OBJECTIVES or number) and not (alpha is not None and 0 <= alpha < float("inf")):
        raise ValueError(
            f"`{objective}` is no objective; there are {', '.join(OBJECTIVES)}, and alpha=NUMBER with a number from 0"
        )
    answer = compiled.optimum(name, alpha)
    return Optimum(
        name=compiled.name,
        title=compiled.title,
        scenario=compiled.to_toml(),
        objective=objective,
        flows=pd.DataFrame(answer["flows"]),
        links=pd.DataFrame(answer["links"]),
        value=answer["objective"],
        certificate=answer["certificate"],
        method=answer["method"],
        iterations=answer["iterations"],
        packet_bytes=answer["packet_bytes"],
    )


def digests(best: Optimum) -> list[Digest]:
    """The tables of an optimum."""
    flows = [
        [
            row["flow"],
            row["law"],
            quantity(row["rate_bps"], "bit/s"),
            quantity(row["goodput_bps"], "bit/s"),
            f"{row['path_price']:.4g}",
        ]
        for row in _records(best.flows.head(_ROWS))
    ]
    used = best.links[best.links["price"] > 1e-9 * best.links["price"].max()]
    links = [
        [row["link"], quantity(row["capacity_bps"], "bit/s"), quantity(row["load_bps"], "bit/s"), f"{row['price']:.4g}"]
        for row in _records(used.head(_ROWS))
    ]
    idle = len(best.links) - len(links)
    return [
        Digest(
            title="Flows",
            columns=["flow", "law", "rate", "goodput", "price of its route"],
            words=2,
            rows=flows,
            note=_more(len(best.flows) - len(flows), "flow"),
        ),
        Digest(
            title="Bottlenecks",
            columns=["link", "capacity", "load", "price"],
            words=1,
            rows=links,
            note=_more(idle, "link").replace("more", "other") + (" at price 0 or close to it" if idle else ""),
        ),
    ]


def certificate(best: Optimum) -> str:
    """The residuals in one line."""
    return ", ".join(f"{name} {value:.0e}" for name, value in best.certificate.items())


def comparison(best: Optimum, equations: Fluid | None, run: Run | None, emulation: Run | None = None) -> pd.DataFrame:
    """One row per flow: its goodput by each engine.

    Columns `flow`, `law`, `optimum_bps`, `fluid_bps` (at the end; NaN without a fluid run), `packets_bps` and
    `packets_error_bps` (mean and half width of the 95 % confidence interval over seeds; NaN for one seed, both NaN
    without packets), `kernel_bps` (emulated between real kernels; NaN without), and `share`, packets over optimum.
    """

    def goodputs(run: Run | None) -> dict[Any, pd.Series[float]]:
        return {} if run is None else dict(list(run.flows.groupby("flow", sort=False)["goodput_bps"]))

    goodput, real = goodputs(run), goodputs(emulation)
    table = best.flows[["flow", "law"]].copy()
    table["optimum_bps"] = best.flows["goodput_bps"]
    table["fluid_bps"] = float("nan") if equations is None else equations.flows["goodput_bps"].to_numpy()
    packets = [mean_and_interval(goodput.get(flow, [])) for flow in table["flow"]]
    table["packets_bps"] = [mean for mean, _ in packets]
    table["packets_error_bps"] = [error for _, error in packets]
    table["kernel_bps"] = [mean_and_interval(real.get(flow, []))[0] for flow in table["flow"]]
    table["share"] = table["packets_bps"] / table["optimum_bps"]
    return table


def compare_digest(table: pd.DataFrame) -> Digest:
    """The comparison as a table."""
    rows = [
        [
            row["flow"],
            row["law"],
            quantity(row["optimum_bps"], "bit/s"),
            quantity(row["fluid_bps"], "bit/s"),
            quantity(row["packets_bps"], "bit/s", row["packets_error_bps"]),
            quantity(row["kernel_bps"], "bit/s"),
            percent(row["share"]),
        ]
        for row in _records(table.head(_ROWS))
    ]
    columns = ["flow", "law", "optimum", "fluid", "packets", "kernel", "packets/optimum"]
    note = _more(len(table) - len(rows), "flow")
    return without_empty(Digest(title="Engines", columns=columns, words=2, rows=rows, note=note))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _more(count: int, noun: str) -> str:
    return f"{count} more {noun}{'s' if count > 1 else ''}" if count > 0 else ""
