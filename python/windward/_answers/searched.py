"""Common parts of the results of searches: a folder with a summary, the trials, and a page about them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from windward._answers.about import About
from windward._answers.sweep import Sweep
from windward.results._folder import read_scenario, read_summary


class Searched(About):
    """Result of a search, whole or interrupted."""

    engine: ClassVar[str]

    def __init__(self, path: Path) -> None:
        self._about = read_summary(path, self.engine)
        #: The folder.
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Opens the folder of such a result.

        Raises
        ------
        windward.ResultError
            If it holds none that this version reads.
        """
        return cls(Path(path))

    @property
    def scenario(self) -> str:
        """The scenario before the search, in TOML."""
        return read_scenario(self.path)

    @property
    def summary(self) -> Mapping[str, Any]:
        """Everything that was found, as in summary.json."""
        return self._about

    @property
    def is_complete(self) -> bool:
        """True if nothing of the search is left to do."""
        return bool(self._about["complete"])

    @cached_property
    def trials(self) -> Sweep:
        """All trials, as a sweep over the fields."""
        return Sweep(self.path / "trials")
