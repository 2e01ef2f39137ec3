"""Aurora's own environment: its steps per second of processor time, and what it does under given actions, as JSON.

`validate.py` runs it with the folder of the checkout; with `LINK START` as JSON as well it reads actions from its
standard input, and prints throughput in packets per second and latency in seconds of each step.
"""

import contextlib
import io
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

EPISODES, STEPS = 8, 400


def speed(network_sim: Any) -> float:
    """Steps per second with random actions."""
    draw = np.random.default_rng(1)
    env = network_sim.SimulatedNetworkEnv()
    begun = time.process_time()
    for _ in range(EPISODES):
        env.reset()
        for _ in range(STEPS):
            env.step(draw.uniform(-1, 1, 1))
    return EPISODES * STEPS / (time.process_time() - begun)


def played(network_sim: Any, link: dict[str, float], start: float, actions: list[float]) -> list[list[float]]:
    """Throughput and latency of each step on one link without random loss."""
    # Its bounds of the rate are those of its own links.
    network_sim.MAX_RATE = 10 * link["pps"]
    links = [network_sim.Link(link["pps"], link["delay_s"], link["packets"], 0.0) for _ in range(2)]
    features = ["sent latency inflation", "latency ratio", "send ratio"]
    sender = network_sim.Sender(start, links, 0, features)
    env = network_sim.SimulatedNetworkEnv()
    env.senders, env.links, env.run_dur = [sender], links, 3 * link["delay_s"]
    env.net = network_sim.Network(env.senders, env.links)
    found = []
    for action in actions:
        env.step([action])
        event = env.event_record["Events"][-1]
        found.append([event["Throughput"] / (8 * network_sim.BYTES_PER_PACKET), event["Latency"], env.net.cur_time])
    return found


def main() -> None:
    """Prints what is asked for."""
    checkout = Path(sys.argv.pop(1))
    asked = sys.argv[1:]
    del sys.argv[1:]
    sys.path[:0] = [str(checkout / "src" / "gym"), str(checkout / "src")]
    random.seed(1)
    with contextlib.redirect_stdout(io.StringIO()):
        import network_sim

        if asked:
            link, start = map(json.loads, asked)
            found: Any = {"steps": played(network_sim, link, start, json.load(sys.stdin))}
        else:
            found = {"rate": speed(network_sim)}
    done = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    print(json.dumps({**found, "commit": done.stdout.strip() or "unknown"}))


if __name__ == "__main__":
    main()
