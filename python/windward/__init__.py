"""Study, predict and deploy congestion control for wireless networks.

>>> import windward as ww
>>> run = ww.load("scenarios/headline.toml").simulate()  # doctest: +SKIP
>>> run.flows.groupby("law")["goodput_bps"].mean()  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from windward._engine import (
    Ack,
    Candidate,
    Congestion,
    EmulationError,
    KernelError,
    LawError,
    RunInterrupted,
    ScenarioError,
    Slot,
    TransferError,
    __version__,
)
from windward.errors import ResultError

if TYPE_CHECKING:
    from windward._model import (
        AutoregressiveFading,
        Average,
        Background,
        BernoulliLoss,
        BoxRegion,
        Cbr,
        Cell,
        ChannelState,
        Compound,
        ConstantFading,
        ConvolutionalAmc,
        CsmaRegion,
        CtcAmc,
        Cubic,
        EllipsoidRegion,
        Emultcp,
        EmultcpFast,
        ExponentialJitter,
        ExpRuleScheduler,
        FadingRegion,
        Fast,
        Flow,
        GilbertElliottLoss,
        HalfSpacesRegion,
        IndependentFading,
        JakesFading,
        Limit,
        Link,
        MarkovFading,
        MaxSnrScheduler,
        MLwdfScheduler,
        Mode,
        ModesAmc,
        Node,
        NormalJitter,
        NormRegion,
        OnOff,
        Output,
        Pareto,
        Poisson,
        ProportionalFairScheduler,
        Pulses,
        PythonLaw,
        PythonScheduler,
        QueueingDelayScheduler,
        QueueLengthScheduler,
        QuicTcp,
        RecordedRate,
        Reno,
        Repair,
        Reverse,
        RoundRobinScheduler,
        ShannonAmc,
        Station,
        TcpFit,
        TraceFading,
        UniformJitter,
        Vegas,
        Westwood,
    )
    from windward.fluid import Fluid
    from windward.laws import Law
    from windward.optimum import Optimum
    from windward.run import Run
    from windward.run import open_run as open  # noqa: A004
    from windward.scenario import Scenario, load
    from windward.schedulers import CellScheduler
    from windward.simulate import Progress

__all__ = [
    "Ack",
    "AutoregressiveFading",
    "Average",
    "Background",
    "BernoulliLoss",
    "BoxRegion",
    "Candidate",
    "Cbr",
    "Cell",
    "CellScheduler",
    "ChannelState",
    "Compound",
    "Congestion",
    "ConstantFading",
    "ConvolutionalAmc",
    "CsmaRegion",
    "CtcAmc",
    "Cubic",
    "EllipsoidRegion",
    "EmulationError",
    "Emultcp",
    "EmultcpFast",
    "ExpRuleScheduler",
    "ExponentialJitter",
    "FadingRegion",
    "Fast",
    "Flow",
    "Fluid",
    "GilbertElliottLoss",
    "HalfSpacesRegion",
    "IndependentFading",
    "JakesFading",
    "KernelError",
    "Law",
    "LawError",
    "Limit",
    "Link",
    "MLwdfScheduler",
    "MarkovFading",
    "MaxSnrScheduler",
    "Mode",
    "ModesAmc",
    "Node",
    "NormRegion",
    "NormalJitter",
    "OnOff",
    "Optimum",
    "Output",
    "Pareto",
    "Poisson",
    "Progress",
    "ProportionalFairScheduler",
    "Pulses",
    "PythonLaw",
    "PythonScheduler",
    "QueueLengthScheduler",
    "QueueingDelayScheduler",
    "QuicTcp",
    "RecordedRate",
    "Reno",
    "Repair",
    "ResultError",
    "Reverse",
    "RoundRobinScheduler",
    "Run",
    "RunInterrupted",
    "Scenario",
    "ScenarioError",
    "ShannonAmc",
    "Slot",
    "Station",
    "TcpFit",
    "TraceFading",
    "TransferError",
    "UniformJitter",
    "Vegas",
    "Westwood",
    "__version__",
    "load",
    "open",
]

# What needs numpy and pandas is imported when it is first used: `windward --help` answers at once.
_WHERE = {
    "CellScheduler": "schedulers",
    "Fluid": "fluid",
    "Law": "laws",
    "Optimum": "optimum",
    "Progress": "simulate",
    "Run": "run",
    "Scenario": "scenario",
    "load": "scenario",
    "open": "run",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_WHERE.get(name, '_model')}")
    value = getattr(module, "open_run" if name == "open" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
