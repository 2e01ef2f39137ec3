"""Several flows with an agent each: PettingZoo's parallel environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from windward.errors import OptionError
from windward.gym._core import CERTIFIED, COMPLETE, OPEN, REASONS, Core, Step

if TYPE_CHECKING:
    from pettingzoo import ParallelEnv as _Base
else:
    try:
        from pettingzoo import ParallelEnv as _Base
    except ImportError:
        _Base = object


class ParallelEnv(_Base):  # type: ignore[misc]
    """One network, in which each of several flows has an agent of its own.

    All agents act at the same instants. An agent joins when its flow begins and leaves when its data is delivered. Its
    reward is that of its own flow. The arguments are those of `windward.gym.Env`.

    Examples
    --------
    >>> import windward.gym
    >>> env = windward.gym.parallel_env("Share")
    >>> observations, infos = env.reset(seed=1)
    >>> sorted(observations)
    ['agent-0', 'agent-1', 'agent-2', 'agent-3']
    """

    metadata = {"name": "windward_share_v0", "render_modes": []}  # noqa: RUF012

    def __init__(self, scenario: Any, *, render_mode: str | None = None, **options: Any) -> None:
        if _Base is object:
            raise ImportError("several agents need PettingZoo\nhint: pip install windward[gym]")
        self.render_mode = render_mode
        self.core = Core(1, scenario=scenario, threads=1, **options)
        self.possible_agents = list(self.core.names)
        self.agents: list[str] = []
        self._observation = dict.fromkeys(self.possible_agents, self.core.observation_space)
        self._action = dict.fromkeys(self.possible_agents, self.core.action_space)
        self._left: set[str] = set()
        self._random = seeding.np_random(None)[0]
        self._last: Step | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Space of an agent's observations."""
        return self._observation[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Space of an agent's actions."""
        return self._action[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begins an episode."""
        if seed is not None:
            self._random = seeding.np_random(seed)[0]
        self.core.reset([0], [self._random])
        self._left = set()
        step = self._last = self.core.look()
        self.agents = self._open(step)
        return self._observations(step, self.agents), self._infos(step, self.agents)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Applies the actions of the agents that are there, and simulates an interval."""
        if not self.agents:
            raise OptionError(("step", "no agents", "the episode is over: call reset"))
        idle = 2 if self.core.is_discrete else 0.0
        given = [np.asarray(actions.get(name, idle), dtype=np.float64).reshape(-1)[0] for name in self.possible_agents]
        self.core.act(np.array([given]), np.ones(1, dtype=np.bool_))
        step = self._last = self.core.look()
        ending = int(step.endings[0])
        there = [*self.agents, *(name for name in self._open(step) if name not in self.agents)]
        is_over = ending not in (OPEN, COMPLETE)
        is_open = dict(zip(self.possible_agents, step.figures["is_open"][0] > 0, strict=True))
        terminated = {name: ending == COMPLETE or (not is_over and not is_open[name]) for name in there}
        truncated = dict.fromkeys(there, is_over)
        rewards = dict(zip(self.possible_agents, map(float, step.rewards[0]), strict=True))
        observations, infos = self._observations(step, there), self._infos(step, there)
        self._left |= {name for name in there if terminated[name] or truncated[name]}
        self.agents = [name for name in self.possible_agents if name in there and name not in self._left]
        told = {name: rewards[name] for name in there}
        while not self.agents and int(step.endings[0]) == OPEN:
            # The network goes on until the next flow begins.
            self.core.act(np.full((1, len(self.possible_agents)), idle), np.ones(1, dtype=np.bool_))
            step = self._last = self.core.look()
            self.agents = joined = self._open(step)
            observations |= self._observations(step, joined)
            infos |= self._infos(step, joined)
            for values, none in ((told, 0.0), (terminated, False), (truncated, False)):
                values |= dict.fromkeys(joined, none)
        return observations, told, terminated, truncated, infos

    def state(self) -> NDArray[np.float32]:
        """Observations of all flows, for training with a central critic."""
        if self._last is None:
            raise OptionError(("state", "no episode", "call reset"))
        found: NDArray[np.float32] = self._last.observations[0].reshape(-1)
        return found

    def close(self) -> None:
        """Does nothing: there is no process, socket or file."""

    def _open(self, step: Step) -> list[str]:
        is_open = step.figures["is_open"][0] > 0
        return [
            name for name, there in zip(self.possible_agents, is_open, strict=True) if there and name not in self._left
        ]

    def _observations(self, step: Step, there: list[str]) -> dict[str, NDArray[np.float32]]:
        return {name: step.observations[0, self.possible_agents.index(name)] for name in there}

    def _infos(self, step: Step, there: list[str]) -> dict[str, dict[str, Any]]:
        infos = {}
        for name in there:
            at = self.possible_agents.index(name)
            figures = {
                key: float(values[0, at] if values.ndim > 1 else values[0]) for key, values in step.figures.items()
            }
            unknown = [key for key in CERTIFIED if not self.core.certify or np.isnan(figures[key])]
            figures = {key: value for key, value in figures.items() if key not in unknown}
            infos[name] = {**figures, "exact": bool(self.core.exact[0]), "ending": REASONS[int(step.endings[0])]}
        return infos


def parallel_env(preset: str = "Share", **options: Any) -> ParallelEnv:
    """The parallel environment of a preset, with other options where they are given."""
    from windward.gym._presets import PRESETS

    if preset not in PRESETS:
        raise OptionError(("preset", preset, f"unknown preset; presets: {', '.join(PRESETS)}"))
    return ParallelEnv(**{**PRESETS[preset], **options})
