"""Learns by PPO, and prints what the agent and random actions reach, as JSON; `validate.py` runs it."""

import json
import sys
import time

import ppo
import stable_baselines3
import torch


def main() -> None:
    """Learns for a number of steps."""
    torch.set_num_threads(1)
    steps = int(sys.argv[1])
    begun = time.process_time()
    agent = ppo.learnt(steps)
    seconds = time.process_time() - begun
    found = {
        "version": stable_baselines3.__version__,
        "steps": steps,
        "seconds": seconds,
        "random": ppo.played(None),
        "ppo": ppo.played(agent),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
