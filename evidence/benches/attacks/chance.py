"""Claims of searches against chance: searches on noise claim nothing, finds hold on the share they print.

    chance.py --tries 100             searches on noise, each with another seed
    chance.py --finds 20 --seeds 100  finds of random networks, each run on so many other seeds

Exits with 1 if a search on noise claims something, or more finds than chance allows miss their share.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import windward as ww
from windward.results._rare import binomial_interval

#: One Reno over a link.
ALONE: dict[str, Any] = {
    "name": "alone",
    # The shares of chance below are those of the RFCs' stack.
    "stack": "rfc",
    "duration": "6 s",
    "warmup": "1 s",
    "node": [{"name": "a"}, {"name": "b"}],
    "link": [{"name": "air", "from": "a", "to": "b", "rate": "5 Mbit/s", "delay": "20 ms", "buffer": "20 packets"}],
    "flow": [{"name": "A", "from": "a", "to": "b", "law": "reno"}],
}

#: Two of them over a lossy link: in 8 s one has 1.3 times the other's goodput with every fifth seed.
NOISE = {
    **ALONE,
    "name": "noise",
    "duration": "14 s",
    "warmup": "6 s",
    "link": [{**ALONE["link"][0], "loss": "0.5 %"}],
    "flow": [ALONE["flow"][0], {**ALONE["flow"][0], "name": "B"}],
}

#: A start within the warm-up draws other losses, and changes nothing else.
_STARTS = "flow.B.start=0..2 s"

#: The first of the other seeds on which finds are run.
_OTHERS = 10_000_001


def written(folder: Path, about: dict[str, Any]) -> ww.Scenario:
    """A scenario of plain values."""
    path = folder / f"{about['name']}.json"
    path.write_text(json.dumps(about), encoding="utf-8")
    return ww.load(path)


def on_noise(folder: Path, seed: int, trials: int = 40) -> ww.Attack:
    """A search that chance answers: on two seeds at once one of 25 trials holds."""
    return written(folder, NOISE).attack(
        "starves:1.3", within=[_STARTS], reference=None, seeds=2, seed=seed, trials=trials, output=folder / "t"
    )


def random_network(chance: random.Random, number: int) -> dict[str, Any]:
    """One flow over a link of random rate, delay, buffer and loss."""
    link = {
        "rate": f"{chance.randrange(5, 40)} Mbit/s",
        "delay": f"{chance.randrange(5, 60)} ms",
        "buffer": f"{chance.randrange(20, 120)} packets",
        "loss": 0.0,
    }
    law = chance.choice(["reno", "cubic", "vegas", "westwood", "htcp"])
    return {
        **ALONE,
        "name": f"random-{number}",
        "duration": "10 s",
        "link": [{**ALONE["link"][0], **link}],
        "flow": [{**ALONE["flow"][0], "law": law}],
    }


def find(folder: Path, chance: random.Random, number: int) -> ww.Attack:
    """A search for losses that take a random share of the goodput of a random network."""
    scenario = written(folder, random_network(chance, number))
    until = f"slows:{chance.randrange(30, 80)}%"
    bound = chance.choice(["link.air.loss=0..2 %", "link.air.loss=pattern 0..5 %", "link.air.up=pattern 50..500 ms"])
    return scenario.attack(until, within=[bound], reference=None, trials=60, output=folder / "t")


def held(attack: ww.Attack, seeds: int) -> float:
    """The share of other seeds on which a find holds."""
    run = ww.load(attack.scenario_file).simulate(seeds=list(range(_OTHERS, _OTHERS + seeds)))
    share = float(str(attack.summary["until"]).partition(":")[2].rstrip("%")) / 100
    limit = share * attack.summary["clean"]["goodput"]
    goodputs = 8 * run.flows.groupby("seed")["delivered_bytes"].sum() / (run.duration_s - run.warmup_s)
    return float((goodputs <= limit).mean())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--finds", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=100)
    asked = parser.parse_args()
    claims = 0
    for seed in range(1, asked.tries + 1):
        with tempfile.TemporaryDirectory() as folder:
            attack = on_noise(Path(folder), seed)
            claims += attack.is_found
            by_chance = attack.summary["scattered"]
            print(f"noise {seed}: {'claimed' if attack.is_found else 'nothing'}, {by_chance} by chance", flush=True)
    print(f"{claims} of {asked.tries} searches on noise claim something")
    chance, found, missed, number = random.Random(1), 0, 0, 0
    while found < asked.finds and number < 10 * asked.finds:
        number += 1
        with tempfile.TemporaryDirectory() as folder:
            attack = find(Path(folder), chance, number)
            if not attack.is_found:
                continue
            found += 1
            share, there = attack.summary["found"]["share"], held(attack, asked.seeds)
            # Both are intervals of the share on all seeds: all of a hundred seeds is 96.4 % to 100 %.
            low, high = binomial_interval(round(there * asked.seeds), asked.seeds)
            is_missed = high < share["low"] or low > share["high"]
            missed += is_missed
            told = f"{share['held']} of {share['of']} ({share['low']:.0%} to {share['high']:.0%})"
            print(f"find {found}: {told}, on other seeds {there:.0%}{' missed' if is_missed else ''}", flush=True)
    print(f"{missed} of {found} finds miss the share that they print")
    # One in twenty intervals may miss.
    return int(claims > 0 or missed > max(1, found // 10))


if __name__ == "__main__":
    sys.exit(main())
