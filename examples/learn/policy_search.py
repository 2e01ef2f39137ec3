"""Learns to control one link by the cross-entropy method, without a library for neural networks.

    python examples/learn/policy_search.py --rounds 8

A policy is a linear function of the last features. Each round plays 64 candidates at once, keeps the best eighth, and
draws the next candidates around these. At the end the mean policy plays a link of its own seed.
"""

import argparse

import gymnasium
import numpy as np

import windward.gym  # noqa: F401 - registers the environments

CANDIDATES, ELITE = 64, 8
OPTIONS = {"history": 1, "delay_weight": 0.5, "loss_weight": 10.0}


def act(policy: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """An action of each environment: that of its own policy."""
    return np.tanh((observations * policy[:, :-1]).sum(1, keepdims=True) + policy[:, -1:])


def returns(policies: np.ndarray, seed: int) -> np.ndarray:
    """Mean reward of each policy over an episode, all on the same links."""
    envs = gymnasium.make_vec(
        "windward/Download-v0",
        num_envs=len(policies),
        vectorization_mode="vector_entry_point",
        max_steps=150,
        **OPTIONS,
    )
    observations, _ = envs.reset(seed=[seed] * len(policies))
    total = np.zeros(len(policies))
    for _ in range(150):
        observations, rewards, *_ = envs.step(act(policies, observations))
        total += rewards
    return total / 150


def main() -> None:
    """Learns, and plays the policy that was learnt."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    rounds = parser.parse_args().rounds
    random = np.random.default_rng(1)
    env = gymnasium.make("windward/Download-v0", **OPTIONS)
    size = env.observation_space.shape[0] + 1
    mean, spread = np.zeros(size), np.ones(size)
    for number in range(rounds):
        policies = random.normal(mean, spread, (CANDIDATES, size))
        found = returns(policies, seed=number)
        best = policies[np.argsort(found)[-ELITE:]]
        mean, spread = best.mean(0), best.std(0) + 0.02
        print(f"round {number + 1}: best {found.max():.3f}, mean {found.mean():.3f}")
    observation, info = env.reset(seed=1000)
    is_over = False
    while not is_over:
        action = act(mean[None], observation[None])[0]
        observation, _, terminated, truncated, info = env.step(action)
        is_over = terminated or truncated
    queue = (info["rtt_s"][0] - info["base_rtt_s"][0]) / info["base_rtt_s"][0]
    share = np.exp(-info["episode_regret"])
    print(f"learnt: {share:.3f} of the best rate over an episode; at its end a queue of {queue:.2f} base RTTs")


if __name__ == "__main__":
    main()
