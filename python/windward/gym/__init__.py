"""Environments for reinforcement learning of congestion control: Gymnasium and PettingZoo.

    import gymnasium as gym
    import windward.gym
    env = gym.make("windward/Download-v0")
    envs = gym.make_vec("windward/Download-v0", num_envs=256, vectorization_mode="vector_entry_point")

An agent sets the congestion window or the pacing rate of a flow, interval by interval. All environments of a vector are
stepped by one call in this process, on all cores. Needs `pip install windward[gym]`.
"""

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError as missing:
    raise ImportError("windward.gym needs Gymnasium\nhint: pip install windward[gym]") from missing

from windward.gym._env import Env
from windward.gym._parallel import ParallelEnv, parallel_env
from windward.gym._presets import PRESETS as PRESETS, register_all
from windward.gym._sources import Drawn, Source as Source, aurora_link, bench
from windward.gym._vector import VectorEnv

#: Without constants and types, which `help` shows elsewhere: PRESETS, Source.
__all__ = ["Drawn", "Env", "ParallelEnv", "VectorEnv", "aurora_link", "bench", "parallel_env"]

register_all()
