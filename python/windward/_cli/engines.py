"""The commands that run engines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windward import _console
from windward._cli.options import (
    MOST_THREADS,
    AsJson,
    File,
    NoPython,
    Pcap,
    PcapInterfaces,
    Qlog,
    Quiet,
    Seeds,
    Utility,
    parse_delay,
    parse_file,
    parse_pairs,
    parse_seeds,
)
from windward._cli.places import Replace, place, remark, where
from windward._cli.words import complain, tell
from windward._engine import RunInterrupted
from windward._format.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from windward._answers.compare import Comparison
    from windward._answers.run import Run
    from windward.results._place import Place
    from windward.results._shapes import Progress

#: What an engine is doing, and what it has done.
_VERBS = {
    "fluid": ("integrating", "integrated"),
    "ideal": ("simulating ideal CSMA", "simulated with ideal CSMA"),
    "simulate": ("simulating", "simulated"),
    "emulate": ("emulating", "emulated"),
}


def simulate(
    file: File,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME.")
    ] = None,
    replace: Replace = False,
    seeds: Seeds = None,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=MOST_THREADS, help="Seeds to run in parallel. Default: one per core."),
    ] = None,
    pcap: Pcap = False,
    pcap_interfaces: PcapInterfaces = False,
    qlog: Qlog = False,
    no_python: NoPython = False,
    quiet: Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Simulate a scenario packet by packet.

    The results are saved in a folder.
    """
    from windward._engines import memory
    from windward._engines.collect import choose
    from windward._engines.simulate import count_threads, simulate as run

    chosen = parse_seeds(seeds)
    scenario = parse_file(file, no_python=no_python)
    runs = min(count_threads(threads, has_python=bool(scenario.python_classes)), len(choose(chosen, scenario.seeds)))
    if (remark_on_memory := memory.note(scenario, runs)) and not quiet:
        remark(f"note: {remark_on_memory}")

    def engine(progress: Callable[[Progress], None] | None, target: Place) -> Run:
        return run(
            scenario,
            folder=file.parent,
            seeds=chosen,
            threads=threads,
            place=target,
            progress=progress,
            pcap="interfaces" if pcap_interfaces else pcap,
            qlog=qlog,
        )

    with place(output, Path("results") / scenario.name, replace=replace) as target:
        _run_and_show(engine, target, "simulate", quiet=quiet, as_json=as_json)


def emulate(
    file: File,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME-emulated."),
    ] = None,
    replace: Replace = False,
    seeds: Annotated[
        str | None,
        typer.Option(metavar="N|N,N,…", help="Number of seeds, or a list of seeds. Default: the scenario's first."),
    ] = None,
    pcap: Pcap = False,
    pcap_interfaces: PcapInterfaces = False,
    qlog: Qlog = False,
    even_if_slow: Annotated[
        bool, typer.Option("--even-if-slow", help="Run even if this machine is measured to be too slow.")
    ] = False,
    sysctl: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="Kernel setting of the hosts, as in net.ipv4.tcp_early_retrans=0. Repeatable."
        ),
    ] = None,
    congestion: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FLOW=NAME",
            help="Run a flow, app or group by a congestion control of the kernel's own, as in up=bbr. Repeatable.",
        ),
    ] = None,
    no_python: NoPython = False,
    quiet: Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Run a scenario in real time between Linux kernels.

    Hosts are network namespaces and flows are connections of this machine's kernel. The results are saved in a folder.
    Needs root on Linux.
    """
    from windward._engines.emulate import emulate as run

    chosen = parse_seeds(seeds)
    settings = parse_pairs("--sysctl", sysctl, "a setting and its value, such as net.ipv4.tcp_early_retrans=0")
    others = parse_pairs("--congestion", congestion, "a flow and a congestion control, such as up=bbr")
    scenario = parse_file(file, no_python=no_python)

    def engine(progress: Callable[[Progress], None] | None, target: Place) -> Run:
        return run(
            scenario,
            seeds=chosen,
            place=target,
            progress=progress,
            pcap="interfaces" if pcap_interfaces else pcap,
            qlog=qlog,
            even_if_slow=even_if_slow,
            sysctl=settings,
            congestion=others,
        )

    with place(output, Path("results") / f"{scenario.name}-emulated", replace=replace) as target:
        _run_and_show(engine, target, "emulate", quiet=quiet, as_json=as_json)


def _run_and_show(
    run: Callable[[Callable[[Progress], None] | None, Place], Run],
    target: Place,
    engine: str,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Runs an engine that saves its results in `target`, with its progress shown, and then shows the results."""
    from windward.results import _place
    from windward.show import _terminal

    try:
        with _terminal.progress(*_VERBS[engine], is_quiet=quiet) as progress:
            result = run(progress, target)
    except RunInterrupted as stop:
        complain(f"{stop}; " + (where(target) if stop.run is not None else "nothing was saved"))
        raise typer.Exit(130) from None
    except Exception:
        if _place.is_result(target.path):
            remark(f"the seeds that had finished are {where(target)}")
        raise
    if as_json:
        _console.print_json_text((target.path / _place.SUMMARY).read_text(encoding="utf-8"))
    elif not quiet:
        _terminal.show(result)
        tell(target.path)


def optimum(
    file: File,
    utility: Utility = "proportional",
    routing: Annotated[
        str, typer.Option(metavar="HOW", help="fixed, or free: the best of all routings, over any number of paths.")
    ] = "fixed",
    links: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Links that flows may use with free routing: downstream (a hop closer to the destination), "
            "not-farther, loop-free, or all. Default: all.",
            show_default=False,
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time in a run whose links change. Default: its end.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME-optimum."),
    ] = None,
    replace: Replace = False,
    as_json: AsJson = False,
) -> None:
    """Find the rates that maximise the flows' utilities.

    They are printed with the certificate of their optimality. The result is saved in a folder.
    """
    from windward._engines.optimum import solve
    from windward.show import _terminal

    scenario = parse(file)
    with place(output, Path("results") / f"{scenario.name}-optimum", replace=replace) as target:
        try:
            best = solve(scenario, utility, routing, links, time_s=time)
        except RunInterrupted as stop:
            complain(f"{stop}; nothing was saved")
            raise typer.Exit(130) from None
        best.save_in(target)
    if as_json:
        _console.print_json(best.to_dict(), indent=2)
        return
    _terminal.show(best)
    tell(target.path)


def fluid(
    file: File,
    tolerance: Annotated[float, typer.Option(metavar="X", help="Error tolerance per step.")] = 1e-6,
    period: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Use discrete updates every SECONDS instead of integrating."),
    ] = None,
    feedback_delay: Annotated[
        str | None,
        typer.Option(metavar="SECONDS|rtt", help="Feedback delay, or rtt for each flow's round-trip time (default 0)."),
    ] = None,
    loss_free: Annotated[
        bool,
        typer.Option(
            "--loss-free",
            help="Leave losses out of the equations of fast, quic-tcp, vegas and exp-delay, as in their papers.",
        ),
    ] = False,
    no_python: NoPython = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result folder. Default: results/NAME-fluid."),
    ] = None,
    replace: Replace = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Integrate the differential equations of the windows.

    Shows the equilibrium of the control laws, and how fast they settle. The result is saved in a folder.
    """
    from windward._engines.fluid import run
    from windward.show import _terminal

    scenario = parse_file(file, no_python=no_python)
    delay = parse_delay(feedback_delay)
    with place(output, Path("results") / f"{scenario.name}-fluid", replace=replace) as target:
        try:
            with _terminal.progress(*_VERBS["fluid"], is_quiet=quiet or as_json, noun=None) as progress:
                result = run(
                    scenario,
                    tolerance=tolerance,
                    period_s=period,
                    feedback_delay_s=delay,
                    loss_free=loss_free,
                    progress=progress,
                )
        except RunInterrupted as stop:
            complain(f"{stop}; nothing was saved")
            raise typer.Exit(130) from None
        result.save_in(target)
    for note in result.notes:
        remark(f"note: {note}")
    if as_json:
        _console.print_json({"settled_s": result.settled_s, "flows": result.to_dict()}, indent=2)
        return
    if quiet:
        return
    _terminal.show(result)
    tell(target.path)


def compare(
    file: File,
    utility: Utility = "proportional",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Result folder: DIR/optimum, DIR/fluid, DIR/simulate and DIR/emulate, with 802.11 also DIR/ideal. "
            "Default: results/NAME-compare.",
        ),
    ] = None,
    replace: Replace = False,
    seeds: Seeds = None,
    emulate: Annotated[
        bool | None,
        typer.Option(
            "--emulate/--no-emulate",
            help="Emulate too, in real time. Default: if this machine can, and the scenario takes at most two minutes.",
            show_default=False,
        ),
    ] = None,
    no_python: NoPython = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Compare all engines on one scenario.

    Prints the goodput of each flow: at the optimum, in the fluid model, simulated, and emulated. Where the scenario
    has a wireless network of 802.11, also simulated with ideal CSMA in its place. Prints the completion times of each
    application: under processor sharing, simulated, and emulated.
    """
    from contextlib import ExitStack

    from windward._engines.compare import compare as run
    from windward.show import _terminal

    chosen = parse_seeds(seeds)
    scenario = parse_file(file, no_python=no_python)
    default = Path("results") / f"{scenario.name}-compare"
    with place(output, default, replace=replace) as target, ExitStack() as stack:
        shown: dict[str, Callable[[Progress], None] | None] = {}

        def progress(engine: str, now: Progress) -> None:
            if engine not in shown:
                stack.pop_all().close()
                noun = None if engine == "fluid" else "seeds"
                shown[engine] = stack.enter_context(_terminal.progress(*_VERBS[engine], is_quiet=as_json, noun=noun))
            if show := shown[engine]:
                show(now)

        def early(others: Comparison) -> None:
            """Shows who waits what there is."""
            stack.pop_all().close()
            _terminal.show(others)
            print()

        try:
            result = run(
                scenario,
                folder=file.parent,
                utility=utility,
                seeds=chosen,
                with_emulation=emulate,
                place=target,
                progress=progress,
                early=early if sys.stdout.isatty() and not as_json else None,
            )
        except RunInterrupted as stop:
            complain(f"{stop}; {where(target)}")
            raise typer.Exit(130) from None
    if as_json:
        _console.print_json(result.to_dict(), indent=2)
        return
    _terminal.show(result)
    tell(target.path)
