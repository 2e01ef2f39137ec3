"""The answer of a search in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The lines that the command prints."""
    law = found["law"]
    constants = ", ".join(f"{name} = {value:g}" for name, value in law["constants"].items())
    yield f"{found['family']}: {found['trials']} candidates in {len(found['epochs'])} epochs, seed {found['seed']}"
    yield ""
    yield f"step            {law['step']}"
    yield f"loss            {law['loss']}"
    yield f"constants       {constants}"
    yield f"slow start ends at {law['exit']:g} packets in queues; averages of {law['average']:g} samples"
    yield ""
    yield f"combined score  {found['score']:.3f} on the training set; CUBIC 0"
    for at, epoch in enumerate(found["epochs"], start=1):
        yield f"  epoch {at}: {epoch['training']:.3f} training, {epoch['validation']:.3f} validation"
    yield ""
    yield f"limits, means over {len(found['fresh'])} fresh seeds"
    for own in found["limits"]:
        value = float("nan") if own["value"] is None else own["value"]
        said = "" if value >= own["least"] else "  broken"
        yield f"  {own['name']:11} {value:6.2f}, at least {own['least']:g}{said}"
    for name, title in (("validation", "validation set"), ("held_out", "held-out set")):
        own = found[name]
        if own is None or "others" not in own:
            continue
        of = f", seed {own['seed']}" if "seed" in own else ""
        yield ""
        yield f"{title}{of}, {len(own['seeds'])} fresh seeds: {own['score']:.3f}"
        yield "  beside                score  ahead by"
        for law_name, row in own["others"].items():
            within = f"{row['low']:6.3f} to {row['high']:.3f}"
            yield f"  {law_name:20} {row['score']:6.3f}  {row['ahead']:6.3f} ({within})"
    yield ""
    yield (
        "the law keeps its limits and is ahead of every known law"
        if found["holds"]
        else "no law that keeps its limits and is ahead of every known law by more than chance"
    )
