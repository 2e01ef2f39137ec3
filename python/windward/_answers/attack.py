"""An attack: the network on which a law does worst, as small as it was found, and how bad it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from windward._answers.run import Run, open as open_run
from windward._answers.searched import Searched


class Attack(Searched):
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

    @property
    def scenario_file(self) -> Path:
        """The find: a scenario without anything that it does not need; there only if something was found."""
        return self.path / "find" / "scenario.toml"

    @property
    def is_found(self) -> bool:
        """True if the question holds on the find with every seed."""
        return self._about.get("found") is not None

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

    @cached_property
    def clean(self) -> Run | None:
        """The find without the attack's changes; None if that is no network."""
        path = self.path / "find" / "clean"
        return open_run(path) if path.is_dir() else None

    @cached_property
    def kernels(self) -> Run | None:
        """The find between real kernels; None if it was not confirmed."""
        path = self.path / "find" / "kernels"
        return open_run(path) if path.is_dir() else None

    def __repr__(self) -> str:
        return f"<Attack {self.name}: {'found' if self.is_found else 'not found'}, {self._about['until']}>"
