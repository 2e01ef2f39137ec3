"""The command that searches the worst network for a law."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from windward._cli.options import MOST_RUNS, File, NoPython, Quiet, Threads, parse_file
from windward._cli.searching import AsJson, Budget, SearchSeed, parse_budget, parse_time, tell_found
from windward._cli.words import complain
from windward._engine import MAX_SCENARIO, RunInterrupted, read_text
from windward._format.parse import is_json

#: Exit code of a search that found nothing.
_NOT_FOUND = 3


def attack(
    file: File,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="QUESTION",
            help="starves[:RATIO], unfair[:RATIO or Jain's index], bloats[:TIME or Nx], idles[:SHARE], "
            "slows[:SHARE], stalls[:SHARE or TIME], loses[:SHARE] or differs:LAW[:RATIO]. Defaults: 10, 3, 100 ms, "
            "50%, 50%, 10%, 5%, 3. RATIO is one flow's goodput over another's; of unfair, a flow's fair share over "
            "its goodput. Default: unfair; slows for a single flow.",
        ),
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=RANGE",
            help="A field and its bounds: 'link.*.loss=0..1 %', 'link.air.jitter=0..5 ms', 'flow.*.start=0..1 s'; with "
            "+ a step after 2 s: 'link.air.delay=+0..20 ms'; events during the run: "
            "'link.air.delay=pattern +0..20 ms'; receivers that cheat: 'receiver.*=cheats'. Repeatable. Default: "
            "modest bounds of the slowest link, as of its kind of network; where flows are compared, also of one "
            "flow's own link and of the flows' starts.",
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Bounds of the slowest link: wifi, cellular, leo or wired."),
    ] = None,
    quiet_end: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Time at the end without events. Default: 10 s for stalls, otherwise none."),
    ] = None,
    reference: Annotated[
        str,
        typer.Option(
            metavar="LAW",
            help="Law for which the question must not hold on the same network, or none. Default: cubic; reno where "
            "all flows are CUBIC.",
        ),
    ] = "auto",
    confirm: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_RUNS,
            help="Runs of the find between real kernels, in real time; needs root. 0: none. Default: 1 if this "
            "machine can, and the find takes at most two minutes.",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(metavar="N", min=1, max=MOST_RUNS, help="Trials at most.")] = 300,
    budget: Budget = None,
    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, max=MOST_RUNS, help="Seeds on which the question must hold.")
    ] = 3,
    fresh: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=10,
            max=MOST_RUNS,
            help="Seeds that the search has not seen, on which a find is shrunk, and as many others on which it is "
            "confirmed. It must hold on four of five.",
        ),
    ] = 20,
    seed: SearchSeed = 1,
    threads: Threads = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME-attack."),
    ] = None,
    no_python: NoPython = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find the network, within bounds, on which a law fails.

    What is found is shrunk to the changes that it needs, and written as a scenario file and as a page that explains
    it. Exits with 0 if something was
    found and with 3 if not. Interrupted, the same command goes on with the rest.
    """
    from windward._search.attack import attack as run
    from windward._search.request import AttackRequest
    from windward.results._place import REPORT
    from windward.show import _terminal

    scenario = parse_file(file, no_python=no_python)
    is_single = len(scenario.entities()["flows"]["flow"]) == 1
    asked = AttackRequest(
        scenario=scenario,
        written=_written(file),
        until=until or ("slows" if is_single else "unfair"),
        within=within or [],
        like=like,
        quiet_end_s=None if quiet_end is None else parse_time("quiet-end", quiet_end),
        reference=None if reference == "none" else reference,
        confirm=confirm,
        seeds=seeds,
        fresh=fresh,
        trials=trials,
        budget_s=parse_budget(budget),
        seed=seed,
        folder=file.parent,
    )
    target = output or Path("results") / f"{asked.scenario.name}-attack"
    try:
        with _terminal.progress("attacking", "attacked", is_quiet=quiet, noun="runs") as progress:
            result = run(asked, output=target, is_numbered=output is None, threads=threads, progress=progress)
    except RunInterrupted as stop:
        complain(f"{stop}; the same command goes on")
        raise typer.Exit(130) from None
    if result.is_found:
        result.report(result.path / REPORT)
    tell_found(result, target, as_json=as_json, quiet=quiet)
    if not result.is_found:
        raise typer.Exit(_NOT_FOUND)


def _written(file: Path) -> dict[str, Any]:
    """The scenario as it stands in its file, which has been checked."""
    text = read_text(file, MAX_SCENARIO)
    content: dict[str, Any] = json.loads(text) if is_json(file) else tomllib.loads(text)
    return content
