"""Entrance to the score of a law: `windward.bench` and the command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from windward._bench.run import STAGES, BenchRequest, run
from windward._evaluate.entry import as_plain
from windward._evaluate.request import check_law, read_law
from windward.errors import OptionError
from windward.results._shapes import Progress


def bench(
    law: Any,
    *,
    set: str = "train",  # noqa: A002
    stage: int = 2,
    seed: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Scores a law on a fixed set of 64 networks, beside CUBIC on the same networks and seeds.

    A network's score compares all goodputs with those beside CUBIC: the mean of their log ratios. Half the log ratio of
    the 95th percentiles of the law's round-trip times is taken off. The score lies between -2 and 2. The combined score
    is the mean over networks plus the mean of the worst tenth: 0 for CUBIC. Runs of CUBIC are kept within the process.

    Parameters
    ----------
    law
        A law's name, an object such as `windward.QuicTcp(backlog=20)`, a class in Python, or a text as on the
        command line: "quic-tcp,backlog=20", "my_law.py:MyLaw".
    set
        "train", "validation" or "held-out".
    stage
        1, 2 or 3: about 2 s, 20 s or 3 min on two cores. A law that is hopeless in a stage does not reach the next.
    seed
        Seed of the held-out set.
    threads
        Number of runs at once. Default: the number of cores; one for a law in Python.
    progress
        Called some times a second.

    Returns
    -------
    dict
        `combined_score`; `metrics`, all numbers; `artifacts` with the five worst networks in words and a row for each
        network.

    Raises
    ------
    ValueError
        For a law, a set or a stage that does not exist.
    windward.RunInterrupted
        On Ctrl-C.

    Examples
    --------
    >>> import windward as ww
    >>> ww.bench("cubic", stage=1)["combined_score"]
    0.0
    """
    if stage not in STAGES:
        raise OptionError(("stage", str(stage), f"stages: {', '.join(map(str, STAGES))}"))
    laws: dict[str, Callable[..., Any]] = {}
    folder = Path()
    if isinstance(law, str):
        text = law
        law, folder = read_law(law)
    else:
        law, text = as_plain(law, laws)
        if not laws:
            check_law(law, folder, text)
    asked = BenchRequest(law=law, text=text, set=set, seed=seed, stage=stage, folder=folder, laws=laws)
    return run(asked, threads=threads, progress=progress)
