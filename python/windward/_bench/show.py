"""The answer about a law in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The lines that the command prints."""
    metrics = found["metrics"]
    count = len(found["artifacts"]["networks"])
    of = f"{found['set']} {found['version']}" + (f", seed {found['seed']}" if found["seed"] is not None else "")
    yield f"{found['law']} on {count} networks of {of} (digest {found['digest']}), stage {found['stage']}"
    yield ""
    within = f"95 % interval {metrics['low']:.3f} to {metrics['high']:.3f}; CUBIC 0"
    yield f"combined score  {found['combined_score']:.3f}  ({within})"
    yield f"mean score      {metrics['score']:.3f}, worst tenth {metrics['worst_tenth']:.3f}"
    yield f"goodput         {metrics['goodput_ratio']:.3f} times CUBIC's (geometric mean over networks)"
    yield f"p95 RTT         {metrics['rtt_ratio']:.3f} times CUBIC's"
    yield f"lost segments   {100 * metrics['loss']:.2f} %"
    yield f"regret          {metrics['regret']:.3f} per flow, of the proportionally fair optimum"
    if metrics["failures"]:
        yield f"failed          {metrics['failures']} networks"
    yield ""
    families = [(name.removeprefix("score_"), value) for name, value in metrics.items() if name.startswith("score_")]
    yield "family    score"
    for name, value in families:
        yield f"{name:9} {value:6.3f}"
    yield ""
    yield "worst networks"
    for line in found["artifacts"]["worst"].splitlines():
        yield f"  {line}"
