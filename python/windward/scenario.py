"""Scenarios: loaded from a file, or built from objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from windward import _engine
from windward._format.convert import from_plain, to_plain
from windward._format.fields import ScenarioFields
from windward._format.parse import parse

if TYPE_CHECKING:
    from windward._answers.compare import Comparison
    from windward._answers.fluid import Fluid
    from windward._answers.optimum import Optimum
    from windward._answers.run import Run
    from windward._answers.sweep import Sweep
    from windward.results._place import Place
    from windward.results._shapes import Progress


@dataclass(frozen=True, kw_only=True)
class _Compiled:
    """A scenario that has been checked."""

    engine: _engine.Scenario
    #: The laws and schedulers in it that are Python objects, by the name that stands for each.
    laws: Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, kw_only=True)
class Scenario(ScenarioFields):
    """A network, what is sent over it, for how long.

    The fields are those of a scenario file; a law may also be a Python class (see `windward.Law`). What cannot be is
    refused when the object is made, so a scenario that exists can be run.

    Raises
    ------
    windward.ScenarioError
        On unknown names, impossible values and unreachable nodes: where, what was given, what is allowed.

    Examples
    --------
    >>> import windward as ww
    >>> scenario = ww.Scenario(
    ...     name="two",
    ...     duration="10 s",
    ...     node=[ww.Node(name="a"), ww.Node(name="b")],
    ...     link=[ww.Link(from_="a", to="b", rate="10 Mbit/s", delay="20 ms", buffer="50 packets")],
    ...     flow=[ww.Flow(from_="a", to="b", law=ww.Reno(), count=2)],
    ... )
    >>> len(scenario.simulate().flows)
    2
    """

    #: Where laws, schedulers and recordings named by the scenario are looked for; no part of the file.
    folder: Path = field(default=Path(), metadata={"local": True})

    #: The scenario as the engines take it: made once, used by every verb.
    _compiled: _Compiled | None = field(
        default=None, init=False, repr=False, compare=False, hash=False, metadata={"local": True}
    )

    def __post_init__(self) -> None:
        self._compile()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_compiled": None}

    def simulate(
        self,
        *,
        seeds: int | Sequence[int] | None = None,
        threads: int | None = None,
        output: str | Path | None = None,
        replace: bool = False,
        progress: Callable[[Progress], None] | None = None,
        pcap: bool = False,
    ) -> Run:
        """Simulates every seed, packet by packet; the same seeds give the same numbers on any number of threads.

        Parameters
        ----------
        seeds
            How many seeds, or which. Default: the scenario's own.
        threads
            How many seeds run at once. Default: as many as there are cores.
        output
            Folder for the results. Each seed is written when it finishes. A folder that another run writes to, or that
            holds anything, is refused. Default: results stay in memory.
        replace
            Replace an older result in `output` when the new one is whole; until then it is written beside it, and stays
            there if it is interrupted. Default: refuse.
        progress
            Called about ten times a second.
        pcap
            Also write every packet into `output`, as pcapng.

        Raises
        ------
        windward.RunInterrupted
            On Ctrl-C; its `run` holds the seeds that had finished, or is None.
        windward.LawError
            If a law written in Python fails.
        windward.ResultError
            If `output` cannot be written, is in use, or holds something that is not to be replaced.
        """
        from windward._engines.simulate import simulate

        compiled = self._compile()
        with _claimed(output, replace=replace) as place:
            return simulate(
                compiled.engine,
                folder=self.folder,
                laws=compiled.laws,
                seeds=seeds,
                threads=threads,
                place=place,
                progress=progress,
                pcap=pcap,
            )

    def emulate(
        self,
        *,
        seeds: int | Sequence[int] | None = None,
        output: str | Path | None = None,
        replace: bool = False,
        progress: Callable[[Progress], None] | None = None,
        pcap: bool = False,
        force: bool = False,
        sysctl: Mapping[str, str | int] | None = None,
        congestion: Mapping[str, str] | None = None,
    ) -> Run:
        """Runs the scenario in real time: hosts are network namespaces, flows are connections of this machine's kernel.

        The links and cells between them are the simulator's own. A run takes as long as the scenario says, and needs
        root on Linux. The result has the shape of a simulation's; `Run.timing` and `Run.problems` say how well it kept
        its time, `Run.notes` what the kernel does differently.

        Parameters
        ----------
        seeds
            How many seeds, or which; one after the other. Default: the first of the scenario's own.
        output, replace
            Folder for the results, and what becomes of an older one in it, as for `simulate`.
        progress
            Called about ten times a second.
        pcap
            Also write the packets of the flows into `output`, as pcapng.
        force
            Also run what this machine is measured to be too slow for.
        sysctl
            Settings of the hosts' kernels, by their names for sysctl(8): {"net.ipv4.tcp_early_retrans": 0}.
        congestion
            Flows, or groups of flows, that a congestion control of the kernel's own runs in place of their law, by
            their names: {"up": "bbr"}.

        Raises
        ------
        windward.EmulationError
            Where the machine or the scenario does not allow it: why, and what to do.
        windward.KernelError
            If a law cannot be loaded into the kernel.
        windward.RunInterrupted
            On Ctrl-C; its `run` holds the seeds that had finished, or is None.
        """
        from windward._engines.emulate import emulate

        with _claimed(output, replace=replace) as place:
            return emulate(
                self._compile().engine,
                seeds=seeds,
                place=place,
                progress=progress,
                pcap=pcap,
                force=force,
                sysctl=sysctl,
                congestion=congestion,
            )

    def optimum(
        self,
        objective: str = "proportional",
        *,
        routing: str = "fixed",
        links: str | None = None,
        at_s: float | None = None,
    ) -> Optimum:
        """The best rates that any congestion control could reach.

        Parameters
        ----------
        objective
            "proportional" (the sum of ln x), "max-min", "alpha=NUMBER" (alpha-fairness), or "law": what each flow's own
            law maximises, ln x for a law that maximises nothing known.
        routing
            "fixed", or "free": the best of all routings, packets split over any number of paths. A flow with `via`
            keeps its route.
        links
            With free routing the links that a flow may use: "downstream" (those a hop closer to its destination),
            "not-farther" (those not farther from it), "loop-free" (those of loop-free directed paths), or "all" (the
            default).
        at_s
            Where the network changes: as it is so many seconds from the beginning. Default: at the end.

        Raises
        ------
        ValueError
            For another objective, routing or time, and where there are no best rates.
        windward.RunInterrupted
            On Ctrl-C.
        """
        from windward._engines.optimum import solve

        return solve(self._compile().engine, objective, routing, links, at_s=at_s)

    def fluid(
        self,
        *,
        tolerance: float = 1e-6,
        period_s: float | None = None,
        feedback_delay_s: float | Literal["rtt"] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Fluid:
        """Follows the windows as differential equations, for the scenario's duration.

        Parameters
        ----------
        tolerance
            Error allowed in a step of the integrator, relative and in packets.
        period_s
            Update every so many seconds instead, as the papers' own computations do (20 ms).
        feedback_delay_s
            Let every flow see delay and loss of its path as they were so many seconds ago, or a round trip of its own
            ago ("rtt"); by steps of a 64th of the shortest delay, whatever the tolerance.
        progress
            Called about ten times a second with how far the equations have been followed.

        Raises
        ------
        ValueError
            Where the scenario has no fluid form: laws in Python, packets of different size, links without delay.
        windward.RunInterrupted
            On Ctrl-C.
        """
        from windward._engines.fluid import run

        return run(
            self._compile().engine,
            tolerance=tolerance,
            period_s=period_s,
            feedback_delay_s=feedback_delay_s,
            progress=progress,
        )

    def compare(
        self,
        *,
        objective: str = "proportional",
        seeds: int | Sequence[int] | None = None,
        emulate: bool | None = None,
        output: str | Path | None = None,
        replace: bool = False,
        progress: Callable[[str, Progress], None] | None = None,
    ) -> Comparison:
        """Asks all engines, as far as they can answer, and lays the goodputs of the flows side by side.

        Parameters
        ----------
        objective
            Of the optimum; see `Scenario.optimum`.
        seeds
            Of the simulation; see `Scenario.simulate`.
        emulate
            Whether to emulate too, the first seed, in real time. Default: if this machine can, and the scenario takes
            at most two minutes.
        output
            Keep the results in the folders "optimum", "fluid", "ideal", "simulate" and "emulate" in this one.
        replace
            Replace an older comparison in `output` when the new one is whole. Default: refuse.
        progress
            Called about ten times a second with "fluid", "ideal", "simulate" or "emulate" and how far that engine has
            come.

        Raises
        ------
        ValueError
            For an unknown objective, and where there are no best rates.
        windward.RunInterrupted
            On Ctrl-C.
        windward.LawError
            If a law written in Python fails.
        windward.ResultError
            If `output` cannot be written, is in use, or holds something that is not to be replaced.
        """
        from windward._engines.compare import compare

        compiled = self._compile()
        with _claimed(output, replace=replace) as place:
            return compare(
                compiled.engine,
                folder=self.folder,
                laws=compiled.laws,
                objective=objective,
                seeds=seeds,
                with_emulation=emulate,
                place=place,
                progress=progress,
            )

    def sweep(
        self,
        values: Mapping[str, Any] | None = None,
        *,
        points: str | Path | Sequence[Mapping[str, Any]] | None = None,
        latin: int | None = None,
        engine: str = "simulate",
        objective: str = "proportional",
        seeds: int | Sequence[int] | None = None,
        threads: int | None = None,
        output: str | Path | None = None,
        on: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Sweep:
        """Runs the scenario with other values in some of its fields: every combination, with every seed.

        >>> sweep = scenario.sweep({"link.air.loss": [0, 0.001], "flow.*.law": ["reno", "cubic"]})  # doctest: +SKIP

        Parameters
        ----------
        values
            Of each field its values, a list or a text: "10..100 Mbit/s step 10", "1..1000 ms log 4". Fields are named
            by their path: `link.NAME.FIELD`, `flow.*.law`, `duration`.
        points
            Points one by one, beside or in place of `values`: mappings from fields to values, or a CSV or TOML file.
        latin
            So many samples of a Latin hypercube over `values` in place of all combinations; there a range needs no
            step.
        engine
            "simulate", "fluid", "optimum" or "emulate".
        objective
            Of the optimum; see `Scenario.optimum`.
        seeds
            How many seeds, or which, at every point. Default: the scenario's own.
        threads
            How many runs at once. Default: as many as there are cores.
        output
            Folder for the results; a sweep that was interrupted there is gone on with. Default: a temporary folder that
            goes with what is returned.
        on
            "ray" or "ray://HOST:PORT": run the points on a Ray cluster.
        progress
            Called about ten times a second; its seeds are runs.

        Raises
        ------
        ValueError
            For what cannot be varied so, and where the engine has no answer.
        windward.ScenarioError
            If a value makes the scenario wrong; where only a combination does, that point is kept as failed.
        windward.ResultError
            If `output` holds something else, another sweep too, or cannot be written.
        windward.RunInterrupted
            On Ctrl-C; its `run` is the sweep so far, or None.
        """
        from windward._engines.sweep import Asked, sweep
        from windward._format.design import design

        compiled = self._compile()
        laws = dict(compiled.laws)

        def plain(value: Any) -> Any:
            return to_plain(value, _namer(laws))

        return sweep(
            Asked(
                scenario=compiled.engine,
                design=design(
                    {
                        path: each if isinstance(each, str) else [*map(plain, each)]
                        for path, each in (values or {}).items()
                    },
                    points
                    if points is None or isinstance(points, str | Path)
                    else [{k: plain(v) for k, v in each.items()} for each in points],
                    latin,
                ),
                engine=engine,
                objective=objective,
                seeds=seeds,
                folder=self.folder,
                laws=laws,
            ),
            output=None if output is None else Path(output),
            threads=threads,
            on=on,
            progress=progress,
        )

    def to_toml(self) -> str:
        """The scenario as a file, defaults written out."""
        return self._compile().engine.to_toml()

    def _compile(self) -> _Compiled:
        """The checked scenario, made where there is none: for a new object, and for one that was pickled."""
        compiled = self._compiled
        if compiled is None:
            compiled = _compile(self)
            object.__setattr__(self, "_compiled", compiled)
        return compiled


@contextmanager
def _claimed(output: str | Path | None, *, replace: bool) -> Iterator[Place | None]:
    """The folder for a result, taken for one run; None where results stay in memory."""
    from windward.results._place import claim

    if output is None:
        yield None
        return
    with claim(output, "replace" if replace else "refuse") as place:
        yield place


def _compile(scenario: Scenario) -> _Compiled:
    """Has a scenario checked. Python objects in it go by a name each."""
    laws: dict[str, Callable[..., Any]] = {}
    text = json.dumps(to_plain(scenario, _namer(laws)))
    handle = _engine.Scenario.from_json(text, f"scenario `{scenario.name}`", scenario.folder)
    return _Compiled(engine=handle, laws=laws)


def _namer(laws: dict[str, Callable[..., Any]]) -> Callable[[Any], str]:
    """What gives Python objects a name each, and enters them among the laws."""

    def name_class(law: Callable[..., Any]) -> str:
        kind = law if hasattr(law, "__qualname__") else type(law)
        base = name = f"{kind.__module__}:{kind.__qualname__.rpartition('.')[2]}"
        count = 1
        while laws.setdefault(name, law) is not law:
            count += 1
            name = f"{base}-{count}"
        return name

    return name_class


def load(path: str | Path) -> Scenario:
    """Reads a scenario file (TOML, or JSON if its name ends in .json).

    Raises
    ------
    OSError
        If the file cannot be read.
    windward.ScenarioError
        If something in it is wrong: line and column, what was given, what is allowed.
    """
    path = Path(path)
    compiled = parse(path)
    read = from_plain(ScenarioFields, json.loads(compiled.to_json()))
    # Checked already: made without another check, and given what the check made.
    scenario = object.__new__(Scenario)
    scenario.__dict__.update(read.__dict__, folder=path.parent, _compiled=_Compiled(engine=compiled, laws={}))
    return scenario
