"""Environments by name, registered with Gymnasium as `windward/NAME-v0`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium

from windward.gym._sources import aurora_link, bench, one_link

#: Options of the environments.
PRESETS: Mapping[str, dict[str, Any]] = {
    "Download": {"scenario": one_link("12 Mbit/s", "20 ms", "80 packets", duration_s=10.0)},
    "Share": {
        "scenario": one_link(
            "24 Mbit/s", "20 ms", "160 packets", duration_s=20.0, flows=[f"agent-{at}" for at in range(4)]
        ),
        "agents": 4,
    },
    "BesideCubic": {
        "scenario": one_link(
            "24 Mbit/s", "20 ms", "160 packets", duration_s=20.0, flows=["agent", "cubic"], law={"cubic": "cubic"}
        ),
    },
    "Train": {"scenario": bench("train")},
    "Validation": {"scenario": bench("validation")},
    "Cell": {"scenario": bench("train", family="cell"), "reward": "power"},
    "Wifi": {"scenario": bench("train", family="wifi"), "reward": "power"},
    "Leo": {"scenario": bench("train", family="leo"), "reward": "power"},
    "Aurora": {
        "scenario": aurora_link,
        "every": "0.5 rtt",
        "history": 10,
        "observation": "aurora",
        "action": "rate",
        "reward": "aurora",
        "max_steps": 400,
    },
}


def register_all() -> None:
    """Registers the presets with Gymnasium, once."""
    for name, options in PRESETS.items():
        named = f"windward/{name}-v0"
        if named not in gymnasium.registry:
            gymnasium.register(
                id=named,
                entry_point="windward.gym:Env",
                vector_entry_point="windward.gym:VectorEnv",
                kwargs=dict(options),
            )
