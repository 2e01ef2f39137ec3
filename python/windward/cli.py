"""The command line.

What a command needs is imported when it runs: `windward --help` does not wait for numpy. Exit codes: 0, all is well;
1, a claim of a paper failed; 2, something was asked that cannot be, and standard error says what; 130, interrupted.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from windward import EmulationError, KernelError, LawError, ResultError, RunInterrupted, ScenarioError, __version__
from windward.cli_emulate import emulate as emulate_scenario
from windward.cli_emulate import link
from windward.cli_get import get
from windward.cli_kernel import clean, kernel
from windward.cli_papers import claims, reproduce
from windward.cli_serve import send, serve
from windward.files import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from windward.results import Result
    from windward.run import Run
    from windward.simulate import Progress

app = typer.Typer(
    name="windward",
    help="Study, predict and deploy congestion control for wireless networks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file: TOML, or JSON if it ends in .json.")]
Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Result folder of a run.")]


def main() -> None:
    """Runs the command line; errors become one message on standard error and an exit code."""
    try:
        app()
    except LawError as error:
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        complain(str(error))
        raise SystemExit(2) from None
    except ScenarioError as error:
        # It begins with the file and the line, as compilers write it, so that editors find the place.
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    except (EmulationError, KernelError, ResultError, ValueError) as error:
        complain(str(error))
        raise SystemExit(2) from None
    except BrokenPipeError:
        # The reader of our output has left, as `head` does.
        sys.stderr.close()
        raise SystemExit(0) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        complain(f"{where}{error.strerror or error}")
        raise SystemExit(2) from None


def complain(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)


def _version(is_asked: bool) -> None:
    if is_asked:
        print(f"windward {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
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
    from windward import load

    chosen = None if seeds is None else parse_seeds(seeds)
    scenario = load(file)
    target = output or Path("results") / scenario.name

    def run(progress: Callable[[Progress], None] | None) -> Run:
        return scenario.simulate(seeds=chosen, threads=threads, output=target, progress=progress, pcap=pcap)

    run_and_show(run, target, verb="simulat", quiet=quiet, as_json=as_json)


def run_and_show(
    engine: Callable[[Callable[[Progress], None] | None], Run], target: Path, *, verb: str, quiet: bool, as_json: bool
) -> None:
    """Runs an engine that keeps its results in `target`, with its progress shown, and then the results."""
    from windward import folder, terminal

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


Objective = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="proportional, max-min, alpha=NUMBER, or law: what each flow's own law maximises.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


Kept = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Keep the result there. Default: not kept.")
]


@app.command()
def optimum(file: File, objective: Objective = "proportional", output: Kept = None, as_json: AsJson = False) -> None:
    """Find the best rates that any congestion control could reach, with the proof."""
    from windward import load, terminal

    best = load(file).optimum(objective)
    if output is not None:
        best.save(output)
    if as_json:
        print(json.dumps(best.to_dict(), indent=2))
        return
    terminal.show(best)
    tell(output)


@app.command()
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
    from windward import load, terminal

    run = load(file).fluid(tolerance=tolerance, period_s=period, feedback_delay_s=_delay(feedback_delay))
    if plot is not None:
        from windward.plot import save

        save(run.plot(what), plot)
    if output is not None:
        run.save(output)
    if as_json:
        print(json.dumps({"settled_s": run.settled_s, "flows": run.to_dict()}, indent=2))
        return
    terminal.show(run)
    tell(output)


@app.command()
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
    from windward import emulate as emulation
    from windward import load, terminal
    from windward.optimum import compare_digest, comparison

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


#: A comparison waits no longer for an emulation that nobody asked for, in seconds.
_PATIENCE_S = 120.0


app.command(name="emulate")(emulate_scenario)
app.command()(link)
app.add_typer(kernel, name="kernel")
app.command()(clean)
app.command()(get)
app.command()(serve)
app.command()(send)
app.command()(claims)
app.command()(reproduce)


@app.command()
def show(run: Folder) -> None:
    """Print the tables of a run again."""
    from windward import terminal

    terminal.show(_open(run))


@app.command()
def plot(
    run: Folder,
    what: Annotated[
        str | None,
        typer.Option(
            "--what",
            "-w",
            help="windows, rates, rtt, queues, delays, links, fairness, internals, goodput, utilization or loss; of an "
            "optimum rates, links or prices; of a fluid run windows, rates, delays or lyapunov. Default: the first.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="SVG, PDF or PNG, by its ending. Default: WHAT.svg."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed whose series are drawn. Default: the first.")
    ] = None,
) -> None:
    """Draw a figure of a run."""
    from windward.plot import save
    from windward.run import Run

    result = _open(run)
    if isinstance(result, Run):
        chosen = what or "windows"
        figure = result.plot(chosen, seed=seed)
    elif seed is not None:
        raise ValueError(f"{run} has no seeds: nothing in it is left to chance")
    else:
        chosen = what or result.default_figure
        figure = result.plot(chosen)
    target = output or Path(f"{chosen}.svg")
    save(figure, target)
    print(target)


@app.command()
def report(
    run: Folder,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: report.html in the run's folder.")
    ] = None,
) -> None:
    """Write a self-contained HTML page about a run."""
    from windward import folder

    print(_open(run).report(output or run / folder.REPORT))


@app.command()
def check(file: File) -> None:
    """Check a scenario file, and say what it holds."""
    scenario = parse(file)
    entities = scenario.entities()
    parts = [_count(len(entities[kind][name]), noun) for kind, name, noun in _PARTS]
    seeds = _count(len(scenario.seeds), "seed")
    print(f"{file} is right: {', '.join(parts)}, {scenario.duration_s:g} s, {seeds}")


_PARTS = (
    ("flows", "flow", "flow"),
    ("links", "link", "one-way link"),
    ("background", "source", "background source"),
)


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    from windward import _engine

    print(json.dumps(_engine.schema(), indent=2, ensure_ascii=False))


@app.command()
def laws() -> None:
    """List the control laws with their parameters."""
    from rich.table import Table

    from windward import _engine, terminal

    descriptions = {}
    for law in _engine.schema()["$defs"]["LawSpec"]["oneOf"]:
        descriptions[law["properties"]["name"]["const"]] = law["description"]
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold", show_edge=False)
    for column in ("law", "parameters and defaults", "what it does"):
        table.add_column(column)
    for law in _engine.laws():
        parameters = ", ".join(f"{name} = {json.dumps(value)}" for name, value in law["parameters"].items())
        table.add_row(law["name"], parameters, descriptions[law["name"]])
    table.add_row("python", 'class = "FILE.py:CLASS"', "A law of your own.")
    terminal.console().print(table)


@app.command()
def cite(file: File) -> None:
    """Print BibTeX for a scenario: its laws and the papers it comes from."""
    from windward.cite import bibtex

    entries, unknown = bibtex(parse(file))
    print("\n\n".join(entries))
    for key in unknown:
        print(f"note: the scenario cites `{key}`, of which Windward has no entry", file=sys.stderr)


def _open(path: Path) -> Result:
    from windward.results import open_result

    return open_result(path)


def tell(output: Path | None) -> None:
    """Says where results are kept, if they are."""
    from windward import terminal

    if output is not None:
        terminal.console().print(f"\nresults in {output}", style="dim", soft_wrap=True)


def parse_seeds(text: str) -> int | list[int]:
    """`5` means the seeds 1 to 5, `3,7` or `3,` these."""
    try:
        numbers = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 0 or ("," not in text and numbers[0] == 0):
        raise ValueError(f'--seeds {text}: write a number of seeds, such as 5, or a list of seeds, such as "3,7,9"')
    return numbers if "," in text else numbers[0]


def _delay(text: str | None) -> float | Literal["rtt"] | None:
    """Seconds, or "rtt"."""
    if text is None:
        return None
    if text == "rtt":
        return "rtt"
    try:
        return float(text)
    except ValueError:
        raise ValueError(f'the feedback delay is "{text}"; it must be a number of seconds or "rtt"') from None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
