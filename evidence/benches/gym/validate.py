"""Measures the speed of the environments, beside Aurora's own, and what PPO learns: `make validate WHAT=gym` runs it.

PPO is that of stable-baselines3, in an environment of its own (RL_PYTHON); Aurora's environment is a checkout (AURORA)
with its packages (AURORA_PYTHON). Writes evidence/measured/validation/gym.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

# Threads of numpy's that wait for work spin, and their time would count as the environments'. Aurora's has the same.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from windward.gym import PRESETS, Drawn, Env, VectorEnv
from windward.gym._sources import one_link

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "gym.md"

#: Window in packets to which the agent of the speed goes: the BDP and a few packets.
WINDOW = 45.0

#: Rounds of the comparison with Aurora's own environment, and its row.
ROUNDS, AURORA = 5, "Aurora|half a round trip|32"

#: Link on which both do the same, without random loss; rate at the beginning; actions, and steps before the comparison.
LINK, START, ACTIONS, BEFORE = {"pps": 2000.0, "delay_s": 0.1, "packets": 400}, 1200.0, 400, 20

#: Largest difference of a step's throughput, beside a packet more or less, and of its latency.
NEAR = 0.03

#: What PPO has to reach: log(x/x*) and the queue in bandwidth-delay products.
LEAST_SHARE, MOST_QUEUE = -0.1, 0.5


def speed(preset: str, num_envs: int, steps: int, *, window: float | None = None) -> dict[str, float]:
    """Steps per second of the processor on one thread, with a window held or random actions."""
    envs = VectorEnv(**PRESETS[preset], num_envs=num_envs, threads=1)
    random = np.random.default_rng(1)
    envs.reset(seed=1)
    cwnd = np.full((num_envs, 1), 10.0)
    begun, goodput = time.process_time(), 0.0
    for _ in range(steps):
        held = (cwnd < (window or 0.0)).astype(np.float32)
        actions = random.uniform(-1, 1, (num_envs, 1)) if window is None else held
        infos = envs.step(actions)[4]
        cwnd, goodput = infos["cwnd"], goodput + float(infos["goodput_bps"].mean()) / steps
    return {"rate": num_envs * steps / (time.process_time() - begun), "goodput": goodput}


def actions() -> list[float]:
    """Actions with which the rate goes to another share of the capacity every 20 steps: 0.5 to 1.1."""
    random = np.random.default_rng(7)
    found: list[float] = []
    at = goal = float(np.log(START / LINK["pps"]))
    for step in range(ACTIONS):
        if step % 20 == 0:
            goal = float(np.log(random.uniform(0.5, 1.1)))
        found.append(round(float(np.clip((goal - at) / np.log(1.025), -1, 1)), 6))
        at += float(np.sign(found[-1]) * np.log(1 + 0.025 * abs(found[-1])))
    return found


def played(given: list[float]) -> list[list[float]]:
    """Throughput in packets per second and latency of each step, and the time at its end."""
    scenario = one_link(
        f"{LINK['pps'] * 12_000:.0f} bit/s",
        f"{LINK['delay_s'] * 1e3:g} ms",
        f"{LINK['packets']:g} packets",
        duration_s=2.0 * ACTIONS * LINK["delay_s"],
        reverse={"rate": "100 Gbit/s"},
    )
    options = {**PRESETS["Aurora"], "scenario": lambda _: Drawn(scenario=scenario, rate_pps=START), "max_steps": None}
    env = Env(**options)
    env.reset(seed=1)
    found = []
    for action in given:
        info = env.step(np.array([action], dtype=np.float32))[4]
        found.append([float(np.ravel(info[name])[0]) for name in ("acked_pps", "rtt_s", "time_s")])
    return found


def twins(python: str, checkout: Path) -> list[str]:
    """Both programs under the same actions, in words."""
    given = actions()
    link = (str(checkout), json.dumps(LINK), json.dumps(START))
    theirs = asked(python, Path(__file__).with_name("aurora.py"), *link, given=json.dumps(given))["steps"]
    own, other = np.array(played(given))[BEFORE:], np.array(theirs)[BEFORE:]
    packet = 1.0 / np.diff(other[:, 2], prepend=np.array(theirs)[BEFORE - 1, 2])
    apart = np.abs(own[:, :2] / other[:, :2] - 1.0)
    beyond = np.maximum(np.abs(own[:, 0] - other[:, 0]) - packet, 0.0) / other[:, 0]
    rows = [
        f"| {name} | {100 * np.median(of):.1f} % | {100 * np.quantile(of, 0.95):.1f} % | {100 * of.max():.1f} % |"
        for name, of in (("throughput", apart[:, 0]), ("the same, beyond one packet", beyond), ("latency", apart[:, 1]))
    ]
    holds = max(beyond.max(), apart[:, 1].max()) <= NEAR
    return [
        "",
        "## The same actions in Aurora's own environment",
        "",
        f"A link of {LINK['pps']:g} packets/s, {1e3 * LINK['delay_s']:g} ms each way and {LINK['packets']:g} packets, "
        f"without loss; {ACTIONS} actions, which move the rate between 0.5 and 1.1 of the capacity. "
        f"Differences of the steps from the {BEFORE}th on:",
        "",
        "| | median | 95 % of the steps | largest |",
        "|---|--:|--:|--:|",
        *rows,
        "",
        f"Expected: at most {100 * NEAR:g} %, for the throughput beside a packet more or less in a step. "
        f"{'It holds.' if holds else 'It does not hold.'} Aurora's latency lacks the transmission time of the packet "
        "itself, and its first step is shorter.",
    ]


def asked(python: str, script: Path, *arguments: str, given: str = "") -> dict[str, Any]:
    """The last line that a script prints, as JSON; it reads `given`."""
    path = os.pathsep.join([str(ROOT / "python"), str(ROOT / "examples" / "learn")])
    done = subprocess.run(
        [python, str(script), *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode:
        sys.exit(f"{script.name} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def page(
    rates: dict[str, dict[str, float]], aurora: dict[str, Any] | None, alike: list[str], learnt: dict[str, Any]
) -> str:
    """The page."""
    out = [
        "# Reinforcement learning: speed of the environments, and what PPO learns",
        "",
        "<!-- Generated: make validate WHAT=gym -->",
        "",
        "*Written by `make validate WHAT=gym`. Rates are steps per second of processor time on one thread.*",
        "",
        "## Speed",
        "",
        "| environment | step | environments | goodput | steps per second |",
        "|---|---|--:|--:|--:|",
    ]
    for name, each in rates.items():
        preset, step, count = name.split("|")
        out.append(f"| `{preset}` | {step} | {count} | {each['goodput'] / 1e6:.1f} Mbit/s | {each['rate']:,.0f} |")
    if aurora is not None:
        ratio = rates[AURORA]["rate"] / aurora["rate"]
        out += [
            f"| Aurora's own (commit `{aurora['commit'][:12]}`) | half a round trip | 1 | | {aurora['rate']:,.0f} |",
            "",
            "`Aurora` draws its links from the distribution of Aurora's own environment. It is "
            f"{ratio:.0f} times as fast, with random actions: medians of {ROUNDS} rounds, one after the other.",
        ]
    out += alike
    random, own = learnt["random"], learnt["ppo"]
    held = own["log_share"] >= LEAST_SHARE and own["queue"] <= MOST_QUEUE
    out += [
        "",
        "## PPO on one link",
        "",
        f"PPO of stable-baselines3 {learnt['version']}, {learnt['steps']:,} steps on `Download` by "
        "`examples/learn/ppo.py`, seed 1. Figures are means of 16 whole episodes with other seeds. "
        "The queue is measured after the first quarter of an episode.",
        "",
        "| policy | log(x/x*) | queue in base RTTs | reward per step |",
        "|---|--:|--:|--:|",
    ]
    for name, each in (("random actions", random), ("PPO", own)):
        out.append(f"| {name} | {each['log_share']:.3f} | {each['queue']:.2f} | {each['reward']:.3f} |")
    out += [
        "",
        f"Expected: log(x/x*) of at least {LEAST_SHARE}, and a queue of at most {MOST_QUEUE} BDP. "
        f"{'Both hold.' if held else 'Not reached.'} Training took {learnt['seconds']:.0f} s of processor time.",
        "",
    ]
    return "\n".join(out)


def main() -> int:
    """Measures, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rl", required=True, help="a Python with stable-baselines3 and Windward's dependencies")
    parser.add_argument("--aurora", type=Path, help="a checkout of Aurora's PCC-RL")
    parser.add_argument("--aurora-python", default=sys.executable, help="a Python with gym and ipdb")
    parser.add_argument("--steps", type=int, default=300_000, help="steps of PPO")
    asked_for = parser.parse_args()
    rates = {
        "Download|a round trip|1024": speed("Download", 1024, 100, window=WINDOW),
        "Download|a round trip|1": speed("Download", 1, 3000, window=WINDOW),
    }
    here = Path(__file__).parent
    # One after the other, on a machine that is not quiet: the middle of each.
    own, others = [], []
    for _ in range(ROUNDS):
        own.append(speed("Aurora", 32, 400))
        if asked_for.aurora is not None:
            others.append(asked(asked_for.aurora_python, here / "aurora.py", str(asked_for.aurora)))
    rates[AURORA] = sorted(own, key=lambda each: each["rate"])[ROUNDS // 2]
    aurora = sorted(others, key=lambda each: each["rate"])[ROUNDS // 2] if others else None
    alike = twins(asked_for.aurora_python, asked_for.aurora) if asked_for.aurora is not None else []
    learnt = asked(asked_for.rl, here / "learn.py", str(asked_for.steps))
    PAGE.write_text(page(rates, aurora, alike, learnt), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
