"""Common parts of the results of searches: a folder with a summary, the trials, and a page about them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from windward._answers.sweep import Sweep
from windward.results._folder import read_scenario, read_summary


class Searched:
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

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the software that made it."""
        versions: dict[str, str] = self._about["versions"]
        return versions

    @cached_property
    def trials(self) -> Sweep:
        """All trials, as a sweep over the fields."""
        return Sweep(self.path / "trials")

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about it and returns its path."""
        from windward.show._report import write

        return write(self, Path(path))
