"""The ledger of a paper: claims.toml, with the functions that check its claims and draw its figures."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = [
    "FITTED",
    "NOT_HERE",
    "OPENING",
    "RUNS",
    "UNDECIDED",
    "UNTRIED",
    "VERDICTS",
    "Claim",
    "MissingInputError",
    "Paper",
    "PaperError",
    "Place",
    "known",
    "load",
    "root",
    "spans",
]

#: The verdict of a claim that nothing here can check.
NOT_HERE = "not reproducible here"

#: The verdict of a claim whose runs scatter too much to say; its check gives their `Scatter` or `Order`.
UNDECIDED = "undecided"

#: The verdict of a claim that holds with a guess that was fitted to it; the claim names the file of the `guess`.
FITTED = "fitted"

#: What a claim can come to; all but the first need a `note`.
VERDICTS = ("reproduced", "corrected", "emulated", FITTED, UNDECIDED, "differs", NOT_HERE)

#: The sentences that a paper's page opens with, with their headings.
OPENING = {
    "promises": "The paper promises",
    "holds": "Holds",
    "fails": "Does not hold",
    "why": "Why",
    "decides": "What would decide",
}

#: What `runs` may name: claims about packet runs are judged from what `windward reproduce` has kept.
RUNS = ("simulation",)

#: Reasons why a note may name an experiment without its result. One of less than a minute is run, and judged.
UNTRIED = ("not here", "longer than a minute")

#: Words by which a note names an experiment without its result.
_NAMES_ONE = ("would decide", "would tell", "would show", "would be next", "would be tried")

#: The name under which the modules of the papers are imported.
_PACKAGE = "windward_papers"


class PaperError(ValueError):
    """A paper is not there, or its folder does not hold together; the message says where."""


class MissingInputError(PaperError):
    """A file that an experiment needs is neither in the repository nor on this machine."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One row of a ledger."""

    id: int
    #: The paper's statement, in one sentence of ours.
    claim: str
    #: Theorem, section or figure.
    where: str
    #: The check, in one sentence.
    how: str
    #: The paper's value or statement.
    paper: str
    #: Tolerance of the check.
    tolerance: str
    #: Origin of the tolerance.
    why: str
    #: One of `VERDICTS`.
    verdict: str
    #: The corrected statement, the explanation of a difference, or the reason why nothing is checked.
    note: str = ""
    #: "simulation" for claims about packet runs; empty for those that are checked at once.
    runs: str = ""
    #: Of a fitted claim: the paper's file in which the guess is tagged [G] and names the claim.
    guess: str = ""
    #: Reason of `UNTRIED` why the experiment that the note says would decide was not run.
    untried: str = ""

    @property
    def is_checked(self) -> bool:
        """True if there must be a check."""
        return self.verdict != NOT_HERE


@dataclass(frozen=True, kw_only=True)
class Place:
    """A row of the table "paper and product": something of the paper, and where it is here or why it is not."""

    #: Section, algorithm, system, tool or experiment of the paper.
    paper: str
    #: Its counterpart, in a few words.
    here: str
    #: Files and folders of the repository, `FILE:SYMBOL`, or claims, as `claim 7`.
    at: tuple[str, ...] = ()
    #: Heading of its line in docs/reference/limits.md, if it is missing.
    limit: str = ""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper's folder."""

    key: str
    title: str
    #: Journal or conference; empty if the DOI tells it.
    source: str
    #: Empty where it has none, or none that we know.
    doi: str
    #: One sentence for each key of `OPENING`; empty for a ledger that is begun.
    opening: Mapping[str, str]
    folder: Path
    #: By id, rising.
    claims: Mapping[int, Claim]
    #: Claims of the paper that nobody has taken up yet.
    open: tuple[int, ...]
    #: By id. They take a `Results` where the claim's `runs` says "simulation", else nothing.
    checks: Mapping[int, Callable[..., Any]]
    #: By number, as `windward reproduce KEY --figure NUMBER` takes it.
    figures: Mapping[str, Callable[..., Any]]
    #: Of places.toml; empty for a ledger without one.
    places: tuple[Place, ...] = ()

    @property
    def coverage(self) -> str:
        """Numbers of checked, not reproducible and open claims; part of a sentence."""
        total = len(self.claims) + len(self.open)
        parts = [f"{sum(claim.is_checked for claim in self.claims.values())} of {total} claims have a check"]
        elsewhere = [claim.id for claim in self.claims.values() if not claim.is_checked]
        for ids, what in ((elsewhere, "not reproducible here"), (self.open, "not taken up yet")):
            parts.append(f"{len(ids)} {what}" + (f" ({spans(ids)})" if ids else ""))
        return ", ".join(parts)

    @property
    def reference(self) -> str:
        """Citation in one line."""
        return ", ".join(filter(None, (self.source, self.doi and f"https://doi.org/{self.doi}")))


def root() -> Path:
    """The folder `evidence/papers` of the checkout that this package or the current directory lies in.

    Raises
    ------
    PaperError
        If there is none.
    """
    for start in (Path(__file__).resolve().parent, Path.cwd().resolve()):
        for folder in (start, *start.parents):
            if any((folder / "evidence" / "papers").glob("*/claims.toml")):
                return folder / "evidence" / "papers"
    raise PaperError("no folder `evidence/papers` found\nhint: run this inside a source checkout of Windward")


def known() -> list[str]:
    """The papers that there are, in alphabetical order."""
    return sorted(path.parent.name for path in root().glob("*/claims.toml"))


def load(key: str) -> Paper:
    """Reads a paper's folder and holds ledger, checks and figures against one another.

    Raises
    ------
    PaperError
        If the paper is not there; if an entry of claims.toml is wrong; if a claim has no check, or a check no claim.
    """
    folder = root() / key
    if key not in known():
        raise PaperError(f"there is no paper `{key}`; papers: {', '.join(known())}")
    file = folder / "claims.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PaperError(f"{file}: {error}") from None
    unknown = set(table) - {"paper", "title", "source", "doi", "opening", "open", "claim"}
    if unknown:
        raise PaperError(f"{file}: unknown {', '.join(sorted(unknown))}")
    if table.get("paper") != key or not table.get("title") or not (table.get("doi") or table.get("source")):
        raise PaperError(f'{file}: it must begin with paper = "{key}", title, and doi or source')
    claims = _claims(file, table)
    _open_packages(folder)
    paper = Paper(
        key=key,
        title=table["title"],
        source=table.get("source", ""),
        doi=table.get("doi", ""),
        opening=_opening(file, table),
        folder=folder,
        claims=claims,
        open=tuple(table.get("open", ())),
        checks=_marked(folder, "checks", "claim_id"),
        figures=dict(sorted(_marked(folder, "figures", "figure_number").items(), key=_by_number)),
        places=_places(folder, claims),
    )
    _hold_together(file, paper)
    return paper


def _places(folder: Path, claims: Mapping[int, Claim]) -> tuple[Place, ...]:
    file = folder / "places.toml"
    if not file.is_file():
        return ()
    places = []
    for at, entry in enumerate(tomllib.loads(file.read_text(encoding="utf-8"))["place"], 1):
        place = Place(**{**entry, "at": tuple(entry.get("at", ()))})
        if not (place.paper and place.here) or bool(place.at) == bool(place.limit):
            raise PaperError(f"{file}: place {at} needs paper, here, and either `at` or `limit`")
        for name in place.at:
            number = name.removeprefix("claim ")
            if number != name and int(number) not in claims:
                raise PaperError(f"{file}: place {at}: there is no {name}")
        places.append(place)
    return tuple(places)


def _by_number(figure: tuple[str, Any]) -> tuple[bool, int, str]:
    """As papers number them: 9 before 10, those without a number last."""
    number, _ = figure
    return (not number.isdecimal(), int(number) if number.isdecimal() else 0, number)


def _opening(file: Path, table: Mapping[str, Any]) -> dict[str, str]:
    opening = table.get("opening", {})
    if opening and (set(opening) != set(OPENING) or not all(opening.values())):
        raise PaperError(f"{file}: opening needs one sentence each for {', '.join(OPENING)}")
    return {name: opening[name] for name in OPENING if opening}


def _claims(file: Path, table: Mapping[str, Any]) -> dict[int, Claim]:
    claims: dict[int, Claim] = {}
    known = {field.name for field in fields(Claim)}
    needed = known - {"note", "runs", "guess", "untried"}
    for at, entry in enumerate(table.get("claim", ()), 1):
        where = f"{file}: claim {entry.get('id', f'number {at}, which has no id')}"
        if wrong := sorted(set(entry) - known):
            raise PaperError(f"{where}: unknown {', '.join(wrong)}")
        if lacking := sorted(name for name in needed if not entry.get(name)):
            raise PaperError(f"{where}: {', '.join(lacking)} missing or empty")
        claim = Claim(**entry)
        if claim.verdict not in VERDICTS:
            raise PaperError(f'{where}: the verdict "{claim.verdict}" is none of {", ".join(VERDICTS)}')
        if claim.verdict != VERDICTS[0] and not claim.note:
            raise PaperError(f'{where}: "{claim.verdict}" needs a note')
        if claim.runs and claim.runs not in RUNS:
            raise PaperError(f'{where}: runs = "{claim.runs}" is none of {", ".join(RUNS)}')
        names_one = any(words in claim.note for words in _NAMES_ONE)
        if names_one != bool(claim.untried) or (claim.untried and claim.untried not in UNTRIED):
            why = f"a note that names an experiment gives its result, or `untried` says why: {', '.join(UNTRIED)}"
            raise PaperError(f"{where}: {why}")
        _has_its_guess(file, where, claim)
        if claim.id in claims or (claims and claim.id < max(claims)):
            raise PaperError(f"{where}: the ids must rise")
        claims[claim.id] = claim
    return claims


def _has_its_guess(file: Path, where: str, claim: Claim) -> None:
    """A fitted claim, and no other, names the file of its guess, which is tagged there with the claim's number."""
    if (claim.verdict == FITTED) != bool(claim.guess):
        raise PaperError(f'{where}: "{FITTED}" and `guess`, the file of the guess, go together')
    if not claim.guess:
        return
    place = file.parent / claim.guess
    text = place.read_text(encoding="utf-8") if place.is_file() else ""
    if "[G]" not in text or f"claim {claim.id})" not in text:
        raise PaperError(f"{where}: {claim.guess} has no guess [G] that says it was fitted to (claim {claim.id})")


def _hold_together(file: Path, paper: Paper) -> None:
    wanted = {claim.id for claim in paper.claims.values() if claim.is_checked}
    if lacking := sorted(wanted - set(paper.checks)):
        raise PaperError(f"{file}: no check for {_ids(lacking)}; write one, or say why it cannot be done here")
    if orphans := sorted(set(paper.checks) - set(paper.claims)):
        raise PaperError(f"{file}: no claim for the checks of {_ids(orphans)}")
    listed = {*paper.claims, *paper.open}
    if len(listed) < len(paper.claims) + len(paper.open):
        raise PaperError(f"{file}: a claim is both there and open")
    if gaps := sorted(set(range(1, max(listed, default=0) + 1)) - listed):
        raise PaperError(f"{file}: {_ids(gaps)} neither there nor open")


def spans(ids: Sequence[int]) -> str:
    """Rising ids in a few words.

    >>> spans([1, 3, 4, 5])
    '1, 3–5'
    """
    groups: list[list[int]] = []
    for number in ids:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}–{group[-1]}" for group in groups)


def _ids(ids: list[int]) -> str:
    return f"claim{'s' if len(ids) > 1 else ''} {spans(ids)}"


def _marked(folder: Path, name: str, attribute: str) -> dict[Any, Callable[..., Any]]:
    """The functions that a decorator has marked in a module of the paper, or in all modules of a folder of it."""
    if not (folder / f"{name}.py").exists() and not (folder / name).is_dir():
        return {}
    package = f"{_PACKAGE}.{folder.name}"
    try:
        modules = [importlib.import_module(f"{package}.{name}")]
        for found in pkgutil.iter_modules(getattr(modules[0], "__path__", ())):
            modules.append(importlib.import_module(f"{package}.{name}.{found.name}"))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(_PACKAGE):
            raise
        raise PaperError(f"{folder.name} needs {error.name}\nhint: pip install 'windward[papers]'") from error
    marked: dict[Any, Callable[..., Any]] = {}
    for module in modules:
        for function in vars(module).values():
            mark = getattr(function, attribute, None)
            if mark is None or function.__module__ != module.__name__:
                continue
            if mark in marked:
                raise PaperError(
                    f"{folder / name}: two functions for {mark}: {marked[mark].__name__}, {function.__name__}"
                )
            marked[mark] = function
    return marked


def _open_packages(folder: Path) -> None:
    """Lets the modules of a paper be imported, as they are now, under a name of their own."""
    package = f"{_PACKAGE}.{folder.name}"
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    importlib.invalidate_caches()
    for name, path in ((_PACKAGE, folder.parent), (package, folder)):
        module = ModuleType(name)
        module.__path__ = [str(path)]
        sys.modules[name] = module
