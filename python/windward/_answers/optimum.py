"""The best rates that any congestion control could reach."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from windward._answers.kept import Kept
from windward.results._summary import number
from windward.results._tables import Tables, from_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import pyarrow as pa
    from matplotlib.figure import Figure

    from windward.results._shapes import Result

#: The tables of free routing.
ROUTED = ("paths", "flow_links", "schedule")


@dataclass(frozen=True, kw_only=True)
class Optimum(Kept):
    """The rates that maximise the flows' utilities over the links of a scenario, and the proof.

    All flows are taken as active and unbounded; background sources take their mean rate away from the links; ACKs are
    not counted. `docs/reference/models/num.md` says how the problem is solved.
    """

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
    #: "fixed", or "free": the best of all routings.
    routing: str = "fixed"
    #: With free routing: which links the flows were allowed.
    allowed_links: str | None = None
    #: With free routing: one row per flow and path, `path` (nodes joined by "->"), `hops`, `rate_bps`, its `share` of
    #: the flow, and its `price`.
    paths: pd.DataFrame | None = None
    #: With free routing: one row per flow and link, `rate_bps` and `share` of the flow.
    flow_links: pd.DataFrame | None = None
    #: With free routing: one row per set of links that are active together, and the `share` of time that it is.
    schedule: pd.DataFrame | None = None

    engine: ClassVar[str] = "optimum"

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
            **self._routing(),
        }

    def _routing(self) -> dict[str, Any]:
        """What free routing adds."""
        tables = {name: table.to_dict("records") for name, table in self._routed().items()}
        return {"routing": self.routing, "allowed_links": self.allowed_links, **tables} if tables else {}

    def _routed(self) -> dict[str, pd.DataFrame]:
        tables = {"paths": self.paths, "flow_links": self.flow_links, "schedule": self.schedule}
        return {name: table for name, table in tables.items() if table is not None}

    def _repr_html_(self) -> str:
        """What Jupyter shows: the tables and the first figure."""
        from windward.show._notebook import notebook

        return notebook(self)

    def _tables(self) -> Tables:
        flows = self.flows.assign(utility=[json.dumps(utility) for utility in self.flows["utility"]])
        routed = {name: from_frame(table) for name, table in self._routed().items()}
        return {"flows": from_frame(flows), "links": from_frame(self.links), **routed}

    def _summary(self) -> dict[str, Any]:
        answer = {key: number(value) for key, value in self.to_dict().items()}
        for kind in ("flows", "links", *self._routed()):
            answer[kind] = [{key: number(value) for key, value in row.items()} for row in answer[kind]]
        return answer

    @classmethod
    def _from(cls, summary: dict[str, Any], scenario: str, tables: Mapping[str, pa.Table]) -> Self:
        flows = tables["flows"].to_pandas()
        flows["utility"] = [json.loads(utility) for utility in flows["utility"]]
        names = ("name", "title", "objective", "value", "certificate", "method", "iterations", "packet_bytes")
        answer = {name: summary[name] for name in names}
        answer |= {name: summary[name] for name in ("routing", "allowed_links") if name in summary}
        answer |= {name: tables[name].to_pandas() for name in ROUTED if name in tables}
        return cls(scenario=scenario, flows=flows, links=tables["links"].to_pandas(), **answer)
