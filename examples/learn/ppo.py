"""Learns to control one link by PPO of stable-baselines3 (pip install stable-baselines3 windward[gym]).

    python examples/learn/ppo.py --steps 300000

`Sb3Env` is the interface that stable-baselines3 asks for, over Windward's environments of one process.
"""

import argparse
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from windward.gym import PRESETS, VectorEnv

#: The queueing delay costs as much as a goodput of half when it is twice the base round-trip time.
OPTIONS = {"delay_weight": 0.35, "loss_weight": 5.0, "max_steps": 200}


class Sb3Env(VecEnv):
    """Windward's environments as stable-baselines3 takes them: episodes begin again in the step that ends them."""

    def __init__(self, envs: VectorEnv) -> None:
        if envs.metadata["autoreset_mode"].value != "SameStep":
            raise ValueError("make the environments with autoreset_mode='SameStep'")
        self.envs = envs
        self.actions: Any = None
        self.seed_of_next: int | None = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> np.ndarray:
        observations, _ = self.envs.reset(seed=self.seed_of_next)
        self.seed_of_next = None
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        observations, rewards, terminated, truncated, infos = self.envs.step(self.actions)
        dones = terminated | truncated
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for at in np.flatnonzero(dones):
            each[at] = {
                "terminal_observation": infos["final_obs"][at],
                "TimeLimit.truncated": bool(truncated[at] and not terminated[at]),
            }
        return observations, rewards.astype(np.float32), dones, each

    def seed(self, seed: int | None = None) -> list[int | None]:
        self.seed_of_next = seed
        return [None if seed is None else seed + at for at in range(self.num_envs)]

    def close(self) -> None: ...

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.envs, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


def learnt(steps: int, *, num_envs: int = 64, seed: int = 1) -> PPO:
    """PPO's agent after a number of steps."""
    envs = VectorEnv(**PRESETS["Download"], num_envs=num_envs, autoreset_mode="SameStep", **OPTIONS)
    agent = PPO(
        "MlpPolicy", Sb3Env(envs), n_steps=64, batch_size=1024, gamma=0.9, learning_rate=1e-3, seed=seed, device="cpu"
    )
    return agent.learn(steps)


def played(agent: PPO | None, *, seed: int = 1000, num_envs: int = 16) -> dict[str, float]:
    """Figures of whole episodes of the agent, or of random actions."""
    envs = VectorEnv(
        **PRESETS["Download"], num_envs=num_envs, autoreset_mode="Disabled", **{**OPTIONS, "max_steps": None}
    )
    envs.action_space.seed(seed)
    observations, infos = envs.reset(seed=seed)
    queues, rewards = [], []
    while True:
        actions = envs.action_space.sample() if agent is None else agent.predict(observations, deterministic=True)[0]
        observations, reward, _, truncated, infos = envs.step(actions)
        rewards.append(reward.mean())
        base = np.maximum(infos["base_rtt_s"], 1e-3)
        queues.append(((infos["rtt_s"] - base) / base).mean())
        if truncated.any():
            break
    return {
        "log_share": -float(infos["episode_regret"].mean()),
        "queue": float(np.mean(queues[len(queues) // 4 :])),
        "reward": float(np.mean(rewards)),
    }


def main() -> None:
    """Learns, and compares with random actions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300_000)
    agent = learnt(parser.parse_args().steps)
    for name, found in (("random actions", played(None)), ("PPO", played(agent))):
        print(f"{name}: log(x/x*) {found['log_share']:.3f}, queue {found['queue']:.2f} base RTTs")


if __name__ == "__main__":
    main()
