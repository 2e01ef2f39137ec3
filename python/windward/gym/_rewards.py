"""Rewards: functions of the figures of an interval, one value for each agent of each environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windward.errors import OptionError

Figures = Mapping[str, NDArray[np.float64]]
Reward = Callable[[Figures], NDArray[np.float64]]

#: Wire size of a packet in Aurora's environment, in bits.
_PACKET = 12_000.0

#: Rate of a flow that gets nothing, in bit/s, where there is no optimum.
_LEAST = 1e3


def _wait(figures: Figures) -> NDArray[np.float64]:
    """Queueing delay over the base round-trip time."""
    base = figures["base_rtt_s"]
    return np.divide(figures["rtt_s"] - base, base, out=np.zeros_like(base), where=base > 0)


def regret(figures: Figures, *, delay_weight: float, loss_weight: float) -> NDArray[np.float64]:
    """log(x/x*) less the weighted queueing delay and loss; nothing where there is no optimum."""
    share = np.nan_to_num(figures["log_share"])
    return share - delay_weight * _wait(figures) - loss_weight * figures["loss"]


def aurora(figures: Figures) -> NDArray[np.float64]:
    """10·throughput - 1000·latency - 2000·loss in packets per second and seconds, a thousandth of it."""
    throughput = figures["acked_pps"]
    return 0.001 * (10.0 * throughput - 1e3 * figures["rtt_s"] - 2e3 * figures["loss"])


def power(figures: Figures) -> NDArray[np.float64]:
    """Log goodput - ½ log RTT, in bit/s and seconds."""
    rtt = np.maximum(figures["rtt_s"], 1e-6)
    return np.log(np.maximum(figures["goodput_bps"], _LEAST)) - 0.5 * np.log(rtt)


def fair(figures: Figures, *, delay_weight: float, loss_weight: float) -> NDArray[np.float64]:
    """Goodput in parts of the best sum, less weighted delay and loss, and less the spread of goodputs over their mean.

    The same for all agents.
    """
    goodput, best = figures["goodput_bps"], figures["best_bps"]
    whole = np.maximum(best.sum(1, keepdims=True), _LEAST)
    mean = np.maximum(goodput.mean(1, keepdims=True), _LEAST)
    spread = goodput.std(1, keepdims=True) / mean
    costs = delay_weight * _wait(figures) + loss_weight * figures["loss"]
    shared = goodput.sum(1, keepdims=True) / whole - costs.mean(1, keepdims=True) - spread
    return np.broadcast_to(shared / goodput.shape[1], goodput.shape).copy()


#: Rewards by name; those of `regret` and `fair` need an optimum.
REWARDS: Mapping[str, Callable[..., NDArray[np.float64]]] = {
    "regret": regret,
    "aurora": aurora,
    "power": power,
    "fair": fair,
}
NEED_OPTIMUM = ("regret", "fair")


def choose(reward: str | Reward, delay_weight: float, loss_weight: float) -> Reward:
    """The reward of a name, or of the caller's own."""
    if callable(reward):
        return reward
    if reward not in REWARDS:
        raise OptionError(("reward", reward, f"unknown reward; rewards: {', '.join(REWARDS)}, or a function"))
    weights: dict[str, Any] = {"delay_weight": delay_weight, "loss_weight": loss_weight}
    return partial(REWARDS[reward], **weights) if reward in NEED_OPTIMUM else REWARDS[reward]
