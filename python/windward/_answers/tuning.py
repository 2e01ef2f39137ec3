"""A tuning: the best values of some fields, how much they bring, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward._answers.sweep import Sweep
from windward.results._folder import read_scenario, read_summary

if TYPE_CHECKING:
    import pandas as pd


class Tuning:
    """Result of `Scenario.tune`.

    Examples
    --------
    >>> import windward as ww
    >>> lossy = ww.load("scenarios/lossy.toml")
    >>> tuning = lossy.tune("power", law="quic-tcp", trials=40, seeds=1, output="tuned")
    >>> tuning.parameters["field"].tolist()
    ['law.rho', 'law.kappa', 'law.backlog']
    >>> tuning.scenario_file.name
    'tuned.toml'
    """

    engine = "tune"

    def __init__(self, path: Path) -> None:
        self._about = read_summary(path, "tune")
        #: The folder.
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> Tuning:
        """Opens the folder of a tuning.

        Raises
        ------
        windward.ResultError
            If it holds none that this version reads.
        """
        return cls(Path(path))

    @property
    def name(self) -> str:
        """Short name of the scenario."""
        return str(self._about["name"])

    @property
    def title(self) -> str | None:
        """The question that the scenario asks."""
        title: str | None = self._about["title"]
        return title

    @property
    def scenario(self) -> str:
        """The scenario before tuning, in TOML."""
        return read_scenario(self.path)

    @property
    def scenario_file(self) -> Path:
        """The scenario with the best values, a file to go on with."""
        return self.path / "tuned.toml"

    @property
    def summary(self) -> Mapping[str, Any]:
        """All that was found, as in summary.json."""
        return self._about

    @property
    def objective(self) -> str:
        """The question of the search."""
        return str(self._about["objective"])

    @property
    def is_complete(self) -> bool:
        """True if the search has ended and what it found was compared."""
        return bool(self._about["complete"])

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the software that made it."""
        versions: dict[str, str] = self._about["versions"]
        return versions

    @cached_property
    def trials(self) -> Sweep:
        """All trials, as a sweep over the fields."""
        return Sweep(self.path / "trials")

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

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about the tuning and returns its path."""
        from windward.show._report import write

        return write(self, Path(path))
