"""Control laws, schedulers of cells, and rules of forwarding, written in Python."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypedDict, runtime_checkable

from windward._engine import Ack, Congestion, Pair, ScenarioError, Slot


@runtime_checkable
class Law(Protocol):
    """A congestion control law: sets the window; the simulated TCP does everything else.

    A class is a law if `Class(cwnd, **parameters)` makes an object of this shape; `cwnd` is the initial window in
    packets. `cwnd` may be an attribute, a property or a method without arguments, from 0 to 4294967295. A law may also
    have

    * `pacing_rate`: packets a second from 1e-9 to 1e9, or None: attribute, property or method; a rate paces the flow;
    * `on_restart(now)`: new data after an idle time; the simulated TCP does not call it;
    * `on_undo()`: the last congestion event was spurious;
    * `observe()`: a dict of numbers to be recorded in `Run.internals`.

    The window may be fractional; the simulated TCP keeps its own floor and ceiling, and after a loss it drives the
    flight towards `cwnd` through its own recovery.

    Examples
    --------
    Adds one packet per round trip, halves at a loss:

    >>> import windward as ww
    >>> class Plain:
    ...     def __init__(self, cwnd: float) -> None:
    ...         self.cwnd = cwnd
    ...
    ...     def on_ack(self, ack: ww.Ack) -> None:
    ...         if not ack.recovering:
    ...             self.cwnd += ack.acked / self.cwnd
    ...
    ...     def on_congestion(self, event: ww.Congestion) -> None:
    ...         self.cwnd = max(1.0, event.flight / 2)
    >>> scenario = ww.Scenario(
    ...     name="plain",
    ...     duration="10 s",
    ...     node=[ww.Node(name="a"), ww.Node(name="b")],
    ...     link=[ww.Link(from_="a", to="b", rate="5 Mbit/s", delay="10 ms", buffer="20 packets")],
    ...     flow=[ww.Flow(from_="a", to="b", law=Plain)],
    ... )
    >>> bool(scenario.simulate().flows["goodput_bps"][0] > 4e6)
    True
    """

    cwnd: float

    def on_ack(self, ack: Ack, /) -> None:
        """New data was acknowledged: once per ACK, never for a pure duplicate."""

    def on_congestion(self, event: Congestion, /) -> None:
        """A loss or mark (at most one per round trip), or a timeout."""


@runtime_checkable
class CellScheduler(Protocol):
    """A scheduler: chooses the station that a cell serves in a slot.

    A class is a scheduler if `Class(**parameters)` makes an object of this shape; each run makes a fresh one.

    Examples
    --------
    Serves the station whose channel carries most, among those with packets:

    >>> import dataclasses
    >>> import windward as ww
    >>> class Greedy:
    ...     def choose(self, slot: ww.Slot) -> int | None:
    ...         waiting = [at for at, each in enumerate(slot.stations) if each.backlog_packets]
    ...         return max(waiting, key=lambda at: slot.stations[at].rate, default=None)
    >>> cell = ww.load("scenarios/cell.toml")
    >>> greedy = dataclasses.replace(cell, cell=[dataclasses.replace(cell.cell[0], scheduler=Greedy)])
    >>> flows = greedy.simulate().flows.set_index("flow")["goodput_bps"]
    >>> bool(flows["near"] > 4 * flows["far"])
    True
    """

    def choose(self, slot: Slot, /) -> int | None:
        """Returns the station to serve, as an index into `slot.stations`; None for no station.

        A chosen station without packets, or with a channel that carries nothing, wastes the slot.
        """


@runtime_checkable
class ForwardingRule(Protocol):
    """A forwarding rule in place of backpressure's: chooses flow and next hop of a wireless station.

    A class is a rule if `Class(**parameters)` makes an object of this shape; each run makes a fresh one.

    Examples
    --------
    The queue of the flow here less that at the neighbour, times the share of frames that arrive:

    >>> import windward as ww
    >>> class ByBacklog:
    ...     def rank(self, pair: ww.Pair) -> float:
    ...         return (pair.own - pair.theirs) * pair.success
    >>> isinstance(ByBacklog(), ww.ForwardingRule)
    True
    """

    def rank(self, pair: Pair, /) -> float | None:
        """Returns the priority of a packet of this flow to this neighbour.

        Called for every allowed pair with a packet when the station may send. The highest priority above 0 is sent;
        ties are drawn at random. None counts as 0.
        """


#: Makes a law whose window begins at the given number of packets.
LawFactory = Callable[[float], Law]


class Finders(TypedDict):
    """Lookup of objects written in Python, by name and parameters, for each kind."""

    law: Callable[[str, Mapping[str, Any]], LawFactory]
    scheduler: Callable[[str, Mapping[str, Any]], Callable[[], CellScheduler]]
    rule: Callable[[str, Mapping[str, Any]], Callable[[], ForwardingRule]]


def finders(known: Mapping[str, Callable[..., Any]], folder: Path) -> Finders:
    """Finds among the objects that a scenario knows by name, else in files of its folder and in modules."""
    return {
        "law": lambda name, parameters: known.get(name) or resolve_law(name, parameters, folder),
        "scheduler": lambda name, parameters: known.get(name) or resolve_scheduler(name, parameters, folder),
        "rule": lambda name, parameters: known.get(name) or resolve_rule(name, parameters, folder),
    }


def resolve_law(spec: str, parameters: Mapping[str, Any], folder: Path) -> LawFactory:
    """The law that a scenario names as `FILE.py:CLASS`, relative to `folder`, or as `MODULE:CLASS`.

    Raises
    ------
    ScenarioError
        If there is no such file, module or class, or if importing it fails.
    """
    return bind(find_class(spec, folder, "law"), parameters)


def resolve_scheduler(spec: str, parameters: Mapping[str, Any], folder: Path) -> Callable[[], CellScheduler]:
    """The scheduler that a scenario names as `FILE.py:CLASS`, relative to `folder`, or as `MODULE:CLASS`.

    Raises
    ------
    ScenarioError
        If there is no such file, module or class, or if importing it fails.
    """
    found = find_class(spec, folder, "scheduler")
    return lambda: found(**parameters)


def resolve_rule(spec: str, parameters: Mapping[str, Any], folder: Path) -> Callable[[], ForwardingRule]:
    """The rule of forwarding that a scenario names as `FILE.py:CLASS`, relative to `folder`, or as `MODULE:CLASS`.

    Raises
    ------
    ScenarioError
        If there is no such file, module or class, or if importing it fails.
    """
    found = find_class(spec, folder, "rule")
    return lambda: found(**parameters)


def find_class(spec: str, folder: Path, what: str) -> Callable[..., Any]:
    """The class that a scenario names; `what` it is to be is said in messages.

    Raises
    ------
    ScenarioError
        If there is no such file, module or class, or if importing it fails.
    """
    source, separator, name = spec.rpartition(":")
    if not separator or not source or not name:
        raise ScenarioError(f'`{spec}` does not name a class; write "my_law.py:MyLaw" or "my_package.laws:MyLaw"')
    try:
        module = _load_file(folder / source) if source.endswith(".py") else importlib.import_module(source)
    except FileNotFoundError as error:
        raise ScenarioError(f"{what} `{spec}`: there is no file {folder / source}") from error
    except Exception as error:
        raise ScenarioError(f"{what} `{spec}`: {source} cannot be imported: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise ScenarioError(f"{what} `{spec}`: {source} has no class `{name}`")
    return found  # type: ignore[no-any-return]


def bind(law: Callable[..., Law], parameters: Mapping[str, Any]) -> LawFactory:
    """The law with its parameters, waiting for the initial window."""
    return lambda cwnd: law(cwnd, **parameters)


def _load_file(path: Path) -> Any:
    path = path.resolve()
    if not path.is_file():
        raise FileNotFoundError(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As `python my_law.py` would: modules beside the file can be imported.
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module
