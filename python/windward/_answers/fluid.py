"""The windows of a scenario as differential equations: where they go, and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from windward._answers.kept import Kept
from windward.results._summary import number
from windward.results._tables import Tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from windward.results._shapes import Result


@dataclass(frozen=True, kw_only=True)
class Fluid(Kept):
    """A run of the fluid model: all flows send from the beginning without end; see `docs/reference/models/fluid.md`.

    Examples
    --------
    >>> import windward as ww
    >>> fluid = ww.load("scenarios/quic-one-bottleneck.toml").fluid()
    >>> fluid.flows["cwnd"].round(1).tolist()  # packets, at the end
    [133.6, 216.9, 300.3, 383.6]
    >>> fluid.plot("windows").savefig("windows.pdf")
    """

    #: Duration in seconds.
    duration_s: float
    #: Integration method and its settings.
    how: str
    #: Time from which on all rates are within 1 % of their last values, in seconds; None if there is none.
    settled_s: float | None
    #: Evaluations of the right-hand side.
    evaluations: int
    #: Keys of flows that the equations do not contain.
    notes: Sequence[str] = ()
    #: Always 0: totals and means count from the start.
    warmup_s: ClassVar[float] = 0.0

    engine: ClassVar[str] = "fluid"

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per flow, at the end.

        `cwnd` in packets, `rate_bps` on the wire, `goodput_bps`, `queue_delay_ms`; `optimum_bps` is the goodput at the
        optimum of what the laws maximise, NaN where a flow's law keeps no backlog.
        """
        return self._frame("flows")

    @cached_property
    def series(self) -> pd.DataFrame:
        """One row per flow and sample: `time_s`, `flow`, `cwnd`, `rate_bps`, `goodput_bps`, `queue_delay_ms`."""
        return self._frame("flow_series")

    @cached_property
    def rests(self) -> pd.DataFrame:
        """Rates at the end of each piece of the run, between changes of the network: a row for each flow.

        `from_s`, `until_s`, `flow`, and at the end of the piece `cwnd`, `rate_bps`, `goodput_bps`, `queue_delay_ms` and
        `optimum_bps`, as in `flows`.
        """
        return self._frame("rests")

    @cached_property
    def lyapunov(self) -> pd.DataFrame | None:
        """One row per sample: `time_s` and Y(w) as `lyapunov`; None unless all flows are QUIC-TCP of one rho."""
        return self._frame("lyapunov") if "lyapunov" in self.tables else None

    def to_dict(self) -> list[dict[str, Any]]:
        """The flows at the end, for JSON."""
        return [{str(key): number(value) for key, value in row.items()} for row in self.rows("flows")]

    def plot(
        self,
        what: str = "windows",
        *,
        beside: Sequence[Result] | Mapping[str, Result] = (),
        for_: str | None = None,
    ) -> Figure:
        """Draws "windows", "rates", "delays" or "lyapunov" over time.

        `beside` and `for_` are those of `windward.Run.plot`.

        Raises
        ------
        ValueError
            For another figure or column, and where there is nothing to draw.
        """
        from windward.show.plot import by_name, draw, draw_together

        if beside:
            return draw_together(by_name(self, beside), what, for_=for_)
        return draw(self, what, for_=for_)

    def _repr_html_(self) -> str:
        """Display in Jupyter: the tables and the first figure."""
        from windward.show._notebook import notebook

        return notebook(self)

    def _summary(self) -> dict[str, Any]:
        return {
            "duration_s": self.duration_s,
            "how": self.how,
            "settled_s": self.settled_s,
            "evaluations": self.evaluations,
            "notes": list(self.notes),
            "lyapunov": "lyapunov" in self.tables,
            "flows": self.to_dict(),
        }

    @classmethod
    def _from(cls, summary: dict[str, Any], scenario: str, tables: Tables) -> Self:
        return cls(
            name=summary["name"],
            title=summary["title"],
            scenario=scenario,
            duration_s=summary["duration_s"],
            how=summary["how"],
            tables=tables,
            settled_s=summary["settled_s"],
            evaluations=summary["evaluations"],
            notes=summary.get("notes", []),
        )
