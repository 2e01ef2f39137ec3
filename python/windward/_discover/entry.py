"""Entrance to the search for a law: `windward.discover` and the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

from windward import _engine
from windward._bench import networks as sets
from windward._discover.field import Field, Journal
from windward._discover.limits import limits
from windward._discover.search import FRESH, REFERENCES, DiscoverRequest, Search, begin, confirmed
from windward._discover.write import write
from windward.errors import ResultError
from windward.results._files import replace_text
from windward.results._folder import to_json
from windward.results._lock import Lock
from windward.results._place import numbers
from windward.results._shapes import Progress
from windward.results._summary import number
from windward.results._sweep import build

#: Candidates by default.
TRIALS = 400

#: Files of the folder: the answer, and the runs.
ANSWER, JOURNAL = "discovery.json", "journal.jsonl"


def discover(
    *,
    output: str | Path,
    family: str = "contract",
    trials: int = TRIALS,
    budget_s: float = float("inf"),
    attack: int = 0,
    held_out: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Searches a congestion control law among formulas.

    Laws race on the training set of `windward.bench`. A law that breaks a limit ranks behind all that do not. The best
    law is then compared with known ones on the validation set, with seeds that the search has not used, and at the end
    once on a held-out set. The folder gets `discovery.json`, `candidates.csv`, `progress.svg`, and `law.toml`, a
    scenario with the law beside CUBIC.

    Parameters
    ----------
    output
        Folder for the answer. An interrupted search in it is resumed.
    family
        "contract": ten coefficients of a law that moves towards a target window, by CMA-ES; "tree": any formula for the
        target of up to twelve nodes, by genetic programming.
    trials
        Number of candidates.
    budget_s
        Time in seconds after which no generation begins.
    attack
        Trials of an attack on the best law after each epoch, whose find joins the training set. 0: none.
    held_out
        Seed of a held-out set. A folder opens one, once.
    seed
        Seed of the search.
    threads
        Number of runs at once. Default: the number of cores.
    progress
        Called some times a second; its seeds are candidates.

    Returns
    -------
    dict
        `law` has the arguments of `windward.Formula`, `score` is that on the training set. `validation` and `held_out`
        have the scores of known laws, and by how much the law is ahead of each, with 95 % intervals. `holds` is true if
        the law breaks no limit and is ahead of each by more than chance.

    Raises
    ------
    ValueError
        For a family that does not exist.
    windward.ResultError
        If `output` holds anything else, or another held-out set has been opened.
    windward.RunInterrupted
        On Ctrl-C; the same call goes on.

    Examples
    --------
    >>> import windward as ww
    >>> found = ww.discover(output="discovered", family="tree", trials=1)
    >>> ww.Formula(**found["law"]).loss
    'left * flight'
    """
    asked = DiscoverRequest(
        family=family, count=trials, seed=seed, budget_s=budget_s, attack=attack, held_out=held_out, threads=threads
    )
    return run(asked, Path(output), progress=progress)


def run(
    asked: DiscoverRequest,
    output: Path,
    *,
    is_numbered: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Searches and writes the answer; `discover` says what the arguments mean."""
    for path in chain([output], numbers(output)):
        lock = Lock(path)
        try:
            refusal = _refusal(path, asked)
            if refusal is None:
                return _searched(asked, path, progress)
            if not is_numbered:
                raise refusal
        finally:
            lock.release()
    raise AssertionError("numbers do not end")


def _head(asked: DiscoverRequest) -> dict[str, Any]:
    return {"windward": _engine.__version__, "build": build(), **asked.question()}


def _refusal(path: Path, asked: DiscoverRequest) -> ResultError | None:
    """Why the search cannot go on in a folder; None if it can. A new folder learns the question."""
    file = path / ANSWER
    if not file.exists():
        there = sorted(own.name for own in path.iterdir() if not own.name.startswith("."))
        if there:
            return ResultError(f"{path} contains `{there[0]}` and is no search; it is not overwritten")
        replace_text(file, to_json(_head(asked) | {"complete": False}))
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    for name, value in _head(asked).items():
        if kept.get(name) != value:
            said = f"{path} holds a search with another {name}"
            return ResultError(f"{said}; it is not overwritten\nhint: choose another folder, or delete it")
    opened = kept.get("held_out")
    if opened is not None and asked.held_out not in (None, opened["seed"]):
        return ResultError(f"{path} has opened the held-out set of seed {opened['seed']}; there is no second one")
    return None


def _searched(asked: DiscoverRequest, path: Path, progress: Callable[[Progress], None] | None) -> dict[str, Any]:
    kept = json.loads((path / ANSWER).read_text(encoding="utf-8"))
    journal = Journal(path / JOURNAL)
    search = begin(asked, path, journal)

    def tell(judged: int) -> None:
        if progress is not None:
            share = min(judged / asked.count, 1.0)
            progress(Progress(fraction=share, finished=min(judged, asked.count), seeds=asked.count, resumed=0.0))

    search.progress = tell
    search.races.tell = lambda: tell(len(search.tried))
    try:
        return _concluded(search, path, kept)
    except KeyboardInterrupt as interrupt:
        said = f"interrupted: {len(search.tried)} of {asked.count} candidates judged"
        raise _engine.RunInterrupted(said) from interrupt


def _concluded(search: Search, path: Path, kept: dict[str, Any]) -> dict[str, Any]:
    asked, journal = search.asked, search.races.journal
    best = search.run()
    law = dict(best.law)
    # The law itself against its limits, with seeds of its own: the search has chosen it by one seed.
    fresh = [_limits(search.races, law, seed) for seed in FRESH]
    means = {own.name: sum(values[own.name] for values in fresh) / len(fresh) for own in search.races.limits}
    rows = [
        {"name": own.name, "about": own.about, "least": own.least, "value": number(means[own.name])}
        for own in search.races.limits
    ]
    is_within = all(own.missing(means[own.name]) == 0 for own in search.races.limits)
    starts = {f"start {at + 1}": start for at, start in enumerate(search.starts)}
    validation = confirmed(law, sets.networks("validation"), journal, asked.threads, {**REFERENCES, **starts})
    held_out = kept.get("held_out")
    if asked.held_out is not None:
        drawn = sets.networks("held-out", asked.held_out)
        digest = sets.digest("held-out", asked.held_out)
        # Noted before it is opened: an interruption does not allow another one.
        replace_text(path / ANSWER, to_json(kept | {"held_out": {"seed": asked.held_out, "digest": digest}}))
        told = confirmed(law, drawn, journal, asked.threads, REFERENCES)
        held_out = {"seed": asked.held_out, "digest": digest, **told}
    last = held_out if held_out is not None and "others" in held_out else validation
    answer = _head(asked) | {
        "complete": True,
        "folder": str(path),
        "law": {key: value for key, value in law.items() if key != "name"},
        "score": best.verdict.score,
        "violation": best.verdict.violation,
        "generation": best.generation,
        "trials": len(search.tried),
        "runs": search.races.runs,
        "epochs": search.epochs,
        "found": [own.name for own in search.races.extra],
        "limits": rows,
        "fresh": list(FRESH),
        "validation": validation,
        "held_out": held_out,
        "within_limits": is_within,
        "holds": is_within and all(own["low"] > 0 for name, own in last["others"].items() if name in REFERENCES),
    }
    replace_text(path / ANSWER, to_json(answer))
    write(search, answer, path)
    return answer


def _limits(field: Field, law: dict[str, Any], seed: int) -> dict[str, float]:
    own = Field(networks=(), limits=limits(), journal=field.journal, threads=field.threads, tell=field.tell)
    return own.figures_of_limits(law, seed)
