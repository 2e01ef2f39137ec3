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
    AirSpan as AirSpan,
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
    DcfAccess as DcfAccess,
    DsdvRouting as DsdvRouting,
    EllipsoidRegion as EllipsoidRegion,
    Emultcp as Emultcp,
    EmultcpFast as EmultcpFast,
    ExponentialJitter as ExponentialJitter,
    ExpRuleScheduler as ExpRuleScheduler,
    FadingRegion as FadingRegion,
    Fast as Fast,
    Flow as Flow,
    FreeSpacePathLoss as FreeSpacePathLoss,
    GilbertElliottLoss as GilbertElliottLoss,
    GridLayout as GridLayout,
    HalfSpacesRegion as HalfSpacesRegion,
    IdealAccess as IdealAccess,
    IndependentFading as IndependentFading,
    JakesFading as JakesFading,
    LawSpec as LawSpec,
    Limit as Limit,
    Link as Link,
    LinkLoss as LinkLoss,
    LogDistancePathLoss as LogDistancePathLoss,
    MarkovFading as MarkovFading,
    MaxSnrScheduler as MaxSnrScheduler,
    MLwdfScheduler as MLwdfScheduler,
    Mode as Mode,
    ModesAmc as ModesAmc,
    Node as Node,
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
    QueueingDelayAccess as QueueingDelayAccess,
    QueueingDelayScheduler as QueueingDelayScheduler,
    QueueLengthAccess as QueueLengthAccess,
    QueueLengthScheduler as QueueLengthScheduler,
    QuicTcp as QuicTcp,
    RandomLayout as RandomLayout,
    RecordedRate as RecordedRate,
    Reno as Reno,
    Repair as Repair,
    Reverse as Reverse,
    RoundRobinScheduler as RoundRobinScheduler,
    ShannonAmc as ShannonAmc,
    ShortestRouting as ShortestRouting,
    Station as Station,
    TcpFit as TcpFit,
    TraceFading as TraceFading,
    TwoRayGroundPathLoss as TwoRayGroundPathLoss,
    UniformJitter as UniformJitter,
    Vegas as Vegas,
    Westwood as Westwood,
    Wifi as Wifi,
    WifiNoise as WifiNoise,
    WifiReach as WifiReach,
    WifiStation as WifiStation,
    WifiTiming as WifiTiming,
)
from ._format.own import CellScheduler as CellScheduler, Law as Law
from .errors import ResultError as ResultError, TransferError as TransferError
from .results._shapes import Progress as Progress
from .scenario import Scenario as Scenario, load as load
from .theory import fluid as fluid, num as num
from .transfer import kernel as kernel
