"""Episodes of the engine for the environments: settings, beginnings, rewards and information."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from windward import _engine
from windward._engines.simulate import count_threads
from windward.errors import OptionError
from windward.gym._best import Best, best
from windward.gym._rewards import NEED_OPTIMUM, Reward, choose
from windward.gym._sources import Compiled, Drawn, Source, compiled, source

#: Features: name, least and greatest value.
FEATURES: Sequence[tuple[str, float, float]] = _engine.Episodes.features()
_NAMES = [name for name, _, _ in FEATURES]

#: Figures of an agent, and of a network.
OF_AGENT, OF_NETWORK = _engine.Episodes.figures()

#: Observations by name; any sequence of features will do.
OBSERVATIONS: Mapping[str, Sequence[str]] = {
    "scale-free": _NAMES[:-3],
    "aurora": ("latency_inflation", "latency_ratio", "send_ratio"),
    "full": _NAMES,
}

#: Actions, and the number that scales each.
STRENGTHS: Mapping[str, float] = {"window": 1.25, "rate": 0.025, "pacing": 2.0, "target": 1024.0, "discrete": 1.25}

#: Actions of "discrete".
DISCRETE = (-1.0, -0.5, 0.0, 0.5, 1.0)

#: Endings of a step.
OPEN, COMPLETE, OUT_OF_TIME, TOO_MANY_EVENTS, CANCELLED = range(5)
REASONS = ("", "complete", "duration", "events", "interrupted")

#: Scenarios whose optimum is kept.
_KEPT = 256

_EVERY = re.compile(r"(?:(?P<count>[0-9.]+) *)?(?P<unit>rtt)|acks:(?P<acks>[0-9]+)")


@dataclass(frozen=True, kw_only=True)
class Step:
    """Results of a step of all environments."""

    observations: NDArray[np.float32]
    #: One value for each agent of each environment.
    rewards: NDArray[np.float64]
    endings: NDArray[np.uint8]
    #: By name: figures of the agents in two dimensions, of the networks in one.
    figures: dict[str, NDArray[np.float64]]


class Core:
    """Environments of one form, without the interface of a library."""

    def __init__(
        self,
        count: int,
        *,
        scenario: Any,
        agents: Sequence[str] | int | None = None,
        every: str = "rtt",
        history: int = 8,
        observation: str | Sequence[str] = "scale-free",
        action: str = "window",
        strength: float | None = None,
        over_law: bool = False,
        reward: str | Reward = "regret",
        delay_weight: float = 0.0,
        loss_weight: float = 0.0,
        certify: bool | None = None,
        max_steps: int | None = None,
        max_events: int = 10_000_000,
        threads: int | None = None,
    ) -> None:
        self.source: Source = source(scenario)
        self.agents = agents
        self.reward = choose(reward, delay_weight, loss_weight)
        self.certify = reward in NEED_OPTIMUM if certify is None else certify
        self._needs_optimum = reward in NEED_OPTIMUM if isinstance(reward, str) else False
        self.max_steps = max_steps
        self.is_discrete = action == "discrete"
        features = OBSERVATIONS.get(observation) if isinstance(observation, str) else observation
        if features is None or not features or any(name not in _NAMES for name in features):
            allowed = f"{', '.join(OBSERVATIONS)}, or some of {', '.join(_NAMES)}"
            raise OptionError(("observation", str(observation), f"unknown observation; allowed: {allowed}"))
        self.features = list(features)
        if action not in STRENGTHS:
            raise OptionError(("action", action, f"unknown action; actions: {', '.join(STRENGTHS)}"))
        if action == "pacing" and not over_law:
            raise OptionError(("action", action, "it scales the window of a law: set `over_law`"))
        if action in ("rate", "target") and over_law:
            raise OptionError(("over_law", "True", f"the action {action} has no law beneath"))
        for name, number in (("history", history), ("max_events", max_events)):
            if number < 1:
                raise OptionError((name, str(number), "it must be at least 1"))
        strength = STRENGTHS[action] if strength is None else strength
        if not (strength > 0 and np.isfinite(strength)):
            raise OptionError(("strength", str(strength), "it must be above 0"))
        #: The first network, from which the number of agents comes.
        self.first = self.source(np.random.default_rng(0))
        at_first = compiled(self.first.scenario)
        self.names = self._names(self.first, at_first)
        self.count, self.history = count, history
        self._best: OrderedDict[str, Best] = OrderedDict()
        length, unit = _interval(every)
        self.engine = _engine.Episodes(
            count,
            agents=len(self.names),
            action="window" if self.is_discrete else action,
            strength=float(strength),
            is_over_law=over_law,
            every=length,
            unit=unit,
            history=history,
            features=[_NAMES.index(name) for name in self.features],
            most_events=max_events,
            threads=count_threads(threads),
        )
        if self._needs_optimum and not (found := self.best(at_first)).pieces:
            said = f'{found.reason}\nhint: reward="power" needs no optimum'
            raise OptionError(("reward", str(reward), said))
        self.steps = np.zeros(count, dtype=np.int64)
        #: Of the present episode of each environment.
        self.exact = np.zeros(count, dtype=np.bool_)

    def _names(self, drawn: Drawn, network: Compiled) -> list[str]:
        """Names of the flows that agents control."""
        asked = drawn.agents if drawn.agents is not None else self.agents
        if asked is None:
            asked = 1
        if isinstance(asked, int):
            if not 1 <= asked <= len(network.names):
                said = f"the scenario has {len(network.names)} flows: {', '.join(network.names)}"
                raise OptionError(("agents", str(asked), said))
            return network.names[:asked]
        if unknown := [name for name in asked if name not in network.names]:
            raise OptionError(("agents", unknown[0], f"no such flow; flows: {', '.join(network.names)}"))
        return list(asked)

    def best(self, network: Compiled) -> Best:
        """Best rates of a network, kept for the last ones."""
        text = network.engine.to_json()
        if text not in self._best:
            self._best[text] = best(network.engine)
            if len(self._best) > _KEPT:
                self._best.popitem(last=False)
        self._best.move_to_end(text)
        return self._best[text]

    @property
    def observation_space(self) -> spaces.Box:
        """Space of the observation of one agent."""
        bounds = np.array([FEATURES[_NAMES.index(name)][1:] for name in self.features], dtype=np.float32)
        low, high = (np.tile(bounds[:, side], self.history) for side in (0, 1))
        return spaces.Box(low, high, dtype=np.float32)

    @property
    def action_space(self) -> spaces.Space[Any]:
        """Space of the action of one agent."""
        return spaces.Discrete(len(DISCRETE)) if self.is_discrete else spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, at: Sequence[int], randoms: Sequence[np.random.Generator]) -> None:
        """Begins an episode in each of the environments, each by its own generator."""
        given = []
        for index, random in zip(at, randoms, strict=True):
            drawn = self.source(random)
            network = compiled(drawn.scenario)
            names = self._names(drawn, network)
            found = self.best(network) if self.certify else Best(pieces=[], is_exact=False)
            self.exact[index] = found.is_exact and bool(found.pieces)
            seed = int(random.integers(2**63))
            flows = [network.names.index(name) for name in names]
            given.append((index, network.engine, flows, seed, drawn.rate_pps, list(found.pieces)))
        self.engine.reset(given)
        self.steps[list(at)] = 0

    def act(self, actions: NDArray[Any], mask: NDArray[np.bool_]) -> None:
        """Makes a step where the mask is true; actions beyond -1 and 1 count as these.

        Raises
        ------
        ValueError
            For an action that is no number.
        """
        given = np.asarray(actions)
        if self.is_discrete:
            given = np.take(DISCRETE, given.astype(np.int64), mode="clip")
        flat = np.ascontiguousarray(given, dtype=np.float64).reshape(-1)
        if np.isnan(flat).any():
            raise ValueError("an action is not a number")
        self.engine.step(flat, mask.astype(np.uint8).tobytes())
        self.steps += mask

    def look(self) -> Step:
        """Results of the last steps and resets."""
        agents = len(self.names)
        observations = np.empty((self.count, agents, self.history * len(self.features)), dtype=np.float32)
        of_agents = np.empty((self.count, agents, len(OF_AGENT)))
        of_networks = np.empty((self.count, len(OF_NETWORK)))
        endings = np.empty(self.count, dtype=np.uint8)
        self.engine.results(observations, of_agents, of_networks, endings)
        if self.max_steps is not None:
            endings[(endings == OPEN) & (self.steps >= self.max_steps)] = OUT_OF_TIME
        figures = {name: of_agents[:, :, at] for at, name in enumerate(OF_AGENT)}
        figures |= {name: of_networks[:, at] for at, name in enumerate(OF_NETWORK)}
        rewards = np.asarray(self.reward(figures), dtype=np.float64)
        if rewards.shape != (self.count, agents):
            rewards = np.broadcast_to(rewards.reshape(self.count, -1) / agents, (self.count, agents))
        return Step(observations=observations, rewards=rewards, endings=endings, figures=figures)

    def finish(self, at: int) -> dict[str, Any] | None:
        """Ends an episode where it is, and returns the tables of its run."""
        return self.engine.finish(at)


def _interval(every: str) -> tuple[float, str]:
    """Length of an interval, and its unit."""
    if found := _EVERY.fullmatch(every.strip()):
        if found["unit"]:
            length, unit = float(found["count"] or 1), "rtt"
        else:
            length, unit = float(found["acks"]), "acks"
    else:
        quantity = _engine.quantity(every)
        length, unit = quantity if quantity is not None else (0.0, "")
    if unit not in ("rtt", "acks", "s") or not 0 < length <= 1e6:
        said = "allowed: `rtt`, a multiple such as `0.5 rtt`, a time such as `30 ms`, or `acks:10`"
        raise OptionError(("every", every, said))
    return length, unit


#: Figures that need an optimum.
CERTIFIED = ("certified_s", "regret", "slack", "episode_regret", "episode_slack", "log_share", "best_bps")
