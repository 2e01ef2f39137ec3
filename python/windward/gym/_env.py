"""A single environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from windward.gym._core import CERTIFIED, COMPLETE, DISCRETE, OPEN, REASONS, Core, Step


def stacked(space: spaces.Space[Any], agents: int) -> spaces.Space[Any]:
    """Space of one or several agents together."""
    if agents == 1:
        return space
    if isinstance(space, spaces.Box):
        return spaces.Box(np.tile(space.low, agents), np.tile(space.high, agents), dtype=np.float32)
    return spaces.MultiDiscrete([len(DISCRETE)] * agents)


class Env(gymnasium.Env[NDArray[np.float32], Any]):
    """One network, in which one or several flows are controlled together.

    Parameters
    ----------
    scenario
        A scenario: an object, a file, or a mapping as JSON has it. A sequence of these: each episode draws one.
        "bench:train" or "bench:validation", the sets of `windward bench`. Or a function that draws: it takes a
        `numpy.random.Generator` and returns a `windward.gym.Drawn`.
    agents
        Names of the controlled flows, or the number of the first flows. Default: the first flow.
    every
        Length of a step: "rtt" or "0.5 rtt", in the greatest smoothed round-trip time of the agents, at least 10 ms; a
        time such as "30 ms"; "acks:10".
    history
        Number of intervals in an observation.
    observation
        "scale-free", "aurora", "full", or names of features.
    action
        "window", "rate", "pacing", "target" or "discrete".
    strength
        Effect of the greatest action: a factor of the window of 1.25 by default; for "rate" Aurora's 0.025.
    over_law
        Agents modulate the law that their flow has in the scenario: with the action 0 the flow is that law.
    reward
        "regret", "aurora", "power", "fair", or a function of the figures.
    delay_weight, loss_weight
        Weights of the queueing delay over the base round-trip time and of the lost share, in "regret" and "fair".
    certify
        Computes the optimum for each network, for `regret` in the info. Default: if the reward needs it.
    max_steps
        Steps after which an episode is truncated. Default: the duration of the scenario decides.
    max_events
        Events of a step after which an episode is truncated.

    Examples
    --------
    >>> import windward.gym
    >>> env = windward.gym.Env(scenario=windward.gym.PRESETS["Download"]["scenario"])
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> observation.shape, terminated, truncated
    ((80,), False, False)
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, scenario: Any, *, render_mode: str | None = None, **options: Any) -> None:
        self.render_mode = render_mode
        self.core = Core(1, scenario=scenario, threads=1, **options)
        agents = len(self.core.names)
        self.observation_space = stacked(self.core.observation_space, agents)
        self.action_space = stacked(self.core.action_space, agents)
        self._is_begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode. The same seed gives the same first episode, and the same ones after it."""
        super().reset(seed=seed)
        self.core.reset([0], [self.np_random])
        self._is_begun = True
        step = self.core.look()
        return step.observations[0].reshape(-1), self._info(step)

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Applies an action, and simulates an interval."""
        if not self._is_begun:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        self.core.act(np.asarray(action), np.ones(1, dtype=np.bool_))
        step = self.core.look()
        ending = int(step.endings[0])
        reward = float(step.rewards[0].sum())
        info = self._info(step)
        return step.observations[0].reshape(-1), reward, ending == COMPLETE, ending not in (OPEN, COMPLETE), info

    def _info(self, step: Step) -> dict[str, Any]:
        info: dict[str, Any] = {}
        for name, values in step.figures.items():
            # What is not known is left out: it would not be equal to itself.
            if not (name in CERTIFIED and (not self.core.certify or np.isnan(values[0]).any())):
                info[name] = values[0].copy() if values.ndim > 1 else float(values[0])
        return {**info, "exact": bool(self.core.exact[0]), "ending": REASONS[int(step.endings[0])]}

    def finish(self) -> dict[str, Any] | None:
        """Ends the episode where it is, and returns the tables of its run, as a simulation has them."""
        self._is_begun = False
        return self.core.finish(0)
