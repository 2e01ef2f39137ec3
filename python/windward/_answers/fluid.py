"""The windows of a scenario as differential equations: where they go, and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        from windward.results._summary import number

        return [{str(key): number(value) for key, value in row.items()} for row in self.flows.to_dict("records")]

    def plot(self, what: str = "windows") -> Figure:
        """Draws "windows", "rates", "delays" or "lyapunov" over time.

        Raises
        ------
        ValueError
            For another figure, and where there is nothing to draw.
        """
        from windward.show.plot._answers import FLUID, draw

        return draw(self, FLUID, what)

    def save(self, path: str | Path) -> None:
        """Keeps the run in a folder, in place of an older result.

        Raises
        ------
        windward.ResultError
            If the folder holds something else, or cannot be written.
        """
        from windward._answers.open import save_fluid

        save_fluid(self, Path(path))

    @classmethod
    def open(cls, path: str | Path) -> Fluid:
        """Opens the folder of a fluid run.

        Raises
        ------
        windward.ResultError
            If it holds none that this version reads.
        """
        from windward._answers.open import open_fluid

        return open_fluid(Path(path))

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about the run and returns its path."""
        from windward.show._report import write

        return write(self, Path(path))
