"""Many environments, stepped by one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv as Base
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from windward.errors import OptionError
from windward.gym._core import CERTIFIED, COMPLETE, OPEN, REASONS, Core, Step
from windward.gym._env import stacked


class VectorEnv(Base[NDArray[np.float32], Any, NDArray[Any]]):
    """Environments in this process, stepped together on all cores.

    The same seeds and actions give the same bytes on any number of threads, and the same as single environments.

    Parameters
    ----------
    scenario
        As `windward.gym.Env`, which says what all other arguments mean.
    num_envs
        Number of environments.
    threads
        Threads at most. Default: the number of cores.
    autoreset_mode
        Beginning of the next episode: "NextStep", "SameStep" or "Disabled".

    Examples
    --------
    >>> import windward.gym
    >>> envs = windward.gym.VectorEnv(scenario=windward.gym.PRESETS["Download"]["scenario"], num_envs=16)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
    >>> observations.shape, rewards.shape
    ((16, 80), (16,))
    """

    def __init__(
        self,
        scenario: Any,
        *,
        num_envs: int = 1,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise OptionError(("num_envs", str(num_envs), "it must be at least 1"))
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.core = Core(num_envs, scenario=scenario, threads=threads, **options)
        agents = len(self.core.names)
        self.single_observation_space = stacked(self.core.observation_space, agents)
        self.single_action_space = stacked(self.core.action_space, agents)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._randoms: list[np.random.Generator] = []
        self._is_over = np.ones(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins episodes in all environments, or in those of `options["reset_mask"]`.

        Environment i has the seed `seed + i`, or the i-th of several. Without one its generator goes on.
        """
        seeds = [seed + at for at in range(self.num_envs)] if isinstance(seed, int) else seed
        if seeds is not None and len(seeds) != self.num_envs:
            raise OptionError(("seed", f"{len(seeds)} seeds", f"there are {self.num_envs} environments"))
        mask = np.ones(self.num_envs, dtype=np.bool_)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
                said = f"it must be {self.num_envs} truths, one of them true"
                raise OptionError(("reset_mask", str(mask), said))
        if not self._randoms:
            self._randoms = [seeding.np_random(None)[0] for _ in range(self.num_envs)]
        for at in map(int, np.flatnonzero(mask)):
            if seeds is not None and seeds[at] is not None:
                self._randoms[at] = seeding.np_random(seeds[at])[0]
        self._begin(mask)
        step = self.core.look()
        return step.observations.reshape(self.num_envs, -1), self._infos(step)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Applies the actions, and simulates an interval of each environment."""
        over = self._is_over.copy()
        if self.autoreset_mode == AutoresetMode.NEXT_STEP:
            self.core.act(actions, ~over)
            if over.any():
                self._begin(over)
        elif over.any():
            raise OptionError(("step", f"{int(over.sum())} environments", "their episodes are over: call reset"))
        else:
            self.core.act(actions, ~over)
            over[:] = False
        step = self.core.look()
        rewards = step.rewards.sum(1)
        rewards[over] = 0.0
        terminated = (step.endings == COMPLETE) & ~over
        truncated = (step.endings != OPEN) & (step.endings != COMPLETE) & ~over
        self._is_over = terminated | truncated
        infos = self._infos(step)
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._is_over.any():
            done = self._is_over.copy()
            final_obs = np.full(self.num_envs, None, dtype=object)
            for at in np.flatnonzero(done):
                final_obs[at] = step.observations[at].reshape(-1).copy()
            self._begin(done)
            step = self.core.look()
            final_info, infos = infos, self._infos(step)
            infos |= {"final_obs": final_obs, "_final_obs": done, "final_info": final_info, "_final_info": done}
        return step.observations.reshape(self.num_envs, -1), rewards, terminated, truncated, infos

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        at = [int(index) for index in np.flatnonzero(mask)]
        self.core.reset(at, [self._randoms[index] for index in at])
        self._is_over[mask] = False

    def _infos(self, step: Step) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        found: dict[str, Any] = {}
        for name, values in step.figures.items():
            if name not in CERTIFIED:
                found |= {name: values, f"_{name}": everywhere}
            elif self.core.certify:
                known = ~np.isnan(values if values.ndim == 1 else values.sum(1))
                found |= {name: values, f"_{name}": known}
        ending = np.array(REASONS, dtype=object)[step.endings]
        exact = self.core.exact.copy()
        return {**found, "exact": exact, "_exact": everywhere, "ending": ending, "_ending": everywhere}
