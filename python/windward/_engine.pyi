"""The compiled engines; see crates/py."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__version__: str

#: Most bytes of a scenario, and of a recording.
MAX_SCENARIO: int
MAX_RECORDING: int

class ScenarioError(ValueError):
    """A scenario says something impossible: where, what was given, what is allowed."""

    #: What is wrong, one by one; empty where it is no text that is wrong.
    problems: tuple[Problem, ...]

@final
class Problem:
    """One thing that is wrong with a scenario."""

    @property
    def origin(self) -> str:
        """The file, as it was named to the reader."""
    @property
    def path(self) -> str:
        """Path of keys and indices (from 0), such as `flow[2].to`; empty for the file as a whole."""
    @property
    def line(self) -> int | None:
        """Line in the text, from 1; None where the text is not known."""
    @property
    def column(self) -> int | None:
        """Column in characters, from 1."""
    @property
    def message(self) -> str:
        """What is wrong and what is allowed."""
    @property
    def hint(self) -> str | None:
        """What was probably meant."""

class LawError(RuntimeError):
    """A law written in Python failed, or answered with a window that cannot be; `__cause__` is its own exception."""

class KernelError(RuntimeError):
    """A law cannot be had in the kernel: why, and what to do."""

class EmulationError(RuntimeError):
    """A network cannot be emulated: why, and what to do."""

class TransferError(RuntimeError):
    """A file was not transferred: the message, and the exit code that tells the kind of failure."""

class RunInterrupted(KeyboardInterrupt):
    """A simulation was stopped before its end; `run` holds the seeds that had finished."""

    #: A `windward.Run`; None where no seed had finished.
    run: Any

@final
class Ack:
    """New data was acknowledged: times in seconds, amounts in packets."""

    @property
    def now(self) -> float:
        """Seconds since the run began."""
    @property
    def acked(self) -> float:
        """Packets that this ACK reports delivered for the first time."""
    @property
    def marked(self) -> float:
        """Of these, packets that carried an ECN mark."""
    @property
    def lost(self) -> float:
        """Packets newly found lost."""
    @property
    def rtt(self) -> float | None:
        """Round-trip sample in seconds; None where Karn's rule forbids one."""
    @property
    def srtt(self) -> float:
        """Smoothed round-trip time in seconds; 0 before the first sample."""
    @property
    def base_rtt(self) -> float:
        """Least round-trip time ever seen, in seconds, or the propagation delay where it is known."""
    @property
    def flight(self) -> float:
        """Packets in flight after this ACK."""
    @property
    def sent_at(self) -> float:
        """When the newest packet that this ACK delivers was sent, in seconds."""
    @property
    def flight_at_send(self) -> float:
        """Packets in flight just after that packet was sent."""
    @property
    def delivery_rate(self) -> float | None:
        """Delivery rate over the life of that packet, in packets a second; None until one is known."""
    @property
    def app_limited(self) -> bool:
        """The sender had less data than the window allowed: do not grow on this ACK."""
    @property
    def recovering(self) -> bool:
        """The sender is repairing a loss and holds the window itself: learn, do not grow."""
    @property
    def round(self) -> int:
        """Round trips completed."""

@final
class Congestion:
    """The network is congested: times in seconds, amounts in packets."""

    @property
    def now(self) -> float:
        """Seconds since the run began."""
    @property
    def kind(self) -> str:
        """How congestion showed itself: "loss", "mark" or "timeout"."""
    @property
    def flight(self) -> float:
        """Packets in flight when it was found, the lost ones included."""
    @property
    def lost(self) -> float:
        """Packets found lost so far in this event."""
    @property
    def srtt(self) -> float:
        """Smoothed round-trip time in seconds."""
    @property
    def base_rtt(self) -> float:
        """Least round-trip time ever seen, in seconds."""

@final
class Scenario:
    """A scenario that has been read and checked: it cannot be wrong."""

    @staticmethod
    def from_toml(text: str, origin: str, folder: Path) -> Scenario:
        """Reads TOML; `origin` names it in messages, recordings are looked for in `folder`. Raises ScenarioError."""
    @staticmethod
    def from_json(text: str, origin: str, folder: Path) -> Scenario:
        """Reads JSON of the same fields. Raises ScenarioError."""
    def to_toml(self) -> str:
        """The scenario as TOML, defaults written out."""
    def to_json(self) -> str:
        """The same as JSON."""
    def optimum(
        self, objective: str, alpha: float | None = None, links: str | None = None, at: float | None = None
    ) -> dict[str, Any]:
        """The best rates for "proportional", "max-min", "law", or "alpha" with `alpha`; raises ValueError.

        With `links`, the rule of the links that flows are allowed, over all routings. `at`: when, in seconds; default:
        at the end.
        """
    def fluid(
        self,
        *,
        tolerance: float = 1e-6,
        period: float | None = None,
        feedback_delay: float | None = None,
        stop: Stop | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> dict[str, Any]:
        """Follows the windows; columns of samples. Calls `progress` with the seconds that have been followed.

        Raises ValueError, also once `stop` is set, and KeyboardInterrupt.
        """
    def changes_s(self) -> list[float]:
        """When the network changes, in seconds, in order, none twice."""
    def spans(self) -> dict[str, list[Any]]:
        """Columns by flow: `start_s`, `stop_s` (infinity where nothing stops it), `size_bytes` (0 without end)."""
    def ways(self) -> dict[str, list[Any]]:
        """The turns of stations that move, as columns: `node`, `time_s`, `x_m`, `y_m`."""
    def entities(self) -> dict[str, dict[str, Any]]:
        """What flows, links and background sources are called, as columns by table: lists and memoryviews."""
    @property
    def python_classes(self) -> list[str]:
        """Laws, schedulers and rules in Python, as FILE:CLASS or MODULE:CLASS: running the scenario runs their code."""
    @property
    def python_parts(self) -> list[tuple[str, str, list[str]]]:
        """The same with the kind ("law", "scheduler", "rule") before and the names of the arguments behind."""
    @property
    def name(self) -> str:
        """Its short name."""
    @property
    def title(self) -> str | None:
        """Its question in one line."""
    @property
    def cite(self) -> list[str]:
        """Keys of the papers it comes from."""
    @property
    def seeds(self) -> list[int]:
        """Its own seeds."""
    @property
    def has_region(self) -> bool:
        """Whether links of it are of a capacity region, which has rates but no packets."""
    @property
    def recordings(self) -> list[str]:
        """Recordings that it has read, as it names them."""
    @property
    def duration_s(self) -> float:
        """How long it simulates, in seconds."""
    @property
    def warmup_s(self) -> float:
        """Totals and means count from here, in seconds."""

@final
class Slot:
    """What a scheduler knows at the beginning of a slot."""

    @property
    def number(self) -> int:
        """Slots before this one."""
    @property
    def now(self) -> float:
        """When it begins, in seconds."""
    @property
    def stations(self) -> list[Candidate]:
        """The stations, in the order of the scenario."""

@final
class Candidate:
    """A station as its scheduler sees it."""

    @property
    def backlog_packets(self) -> int:
        """Packets waiting."""
    @property
    def backlog_bits(self) -> float:
        """Bits waiting."""
    @property
    def head_wait(self) -> float:
        """How long the first of them has waited, in seconds; 0 without any."""
    @property
    def snr(self) -> float:
        """Signal-to-noise ratio of this slot, linear."""
    @property
    def rate(self) -> float:
        """Bits a second that the station would get in this slot."""
    @property
    def average_rate(self) -> float:
        """Filtered rate of what was delivered, in bits a second."""
    @property
    def average_offer(self) -> float:
        """Filtered rate of what the channel offered, served or not, in bits a second."""
    @property
    def urgency(self) -> float:
        """-ln(violation)/deadline of M-LWDF and the EXP rule, in 1/s."""

@final
class Pair:
    """A neighbour of a station that forwards by backlog, and a flow of which a packet could go there."""

    @property
    def now(self) -> float:
        """When, in seconds."""
    @property
    def node(self) -> int:
        """The station that sends, by its place among the network's."""
    @property
    def neighbour(self) -> int:
        """The neighbour, likewise."""
    @property
    def flow(self) -> int:
        """The flow, numbered in the order in which they appeared."""
    @property
    def is_destination(self) -> bool:
        """Whether the neighbour is its destination."""
    @property
    def own(self) -> int:
        """Packets of it at the station."""
    @property
    def theirs(self) -> int:
        """Packets of it at the neighbour, as last told; 0 at its destination."""
    @property
    def threshold(self) -> float:
        """K of the station, in packets."""
    @property
    def success(self) -> float:
        """Share of recent transmissions to the neighbour that succeeded."""

@final
class Job:
    """The seeds of one scenario: started once, polled until done."""

    def __new__(
        cls,
        scenario: Scenario,
        *,
        seeds: Sequence[int],
        threads: int,
        law: Callable[[str, Mapping[str, Any]], Callable[[float], Any]],
        scheduler: Callable[[str, Mapping[str, Any]], Callable[[], Any]],
        rule: Callable[[str, Mapping[str, Any]], Callable[[], Any]],
    ) -> Job: ...
    def start(self, captures: str | None = None) -> None:
        """Starts the workers; with `captures`, each seed writes its packets to seed-N.pcapng in that folder."""
    def wait(self, seconds: float) -> list[dict[str, Any]]:
        """Waits until a seed has finished, at most `seconds`; returns the tables of those that have, once each."""
    def simulated_s(self) -> list[float]:
        """Simulated seconds of each seed, in the order given."""
    def peek(self) -> list[dict[str, Any]]:
        """The samples so far of seeds that are being run, as far as they have shown them since the last call."""
    def cancel(self) -> None:
        """Stops what still runs and waits for the workers; seeds that have finished can still be fetched."""
    @property
    def is_done(self) -> bool:
        """Whether all has been returned that there will be."""

@final
class Stop:
    """What ends a fluid run from another thread."""

    def __new__(cls) -> Stop: ...
    def set(self) -> None:
        """Ends the run that was given this."""

@final
class Sweep:
    """Points of a sweep: submitted as long as there are some, polled for what has finished."""

    def __new__(
        cls,
        engine: str,
        *,
        threads: int,
        folder: Path,
        law: Callable[[str, Mapping[str, Any]], Callable[[float], Any]],
        scheduler: Callable[[str, Mapping[str, Any]], Callable[[], Any]],
        rule: Callable[[str, Mapping[str, Any]], Callable[[], Any]],
        objective: str | None = None,
        alpha: float | None = None,
    ) -> Sweep: ...
    def submit(self, number: int, text: str, seeds: Sequence[int]) -> None:
        """Adds a point, a scenario in JSON, with its seeds; an engine without seeds is given one."""
    @property
    def waiting(self) -> int:
        """How many runs no worker has begun."""
    def simulated_s(self) -> list[float]:
        """Simulated seconds of what runs now."""
    def wait(self, seconds: float) -> list[tuple[int, int, dict[str, Any] | None, str | None]]:
        """Waits at most `seconds` for a run; point, seed, and either tables or a reason, of those that have ended."""
    def cancel(self) -> None:
        """Stops what runs and forgets what waits; what has finished can still be fetched."""

def quantity(text: str) -> tuple[float, str] | None:
    """What a text such as "10 ms" is worth in a base unit, and that unit; None for what is no quantity."""

def read_text(path: Path, most: int) -> str:
    """The text of a regular file of at most `most` bytes, without its byte order mark; raises OSError or ValueError."""

def write_parquet(path: Path, columns: Mapping[str, Any]) -> None:
    """Writes columns of one length as a Parquet file; raises OSError.

    A column is a buffer of numbers, a list of texts, or a tuple of names and a buffer of 32-bit indices into them.
    """

def schema() -> dict[str, Any]:
    """The JSON Schema of the scenario format."""

def laws() -> list[dict[str, Any]]:
    """Every law: `name`, `summary`, `parameters` with their defaults, `bibtex`, and what theory knows of it.

    `price` ("loss" or "queueing delay") is that of the utility which it maximises, `backlog` the packets that it keeps
    in queues by default, `backlog_parameter` the parameter that is their number; each is None where there is none.
    """

@final
class Encoder:
    """The packets of a block, ready to be combined."""

    def __new__(cls, packets: Sequence[Buffer]) -> Encoder:
        """Of 1 to 1024 packets of one size. Raises ValueError."""
    def encode(self, coefficients: Buffer) -> bytes:
        """The sum of coefficient times packet. Zeros at the end make it a combination of the first packets alone."""
    def encode_all(self, rows: Sequence[Buffer]) -> list[bytes]:
        """One combination for each row of coefficients; faster than one by one."""
    def __len__(self) -> int:
        """Packets of the block."""
    @property
    def size(self) -> int:
        """Bytes of a packet."""

@final
class Decoder:
    """What was received of a block, until it is whole."""

    def __new__(cls, packets: int, size: int) -> Decoder:
        """For a block of `packets` of `size` bytes. Raises ValueError."""
    def add(self, coefficients: Buffer, payload: Buffer) -> bool:
        """Takes a combination; whether it says something new."""
    @property
    def rank(self) -> int:
        """Independent combinations received."""
    @property
    def is_complete(self) -> bool:
        """Whether all packets are determined."""
    def packet(self, at: int) -> bytes | None:
        """Packet `at`, from 0, if what was received determines it, perhaps before the others."""
    def decode(self) -> list[bytes]:
        """All packets. Raises ValueError as long as they are not determined."""

@final
class Recoder:
    """Combinations of one block that a node on the way holds."""

    def __new__(cls, packets: int, size: int) -> Recoder:
        """For a block of `packets` of `size` bytes. Raises ValueError."""
    def add(self, coefficients: Buffer, payload: Buffer) -> None:
        """Keeps a combination."""
    def recode(self, factors: Buffer) -> tuple[bytes, bytes]:
        """Coefficients and payload of the sum of factor times combination held."""
    def __len__(self) -> int:
        """Combinations held."""

def coding_kernel() -> str:
    """The instructions by which packets are combined here."""

def coding_multiply(a: int, b: int) -> int:
    """The product of two elements of GF(2^8)."""

@final
class FluidMap:
    """F: w -> (x, q, r) of one network, warm-started; see `num.FluidMap`."""

    def __new__(cls, network: str, base_rtt: NDArray[np.float64]) -> FluidMap: ...
    def solve(self, windows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Finds F(w); returns rates and path delays. Raises ValueError."""
    def link_delays(self) -> NDArray[np.float64]:
        """Of every link, in seconds."""
    def link_rates(self) -> NDArray[np.float64]:
        """Capacity, or the rate of the region, of every link."""
    def certificate(self) -> dict[str, float]:
        """The residuals of the last answer."""
    def rate_jacobian(self) -> NDArray[np.float64] | None:
        """Derivatives of the rates by the windows; None where link rates jump."""

@final
class LawWindow:
    """The window of a law told by hand what its sender would tell it; see `laws.Window`."""

    def __new__(cls, law: str, initial: float) -> LawWindow: ...
    def on_ack(self, now: float, rtt: float | None, acked: float, flight: float | None, recovering: bool) -> None:
        """Raises ValueError where the clock goes back or a value is impossible."""
    def on_congestion(self, now: float, flight: float | None, is_timeout: bool) -> None:
        """Raises ValueError where the clock goes back or the flight is impossible."""
    @property
    def cwnd(self) -> float:
        """In packets."""
    @property
    def pacing_rate(self) -> float | None:
        """In packets a second; None where the law sets none."""
    @property
    def srtt_s(self) -> float | None:
        """The smoothed round-trip time in seconds; None before the first sample."""
    @property
    def base_rtt_s(self) -> float | None:
        """The least sample in seconds; None before the first."""
    def observe(self) -> dict[str, float]:
        """What the law shows of itself."""

@final
class LawConnections:
    """A controller of a number of connections told by hand what its host would tell it; see `laws.Connections`."""

    def __new__(cls, law: str) -> LawConnections: ...
    def update(self, now: float, rtt: float | None, base_rtt: float | None) -> int:
        """Raises ValueError where the clock goes back or a value is impossible."""
    @property
    def n(self) -> float:
        """As the law computes it."""
    @property
    def wanted(self) -> int:
        """How many connections there should be."""

def fluid_download(
    *, capacity: float, rtt: float, loss: float, buffer: float, duration: float, bound: bool
) -> dict[str, Any]:
    """The fields of a `fluid.DownloadTrajectory`; raises ValueError."""

def fluid_emultcp(
    capacities: NDArray[np.float64],
    routes: Sequence[Sequence[int]],
    *,
    users: Sequence[tuple[float, float, float, float]],
    rates: NDArray[np.float64],
    connections: NDArray[np.float64],
    beta: float | None,
    duration: float,
    interval: float,
    tolerance: float,
) -> dict[str, Any]:
    """The fields of a `fluid.EmultcpTrajectory`; raises ValueError."""

def fluid_follow(
    network: str,
    laws: str,
    *,
    base_rtt: NDArray[np.float64],
    windows: NDArray[np.float64],
    buffers: NDArray[np.float64],
    duration: float,
    interval: float,
    tolerance: float,
    period: float | None,
    feedback_delay: float | None,
    is_common: bool,
) -> dict[str, Any]:
    """The fields of a `fluid.Trajectory`; raises ValueError."""

def num_independent_sets(links: int, conflicts: Sequence[tuple[int, int]]) -> list[int]:
    """The independent sets of a conflict graph as bit masks; raises ValueError."""

def num_region_rates(region: str, prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """What MaxWeight serves at these prices; raises ValueError."""

def num_region_jacobian(region: str, prices: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Its derivatives by the prices; None where it jumps. Raises ValueError."""

def num_region_stationary(region: str, prices: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Probabilities of the independent sets; None but for CSMA with entropy. Raises ValueError."""

def num_solve(problem: str, tolerance: float, max_iterations: int) -> dict[str, Any]:
    """The fields of a `num.Solution` of a problem in JSON, by the method for daily work; raises ValueError."""

def num_solve_reference(problem: str) -> dict[str, Any]:
    """The same by Clarabel; raises ValueError."""

def num_subgradient(
    problem: str, first: float, decay: float, iterations: int, price: float
) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """The same by the sub-gradient iteration, and the rates of every step, one row each; raises ValueError."""

def transfer_masked(address: str) -> str:
    """An address as it may be printed: without its password."""

def transfer_get(address: str, options: str, observe: Callable[[str], object]) -> str:
    """Downloads one file; options, events and the report are JSON."""

def transfer_send(path: str, address: str, options: str, observe: Callable[[str], object]) -> str:
    """Sends one file; options, events and the report are JSON."""

def transfer_serve(options: str, ready: Callable[[str], object], observe: Callable[[str], object]) -> None:
    """Serves a folder until a call or a signal raises; options and events are JSON, `ready` is told the address."""

# On Linux only:

@final
class EmulationJob:
    """The emulations of one scenario's seeds, one after the other; polled as a `Job` is."""

    def __new__(
        cls,
        scenario: Scenario,
        *,
        seeds: Sequence[int],
        force: bool,
        settings: Sequence[tuple[str, str]],
        congestion: Sequence[tuple[str, str]],
    ) -> EmulationJob: ...
    def start(self, captures: str | None = None) -> None:
        """Starts; with `captures`, each seed writes the packets of its flows to seed-N.pcapng in that folder."""
    def wait(self, seconds: float) -> list[dict[str, Any]]:
        """Waits for a seed, at most `seconds`; returns the tables of those that finished, with quality and notes."""
    def simulated_s(self) -> list[float]:
        """Emulated seconds of each seed, in the order given."""
    def cancel(self) -> None:
        """Stops what still runs and waits until nothing of it is left."""
    @property
    def is_done(self) -> bool:
        """Whether all has been returned that there will be."""

def emulate_link(
    scenario: Scenario,
    seed: int,
    command: Sequence[str],
    servers: Sequence[str],
    congestion: str | None,
    is_isolated: bool,
) -> dict[str, Any]: ...

@final
class LoadedLaw:
    """A law in the kernel, for as long as this object lives and nobody unloads it."""

    @property
    def name(self) -> str:
        """The name that programs choose it by."""
    def fileno(self) -> int:
        """A descriptor that hangs up when another process unloads the law."""

def kernel_laws() -> list[tuple[str, dict[str, float]]]: ...
def kernel_support() -> None: ...
def kernel_load(law: str, parameters: Sequence[tuple[str, float]], name: str | None, stay: bool) -> LoadedLaw: ...
def kernel_list() -> list[dict[str, Any]]: ...
def kernel_set(name: str, changes: Sequence[tuple[str, float]]) -> None: ...
def kernel_show(name: str) -> tuple[tuple[str, str], list[dict[str, Any]]]: ...
def kernel_unload(name: str, force: bool) -> None: ...
def kernel_clean() -> list[str]: ...

@final
class WifiMode:
    """A rate of 802.11n, ac or ax; see `windward.theory.wifi`."""

    def __new__(
        cls,
        standard: str,
        width_mhz: int,
        streams: int,
        guard_ns: int,
        mcs: int,
        he_ltf_ns: int | None,
        signal_extension_ns: int,
    ) -> WifiMode: ...
    def bits_per_sec(self) -> float: ...
    def duration_s(self, frames: int, mpdu: int) -> float: ...
    def largest_aggregate(self, mpdu: int, frames: int | None, limit: int | None, duration_s: float | None) -> int: ...
    def answer_s(self, frames: int | None) -> float: ...
    def protection_s(self) -> tuple[float, float]: ...
