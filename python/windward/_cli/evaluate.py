"""The command that judges a law by the criteria of RFC 9743."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windward import _console
from windward._cli.options import On, Quiet, Seeds, Threads, parse_seeds
from windward._cli.searching import AsJson
from windward._cli.words import complain, tell
from windward._engine import RunInterrupted
from windward.errors import OptionError

#: Exit code of an evaluation with a section that is not met.
_NOT_MET = 3


def evaluate(
    law: Annotated[
        str,
        typer.Argument(
            metavar="LAW",
            help="A law: NAME, NAME,KEY=VALUE,… or FILE.py:CLASS. `windward laws` lists names and parameters.",
        ),
    ],
    against: Annotated[
        str, typer.Option(metavar="LAW,LAW,…", help="Laws of the other flows of section 5.2.1.")
    ] = "cubic,reno",
    quick: Annotated[
        bool, typer.Option("--quick", help="Some networks with 10 seeds each. This is the default.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="More rates, delays, buffers and laws, with 20 seeds each.")
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(metavar="SECTION,…", help="Sections of RFC 9743, such as 5.1.3,7. Default: all."),
    ] = None,
    seeds: Seeds = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="TOML file of thresholds; `thresholds.toml` of an evaluation is one. Default: relative to CUBIC and "
            "Reno.",
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Cases of a specification in place of RFC 9743: bbr-draft, cubic or rmcat (calls)."
        ),
    ] = None,
    no_smallest: Annotated[
        bool, typer.Option("--no-smallest", help="Skip the search for the smallest network of each section not met.")
    ] = False,
    emulate: Annotated[
        bool,
        typer.Option(
            "--emulate", help="Repeat the smallest networks between this machine's kernels, in real time and as root."
        ),
    ] = False,
    transport: Annotated[
        str,
        typer.Option(
            metavar="tcp|quic|quinn|noq",
            help="Transport of the law's flows, and of those of the references. quinn, noq: QUIC under that stack's "
            "controller.",
        ),
    ] = "tcp",
    threads: Threads = None,
    on: On = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/LAW-evaluation."),
    ] = None,
    no_python: Annotated[
        bool, typer.Option("--no-python", help="Refuse a law in Python, whose code would run.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Judge a law by the criteria of RFC 9743.

    Answers each section with networks, figures over seeds, a threshold and a verdict: meets, does not, cannot tell, not
    applicable or not modelled. The verdicts are evidence; RFC 9743 sets no thresholds. Exits with 3 if a section is not
    met. Interrupted, the same command goes on with the rest.
    """
    from windward._evaluate.entry import evaluate as run
    from windward.show import _terminal

    if quick and full:
        raise OptionError(("full", "", "--quick and --full exclude each other"))
    if no_python and ":" in law.split(",", maxsplit=1)[0]:
        raise OptionError(("no-python", "", f"`{law}` is a law in Python"))
    name = law.split(",", maxsplit=1)[0].rpartition(":")[2].replace("/", "-")
    over = "" if transport == "tcp" else f"-{transport}"
    target = output or Path("results") / f"{name}{over}-{suite or 'evaluation'}"
    try:
        with _terminal.progress("evaluating", "evaluated", is_quiet=quiet, noun="runs") as progress:
            found = run(
                law,
                output=target,
                against=against.split(","),
                full=full,
                only=[part for part in (only or "").split(",") if part.strip()],
                seeds=parse_seeds(seeds),
                thresholds=thresholds,
                suite=suite,
                smallest=not no_smallest,
                emulate=emulate,
                transport=transport,
                threads=threads,
                on=on,
                progress=progress,
            )
    except RunInterrupted as stop:
        complain(f"{stop}; the same command goes on")
        raise typer.Exit(130) from None
    if as_json:
        _console.print_json(dict(found.summary), indent=2)
    elif not quiet:
        _terminal.show(found)
        tell(found.path)
    if "does not" in found.verdicts.values():
        raise typer.Exit(_NOT_MET)
