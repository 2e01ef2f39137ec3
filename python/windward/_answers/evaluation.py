"""An evaluation: verdicts on a law by the sections of RFC 9743, and the runs that they follow from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from windward._answers.about import About
from windward._answers.sweep import Sweep
from windward.results._folder import read_summary


class Evaluation(About):
    """Result of `windward.evaluate`.

    Examples
    --------
    >>> import windward as ww
    >>> found = ww.evaluate("reno", output="evaluated", only=["5.1.1"], seeds=3)
    >>> found.verdicts
    {'5.1.1': 'meets'}
    """

    engine = "evaluate"

    def __init__(self, path: Path) -> None:
        self._about = read_summary(path, "evaluate")
        #: The folder.
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> Evaluation:
        """Opens the folder of an evaluation.

        Raises
        ------
        windward.ResultError
            If it holds none that this version reads.
        """
        return cls(Path(path))

    @property
    def scenario(self) -> str:
        """Networks that show what is not met, in TOML."""
        return "\n".join(row["smallest"]["text"] for row in self.rows("sections") if row.get("smallest"))

    @property
    def summary(self) -> Mapping[str, Any]:
        """Everything that was found, as in evaluation.json."""
        return self._about

    @property
    def is_complete(self) -> bool:
        """True if all networks were run."""
        return bool(self._about["complete"])

    @property
    def verdicts(self) -> dict[str, str]:
        """Verdicts by section: "meets", "does not", "cannot tell", "not applicable" or "not modelled"."""
        return {row["section"]: row["verdict"] for row in self.rows("sections")}

    def rows(self, kind: str) -> Sequence[Mapping[str, Any]]:
        """Rows of "sections" or of "measures"."""
        rows: Sequence[Mapping[str, Any]] = self._about.get(kind, [])
        return rows

    @cached_property
    def runs(self) -> Sweep:
        """All runs, as a sweep over the networks and the law in them."""
        return Sweep(self.path / "runs")

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in self._about.get("counts", {}).items() if count)
        return f"<Evaluation {self.name}: {counts or 'interrupted'}>"
