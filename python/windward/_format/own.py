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
    """A congestion control law: decides the window, while the simulated TCP keeps the books.

    A class is a law if `Class(cwnd, **parameters)` makes an object of this shape; `cwnd` is the initial window in
    packets. `cwnd` may be an attribute, a property or a method without arguments, from 0 to 4294967295. A law may also
    have

    * `pacing_rate`: packets a second from 1e-9 to 1e9, or None: attribute, property or method; a rate paces the flow;
    * `on_restart(now)`: sending resumes after an idle time;
    * `on_undo()`: the last congestion event was spurious;
    * `observe()`: a dict of numbers to be recorded in `Run.internals`.

    The window may be fractional; the simulated TCP keeps its own floor and ceiling, and after a loss it drives the
    flight towards `cwnd` through its own recovery.
    """

    cwnd: float

    def on_ack(self, ack: Ack, /) -> None:
        """New data was acknowledged: once per ACK, never for a pure duplicate."""

    def on_congestion(self, event: Congestion, /) -> None:
        """A loss or mark (at most one per round trip), or a timeout."""


@runtime_checkable
class CellScheduler(Protocol):
    """Decides which station a cell serves in a slot.

    A class is a scheduler if `Class(**parameters)` makes an object of this shape; each run makes a fresh one.
    """

    def choose(self, slot: Slot, /) -> int | None:
        """The station to serve, as an index into `slot.stations`; None for nobody.

        A station that has nothing waiting, or whose channel carries nothing in this slot, wastes the slot if it is
        chosen.
        """


@runtime_checkable
class ForwardingRule(Protocol):
    """Decides what a station of a wireless network sends, and to whom, in place of backpressure's rule.

    A class is a rule if `Class(**parameters)` makes an object of this shape; each run makes a fresh one.
    """

    def rank(self, pair: Pair, /) -> float | None:
        """How good it is to send a packet of this flow to this neighbour.

        Asked for every allowed pair with a packet when the station may send. The highest is sent if it is above 0;
        equals are drawn; None is 0.
        """


#: Makes a law whose window begins at the given number of packets.
LawFactory = Callable[[float], Law]


class Finders(TypedDict):
    """How the engine finds what is written in Python: by name and parameters, each kind for itself."""

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
