"""Scores every law on a set of networks: evidence/measured/bench.md. `--stage N`, `--set NAME`, `--seed N` choose."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import windward as ww
from windward import _engine
from windward._bench.networks import FAMILIES

PAGE = Path(__file__).parents[3] / "evidence" / "measured" / "bench.md"

#: Laws as they are scored where their defaults are made for other networks, and further ones.
OTHERS = {
    "quic-tcp": ("quic-tcp", "quic-tcp,backlog=20"),
    "fast": ("fast,alpha=20",),
    # Reno, with its defaults.
    "formula": (),
}


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    metrics = found["metrics"]
    name = found["law"].partition(",")[0]
    families = (f"{metrics[f'score_{family}']:.2f}" for family in FAMILIES)
    cells = [
        f"[`{found['law']}`](../../docs/reference/laws/{name}.md)",
        f"{found['combined_score']:.2f}",
        f"{metrics['low']:.2f} to {metrics['high']:.2f}",
        f"{metrics['score']:.2f}",
        f"{metrics['goodput_ratio']:.2f}",
        f"{metrics['rtt_ratio']:.2f}",
        f"{100 * metrics['loss']:.2f} %",
        f"{metrics['regret']:.2f}",
        *families,
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", type=int, default=2)
    parser.add_argument("--set", default="validation")
    parser.add_argument("--seed", type=int)
    asked = parser.parse_args()
    names = [law["name"] for law in _engine.laws()]
    laws = [text for name in names for text in OTHERS.get(name, (name,))]
    answers = []
    for law in laws:
        answers.append(ww.bench(law, set=asked.set, stage=asked.stage, seed=asked.seed))
        print(law, f"{answers[-1]['combined_score']:.3f}", file=sys.stderr, flush=True)
    answers.sort(key=lambda found: (-found["stage"], -found["combined_score"]))
    template = (Path(__file__).parent / "bench.md.in").read_text(encoding="utf-8")
    first = answers[0]
    seed = "" if first["seed"] is None else f" --seed {first['seed']}"
    text = (
        template.replace("@version@", first["windward"])
        .replace("@set@", f"{first['set']} {first['version']}")
        .replace("@digest@", first["digest"])
        .replace("@command@", f"windward bench LAW --set {first['set']}{seed} --stage {asked.stage}")
        .replace("@families@", " | ".join(FAMILIES))
        .replace("@rules@", "|---" * (8 + len(FAMILIES)) + "|")
        .replace("@rows@", "\n".join(map(row, answers)))
    )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
