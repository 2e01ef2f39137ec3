"""A plain searcher: changes a number or a part of the best law's formulas, and keeps what scores more.

    python examples/search/climb.py --minutes 10

It needs no language model, and shows what one has to beat. The best candidate is written to best.py, and scored on
the validation set once, at the end.
"""

import argparse
import json
import random
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from evaluator import NO_LAW, score

import windward as ww

START = Path(__file__).parent / "candidate.py"
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
#: Terms and factors that may join a formula.
FACTORS = ("share", "(1 - share)", "least / base", "0.5", "2", "sqrt(w)", "min(1, rounds / 10)")
STEPS = (
    "acked * clamp(0.5 * (20 - w * (1 - share)) / w, -0.5, 1)",
    "if(w * (1 - share) < 20, acked / w, -acked / w)",
    "acked / w",
)


def changed(law: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """A law with one thing changed."""
    law = dict(law)
    key = draw.choice(["step", "step", "loss", "exit"])
    if key == "exit":
        law["exit"] = draw.choice([0, 5, 10, 20, 40, 80])
        return law
    text = law[key]
    numbers = list(NUMBER.finditer(text))
    kind = draw.random()
    if numbers and kind < 0.6:
        own = draw.choice(numbers)
        value = float(own[0]) * draw.lognormvariate(0, 0.4)
        law[key] = f"{text[: own.start()]}{value:.3g}{text[own.end() :]}"
    elif kind < 0.8:
        law[key] = f"({text}) * {draw.choice(FACTORS)}"
    elif key == "step":
        law[key] = f"max({text}, {draw.choice(STEPS)})" if kind < 0.9 else draw.choice(STEPS)
    else:
        law[key] = f"{draw.uniform(0.4, 0.95):.2f} * flight"
    return law


def scored(law: dict[str, Any], stage: int, folder: Path) -> float:
    path = folder / "candidate.py"
    path.write_text(f"LAW = {law!r}\n", encoding="utf-8")
    return score(str(path), stage)[0]["combined_score"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stage", type=int, choices=(1, 2, 3), default=2, help="Stage that decides (default: 2).")
    asked = parser.parse_args()
    draw = random.Random(asked.seed)
    end = time.monotonic() + 60 * asked.minutes
    names: dict[str, Any] = {}
    exec(START.read_text(encoding="utf-8"), names)
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        best = names["LAW"]
        quick, full = scored(best, 1, folder), scored(best, asked.stage, folder)
        print(f"start: {full:.3f} on the training set", flush=True)
        tried = 0
        while time.monotonic() < end:
            law = changed(best, draw)
            tried += 1
            # A stage of a tenth of the cost drops what is clearly worse.
            own = scored(law, 1, folder)
            if own <= NO_LAW or own < quick - 0.1:
                continue
            whole = own if asked.stage == 1 else scored(law, asked.stage, folder)
            if whole > full:
                best, quick, full = law, own, whole
                print(f"{tried:5d}: {full:.3f}  {json.dumps(law)}", flush=True)
    Path("best.py").write_text(f"LAW = {best!r}\n", encoding="utf-8")
    found = ww.bench(ww.Formula(**best), set="validation", stage=asked.stage)
    print(
        f"{tried} candidates; best {full:.3f} on the training set, {found['combined_score']:.3f} on the validation set"
    )


if __name__ == "__main__":
    main()
