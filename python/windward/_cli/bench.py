"""The command that scores a law on a set of networks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windward import _console
from windward._cli.options import Quiet, Threads
from windward._cli.searching import AsJson
from windward._cli.words import complain, tell
from windward._engine import RunInterrupted
from windward.errors import OptionError


def bench(
    law: Annotated[
        str,
        typer.Argument(
            metavar="LAW",
            help="A law: NAME, NAME,KEY=VALUE,… or FILE.py:CLASS. `windward laws` lists names and parameters.",
        ),
    ],
    set_: Annotated[
        str, typer.Option("--set", metavar="NAME", help="train, validation or held-out, of 64 networks each.")
    ] = "train",
    stage: Annotated[
        int,
        typer.Option(metavar="N", help="Extent: 1, 2 or 3, about 2 s, 20 s or 3 min on two cores."),
    ] = 2,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the held-out set.")] = None,
    threads: Threads = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the answer as JSON.")
    ] = None,
    no_python: Annotated[
        bool, typer.Option("--no-python", help="Refuse a law in Python, whose code would run.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Score a law on 64 networks, beside CUBIC.

    The sets are fixed: wires, random loss, cells, Wi-Fi, satellites, AQM, jitter, and flows beside CUBIC and BBR. The
    score is 0 for CUBIC, and no network counts for more than 2. A law that is hopeless in a stage does not reach the
    next.
    """
    from windward._bench.entry import bench as run
    from windward._bench.show import lines
    from windward.results._files import replace_text
    from windward.results._folder import to_json
    from windward.show import _terminal

    if no_python and ":" in law.split(",", maxsplit=1)[0]:
        raise OptionError(("no-python", "", f"`{law}` is a law in Python"))
    try:
        with _terminal.progress("running", "run", is_quiet=quiet or as_json, noun="runs") as progress:
            found = run(law, set=set_, stage=stage, seed=seed, threads=threads, progress=progress)
    except RunInterrupted as stop:
        complain(str(stop))
        raise typer.Exit(130) from None
    if output is not None:
        replace_text(output, to_json(found))
    if as_json:
        _console.print_json(found, indent=2)
    elif not quiet:
        for line in lines(found):
            _console.say(line)
        if output is not None:
            tell(output)
