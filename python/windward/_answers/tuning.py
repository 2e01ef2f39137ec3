"""A tuning: the best values of some fields, how much they bring, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._answers.searched import Searched
from windward._answers.sweep import Sweep

if TYPE_CHECKING:
    import pandas as pd


class Tuning(Searched):
    """Result of `Scenario.tune`.

    Examples
    --------
    >>> import dataclasses
    >>> import windward as ww
    >>> lossy = dataclasses.replace(ww.load("scenarios/lossy.toml"), duration="60 s")
    >>> tuning = lossy.tune("power", law="quic-tcp", trials=40, seeds=1, output="tuned")
    >>> tuning.parameters["field"].tolist()
    ['law.rho', 'law.kappa', 'law.backlog']
    >>> tuning.scenario_file.name
    'tuned.toml'
    """

    engine = "tune"

    @property
    def scenario_file(self) -> Path:
        """The scenario with the best values, a file to go on with."""
        return self.path / "tuned.toml"

    @property
    def objective(self) -> str:
        """The question of the search."""
        return str(self._about["objective"])

    @cached_property
    def comparison(self) -> Sweep:
        """The runs of the comparison on fresh seeds: of each network the present values, then the best."""
        return Sweep(self.path / "comparison")

    @cached_property
    def best(self) -> dict[str, str]:
        """The best value of each field, by its path; empty if no trial finished."""
        return {row["field"]: row["best"] for row in self.rows("parameters")}

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """The fields: range, present and best value, plateau, and the share of the variance that each explains."""
        import pandas as pd

        return pd.DataFrame(self.rows("parameters"))

    def rows(self, kind: str) -> Sequence[Mapping[str, Any]]:
        """Rows of "parameters", "comparisons", "front" or "judged"; see `summary`."""
        rows: Sequence[Mapping[str, Any]] = self._about.get(kind, [])
        return rows

    def __repr__(self) -> str:
        found = ", ".join(f"{field} = {value}" for field, value in self.best.items()) or "interrupted"
        return f"<Tuning {self.name}: {found}>"
