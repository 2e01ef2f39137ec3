"""BibTeX entries for the laws of a scenario and the papers that it comes from."""

from __future__ import annotations

import re
from pathlib import Path

from windward import _engine

__all__ = ["bibtex", "papers"]


def papers() -> dict[str, str]:
    """BibTeX entries of the papers that scenarios come from, by key."""
    text = (Path(__file__).parent / "papers.bib").read_text(encoding="utf-8")
    entries = re.findall(r"^@\w+\{(\S+?),.*?^\}", text, flags=re.MULTILINE | re.DOTALL)
    bodies = re.findall(r"^@\w+\{.*?^\}", text, flags=re.MULTILINE | re.DOTALL)
    return dict(zip(entries, bodies, strict=True))


def bibtex(scenario: _engine.Scenario) -> tuple[list[str], list[str]]:
    """BibTeX entries for a scenario, and the keys of papers for which there is none."""
    used = set(scenario.entities()["flows"]["law"])
    laws = [law["bibtex"] for law in _engine.laws() if law["name"] in used]
    known = papers()
    cited = [known[key] for key in scenario.cite if key in known]
    return list(dict.fromkeys(cited + laws)), [key for key in scenario.cite if key not in known]
