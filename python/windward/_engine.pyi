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
    """A scenario says something impossible: where, what was given, what is allowed.

    Examples
    --------
    >>> import windward as ww
    >>> try:
    ...     ww.Scenario(name="empty", duration="10 s", flow=[ww.Flow(from_="a", to="b", law="cubic")])
    ... except ww.ScenarioError as error:
    ...     print(error.problems[0].path, "-", error.problems[0].message)
    flow[0].from - unknown node `a`; there are no nodes
    """

    #: Problems, one by one; empty if the error is not in the text.
    problems: tuple[Problem, ...]

@final
class Problem:
    """One problem in a scenario."""

    @property
    def origin(self) -> str:
        """File name as given to the reader."""
    @property
    def path(self) -> str:
        """Path of keys and indices (from 0) to the problem, such as `flow[2].to`; empty for the file as a whole."""
    @property
    def line(self) -> int | None:
        """Line in the text, from 1; None if the text is not available."""
    @property
    def column(self) -> int | None:
        """Column in characters, from 1."""
    @property
    def message(self) -> str:
        """Problem and allowed values."""
    @property
    def hint(self) -> str | None:
        """Probable correction."""

class NoAnswerError(ValueError):
    """An engine has no answer for a valid scenario: why, and what to do.

    Examples
    --------
    >>> import windward as ww
    >>> try:
    ...     ww.load("scenarios/video.toml").fluid()
    ... except ww.NoAnswerError as error:
    ...     print(str(error).splitlines()[0])
    app `film`: its demand depends on the network, which the fluid engine does not know
    """

class LawError(RuntimeError):
    """A law written in Python failed, or answered with a window that cannot be; `__cause__` is its own exception.

    Examples
    --------
    >>> import dataclasses
    >>> import windward as ww
    >>> def broken(cwnd: float):
    ...     raise RuntimeError("no window")
    >>> dumbbell = ww.load("scenarios/dumbbell.toml")
    >>> try:
    ...     dataclasses.replace(dumbbell, flow=[dataclasses.replace(dumbbell.flow[0], law=broken)]).simulate()
    ... except ww.LawError as error:
    ...     print(repr(error.__cause__))
    RuntimeError('no window')
    """

class KernelError(RuntimeError):
    """A law cannot be had in the kernel: why, and what to do.

    Examples
    --------
    >>> import windward as ww
    >>> try:
    ...     ww.kernel.load("no-such-law")
    ... except ww.KernelError:
    ...     print("not loaded")
    not loaded
    """

class EmulationError(RuntimeError):
    """A network cannot be emulated: why, and what to do.

    Examples
    --------
    >>> import windward as ww
    >>> try:
    ...     run = ww.load("scenarios/dumbbell.toml").emulate(congestion={"cubic": "no-such-control"})
    ... except ww.EmulationError:
    ...     print("not emulated")
    not emulated
    """

class TransferError(RuntimeError):
    """A file was not transferred: the message, and the exit code that tells the kind of failure."""

class RunInterrupted(KeyboardInterrupt):
    """A simulation was stopped before its end; `run` holds the seeds that had finished.

    Examples
    --------
    >>> import windward as ww
    >>> def stop(progress: ww.Progress) -> None:
    ...     raise KeyboardInterrupt
    >>> try:
    ...     ww.load("scenarios/lossy.toml").simulate(progress=stop)
    ... except ww.RunInterrupted as error:
    ...     print("stopped")
    stopped
    """

    #: A `windward.Run`; None where no seed had finished.
    run: Any

@final
class Ack:
    """New data was acknowledged: times in seconds, amounts in packets.

    Examples
    --------
    >>> import windward as ww
    >>> class Constant:
    ...     def __init__(self, cwnd: float) -> None:
    ...         self.cwnd = cwnd
    ...
    ...     def on_ack(self, ack: ww.Ack) -> None:
    ...         self.cwnd = 20.0 if ack.rtt is None or ack.rtt < 0.15 else 10.0
    ...
    ...     def on_congestion(self, event: ww.Congestion) -> None:
    ...         pass
    >>> isinstance(Constant(10.0), ww.Law)
    True
    """

    @property
    def now(self) -> float:
        """Seconds since the run began."""
    @property
    def acked(self) -> float:
        """Packets that this ACK reports delivered for the first time."""
    @property
    def marked(self) -> float:
        """ECN-marked packets among these."""
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
        """Send time of the newest packet that this ACK delivers, in seconds."""
    @property
    def flight_at_send(self) -> float:
        """Packets in flight just after that packet was sent."""
    @property
    def delivery_rate(self) -> float | None:
        """Delivery rate over the life of that packet, in packets a second; None until one is known."""
    @property
    def app_limited(self) -> bool:
        """True if the window did not limit the sender: do not grow on this ACK."""
    @property
    def recovering(self) -> bool:
        """True if the sender is repairing a loss and holds the window itself: learn, do not grow."""
    @property
    def round(self) -> int:
        """Completed round trips."""

@final
class Congestion:
    """The network is congested: times in seconds, amounts in packets.

    Examples
    --------
    >>> import windward as ww
    >>> def window_after(event: ww.Congestion) -> float:
    ...     return 1.0 if event.kind == "timeout" else max(1.0, event.flight / 2)
    """

    @property
    def now(self) -> float:
        """Seconds since the run began."""
    @property
    def kind(self) -> str:
        """Kind of congestion signal: "loss", "mark" or "timeout"."""
    @property
    def flight(self) -> float:
        """Packets in flight at detection, the lost ones included."""
    @property
    def lost(self) -> float:
        """Packets declared lost so far in this event."""
    @property
    def srtt(self) -> float:
        """Smoothed round-trip time in seconds."""
    @property
    def base_rtt(self) -> float:
        """Least round-trip time ever seen, in seconds."""

@final
class Scenario:
    """A validated scenario."""

    @staticmethod
    def from_toml(text: str, origin: str, folder: Path) -> Scenario:
        """Reads TOML; `origin` names the text in messages.

        Recordings are looked up in `folder`. Raises ScenarioError.
        """
    @staticmethod
    def from_json(text: str, origin: str, folder: Path) -> Scenario:
        """Reads JSON of the same fields. Raises ScenarioError."""
    def to_toml(self) -> str:
        """The scenario as TOML, defaults written out."""
    def to_json(self) -> str:
        """The scenario as JSON, defaults written out."""
    def optimum(
        self, objective: str, alpha: float | None = None, links: str | None = None, at: float | None = None
    ) -> dict[str, Any]:
        """Optimal rates for `objective`: "proportional", "max-min", "law", or "alpha" with `alpha`.

        Returns columns by table, and the certificate. With `links`, "downstream", "not-farther", "loop-free" or "all",
        over all routings on such links, with additional tables of paths, links of flows and the schedule. `at` selects
        the state of a changing network in seconds from the beginning, by default its end. Raises NoAnswerError if
        there is no optimum, KeyboardInterrupt on Ctrl-C.
        """
    def fluid(
        self,
        *,
        tolerance: float = 1e-6,
        period: float | None = None,
        feedback_delay: float | None = None,
        is_loss_free: bool = False,
        stop: Stop | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> dict[str, Any]:
        """Integrates the windows.

        As differential equations with this `tolerance`, by updates every `period` seconds, or with a feedback delay of
        `feedback_delay` seconds, 0 for a round trip. `is_loss_free` leaves losses out of the equations of delay-based
        laws.

        Columns of samples, flow by flow within an instant. `progress` is called several times a second with the
        integrated seconds. Raises NoAnswerError if the scenario has no fluid form, and once `stop` is
        set; KeyboardInterrupt on Ctrl-C.
        """
    def changes_s(self) -> list[float]:
        """Times at which the network changes, in seconds, in order, without duplicates."""
    def spans(self) -> dict[str, list[Any]]:
        """Sending times of the flows, as columns.

        `start_s`, `stop_s` (infinity without an end), and `size_bytes`, 0 for flows without end.
        """
    def ways(self) -> dict[str, list[Any]]:
        """Paths of moving stations, as columns: a row for each waypoint, `node`, `time_s`, `x_m`, `y_m`."""
    def entities(self) -> dict[str, dict[str, Any]]:
        """Names of flows, links and background sources, as columns by table."""
    @property
    def python_classes(self) -> list[str]:
        """Laws, schedulers and forwarding rules written in Python, as FILE:CLASS or MODULE:CLASS.

        Running the scenario runs their code.
        """
    @property
    def python_parts(self) -> list[tuple[str, str, list[str]]]:
        """Like `python_classes`, with more about each.

        Each is preceded by the kind ("law", "scheduler" or "rule") and followed by the names of the constructor's
        arguments.
        """
    @property
    def name(self) -> str:
        """Short name."""
    @property
    def title(self) -> str | None:
        """Question in one line."""
    @property
    def cite(self) -> list[str]:
        """Keys of the papers on which it is based."""
    @property
    def seeds(self) -> list[int]:
        """Default seeds."""
    @property
    def has_region(self) -> bool:
        """True if some links belong to a capacity region, which has rates but no packets."""
    def check_stacks(self) -> None:
        """Raises ValueError for a flow or an application that needs a stack of QUIC which this engine lacks."""
    @property
    def recordings(self) -> list[str]:
        """Recordings that have been read, by their names in the scenario."""
    @property
    def notes(self) -> list[str]:
        """Remarks on the recordings: their parts that are left out or changed."""
    def memory(self) -> list[tuple[str, float, str]]:
        """Estimate of the memory that a run takes: parts, bytes, and what lowers them; the largest first."""
    @property
    def duration_s(self) -> float:
        """Simulated duration in seconds."""
    @property
    def warmup_s(self) -> float:
        """Start of the interval for totals and means, in seconds."""

@final
class Slot:
    """State of a cell at the beginning of a slot.

    Examples
    --------
    >>> import windward as ww
    >>> def round_robin(slot: ww.Slot) -> int:
    ...     return slot.number % len(slot.stations)
    """

    @property
    def number(self) -> int:
        """Number of earlier slots."""
    @property
    def now(self) -> float:
        """Beginning of the slot, in seconds."""
    @property
    def stations(self) -> list[Candidate]:
        """Stations, in the order of the scenario."""

@final
class Candidate:
    """State of a station for its scheduler.

    Examples
    --------
    >>> import windward as ww
    >>> def proportionally_fair(station: ww.Candidate) -> float:
    ...     return station.rate / max(station.average_rate, 1.0)
    """

    @property
    def backlog_packets(self) -> int:
        """Packets in the queue."""
    @property
    def backlog_bits(self) -> float:
        """Bits in the queue."""
    @property
    def head_wait(self) -> float:
        """Waiting time of the packet at the head, in seconds; 0 for an empty queue."""
    @property
    def snr(self) -> float:
        """Signal-to-noise ratio of this slot, linear."""
    @property
    def rate(self) -> float:
        """Rate of the station if served in this slot, in bits per second."""
    @property
    def average_rate(self) -> float:
        """Filtered rate of delivered data, in bits per second."""
    @property
    def average_offer(self) -> float:
        """Filtered rate offered by the channel, served or not, in bits per second."""
    @property
    def urgency(self) -> float:
        """-ln(violation)/deadline of M-LWDF and the EXP rule, in 1/s."""

@final
class Pair:
    """A neighbour, and a flow that has a packet for it.

    Examples
    --------
    >>> import windward as ww
    >>> def rank(pair: ww.Pair) -> float:
    ...     return pair.own - pair.theirs - pair.threshold
    """

    @property
    def now(self) -> float:
        """Time in seconds."""
    @property
    def node(self) -> int:
        """Index of the sending station in the network."""
    @property
    def neighbour(self) -> int:
        """Index of the neighbour."""
    @property
    def flow(self) -> int:
        """Flow, numbered in order of appearance."""
    @property
    def is_destination(self) -> bool:
        """True if the neighbour is its destination."""
    @property
    def own(self) -> int:
        """Its packets at the station."""
    @property
    def theirs(self) -> int:
        """Its packets at the neighbour, as last reported; 0 at its destination."""
    @property
    def threshold(self) -> float:
        """Threshold K of the station, in packets."""
    @property
    def success(self) -> float:
        """Share of successful transmissions among the recent ones to the neighbour."""

@final
class Job:
    """Seeds of one scenario: started once, polled until done."""

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
    def start(self, folder: str | None = None, *, packets: str | None = None, qlog: bool = False) -> None:
        """Starts the workers.

        In `folder`, each seed writes its packets to seed-N.pcapng (`packets="together"`), or those of each interface to
        captures-N/NAME.pcapng ("apart"), and with `qlog` the events of connections over QUIC to qlog-N.
        """
    def wait(self, seconds: float) -> list[dict[str, Any]]:
        """Waits until a seed has finished, at most `seconds`; returns the tables of those that have, once each.

        Raises the error that ended the job: LawError, OSError of a capture.
        """
    def simulated_s(self) -> list[float]:
        """Simulated seconds of each seed, in the order given."""
    def peek(self) -> list[dict[str, Any]]:
        """Samples of running seeds since the last call: `seed`, `flow_series`, `link_series`."""
    def cancel(self) -> None:
        """Stops running seeds and waits for the workers; the results of finished seeds remain available."""
    @property
    def is_done(self) -> bool:
        """True if all results have been returned."""

@final
class Stop:
    """Cancellation of a computation from another thread."""

    def __new__(cls) -> Stop: ...
    def set(self) -> None:
        """Ends the run that received this object."""

@final
class Sweep:
    """Points of a sweep, each a scenario of its own, submitted one by one and polled for results."""

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
        """Adds a point, a scenario in JSON, with its seeds; an engine without seeds gets one."""
    @property
    def waiting(self) -> int:
        """Number of runs that have not begun."""
    def simulated_s(self) -> list[float]:
        """Simulated seconds of the present runs."""
    def wait(self, seconds: float) -> list[tuple[int, int, dict[str, Any] | None, str | None]]:
        """Waits until a run has ended, at most `seconds`.

        Returns those that have, once each, as point, seed, tables, reason: either tables, or the reason for their
        absence.
        """
    def cancel(self) -> None:
        """Stops present runs and discards the remaining ones; finished results remain available."""

@final
class Episodes:
    """Environments of reinforcement learning of one form, each with an episode of its own."""

    def __new__(
        cls,
        count: int,
        *,
        agents: int,
        action: str,
        strength: float,
        is_over_law: bool,
        every: float,
        unit: str,
        history: int,
        features: Sequence[int],
        most_events: int,
        threads: int,
    ) -> Episodes: ...
    @staticmethod
    def features() -> list[tuple[str, float, float]]:
        """Names of the features, and their least and greatest values."""
    @staticmethod
    def figures() -> tuple[list[str], list[str]]:
        """Names of the figures of an agent, and of a network."""
    def reset(
        self,
        given: Sequence[
            tuple[int, Scenario, Sequence[int], int, float | None, Sequence[tuple[float, Sequence[float]]]]
        ],
    ) -> None:
        """Begins episodes.

        Each is given by environment, scenario, indices of the agents' flows, seed, pacing rate with which they begin,
        times and values of the best rates. Raises ValueError for a flow that no agent can control.
        """
    def step(self, actions: NDArray[np.float64], mask: bytes) -> None:
        """Makes a step in every environment whose mask is not 0, with an action for each agent."""
    def results(
        self,
        features: NDArray[np.float32],
        figures: NDArray[np.float64],
        of_network: NDArray[np.float64],
        endings: NDArray[np.uint8],
    ) -> None:
        """Writes the results of the last steps to arrays."""
    def finish(self, at: int) -> dict[str, Any] | None:
        """Ends an episode where it is, and returns the tables of its run; None without an episode."""

def quantity(text: str) -> tuple[float, str] | None:
    """A quantity in the notation of scenarios: its value in a base unit, and that unit; None for other texts."""

def read_text(path: Path, most: int) -> str:
    """Text of a regular file of at most `most` bytes, without its byte order mark.

    Raises OSError, or ValueError if it is not a regular file, too large, or not UTF-8.
    """

def tables() -> dict[str, list[dict[str, Any]]]:
    """The schema of all tables, a list for each of "packets", "timing", "optimum", "fluid" and "sweep".

    Of each table `name`, `doc`, `shape`, `entity`, `is_always` and `columns`; `windward.results._schema` explains them.
    """

@final
class Packed:
    """A long column, compressed. numpy, Arrow and `memoryview` take it as a buffer of numbers, unpacked for them."""

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def unpack(self) -> memoryview:
        """All values."""

def write_parquet(path: Path, columns: Mapping[str, Any], about: Sequence[tuple[str, str]] = ...) -> None:
    """Writes columns of one length as a Parquet file, and `about` into its metadata; raises OSError.

    A column is a buffer of numbers, a list of texts, or a tuple of names and a buffer of 32-bit indices into them. Of a
    `Packed` one, at most a million rows are unpacked at a time.
    """

def schema() -> dict[str, Any]:
    """JSON Schema of the scenario format."""

def laws() -> list[dict[str, Any]]:
    """Every law: `name`, `summary`, `parameters` with their defaults, `bibtex`, and its theory.

    The `price` of its utility ("loss" or "queueing delay"), the `backlog` of packets that it keeps in queues by
    default, and `backlog_parameter`, the parameter for their number; each of the three may be None.
    `drives_recovery`: the law controls the window in recovery; `counts_marks`: it responds to the number of marks.
    """

@final
class Encoder:
    """Packets of a block, ready to be combined; see `windward.coding`.

    Examples
    --------
    >>> from windward import coding
    >>> encoder = coding.Encoder([b"wind", b"ward"])
    >>> encoder.encode(bytes([1, 0]))
    b'wind'
    """

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
    """Received combinations of a block until it is complete; see `windward.coding`.

    Examples
    --------
    >>> from windward import coding
    >>> encoder = coding.Encoder([b"wind", b"ward"])
    >>> decoder = coding.Decoder(2, encoder.size)
    >>> for coefficients in (bytes([1, 1]), bytes([1, 2])):
    ...     innovative = decoder.add(coefficients, encoder.encode(coefficients))
    >>> decoder.decode()
    [b'wind', b'ward']
    """

    def __new__(cls, packets: int, size: int) -> Decoder:
        """For a block of `packets` of `size` bytes. Raises ValueError."""
    def add(self, coefficients: Buffer, payload: Buffer) -> bool:
        """Takes a combination; whether it says something new."""
    @property
    def rank(self) -> int:
        """Independent combinations received."""
    @property
    def is_complete(self) -> bool:
        """True once all packets are determined."""
    def packet(self, at: int) -> bytes | None:
        """Packet `at`, from 0, if what was received determines it, perhaps before the others."""
    def decode(self) -> list[bytes]:
        """All packets. Raises ValueError as long as they are not determined."""

@final
class Recoder:
    """Combinations at an intermediate node; see `windward.coding`.

    Examples
    --------
    >>> from windward import coding
    >>> encoder = coding.Encoder([b"wind", b"ward"])
    >>> recoder = coding.Recoder(2, encoder.size)
    >>> recoder.add(bytes([1, 0]), encoder.encode(bytes([1, 0])))
    >>> recoder.add(bytes([0, 1]), encoder.encode(bytes([0, 1])))
    >>> coefficients, payload = recoder.recode(bytes([1, 1]))
    >>> list(coefficients), payload == encoder.encode(coefficients)
    ([1, 1], True)
    """

    def __new__(cls, packets: int, size: int) -> Recoder:
        """For a block of `packets` of `size` bytes. Raises ValueError."""
    def add(self, coefficients: Buffer, payload: Buffer) -> None:
        """Keeps a combination."""
    def recode(self, factors: Buffer) -> tuple[bytes, bytes]:
        """Coefficients and payload of the sum of factor times combination held."""
    def __len__(self) -> int:
        """Combinations held."""

def coding_kernel() -> str:
    """CPU instructions that combine packets on this machine."""

def coding_multiply(a: int, b: int) -> int:
    """The product of two elements of the field."""

@final
class FluidMap:
    """F: w → (x, q, r) of one network, warm-started. See `windward.num.FluidMap`."""

    def __new__(cls, network: str, base_rtt: NDArray[np.float64]) -> FluidMap: ...
    def solve(self, windows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Finds F(w); returns rates and path delays. Raises ValueError."""
    def link_delays(self) -> NDArray[np.float64]:
        """q_l of every link, seconds."""
    def link_rates(self) -> NDArray[np.float64]:
        """c_l or r_l of every link."""
    def certificate(self) -> dict[str, float]:
        """Residuals of the last answer."""
    def rate_jacobian(self) -> NDArray[np.float64] | None:
        """∂x_s/∂w_n, one row per s; None where r jumps."""

@final
class LawWindow:
    """Window of a law, and the state of its sender."""

    def __new__(cls, law: str, initial: float) -> LawWindow: ...
    def on_ack(self, now: float, rtt: float | None, acked: float, flight: float | None, recovering: bool) -> None:
        """Raises ValueError if the clock goes back or a value is impossible."""
    def on_congestion(self, now: float, flight: float | None, is_timeout: bool) -> None:
        """Raises ValueError if the clock goes back or the flight is impossible."""
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
    """A controller of a number of connections."""

    def __new__(cls, law: str) -> LawConnections: ...
    def update(self, now: float, rtt: float | None, base_rtt: float | None) -> int:
        """Raises ValueError if the clock goes back or a value is impossible."""
    @property
    def n(self) -> float:
        """As the law computes it."""
    @property
    def wanted(self) -> int:
        """How many connections there should be."""

def fluid_download(
    *, capacity: float, rtt: float, loss: float, buffer: float, duration: float, bound: bool
) -> dict[str, Any]:
    """Follows a download of `emultcp-fast`; see `windward.theory.fluid.follow_download`. Raises ValueError."""

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
    """Follows E-MULTCP's rates and numbers of connections; see `windward.theory.fluid.follow_emultcp`.

    Raises ValueError.
    """

def fluid_follow(
    network: str,
    laws: str,
    *,
    base_rtt: NDArray[np.float64],
    known_base_rtt: NDArray[np.float64],
    windows: NDArray[np.float64],
    buffers: NDArray[np.float64],
    duration: float,
    interval: float,
    tolerance: float,
    period: float | None,
    feedback_delay: float | None,
    is_common: bool,
    is_loss_free: bool,
) -> dict[str, Any]:
    """Follows the windows of laws over any network; see `windward.theory.fluid.follow`. Raises ValueError."""

def num_independent_sets(links: int, conflicts: Sequence[tuple[int, int]]) -> list[int]:
    """Independent sets of a conflict graph as bit masks. Raises ValueError if there are too many."""

def num_region_rates(region: str, prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """MaxWeight's rates in a region at these prices. Raises ValueError."""

def num_region_jacobian(region: str, prices: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """∂r_l/∂q_n, one row per l; None where r jumps. Raises ValueError."""

def num_region_stationary(region: str, prices: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Probabilities of the independent sets at these prices; None except for CSMA with entropy.

    Raises ValueError.
    """

def num_solve(problem: str, tolerance: float, max_iterations: int) -> dict[str, Any]:
    """Solves with the default method. Raises ValueError if there is no answer, KeyboardInterrupt on Ctrl-C."""

def num_solve_reference(problem: str) -> dict[str, Any]:
    """Solves with Clarabel. Raises ValueError if there is no answer."""

def num_subgradient(
    problem: str, first: float, decay: float, iterations: int, price: float
) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """Runs the sub-gradient iteration; returns its averages and the rates of every step, one row each.

    Raises ValueError.
    """

def transfer_masked(address: str) -> str:
    """Printable form of an address: without its password."""

def transfer_options(command: str) -> str:
    """Options of `get` or `send` as JSON: a list with name, type, default, meaning and form on the command line."""

def transfer_get(address: str, options: str, observe: Callable[[str], object]) -> str:
    """Downloads `address`.

    `options` and the result are JSON: the fields of `get::Options` and `get::Report`. `observe` is called with the
    JSON of every `get::Event` except ticks. If it or a signal handler raises, the download stops and can be resumed
    later. TransferError's arguments are the message and the exit code.
    """

def transfer_send(path: str, address: str, options: str, observe: Callable[[str], object]) -> str:
    """Sends a file to `windward serve`.

    `options` and the result are JSON: the fields of `send::Options` and `send::Report`. `observe` is called with the
    JSON of every `send::Event` except ticks. If it or a signal handler raises, the upload stops and can be resumed
    later. TransferError's arguments are the message and the exit code.
    """

def transfer_serve(options: str, ready: Callable[[str], object], observe: Callable[[str], object]) -> None:
    """Serves a folder until `observe` or a signal handler raises.

    `options` are JSON: the fields of `serve::Options`. `ready` is called with the address, `observe` with the JSON of
    every `serve::Event`. Raises ValueError for invalid options, TransferError if the folder cannot be served.
    """

# On Linux only:

@final
class EmulationJob:
    """Emulations of one scenario's seeds, one after the other; polled like a `Job`."""

    def __new__(
        cls,
        scenario: Scenario,
        *,
        seeds: Sequence[int],
        even_if_slow: bool,
        settings: Sequence[tuple[str, str]],
        congestion: Sequence[tuple[str, str]],
    ) -> EmulationJob: ...
    def start(self, folder: str | None = None, *, packets: str | None = None, qlog: bool = False) -> None:
        """Starts.

        In `folder`, each seed writes the packets of its flows to seed-N.pcapng (`packets="together"`), or those of each
        interface to captures-N/NAME.pcapng ("apart"), and with `qlog` the events of connections over QUIC to qlog-N.
        """
    def wait(self, seconds: float) -> list[dict[str, Any]]:
        """Waits until a seed has finished, at most `seconds`.

        Returns the tables of those that have, once each, with their `quality` and `notes`. Raises the error that
        ended the job.
        """
    def simulated_s(self) -> list[float]:
        """Emulated seconds of each seed, in the order given."""
    def cancel(self) -> None:
        """Stops running emulations and waits until nothing of them is left."""
    @property
    def is_done(self) -> bool:
        """True if all results have been returned."""

@final
class Links:
    """Links without flows and without an end."""

    @staticmethod
    def from_json(text: str, origin: str, folder: Path) -> Links:
        """Reads `node`, `link`, `wifi`, `change` and `background` of a scenario in JSON.

        Recordings are looked up in `folder`. Raises ScenarioError.
        """
    @property
    def rates_bps(self) -> list[int | None]:
        """Rate of each port in bits a second, of Wi-Fi that of its data frames; None for a recorded rate."""

def emulate_link(
    links: Links,
    seed: int,
    command: Sequence[str],
    servers: Sequence[str],
    congestion: str | None,
    is_isolated: bool,
) -> dict[str, Any]: ...
def serve_link(socket: int) -> None:
    """Emulates one link for the process at the other end of a Unix socket; takes the descriptor."""

def enter_link(network: int, processes: int, user: int | None = None) -> None:
    """Moves this process, which must have one thread, behind a link, by descriptors of its namespaces."""

@final
class LoadedLaw:
    """A law in the kernel, for as long as this object lives and the law is not unloaded."""

    @property
    def name(self) -> str:
        """Name by which programs select it."""
    def fileno(self) -> int:
        """File descriptor that hangs up when another process unloads the law."""

def kernel_laws() -> list[tuple[str, dict[str, float]]]: ...
def kernel_support() -> None: ...
def kernel_load(law: str, parameters: Sequence[tuple[str, float]], name: str | None, stay: bool) -> LoadedLaw: ...
def kernel_list() -> list[dict[str, Any]]: ...
def kernel_set(name: str, changes: Sequence[tuple[str, float]]) -> None: ...
def kernel_show(name: str) -> tuple[tuple[str, str], list[dict[str, Any]]]: ...
def kernel_unload(name: str, even_if_used: bool) -> None: ...
def kernel_clean() -> list[str]: ...

@final
class WifiMode:
    """A rate of 802.11n, ac or ax, with the timing of its band."""

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
