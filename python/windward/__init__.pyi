"""The public names, listed once: what type checkers read, and where `__init__.py` looks for what is asked for.

Those of `_format.fields` are written by tools/generate_model.py.
"""

from . import papers as papers, transfer as transfer
from ._answers.fluid import Fluid as Fluid
from ._answers.open import open as open  # noqa: A004
from ._answers.optimum import Optimum as Optimum
from ._answers.run import Run as Run
from ._engine import (
    Ack as Ack,
    Candidate as Candidate,
    Congestion as Congestion,
    EmulationError as EmulationError,
    KernelError as KernelError,
    LawError as LawError,
    RunInterrupted as RunInterrupted,
    ScenarioError as ScenarioError,
    Slot as Slot,
    __version__ as __version__,
)
from ._engines.compare import Comparison as Comparison
from ._format.fields import (
    AutoregressiveFading as AutoregressiveFading,
    Average as Average,
    Background as Background,
    BernoulliLoss as BernoulliLoss,
    BoxRegion as BoxRegion,
    Cbr as Cbr,
    Cell as Cell,
    ChannelState as ChannelState,
    Compound as Compound,
    ConstantFading as ConstantFading,
    ConvolutionalAmc as ConvolutionalAmc,
    CsmaRegion as CsmaRegion,
    CtcAmc as CtcAmc,
    Cubic as Cubic,
    Dcf as Dcf,
    EllipsoidRegion as EllipsoidRegion,
    Emultcp as Emultcp,
    EmultcpFast as EmultcpFast,
    ExponentialJitter as ExponentialJitter,
    ExpRuleScheduler as ExpRuleScheduler,
    FadingRegion as FadingRegion,
    Fast as Fast,
    Flow as Flow,
    FreeSpace as FreeSpace,
    GilbertElliottLoss as GilbertElliottLoss,
    Grid as Grid,
    HalfSpacesRegion as HalfSpacesRegion,
    Ideal as Ideal,
    IndependentFading as IndependentFading,
    JakesFading as JakesFading,
    LawSpec as LawSpec,
    Limit as Limit,
    Link as Link,
    LinkLoss as LinkLoss,
    LogDistance as LogDistance,
    MarkovFading as MarkovFading,
    MaxSnrScheduler as MaxSnrScheduler,
    MLwdfScheduler as MLwdfScheduler,
    Mode as Mode,
    ModesAmc as ModesAmc,
    Node as Node,
    Noise as Noise,
    NormalJitter as NormalJitter,
    NormRegion as NormRegion,
    OnOff as OnOff,
    Output as Output,
    Pareto as Pareto,
    Poisson as Poisson,
    ProportionalFairScheduler as ProportionalFairScheduler,
    Pulses as Pulses,
    PythonLaw as PythonLaw,
    PythonScheduler as PythonScheduler,
    QueueingDelay as QueueingDelay,
    QueueingDelayScheduler as QueueingDelayScheduler,
    QueueLength as QueueLength,
    QueueLengthScheduler as QueueLengthScheduler,
    QuicTcp as QuicTcp,
    Random as Random,
    Reach as Reach,
    RecordedRate as RecordedRate,
    Reno as Reno,
    Repair as Repair,
    Reverse as Reverse,
    RoundRobinScheduler as RoundRobinScheduler,
    ShannonAmc as ShannonAmc,
    Station as Station,
    TcpFit as TcpFit,
    Timing as Timing,
    TraceFading as TraceFading,
    TwoRayGround as TwoRayGround,
    UniformJitter as UniformJitter,
    Vegas as Vegas,
    Westwood as Westwood,
    Wifi as Wifi,
    WifiStation as WifiStation,
)
from ._format.own import CellScheduler as CellScheduler, Law as Law
from .errors import ResultError as ResultError, TransferError as TransferError
from .results._shapes import Progress as Progress
from .scenario import Scenario as Scenario, load as load
from .theory import fluid as fluid, num as num
from .transfer import kernel as kernel
