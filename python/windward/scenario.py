"""Scenarios: loaded from a file, or built from objects."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from windward._format.compiled import Compiled, compiled as compiled_of, namer
from windward._format.convert import from_plain, to_plain
from windward._format.parse import parse
from windward.format import ScenarioFields

if TYPE_CHECKING:
    from windward._answers.attack import Attack
    from windward._answers.compare import Comparison
    from windward._answers.fluid import Fluid
    from windward._answers.optimum import Optimum
    from windward._answers.run import Run
    from windward._answers.sweep import Sweep
    from windward._answers.tuning import Tuning
    from windward.results._shapes import Progress

__all__ = ["Scenario", "load"]


@dataclass(frozen=True, kw_only=True)
class Scenario(ScenarioFields):
    """A network, its traffic and the duration of a run.

    The fields are those of a scenario file; a law may also be a Python class (see `windward.Law`). The constructor
    validates all of them, so every scenario object can be run.

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

    #: Folder of the laws, schedulers and recordings that the scenario names; no part of the file.
    folder: Path = field(default=Path(), metadata={"local": True})

    #: The scenario as the engines take it: made once, used by every verb.
    _compiled: Compiled | None = field(
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
        pcap: bool | Literal["interfaces"] = False,
        qlog: bool = False,
    ) -> Run:
        """Simulates every seed, packet by packet.

        The same seeds give the same numbers on any number of threads.

        Parameters
        ----------
        seeds
            Number of seeds, or a list of seeds. Default: the scenario's own.
        threads
            Number of seeds that run at once. Default: the number of cores.
        output
            Folder for the results. Each seed is written when it finishes. Folders that are not empty or in use are
            refused. Default: results stay in memory.
        replace
            Replaces an older result in `output` once the new one is complete. Default: refuse.
        progress
            Called about ten times a second.
        pcap
            Also writes every packet into `output`, as pcapng: `True` one file for each seed, `"interfaces"` one for
            each interface.
        qlog
            Also writes the events of each connection over QUIC into `output`, as qlog (JSON-SEQ).

        Raises
        ------
        windward.NoAnswerError
            If the scenario has a region, whose links have no packets.
        windward.RunInterrupted
            On Ctrl-C. Its `run` holds the finished seeds, or is None.
        windward.LawError
            If a law written in Python fails.
        windward.ResultError
            If `output` cannot be written, is in use, or holds something that may not be replaced.
        """
        from windward._engines.simulate import simulate
        from windward.results._place import claimed

        compiled = self._compile()
        with claimed(output, replace=replace) as place:
            return simulate(
                compiled.engine,
                folder=self.folder,
                laws=compiled.laws,
                seeds=seeds,
                threads=threads,
                place=place,
                progress=progress,
                pcap=pcap,
                qlog=qlog,
            )

    def emulate(
        self,
        *,
        seeds: int | Sequence[int] | None = None,
        output: str | Path | None = None,
        replace: bool = False,
        progress: Callable[[Progress], None] | None = None,
        pcap: bool | Literal["interfaces"] = False,
        qlog: bool = False,
        even_if_slow: bool = False,
        sysctl: Mapping[str, str | int] | None = None,
        congestion: Mapping[str, str] | None = None,
    ) -> Run:
        """Runs the scenario in real time between network namespaces, over connections of this machine's kernel.

        The links and cells between them are the simulator's own. A run takes the scenario's duration and needs root on
        Linux. The result has the tables of a simulation. `Run.timing` and `Run.problems` report the quality of its
        timing, `Run.notes` the differences of the kernel.

        Parameters
        ----------
        seeds
            Number of seeds, or a list of seeds; they run one after the other. Default: the first of the scenario's own.
        output, replace
            Folder for the results, and replacement of an older one, as for `simulate`.
        progress
            Called about ten times a second.
        pcap
            Also writes the packets of the flows into `output`, as pcapng, as for `simulate`.
        qlog
            Also writes the events of each connection over QUIC into `output`, as for `simulate`.
        even_if_slow
            Also runs scenarios that this machine is measured to be too slow for.
        sysctl
            Settings of the hosts' kernels, by their names for sysctl(8): {"net.ipv4.tcp_early_retrans": 0}.
        congestion
            Congestion controls of the kernel in place of the laws of some flows, applications or groups, by name:
            {"up": "bbr"}.

        Raises
        ------
        windward.EmulationError
            If the machine or the scenario does not allow emulation. The message gives the reason and a remedy.
        windward.KernelError
            If a law cannot be loaded into the kernel.
        windward.RunInterrupted
            On Ctrl-C. Its `run` holds the finished seeds, or is None.
        """
        from windward._engines.emulate import emulate
        from windward.results._place import claimed

        with claimed(output, replace=replace) as place:
            return emulate(
                self._compile().engine,
                seeds=seeds,
                place=place,
                progress=progress,
                pcap=pcap,
                qlog=qlog,
                even_if_slow=even_if_slow,
                sysctl=sysctl,
                congestion=congestion,
            )

    def optimum(
        self,
        utility: str = "proportional",
        *,
        routing: str = "fixed",
        links: str | None = None,
        time_s: float | None = None,
    ) -> Optimum:
        """Computes the best rates that any congestion control could reach.

        Parameters
        ----------
        utility
            "proportional" (the sum of ln x), "max-min", "alpha=NUMBER" (alpha-fairness), or "law": each flow's own
            utility, ln x for a law without a known one.
        routing
            "fixed", or "free": the best of all routings, over any number of paths. A flow with `via` keeps its route.
        links
            Links that a flow may use with free routing: "downstream" (a hop closer to its destination), "not-farther",
            "loop-free" (on directed paths without loops), or "all" (the default).
        time_s
            State of a changing network, in seconds from the beginning. Default: its end.

        Raises
        ------
        ValueError
            For another utility, routing or time.
        windward.NoAnswerError
            If there is no optimum.
        windward.RunInterrupted
            On Ctrl-C.
        """
        from windward._engines.optimum import solve

        return solve(self._compile().engine, utility, routing, links, time_s=time_s)

    def fluid(
        self,
        *,
        tolerance: float = 1e-6,
        period_s: float | None = None,
        feedback_delay_s: float | Literal["rtt"] | None = None,
        loss_free: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> Fluid:
        """Integrates the windows as differential equations, for the scenario's duration.

        Parameters
        ----------
        tolerance
            Error allowed in a step of the integrator, relative and in packets.
        period_s
            Updates every so many seconds instead, as the papers' own computations do (20 ms).
        feedback_delay_s
            Delay of the feedback of delay and loss, in seconds, or "rtt" for a round trip of each flow. Integrates in
            steps of a 64th of the shortest delay, regardless of the tolerance.
        loss_free
            Leave losses out of the equations of FAST, QUIC-TCP, Vegas and exp-delay, as their papers do.
        progress
            Called about ten times a second with the progress.

        Raises
        ------
        windward.NoAnswerError
            If the scenario has no fluid form: laws in Python, packets of different size, links without delay.
        windward.RunInterrupted
            On Ctrl-C.
        """
        from windward._engines.fluid import run

        return run(
            self._compile().engine,
            tolerance=tolerance,
            period_s=period_s,
            feedback_delay_s=feedback_delay_s,
            loss_free=loss_free,
            progress=progress,
        )

    def compare(
        self,
        *,
        utility: str = "proportional",
        seeds: int | Sequence[int] | None = None,
        emulate: bool | None = None,
        output: str | Path | None = None,
        replace: bool = False,
        progress: Callable[[str, Progress], None] | None = None,
    ) -> Comparison:
        """Runs all engines that support the scenario, and compares the flows' goodputs.

        Parameters
        ----------
        utility
            Utility of the optimum; see `Scenario.optimum`.
        seeds
            Seeds of the simulation; see `Scenario.simulate`.
        emulate
            Also emulates the first seed, in real time. Default: if this machine can, and the scenario takes at most two
            minutes.
        output
            Folder for the results, in its folders "optimum", "fluid", "ideal", "simulate" and "emulate".
        replace
            Replaces an older comparison in `output` once the new one is complete. Default: refuse.
        progress
            Called about ten times a second with "fluid", "ideal", "simulate" or "emulate" and the progress of that
            engine.

        Raises
        ------
        ValueError
            For an unknown utility.
        windward.NoAnswerError
            If no engine supports the scenario.
        windward.RunInterrupted
            On Ctrl-C.
        windward.LawError
            If a law written in Python fails.
        windward.ResultError
            If `output` cannot be written, is in use, or holds something that may not be replaced.
        """
        from windward._engines.compare import compare
        from windward.results._place import claimed

        compiled = self._compile()
        with claimed(output, replace=replace) as place:
            return compare(
                compiled.engine,
                folder=self.folder,
                laws=compiled.laws,
                utility=utility,
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
        utility: str = "proportional",
        seeds: int | Sequence[int] | None = None,
        threads: int | None = None,
        output: str | Path | None = None,
        on: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Sweep:
        """Runs the scenario with every combination of values of some fields, with every seed.

        >>> sweep = scenario.sweep({"link.air.loss": [0, 0.001], "flow.*.law": ["reno", "cubic"]})  # doctest: +SKIP

        Parameters
        ----------
        values
            Values by field: lists, or texts such as "10..100 Mbit/s step 10" and "1..1000 ms log 4". A field is named
            by its path: `link.NAME.FIELD`, `flow.*.law`, `duration`.
        points
            Single points, in addition to or in place of `values`: mappings from fields to values, or a CSV or TOML
            file.
        latin
            Number of samples of a Latin hypercube over `values`, in place of all combinations. A range then needs no
            step.
        engine
            "simulate", "fluid", "optimum" or "emulate".
        utility
            Utility of the optimum; see `Scenario.optimum`.
        seeds
            Number of seeds at every point, or a list of seeds. Default: the scenario's own.
        threads
            Number of runs at once. Default: the number of cores.
        output
            Folder for the results. An interrupted sweep in it is resumed. Default: a temporary folder that lives as
            long as the returned object.
        on
            "ray" or "ray://HOST:PORT": run the points on a Ray cluster.
        progress
            Called about ten times a second; its seeds are runs.

        Raises
        ------
        ValueError
            For fields and values that cannot be varied, and if the engine does not support the scenario.
        windward.ScenarioError
            If a value makes the scenario invalid. If only a combination does, that point is recorded as failed.
        windward.ResultError
            If `output` holds anything else, even another sweep, or cannot be written.
        windward.RunInterrupted
            On Ctrl-C. Its `run` is the sweep so far, or None.
        """
        from windward._engines.sweep import Asked, sweep
        from windward._format.design import design

        compiled = self._compile()
        laws = dict(compiled.laws)

        def plain(value: Any) -> Any:
            return to_plain(value, namer(laws))

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
                utility=utility,
                seeds=seeds,
                folder=self.folder,
                laws=laws,
            ),
            output=None if output is None else Path(output),
            threads=threads,
            on=on,
            progress=progress,
        )

    def tune(
        self,
        objective: str,
        *,
        output: str | Path,
        flow: str | None = None,
        law: str | None = None,
        fields: Sequence[str] = (),
        seeds: int | Sequence[int] | None = None,
        trials: int = 200,
        budget_s: float = math.inf,
        seed: int = 1,
        attack: int = 0,
        threads: int | None = None,
        on: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Tuning:
        """Searches the values of some fields that are best for an objective.

        All trials have the same seeds. The best values and the present ones are then compared on seeds that the search
        has not seen, on this network and on networks near it.

        Parameters
        ----------
        objective
            Figures to be made large or small, and bounds on others: "goodput, p95 wait <= 50 ms". One figure is
            searched by CMA-ES, two by NSGA-II. The figures are those of a sweep, and "power": ln(goodput) less half of
            ln(mean RTT).
        output
            Folder for the results. An interrupted search in it is resumed.
        flow
            Flow or group whose law is tuned and whose figures count. Default: all flows.
        law
            Law that they get. Default: the one that they have.
        fields
            Fields with ranges or choices, as a sweep takes them: "law.backlog=1..1000 log",
            "link.air.buffer=10..1000 packets log". `law.X` is a parameter of the flows' law. Default: all parameters of
            the law that are numbers, at most 1000 times off their defaults; of a formula its constants, at most 10
            times off their values.
        seeds
            Number of seeds of each trial, or a list of seeds. Default: the scenario's own.
        trials
            Number of trials.
        budget_s
            No generation of trials is begun after so many seconds.
        seed
            Seed of the search.
        attack
            Trials of an attack on the present and on the best values, with the patterns of a Wi-Fi link. 0: none.
        threads, on, progress
            As for `sweep`.

        Raises
        ------
        ValueError
            For fields, ranges and objectives that cannot be.
        windward.ResultError
            If `output` holds anything else, or cannot be written.
        windward.RunInterrupted
            On Ctrl-C. The same call goes on.
        """
        from windward._search.tune import TuneRequest, tune

        compiled = self._compile()
        return tune(
            TuneRequest(
                scenario=compiled.engine,
                objective=objective,
                flow=flow,
                law=law,
                fields=fields,
                seeds=seeds,
                trials=trials,
                budget_s=budget_s,
                seed=seed,
                attack=attack,
                folder=self.folder,
                laws=compiled.laws,
            ),
            output=Path(output),
            threads=threads,
            on=on,
            progress=progress,
        )

    def attack(
        self,
        until: str,
        *,
        within: Sequence[str] = (),
        output: str | Path,
        like: str | None = None,
        quiet_end_s: float | None = None,
        reference: str | None = "auto",
        confirm: int | None = 0,
        seeds: int = 3,
        fresh: int = 20,
        trials: int = 300,
        budget_s: float = math.inf,
        seed: int = 1,
        threads: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Attack:
        """Searches the network, within bounds, on which the scenario's laws fail.

        The question must hold on every seed, and not for the reference law on the same network. What is found is shrunk
        to the changes that it needs.

        Parameters
        ----------
        until
            Question: "starves", "unfair", "bloats", "idles", "slows", "stalls", "loses" or "differs:LAW", with a
            limit: "unfair:3", "bloats:100 ms", "differs:cubic:2". "starves" is about the ratio of two flows' goodputs.
            "unfair" is about a flow's fair share over its goodput: the share is the lesser of its rate in the
            proportionally fair optimum and of its mean goodput without the attack.
        within
            Fields and their bounds: "link.*.loss=0..1 %", "link.air.jitter=0..5 ms", "flow.*.start=0..1 s". With + a
            step after 2 s: "link.air.delay=+0..20 ms". Events during the run: "link.air.delay=pattern +0..20 ms",
            "traffic.a->b=pattern 1..10 Mbit/s". Receivers that cheat: "receiver.A=cheats",
            "receiver.*=ack_division 2..20, optimistic_acks 0..50 ms". Without bounds: those of `like`, or else modest
            ones for the slowest link by its kind of network. Where flows are compared, also for one flow's own link
            and for the flows' starts.
        output
            Folder for the results. An interrupted search in it is resumed.
        like
            Bounds of a kind of network for the slowest link: "wifi", "cellular", "leo" or "wired".
        quiet_end_s
            Time at the end of the run without events. Default: 10 s for "stalls", otherwise none.
        reference
            Law for which the question must not hold on the same network. None: no comparison. "auto": CUBIC, or Reno
            where all flows are CUBIC; none for "unfair", whose fair shares say what any law could have.
        confirm
            Number of runs of the find between real kernels, which take real time and need root. None: one run if this
            machine can, and the find takes at most two minutes.
        seeds
            Number of seeds on which the question must hold in the search.
        fresh
            Number of seeds that the search has not seen, on which a find is shrunk, and of others on which it is
            confirmed: it must hold on four of five. At least 10.
        trials
            Trials at most.
        budget_s
            No generation of trials is begun after so many seconds.
        seed
            Seed of the search.
        threads, progress
            As for `sweep`.

        Raises
        ------
        ValueError
            For questions and bounds that cannot be, and if the question holds without an attack.
        windward.ResultError
            If `output` holds anything else, or cannot be written.
        windward.RunInterrupted
            On Ctrl-C. The same call goes on.
        """
        import tomllib

        from windward._search.attack import attack
        from windward._search.request import AttackRequest

        compiled = self._compile()
        return attack(
            AttackRequest(
                scenario=compiled.engine,
                written=tomllib.loads(compiled.engine.to_toml()),
                until=until,
                within=within,
                like=like,
                quiet_end_s=quiet_end_s,
                laws=compiled.laws,
                reference=reference,
                confirm=confirm,
                seeds=seeds,
                fresh=fresh,
                trials=trials,
                budget_s=budget_s,
                seed=seed,
                folder=self.folder,
            ),
            output=Path(output),
            threads=threads,
            progress=progress,
        )

    def to_toml(self) -> str:
        """The scenario as a file, defaults written out."""
        return self._compile().engine.to_toml()

    def _compile(self) -> Compiled:
        """The checked scenario, made where there is none: for a new object, and for one that was pickled."""
        compiled = self._compiled
        if compiled is None:
            compiled = compiled_of(self, self.folder)
            object.__setattr__(self, "_compiled", compiled)
        return compiled


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
    scenario.__dict__.update(read.__dict__, folder=path.parent, _compiled=Compiled(engine=compiled, laws={}))
    return scenario
