"""The public names, listed once: what type checkers read, and where `__init__.py` looks for what is asked for.

Those of `format` are written by tools/generate_model.py.
"""

from . import coding as coding, format as format, gym as gym, papers as papers, testing as testing, transfer as transfer  # noqa: A004
from ._answers.attack import Attack as Attack
from ._answers.compare import Comparison as Comparison
from ._answers.evaluation import Evaluation as Evaluation
from ._answers.fluid import Fluid as Fluid
from ._answers.open import Result as Result, open as open  # noqa: A004
from ._answers.optimum import Optimum as Optimum
from ._answers.run import Run as Run
from ._answers.sweep import Sweep as Sweep
from ._answers.tuning import Tuning as Tuning
from ._bench.entry import bench as bench
from ._discover.entry import discover as discover
from ._engine import (
    Ack as Ack,
    Candidate as Candidate,
    Congestion as Congestion,
    EmulationError as EmulationError,
    KernelError as KernelError,
    LawError as LawError,
    NoAnswerError as NoAnswerError,
    Pair as Pair,
    RunInterrupted as RunInterrupted,
    ScenarioError as ScenarioError,
    Slot as Slot,
    __version__ as __version__,
)
from ._evaluate.entry import evaluate as evaluate
from ._format.own import CellScheduler as CellScheduler, ForwardingRule as ForwardingRule, Law as Law
from .errors import ResultError as ResultError, TransferError as TransferError
from .format import (
    Background as Background,
    Bbr as Bbr,
    Bbr3 as Bbr3,
    Bic as Bic,
    Call as Call,
    Cell as Cell,
    Change as Change,
    Compound as Compound,
    Copa as Copa,
    Cubic as Cubic,
    Dctcp as Dctcp,
    ExpDelay as ExpDelay,
    Fast as Fast,
    Flow as Flow,
    Formula as Formula,
    Game as Game,
    Highspeed as Highspeed,
    Htcp as Htcp,
    Hybla as Hybla,
    Illinois as Illinois,
    Ledbat as Ledbat,
    Link as Link,
    Lp as Lp,
    Multcp as Multcp,
    Node as Node,
    Output as Output,
    Page as Page,
    Ping as Ping,
    Prague as Prague,
    QuicTcp as QuicTcp,
    RanCell as RanCell,
    Reno as Reno,
    Requests as Requests,
    Scalable as Scalable,
    Session as Session,
    TcpFit as TcpFit,
    Vegas as Vegas,
    Veno as Veno,
    Video as Video,
    Westwood as Westwood,
    Wifi as Wifi,
    Yeah as Yeah,
)
from .results._shapes import Progress as Progress
from .scenario import Scenario as Scenario, load as load
from .theory import fluid as fluid, laws as laws, num as num, wifi as wifi
from .transfer import kernel as kernel
