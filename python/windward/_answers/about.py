"""Common parts of answers that know themselves by their summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from windward.results._shapes import Result


class About:
    """An answer with the name, title and versions of its summary, and a page about it."""

    _about: Mapping[str, Any]

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
    def versions(self) -> dict[str, str]:
        """Versions of the software that made it."""
        versions: dict[str, str] = self._about["versions"]
        return versions

    def report(self: Result, path: str | Path) -> Path:
        """Writes a self-contained HTML page about it and returns its path."""
        from windward.show._report import write

        return write(self, Path(path))
