"""Steps per second of processor time of Aurora's own environment, as JSON; `validate.py` runs it."""

import contextlib
import io
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

EPISODES, STEPS = 8, 400


def main() -> None:
    """Steps its environment with random actions."""
    checkout = Path(sys.argv.pop(1))
    sys.path[:0] = [str(checkout / "src" / "gym"), str(checkout / "src")]
    random.seed(1)
    draw = np.random.default_rng(1)
    with contextlib.redirect_stdout(io.StringIO()):
        import network_sim

        env = network_sim.SimulatedNetworkEnv()
        begun = time.process_time()
        for _ in range(EPISODES):
            env.reset()
            for _ in range(STEPS):
                env.step(draw.uniform(-1, 1, 1))
        rate = EPISODES * STEPS / (time.process_time() - begun)
    done = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    print(json.dumps({"rate": rate, "commit": done.stdout.strip() or "unknown"}))


if __name__ == "__main__":
    main()
