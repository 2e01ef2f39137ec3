"""Sources of the networks of episodes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from windward import _engine
from windward._bench import networks as sets
from windward._evaluate.networks import with_law
from windward._format.parse import parse
from windward.errors import OptionError
from windward.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The network of an episode."""

    #: A scenario: an object, a file, or its fields as JSON has them.
    scenario: Scenario | str | Path | Mapping[str, Any]
    #: Names of the flows that agents control. Default: those of the environment.
    agents: Sequence[str] | None = None
    #: Pacing rate in packets per second with which agents begin who set a rate. Default: the initial window in the
    #: first round trip.
    rate_pps: float | None = None


#: Draws the network of an episode.
Source = Callable[[np.random.Generator], Drawn]


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """A network that has been checked."""

    engine: _engine.Scenario
    names: list[str]
    text: str = field(repr=False)


def compiled(scenario: Any) -> Compiled:
    """A scenario of any form, as the engine takes it.

    Raises
    ------
    windward.ScenarioError
        If it is wrong.
    OptionError
        If parts of it are written in Python, or it has no packets.
    """
    if isinstance(scenario, Scenario):
        engine = scenario._compile().engine
    elif isinstance(scenario, Mapping):
        engine = _engine.Scenario.from_json(json.dumps(scenario), str(scenario.get("name", "scenario")), Path())
    elif isinstance(scenario, _engine.Scenario):
        engine = scenario
    else:
        engine = parse(Path(scenario))
    if engine.python_classes:
        raise OptionError(("scenario", engine.name, "parts of it are written in Python; agents need an engine of Rust"))
    if engine.has_region:
        raise OptionError(("scenario", engine.name, "a capacity region has no packets"))
    return Compiled(engine=engine, names=list(engine.entities()["flows"]["flow"]), text=engine.name)


def source(scenario: Any) -> Source:
    """The source of a scenario, of several of which each episode draws one, or of a set of `windward bench`."""
    if callable(scenario) and not isinstance(scenario, (Scenario, _engine.Scenario)):
        return scenario  # type: ignore[no-any-return]
    if isinstance(scenario, str) and scenario.startswith("bench:"):
        return bench(scenario.removeprefix("bench:"))
    if isinstance(scenario, Sequence) and not isinstance(scenario, str):
        if not scenario:
            raise OptionError(("scenario", "[]", "there is none to draw"))
        every = [Drawn(scenario=_of(each)) for each in scenario]
        return lambda random: every[int(random.integers(len(every)))]
    one = Drawn(scenario=_of(scenario))
    return lambda _: one


def _of(scenario: Any) -> Any:
    """The scenario, checked once."""
    return compiled(scenario).engine


def bench(
    name: str = "train",
    *,
    family: str | None = None,
    others: str = "cubic",
    duration_s: float = 12.0,
    seed: int | None = None,
) -> Source:
    """The networks of a set of `windward bench`, with an agent as the flow `own-0`.

    Parameters
    ----------
    name
        "train", "validation" or "held-out".
    family
        One of the families of the set, such as "lossy". Default: all.
    others
        Law of the other flows that `windward bench` gives to the law it scores.
    duration_s
        Length of an episode in simulated seconds.
    seed
        Seed of the held-out set.

    Raises
    ------
    ValueError
        For a set or a family that does not exist.
    """
    found = [each for each in sets.networks(name, seed) if family in (None, each.family)]
    if not found:
        raise OptionError(("family", str(family), f"unknown family; families: {', '.join(sets.FAMILIES)}"))
    every = [
        Drawn(scenario=_of(with_law(sets.timed(each, duration_s, duration_s / 3), others)), agents=("own-0",))
        for each in found
    ]
    return lambda random: every[int(random.integers(len(every)))]


def aurora_link(random: np.random.Generator) -> Drawn:
    """Draws a link of the distribution on which Aurora was trained.

    100 to 500 packets/s, 50 to 500 ms each way, a buffer of 1 + e^(0…8) packets, 0 to 5 % loss. The agent begins at 0.3
    to 1.5 times the capacity.
    """
    rate = float(random.uniform(100, 500))
    delay = float(random.uniform(0.05, 0.5))
    buffer = 1 + int(math.exp(random.uniform(0, 8)))
    loss = float(random.uniform(0, 5))
    return Drawn(
        scenario=one_link(
            f"{rate * 12_000:.0f} bit/s",
            f"{delay * 1e3:.3f} ms",
            f"{buffer} packets",
            duration_s=max(30.0, 400 * delay * 1.5),
            loss=f"{loss:.4f} %",
            reverse={"rate": "1 Gbit/s", "loss": 0},
        ),
        rate_pps=rate * float(random.uniform(0.3, 1.5)),
    )


def one_link(
    rate: str,
    delay: str,
    buffer: str,
    *,
    duration_s: float,
    flows: Sequence[str] = ("agent",),
    law: Mapping[str, str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A link between two nodes, and flows over it; `law` has the laws of those that no agent controls."""
    return {
        "name": "link",
        "duration": f"{duration_s:g} s",
        "warmup": "0 s",
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [{"name": "core", "from": "a", "to": "b", "rate": rate, "delay": delay, "buffer": buffer, **more}],
        "flow": [{"name": name, "from": "a", "to": "b", "law": (law or {}).get(name, "reno")} for name in flows],
    }
