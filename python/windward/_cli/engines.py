"""The commands that run engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward._cli.options import AsJson, File, Kept, Objective, parse_delay, parse_seeds
from windward._cli.words import complain, tell
from windward._engine import EmulationError, KernelError, RunInterrupted
from windward._format.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from windward._answers.run import Run
    from windward.results._shapes import Progress


def simulate(
    file: File,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME.")
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="N|N,N,…", help="How many seeds, or which. Default: the scenario's own.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many seeds run at once. Default: one per core.")
    ] = None,
    pcap: Annotated[bool, typer.Option("--pcap", help="Also write every packet of every seed, as pcapng.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write nothing but errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Simulate a scenario packet by packet, and keep the results in a folder."""
    from windward.scenario import load

    chosen = None if seeds is None else parse_seeds(seeds)
    scenario = load(file)
    target = output or Path("results") / scenario.name

    def run(progress: Callable[[Progress], None] | None) -> Run:
        return scenario.simulate(seeds=chosen, threads=threads, output=target, progress=progress, pcap=pcap)

    run_and_show(run, target, verb="simulat", quiet=quiet, as_json=as_json)


def emulate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file: TOML, or JSON if it ends in .json.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME-emulated."),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="N|N,N,…", help="How many seeds, or which. Default: the scenario's first.")
    ] = None,
    pcap: Annotated[bool, typer.Option("--pcap", help="Also write the flows' packets, as pcapng.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also run what this machine is measured to be too slow for.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write nothing but errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Run a scenario in real time between real kernels, and keep the results in a folder. Needs root on Linux."""
    from windward.scenario import load

    chosen = None if seeds is None else parse_seeds(seeds)
    scenario = load(file)
    target = output or Path("results") / f"{scenario.name}-emulated"

    def run(progress: Callable[[Progress], None] | None) -> Run:
        return scenario.emulate(seeds=chosen, output=target, progress=progress, pcap=pcap, force=force)

    run_and_show(run, target, verb="emulat", quiet=quiet, as_json=as_json)


def run_and_show(
    engine: Callable[[Callable[[Progress], None] | None], Run], target: Path, *, verb: str, quiet: bool, as_json: bool
) -> None:
    """Runs an engine that keeps its results in `target`, with its progress shown, and then the results."""
    from windward.results import _folder as folder
    from windward.show import _terminal as terminal

    try:
        with terminal.progress(is_quiet=quiet, verb=verb) as progress:
            run = engine(progress)
    except RunInterrupted as stop:
        kept = f"; they are in {target}" if stop.run is not None else "; nothing was written"
        complain(f"{stop}{kept}")
        raise typer.Exit(130) from None
    if as_json:
        print((target / folder.SUMMARY).read_text(encoding="utf-8"), end="")
    elif not quiet:
        terminal.show(run)
        tell(target)


def optimum(file: File, objective: Objective = "proportional", output: Kept = None, as_json: AsJson = False) -> None:
    """Find the best rates that any congestion control could reach, with the proof."""
    from windward.scenario import load
    from windward.show import _terminal as terminal

    best = load(file).optimum(objective)
    if output is not None:
        best.save(output)
    if as_json:
        print(json.dumps(best.to_dict(), indent=2))
        return
    terminal.show(best)
    tell(output)


def fluid(
    file: File,
    tolerance: Annotated[float, typer.Option(metavar="X", help="Error allowed in a step.")] = 1e-6,
    period: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Update every so often instead of integrating.")
    ] = None,
    feedback_delay: Annotated[
        str | None, typer.Option(metavar="SECONDS|rtt", help="Flows see their paths so late. Default: at once.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw to SVG, PDF or PNG, by its ending.")
    ] = None,
    what: Annotated[str, typer.Option("--what", "-w", help="windows, rates, delays or lyapunov.")] = "windows",
    output: Kept = None,
    as_json: AsJson = False,
) -> None:
    """Follow the windows as differential equations: where a law goes, and how fast."""
    from windward.scenario import load
    from windward.show import _terminal as terminal

    run = load(file).fluid(tolerance=tolerance, period_s=period, feedback_delay_s=parse_delay(feedback_delay))
    if plot is not None:
        from windward.show.plot import save

        save(run.plot(what), plot)
    if output is not None:
        run.save(output)
    if as_json:
        print(json.dumps({"settled_s": run.settled_s, "flows": run.to_dict()}, indent=2))
        return
    terminal.show(run)
    tell(output)


#: A comparison waits no longer for an emulation that nobody asked for, in seconds.
_PATIENCE_S = 120.0


def compare(
    file: File,
    objective: Objective = "proportional",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Keep all in DIR/optimum, DIR/fluid, DIR/simulate and DIR/emulate. Default: nothing.",
        ),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="N|N,N,…", help="How many seeds, or which. Default: the scenario's own.")
    ] = None,
    emulate: Annotated[
        bool | None,
        typer.Option(
            "--emulate/--no-emulate",
            help="Also between real kernels, in real time. Default: where that can be, and takes two minutes at most.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lay the engines side by side: the best rates, where the windows' equations go, what packets and kernels do."""
    from windward._engines import emulate as emulation
    from windward._engines.compare import comparison
    from windward.scenario import load
    from windward.show import _terminal as terminal
    from windward.show._tables import compare_digest

    chosen = None if seeds is None else parse_seeds(seeds)
    scenario = load(file)
    best = scenario.optimum(objective)
    try:
        equations, why = scenario.fluid(), ""
    except ValueError as error:
        equations, why = None, str(error).splitlines()[0]
    if output is not None:
        best.save(output / "optimum")
        if equations is not None:
            equations.save(output / "fluid")
    run, why_not = None, ""
    if scenario.region:
        why_not = "a region says which rates are possible, not how packets get them"
    else:
        try:
            with terminal.progress(is_quiet=as_json) as progress:
                kept = None if output is None else output / "simulate"
                run = scenario.simulate(seeds=chosen, output=kept, progress=progress)
        except RunInterrupted as stop:
            complain(str(stop))
            raise typer.Exit(130) from None
    real, why_no_kernel, seconds = None, "", parse(file).duration_s
    if run is None:
        why_no_kernel = why_not
    elif emulate is False:
        why_no_kernel = "not asked for"
    elif emulate is None and seconds > _PATIENCE_S:
        why_no_kernel = f"it would take {seconds:g} s; ask for it with --emulate"
    elif reason := emulation.why_not():
        why_no_kernel = reason
    else:
        try:
            with terminal.progress(is_quiet=as_json, verb="emulat") as progress:
                kept = None if output is None else output / "emulate"
                real = scenario.emulate(output=kept, progress=progress)
        except (EmulationError, KernelError) as error:
            why_no_kernel = str(error).splitlines()[0]
        except RunInterrupted as stop:
            complain(str(stop))
            raise typer.Exit(130) from None
    table = comparison(best, equations, run, real)
    if as_json:
        print(table.to_json(orient="records", indent=2))
        return
    out = terminal.console()
    out.print(scenario.title or scenario.name, style="bold")
    out.print(f"goodput of each flow; optimum: {best.objective}", style="dim")
    terminal.show_tables([compare_digest(table)])
    candidates = (("fluid", why), ("packets", why_not), ("kernel", why_no_kernel))
    reasons = [(engine, reason) for engine, reason in candidates if reason]
    if reasons or (real is not None and (real.problems or real.notes)):
        out.print()
    for engine, reason in reasons:
        out.print(f"{engine} left out: {reason}", style="dim", soft_wrap=True)
    if real is not None:
        for problem in real.problems:
            out.print(f"kernel NOT TRUSTWORTHY: {problem}", style="bold", soft_wrap=True)
        for note in real.notes:
            out.print(f"kernel: {note}", style="dim", soft_wrap=True)
    tell(output)
