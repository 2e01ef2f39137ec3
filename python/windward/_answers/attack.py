"""An attack: the network on which a law does worst, as small as it was found, and how bad it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from windward._answers.run import Run, open as open_run
from windward._answers.sweep import Sweep
from windward.results._folder import read_scenario, read_summary


class Attack:
    """Result of `Scenario.attack`.

    Examples
    --------
    >>> import windward as ww
    >>> cafe = ww.load("scenarios/late-starter.toml")
    >>> attack = cafe.attack("bloats:1s", within=["link.*.loss=0..1 %"], trials=8, output="attacked")
    >>> attack.is_found
    False
    """

    engine = "attack"

    def __init__(self, path: Path) -> None:
        self._about = read_summary(path, "attack")
        #: The folder.
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> Attack:
        """Opens the folder of an attack.

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
        """The scenario before the attack, in TOML."""
        return read_scenario(self.path)

    @property
    def scenario_file(self) -> Path:
        """The find: a scenario without anything that it does not need; there only if something was found."""
        return self.path / "find" / "scenario.toml"

    @property
    def summary(self) -> Mapping[str, Any]:
        """Everything about the attack, as in summary.json."""
        return self._about

    @property
    def is_found(self) -> bool:
        """True if the question holds on the find with every seed."""
        return self._about.get("found") is not None

    @property
    def is_complete(self) -> bool:
        """True if the search has ended."""
        return bool(self._about["complete"])

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the software that made it."""
        versions: dict[str, str] = self._about["versions"]
        return versions

    @cached_property
    def trials(self) -> Sweep:
        """All trials, as a sweep over the bounded fields."""
        return Sweep(self.path / "trials")

    def rows(self, kind: str) -> Sequence[Mapping[str, Any]]:
        """Rows of the find's "changes"."""
        found = self._about.get("found") or {}
        rows: Sequence[Mapping[str, Any]] = found.get(kind, [])
        return rows

    @cached_property
    def run(self) -> Run:
        """The find, simulated with every seed; `windward.load(attack.scenario_file).simulate()` gives the same bytes.

        Raises
        ------
        windward.ResultError
            If nothing was found.
        """
        return open_run(self.path / "find" / "run")

    def __repr__(self) -> str:
        return f"<Attack {self.name}: {'found' if self.is_found else 'not found'}, {self._about['until']}>"

    def report(self, path: str | Path) -> Path:
        """Writes a self-contained HTML page about the attack and returns its path."""
        from windward.show._report import write

        return write(self, Path(path))
