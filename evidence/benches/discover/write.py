"""Problems with known answers for `discover`, and the searches: evidence/measured/validation/discover.md.

Goes on where it was interrupted: answers are kept in results/discover-*. `--held-out N` opens the held-out set of this
seed for the searches that have not opened one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import known_answers

import windward as ww
from windward._bench import networks as sets
from windward._discover.field import Field, Journal, Verdict
from windward._discover.search import DiscoverRequest, Search, confirmed
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "discover.md"
KEPT = ROOT / "results"

#: Backlog of the rest that is searched again, and seeds of its searches.
BACKLOG, REDISCOVERIES = 20.0, (1, 2, 3)

#: Laws that are tried at most for the planted tree.
BRED = 12_000


def kept(name: str, seed: int, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """An answer, asked for or taken from an earlier run."""
    file = KEPT / "discover-oracles" / f"{name}-{seed}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        replace_text(file, json.dumps(ask()))
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    print(name, seed, found, file=sys.stderr, flush=True)
    return found


def rediscovered(seed: int) -> dict[str, Any]:
    """The contract that is found for QUIC-TCP's objective."""
    found = known_answers.rediscover(BACKLOG, seed, 600)
    known = known_answers.of_contract({"theta": 0.0, "p": BACKLOG, "q": 0.0})
    return {**found, "apart": known_answers.apart(known_answers.of_contract(found), known, seed)}


def planted(seed: int) -> dict[str, Any]:
    """The tree that is found for the planted one's objective."""
    given = known_answers.problem(known_answers.damped(BACKLOG), seed)
    cost, plant = known_answers.breed(given, seed, trials=BRED, enough=known_answers.ENOUGH)
    apart = known_answers.apart(known_answers.of_tree(plant.tree), known_answers.of_tree(known_answers.PLANTED), seed)
    return {"tree": str(plant.tree), "cost": cost, "apart": apart, "found": apart < 0.02}


def null(seed: int, folder: Path) -> dict[str, Any]:
    """A search whose rewards are shuffled within each generation: what it chooses, beside the known laws."""
    chance = random.Random(seed)

    def shuffled(own: list[Verdict]) -> list[Verdict]:
        own = list(own)
        chance.shuffle(own)
        return own

    journal = Journal(folder / "null.jsonl")
    races = Field(networks=sets.networks("train")[:8], limits=(), journal=journal)
    search = Search(
        asked=DiscoverRequest(family="tree", count=96, seed=seed), races=races, folder=folder, rewards=shuffled
    )
    chosen = search.run()
    starts = {f"start {at + 1}": start for at, start in enumerate(search.starts)}
    found = confirmed(chosen.law, sets.networks("validation"), journal, None, starts)
    name, best = max(found["others"].items(), key=lambda own: own[1]["score"])
    return {"chosen": found["score"], "name": name, **best}


def searched(family: str, trials: int, attack: int, held_out: int | None) -> str:
    """A search in words."""
    folder = KEPT / f"discover-{family}"
    found = ww.discover(output=folder, family=family, trials=trials, attack=attack, held_out=held_out)
    law = found["law"]
    constants = ", ".join(f"{name} = {value:g}" for name, value in law["constants"].items())
    lines = [
        f"### Family `{family}`",
        "",
        f"{found['trials']} candidates, {len(found['epochs'])} epochs; attacks added {len(found['found'])} networks.",
        "",
        "```",
        f"step = {law['step']}",
        f"loss = {law['loss']}",
        f"exit = {law['exit']:g}, average = {law['average']:g}",
        constants,
        "```",
        "",
        "| limit | value, three fresh seeds | at least | |",
        "|---|---|---|---|",
    ]
    for own in found["limits"]:
        broken = "" if own["value"] is not None and own["value"] >= own["least"] else "broken"
        value = "none" if own["value"] is None else f"{own['value']:.2f}"
        lines.append(f"| {own['about']} | {value} | {own['least']:g} | {broken} |")
    for name in ("validation", "held_out"):
        own = found[name]
        if own is None or "others" not in own:
            continue
        of = "validation set" if name == "validation" else f"held-out set of seed {own['seed']} (`{own['digest']}`)"
        lines += [
            "",
            f"On the {of}, seeds {', '.join(map(str, own['seeds']))}: {own['score']:.2f}, beside",
            "",
            "| law | score | the find is ahead by | 95 % interval |",
            "|---|---|---|---|",
        ]
        for law_name, row in own["others"].items():
            within = f"{row['low']:.2f} to {row['high']:.2f}"
            lines.append(f"| {law_name} | {row['score']:.2f} | {row['ahead']:.2f} | {within} |")
    said = "It holds: it keeps its limits and is ahead of all." if found["holds"] else _gap(found)
    return "\n".join([*lines, "", said])


def _gap(found: dict[str, Any]) -> str:
    """The reason why a law does not hold."""
    decides = found["held_out"] if found["held_out"] else found["validation"]
    name, best = max(
        ((name, own) for name, own in decides["others"].items() if not name.startswith("start")),
        key=lambda own: own[1]["score"],
    )
    broken = [own["name"] for own in found["limits"] if own["value"] is None or own["value"] < own["least"]]
    said = f"It does not hold: beside the best known law there, `{name}`, the gap is {best['ahead']:.2f} "
    said += f"({best['low']:.2f} to {best['high']:.2f})"
    said += f", and it breaks {', '.join(broken)}." if broken else "; it keeps its limits."
    return said if found["held_out"] else f"{said} The held-out set was not opened."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", type=int)
    parser.add_argument("--contract", type=int, default=160, help="candidates of the family")
    parser.add_argument("--tree", type=int, default=200, help="candidates of the family")
    parser.add_argument("--attack", type=int, default=0)
    parser.add_argument("--planted", type=int, default=10, help="seeds of the planted tree")
    parser.add_argument("--nulls", type=int, default=3, help="seeds of the shuffled rewards")
    asked = parser.parse_args()
    again = "\n".join(
        f"| {seed} | {own['theta']:g} | {own['p']:g} | {own['q']:g} | {100 * own['apart']:.2f} % |"
        for seed in REDISCOVERIES
        for own in [kept("rediscovered", seed, partial(rediscovered, seed))]
    )
    plants = {seed: kept("planted", seed, partial(planted, seed)) for seed in range(1, asked.planted + 1)}
    trees = "\n".join(
        f"| {seed} | `{own['tree']}` | {own['cost']:.1e} | {100 * own['apart']:.2g} % | "
        f"{'yes' if own['found'] else 'no'} |"
        for seed, own in plants.items()
    )
    with tempfile.TemporaryDirectory() as folder:
        nulls = [kept("null", seed, partial(null, seed, Path(folder))) for seed in range(1, asked.nulls + 1)]
    rows = "\n".join(
        f"| {seed} | {own['chosen']:.2f} | {own['score']:.2f} ({own['name']}) | {own['ahead']:.2f} "
        f"({own['low']:.2f} to {own['high']:.2f}) |"
        for seed, own in enumerate(nulls, start=1)
    )
    families = [
        searched(family, trials, asked.attack, asked.held_out)
        for family, trials in (("contract", asked.contract), ("tree", asked.tree))
        if trials
    ]
    template = (Path(__file__).parent / "discover.md.in").read_text(encoding="utf-8")
    text = (
        template.replace("@backlog@", f"{BACKLOG:g}")
        .replace("@again@", again)
        .replace("@planted@", str(known_answers.PLANTED))
        .replace("@trees@", trees)
        .replace("@count@", str(sum(own["found"] for own in plants.values())))
        .replace("@of@", str(asked.planted))
        .replace("@nulls@", rows if nulls else "| not run | | | |")
        .replace("@seeds@", str(asked.nulls))
        .replace("@found@", str(sum(own["low"] > 0 for own in nulls)))
        .replace("@families@", "\n\n".join(families))
    )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
