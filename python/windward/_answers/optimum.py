"""The best rates that any congestion control could reach."""

from __future__ import annotations

import json
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

#: Tables beside flows and links, where there is something to tell: of applications, and of free routing.
APPS = "apps"
ROUTED = ("paths", "flow_links", "schedule")


@dataclass(frozen=True, kw_only=True)
class Optimum(Kept):
    """Rates that maximise the flows' utilities over the links of a scenario, with a certificate.

    All flows are active and unbounded. Background sources and applications take their mean rate from the links, and
    ACKs are not counted. `docs/reference/models/num.md` describes the problem and its solvers.

    Examples
    --------
    >>> import windward as ww
    >>> best = ww.load("scenarios/headline.toml").optimum()
    >>> (best.flows["rate_bps"].head(2) / 1e6).round(1).tolist()
    [5.0, 5.0]
    >>> max(best.certificate.values()) < 1e-9
    True
    """

    #: Utility: "proportional", "max-min", "law" or "alpha=NUMBER".
    utility: str
    #: Sum of the utilities; None for max-min, which has none.
    value: float | None
    #: Relative residuals of the optimality conditions, computed from rates and prices alone; all 0 at an exact optimum.
    certificate: dict[str, float]
    #: Solver: "interior", "water_filling" or another of `windward.num`.
    method: str
    iterations: int
    #: Rates and prices of the problem count packets of this many bytes.
    packet_bytes: int
    #: Largest multiple of the applications' loads that fits without the flows; None without open loops.
    load_multiple: float | None = None
    #: "fixed", or "free": the best of all routings.
    routing: str = "fixed"
    #: Links that the flows may use, with free routing.
    allowed_links: str | None = None

    engine: ClassVar[str] = "optimum"

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per flow: `rate_bps` on the wire at its source, `goodput_bps` payload that arrives.

        `path_price` is the price of its route, `utility` what it maximises.
        """
        frame = self._frame("flows")
        frame["utility"] = [json.loads(utility) for utility in frame["utility"]]
        return frame

    @cached_property
    def links(self) -> pd.DataFrame:
        """One row per one-way link: `capacity_bps` left by the background, `load_bps`, `price`."""
        return self._frame("links")

    @cached_property
    def apps(self) -> pd.DataFrame | None:
        """One row per application: its load, and its mean completion time by processor sharing. None without any."""
        return self._routed(APPS)

    @cached_property
    def paths(self) -> pd.DataFrame | None:
        """With free routing: one row per flow and path.

        `path` (nodes joined by "->"), `hops`, `rate_bps`, its `share` of the flow, and its `price`.
        """
        return self._routed("paths")

    @cached_property
    def flow_links(self) -> pd.DataFrame | None:
        """With free routing: one row per flow and link, `rate_bps` and `share` of the flow."""
        return self._routed("flow_links")

    @cached_property
    def schedule(self) -> pd.DataFrame | None:
        """With free routing: one row per set of links that are active together, and the `share` of time that it is."""
        return self._routed("schedule")

    def _routed(self, kind: str) -> pd.DataFrame | None:
        return self._frame(kind) if kind in self.tables else None

    def plot(
        self,
        what: str = "rates",
        *,
        beside: Sequence[Result] | Mapping[str, Result] = (),
        for_: str | None = None,
    ) -> Figure:
        """Draws "rates", "links" (how full they are) or "prices"; with free routing also "paths".

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

    def to_dict(self) -> dict[str, Any]:
        """All tables and settings, for JSON."""
        return {
            "utility": self.utility,
            "value": self.value,
            "method": self.method,
            "iterations": self.iterations,
            "packet_bytes": self.packet_bytes,
            "certificate": self.certificate,
            "flows": [row | {"utility": json.loads(row["utility"])} for row in self.rows("flows")],
            "links": self.rows("links"),
            **self._applications(),
            **self._routing(),
        }

    def _applications(self) -> dict[str, Any]:
        """Additions of applications."""
        if APPS not in self.tables:
            return {}
        rows = [{name: number(value) for name, value in row.items()} for row in self.rows(APPS)]
        return {APPS: rows, "load_multiple": self.load_multiple}

    def _routing(self) -> dict[str, Any]:
        """Additions of free routing."""
        tables = {name: self.rows(name) for name in ROUTED if name in self.tables}
        return {"routing": self.routing, "allowed_links": self.allowed_links, **tables} if tables else {}

    def _repr_html_(self) -> str:
        """Display in Jupyter: the tables and the first figure."""
        from windward.show._notebook import notebook

        return notebook(self)

    def _summary(self) -> dict[str, Any]:
        answer = {key: number(value) for key, value in self.to_dict().items()}
        for kind in self.tables:
            answer[kind] = [{key: number(value) for key, value in row.items()} for row in answer[kind]]
        return answer

    @classmethod
    def _from(cls, summary: dict[str, Any], scenario: str, tables: Tables) -> Self:
        names = ("name", "title", "utility", "value", "certificate", "method", "iterations", "packet_bytes")
        answer = {name: summary[name] for name in names}
        further = ("routing", "allowed_links", "load_multiple")
        answer |= {name: summary[name] for name in further if name in summary}
        return cls(scenario=scenario, tables=tables, **answer)
