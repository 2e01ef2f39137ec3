"""The fields of a scenario as dataclasses.

Generated from the scenario format's schema by tools/generate_model.py: change the format, not this file. Times, rates
and sizes are strings with units ("100 ms", "10 Mbit/s", "125 kB"); `None` means that a field is absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class AirSpan:
    """The part of a run whose frames are recorded.

    Attributes
    ----------
    from_
        Where it begins.
    length
        How long it is.
    """

    from_: str = field(metadata={"key": "from"})
    length: str


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is recorded.

    Attributes
    ----------
    sample_interval
        Sampling interval of the series. Default: `duration`/600, rounded up to 1, 2 or 5 times a power of ten; longer
        if the series would exceed 10 million rows.
    internals
        Also sample the laws' internal state (ssthresh, phases, …).
    air
        Also record the frames of wireless networks, for a short part of the run. Default: none.
    """

    sample_interval: str | None = None
    internals: bool = False
    air: AirSpan | None = None


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node, or a group of nodes.

    Attributes
    ----------
    name
        Name of the node or of the group.
    count
        Makes a group of this many nodes, NAME-1, NAME-2, …; NAME then means the whole group.
    """

    name: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True)
class RecordedRate:
    """A recorded rate: times at which up to 1500 bytes may leave, in mahimahi's format.

    The trace repeats when it ends.

    Attributes
    ----------
    trace
        A mahimahi trace (one time per line, in whole milliseconds from the start, in order), or the list of times.
        The last is the length of the trace.
    """

    trace: str | Sequence[int]


#: How fast a link transmits: a rate, or a recording of one.
Rate = str | RecordedRate


@dataclass(frozen=True, kw_only=True)
class DropTail:
    """First come, first served; what finds no room is dropped."""

    TAG: ClassVar[tuple[str, str]] = ("discipline", "drop-tail")


@dataclass(frozen=True, kw_only=True)
class Red:
    """Random early detection (Floyd and Jacobson 1993): the share dropped rises with the mean queue.

    Attributes
    ----------
    min
        Mean queue from which packets are dropped, in packets.
    max
        Mean queue at which `probability` are dropped, in packets; `min` itself for a step.
    probability
        Share dropped when the mean queue is `max`.
    weight
        Weight of the queue that a packet finds in the mean.
    gentle
        Whether the share dropped rises to one between `max` and twice that; otherwise all are dropped above `max`.
    ecn
        Whether packets of flows with `ecn` are marked, not dropped, while the mean queue is below `max`.
    hard_drop
        Whether they are dropped all the same while it is above; false marks them there too.
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "red")

    min: float = 5.0
    max: float = 15.0
    probability: float | str = 0.1
    weight: float | str = 0.002
    gentle: bool = True
    ecn: bool = False
    hard_drop: bool = True


@dataclass(frozen=True, kw_only=True)
class Codel:
    """Controlled delay (RFC 8289): drops at the head while the least delay over an interval is above the target.

    Attributes
    ----------
    target
        Acceptable standing delay.
    interval
        Time over which the least delay is taken: the largest round-trip time expected.
    ecn
        Whether packets of flows with `ecn` are marked, not dropped.
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "codel")

    target: str = "5 ms"
    interval: str = "100 ms"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class FqCodel:
    """Flow queueing (RFC 8290): a queue for each flow under CoDel, served in turn; the default of many Linux hosts.

    Attributes
    ----------
    target
        Acceptable standing delay.
    interval
        Time over which the least delay is taken.
    queues
        Number of queues, to which flows are assigned by a hash.
    quantum
        Bytes that a queue may send in its turn, 1 B to 1 MB.
    ecn
        Whether packets of flows with `ecn` are marked, not dropped.
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "fq-codel")

    target: str = "5 ms"
    interval: str = "100 ms"
    queues: int = 1024
    quantum: str = "1514 B"
    ecn: bool = True


@dataclass(frozen=True, kw_only=True)
class Pie:
    """Proportional integral controller enhanced (RFC 8033): drops at the tail to hold the delay at a target.

    Attributes
    ----------
    target
        The delay that it steers to.
    update
        Time between updates of the probability, at least 1 ms.
    alpha
        α: what a delay of one second above the target adds to the probability at each update.
    beta
        β: what a rise of the delay by one second adds.
    burst
        How long a burst is let through after idleness.
    ecn
        Whether packets of flows with `ecn` are marked, not dropped, while the probability is at most 10 %.
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "pie")

    target: str = "15 ms"
    update: str = "15 ms"
    alpha: float = 0.125
    beta: float = 1.25
    burst: str = "150 ms"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Dualpi2:
    """Dual queue with coupled PI² (RFC 9332): flows with `ecn = "scalable"` wait apart and are marked early.

    Attributes
    ----------
    target
        The delay of the others that it steers to.
    update
        Time between updates of the base probability p', at least 1 ms.
    alpha
        α: what a delay of one second above the target adds to p' at each update.
    beta
        β: what a rise of the delay by one second adds.
    coupling
        k: scalable packets are marked with k·p', the others with p'²; at least 1.
    threshold
        Delay above which scalable packets are marked whatever the others do.
    range
        The share marked rises from 0 at `threshold` to 1 over this delay; "0 s" for a step.
    classic_share
        Share of the others' bytes while packets wait in both queues, above 0 and below 1.
    shift
        In place of that share: who came first is sent first, and scalable packets count as having come so much
        earlier.
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "dualpi2")

    target: str = "15 ms"
    update: str = "16 ms"
    alpha: float = 0.16
    beta: float = 3.2
    coupling: float = 2.0
    threshold: str = "800 us"
    range: str = "400 us"
    classic_share: float | str = 0.1
    shift: str | None = None


#: What a queue drops or marks, and who goes first.
Queue = DropTail | Red | Codel | FqCodel | Pie | Dualpi2


@dataclass(frozen=True, kw_only=True)
class BernoulliLoss:
    """Every packet is lost with the same probability, independently.

    Attributes
    ----------
    probability
        Loss probability.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "bernoulli")

    probability: float | str


@dataclass(frozen=True, kw_only=True)
class GilbertElliottLoss:
    """Two states, advanced once per packet before its own draw (Gilbert 1960, Elliott 1963).

    Attributes
    ----------
    good_to_bad
        Probability of going from good to bad, per packet.
    bad_to_good
        Probability of going from bad to good, per packet.
    loss_good
        Loss probability in the good state.
    loss_bad
        Loss probability in the bad state.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "gilbert-elliott")

    good_to_bad: float | str
    bad_to_good: float | str
    loss_good: float | str = 0.0
    loss_bad: float | str = 1.0


#: Loss model.
LossModel = BernoulliLoss | GilbertElliottLoss


#: Random loss: a probability for every packet independently, or a model.
Loss = float | str | LossModel


@dataclass(frozen=True, kw_only=True)
class UniformJitter:
    """Uniform between zero and `max`.

    Attributes
    ----------
    max
        Largest extra delay.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "uniform")

    max: str


@dataclass(frozen=True, kw_only=True)
class NormalJitter:
    """Normal around the propagation delay; the sum is clipped at zero.

    Attributes
    ----------
    deviation
        Standard deviation.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "normal")

    deviation: str


@dataclass(frozen=True, kw_only=True)
class ClippedNormalJitter:
    """Normal around the propagation delay and clipped there: half of the packets have no extra delay.

    Attributes
    ----------
    deviation
        Standard deviation before clipping.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "clipped-normal")

    deviation: str


@dataclass(frozen=True, kw_only=True)
class ExponentialJitter:
    """Exponential.

    Attributes
    ----------
    mean
        Mean extra delay.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "exponential")

    mean: str


#: Distribution of the extra delay.
Jitter = UniformJitter | NormalJitter | ClippedNormalJitter | ExponentialJitter


@dataclass(frozen=True, kw_only=True)
class Reorder:
    """Some packets take longer, and the others overtake them.

    Those others keep their order, and so do these among themselves.

    Attributes
    ----------
    share
        Share of the packets, each drawn independently.
    delay
        How much longer they take.
    """

    share: float | str
    delay: str


@dataclass(frozen=True, kw_only=True)
class Reverse:
    """Differences of the link back; everything else is as in the forward link.

    Attributes
    ----------
    name
        Name of the link back. Default: `TO->FROM`, or `NAME-reverse` if the link has a name.
    rate
        Transmission rate, or a recording.
    delay
        Propagation delay.
    buffer
        Buffer size.
    queue
        Discipline of the queue.
    loss
        Random loss; 0 for none.
    jitter
        Random extra delay; "0 s" for none.
    reorder
        Packets that others overtake; with a share of 0 for none.
    """

    name: str | None = None
    rate: Rate | None = None
    delay: str | None = None
    buffer: str | None = None
    queue: str | Queue | None = None
    loss: Loss | None = None
    jitter: Jitter | None = None
    reorder: Reorder | None = None


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link: a queue, a transmitter, random loss, propagation, jitter, in this order.

    Between a group and a single node: one link per member. Between two groups of equal size: member by member.

    Attributes
    ----------
    name
        Name of the link; members of a group of links are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group at the start.
    to
        Node or group at the end.
    rate
        Transmission rate, or a recording. A link without a rate belongs to a [[region]].
    delay
        Propagation delay, one way.
    buffer
        Buffer size in packets, bytes or time, not counting the packet in transmission. Default: that of a Linux
        interface.
    queue
        Discipline of the queue: its name, or a table of name and parameters.
    loss
        Random loss on the wire: a probability, or a model.
    jitter
        Random extra delay; packets keep their order. Default: none.
    reorder
        Packets that others overtake. Default: none.
    duplex
        Whether there is a link back, equal to this one except for `reverse`.
    reverse
        Differences of the link back.
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    rate: Rate | None = None
    delay: str
    buffer: str = "1000 packets"
    queue: str | Queue = "drop-tail"
    loss: Loss = 0.0
    jitter: Jitter | None = None
    reorder: Reorder | None = None
    duplex: bool = True
    reverse: Reverse | None = None


#: Direction of a cell's packets.
Direction = Literal["downlink"] | Literal["uplink"]


@dataclass(frozen=True, kw_only=True)
class CtcAmc:
    """The eight convolutional turbo codes of IEEE 802.16e, from QPSK 1/2 at 5 dB to 64-QAM 5/6 at 22 dB."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "ctc")


@dataclass(frozen=True, kw_only=True)
class ConvolutionalAmc:
    """Convolutionally coded modes of Liu, Zhou and Giannakis (2004) with thresholds for a packet error rate.

    Attributes
    ----------
    modes
        Number of modes: 5, or 6 with 16-QAM 9/16.
    target_error
        Packet error rate at a mode's threshold; above 0 and below 1.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "convolutional")

    modes: int = 6
    target_error: float | str = 0.01


@dataclass(frozen=True, kw_only=True)
class ShannonAmc:
    """Shannon's formula with a gap: log2(1 + SNR/gap) bits per symbol.

    Attributes
    ----------
    gap
        SNR gap to capacity.
    max_efficiency
        Maximum bits per symbol. Default: unlimited.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "shannon")

    gap: str = "0 dB"
    max_efficiency: float | None = None


@dataclass(frozen=True, kw_only=True)
class Mode:
    """A mode of modulation and coding.

    Attributes
    ----------
    snr
        Lowest signal-to-noise ratio at which it is used. Default: where the packet error rate is `target_error`.
    efficiency
        Bits per symbol, above 0.
    a
        a of the packet error rate min(1, a·exp(−g·SNR)), SNR linear. Default: no errors.
    g
        g of the packet error rate.
    """

    snr: str | None = None
    efficiency: float
    a: float | None = None
    g: float | None = None


@dataclass(frozen=True, kw_only=True)
class ModesAmc:
    """Custom modes.

    Attributes
    ----------
    modes
        The modes, slowest first.
    target_error
        Packet error rate at the threshold of a mode that has no `snr`; above 0 and below 1.
    packet
        Packet size that `a` and `g` were fitted to; required with them.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "modes")

    modes: Sequence[Mode]
    target_error: float | str = 0.01
    packet: str | None = None


#: Adaptive modulation and coding.
Amc = CtcAmc | ConvolutionalAmc | ShannonAmc | ModesAmc


@dataclass(frozen=True, kw_only=True)
class IndependentFading:
    """Rayleigh, independent in every slot."""

    TAG: ClassVar[tuple[str, str]] = ("model", "independent")


@dataclass(frozen=True, kw_only=True)
class JakesFading:
    """Rayleigh with the Clarke–Jakes correlation J0(2π f τ), as a sum of sinusoids.

    Attributes
    ----------
    doppler
        Doppler frequency.
    sinusoids
        Number of sinusoids.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "jakes")

    doppler: str
    sinusoids: int = 16


@dataclass(frozen=True, kw_only=True)
class AutoregressiveFading:
    """The same correlation, as an autoregressive process.

    Attributes
    ----------
    doppler
        Doppler frequency.
    order
        Order of the process.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "autoregressive")

    doppler: str
    order: int = 8


@dataclass(frozen=True, kw_only=True)
class MarkovFading:
    """A Markov chain over the modes with transitions between neighbours only; for slow fading.

    Attributes
    ----------
    doppler
        Doppler frequency.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "markov")

    doppler: str


@dataclass(frozen=True, kw_only=True)
class ConstantFading:
    """No fading."""

    TAG: ClassVar[tuple[str, str]] = ("model", "constant")


@dataclass(frozen=True, kw_only=True)
class TraceFading:
    """A recorded trace; the station's `snr` is added to the samples.

    Attributes
    ----------
    samples
        Signal-to-noise ratios in decibels, from the start of the run, or a CSV file with columns `time_s` and
        `snr_db`. The trace repeats when it ends.
    interval
        Sampling interval; a file has its own.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "trace")

    samples: str | Sequence[float]
    interval: str | None = None


#: Fading of a channel.
Fading = IndependentFading | JakesFading | AutoregressiveFading | MarkovFading | ConstantFading | TraceFading


@dataclass(frozen=True, kw_only=True)
class QueueingDelayScheduler:
    """Largest backlog × rate / average rate: queueing-delay MaxWeight (huang2020 (10))."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "queueing-delay")


@dataclass(frozen=True, kw_only=True)
class QueueLengthScheduler:
    """Largest backlog × rate: MaxWeight."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "queue-length")


@dataclass(frozen=True, kw_only=True)
class MaxSnrScheduler:
    """The best channel.

    Attributes
    ----------
    oblivious
        Whether stations with empty queues are considered too.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "max-snr")

    oblivious: bool = False


@dataclass(frozen=True, kw_only=True)
class RoundRobinScheduler:
    """Round robin.

    Attributes
    ----------
    oblivious
        Whether a slot is spent on its station even if its queue is empty; otherwise empty stations are skipped.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "round-robin")

    oblivious: bool = False


@dataclass(frozen=True, kw_only=True)
class ProportionalFairScheduler:
    """Largest rate / average rate."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "proportional-fair")


@dataclass(frozen=True, kw_only=True)
class MLwdfScheduler:
    """Modified largest weighted delay first (Andrews et al. 2001), with `deadline` and `violation` of the stations."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "m-lwdf")


@dataclass(frozen=True, kw_only=True)
class ExpRuleScheduler:
    """The exponential rule (Shakkottai and Stolyar 2002), with the same."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "exp-rule")


@dataclass(frozen=True, kw_only=True)
class PythonScheduler:
    """A scheduler of your own: a Python class with a method `choose`.

    Attributes
    ----------
    class_
        FILE:CLASS, the file relative to the scenario's folder, or MODULE:CLASS.
    arguments
        Arguments of its constructor.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "python")

    class_: str = field(metadata={"key": "class"})
    arguments: Mapping[str, Any] = field(default_factory=dict)


#: Which station a slot serves; ties go to the first.
Scheduler = (
    QueueingDelayScheduler
    | QueueLengthScheduler
    | MaxSnrScheduler
    | RoundRobinScheduler
    | ProportionalFairScheduler
    | MLwdfScheduler
    | ExpRuleScheduler
    | PythonScheduler
)


#: How the bits of a slot are filled with packets.
Service = Literal["whole"] | Literal["carry"] | Literal["fluid"]


@dataclass(frozen=True, kw_only=True)
class Average:
    """Exponential moving average of the rates, one step per slot.

    Attributes
    ----------
    slots
        Time constant in slots, at least 1: r ← r + (new − r)/slots.
    start
        Initial value.
    held_when_empty
        Whether a station's average is held while its queue is empty; otherwise such slots count as rate 0.
    """

    slots: float = 256.0
    start: str = "1 bit/s"
    held_when_empty: bool = False


@dataclass(frozen=True, kw_only=True)
class Repair:
    """Link-layer retransmission of packets that were not decoded.

    Attributes
    ----------
    transmissions
        Maximum transmissions per packet, including the first.
    """

    transmissions: int


@dataclass(frozen=True, kw_only=True)
class Station:
    """A station of a cell, or a group of identical stations.

    Attributes
    ----------
    node
        Node, or group of nodes.
    snr
        Mean signal-to-noise ratio.
    fading
        Fading of its channel. Default: that of the cell.
    buffer
        Its buffer. Default: that of the cell.
    queue
        Discipline of its queue. Default: that of the cell.
    delay
        From the end of a packet's transmission to its arrival. Default: that of the cell.
    deadline
        T of M-LWDF and the EXP rule, which aim to keep the probability of a delay above T at `violation`.
    violation
        δ of M-LWDF and the EXP rule; above 0 and below 1.
    """

    node: str
    snr: str
    fading: str | Fading | None = None
    buffer: str | None = None
    queue: str | Queue | None = None
    delay: str | None = None
    deadline: str = "100 ms"
    violation: float | str = 0.05


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A slotted cell: stations that share one carrier.

    It creates a one-way link between the access point and each station, named `ACCESS_POINT->NODE` for a downlink and
    `NODE->ACCESS_POINT` for an uplink; for the other direction add links or a second cell.

    Attributes
    ----------
    name
        Name of the cell.
    access_point
        Node of the access point.
    direction
        Direction of the packets.
    slot
        Slot length; channels are constant within a slot.
    symbol_rate
        Data symbols per second of the whole carrier.
    amc
        Adaptive modulation and coding: bits per symbol as a function of the signal-to-noise ratio.
    fading
        Fading of the channels around their mean.
    scheduler
        Scheduler: which station a slot serves.
    service
        How the bits of a slot are filled with packets.
    average
        Average rate used by the schedulers.
    buffer
        Buffer per station, in packets or bytes.
    queue
        Discipline of every station's queue: its name, or a table of name and parameters. Default: drop-tail.
    shared_buffer
        Buffer shared by all stations, in packets. Default: no shared limit.
    delay
        Delay from the end of a packet's transmission to its arrival.
    repair
        Link-layer retransmission of packets that were not decoded. Default: every transmission succeeds.
    station
        The stations.
    """

    name: str
    access_point: str
    direction: Direction = "downlink"
    slot: str
    symbol_rate: str
    amc: str | Amc
    fading: str | Fading = "independent"
    scheduler: str | Scheduler | Callable[[], Any] = "queueing-delay"
    service: Service = "carry"
    average: Average = Average()
    buffer: str = "1000 packets"
    queue: str | Queue | None = None
    shared_buffer: str | None = None
    delay: str = "0 s"
    repair: Repair | None = None
    station: Sequence[Station]


#: Physical layer.
Standard = Literal["802.11b"] | Literal["802.11a"] | Literal["802.11g"] | Literal["bianchi"]


#: Whose MAC it is.
MacMode = Literal["standard"] | Literal["ns2"]


@dataclass(frozen=True, kw_only=True)
class DcfAccess:
    """The distributed coordination function of 802.11."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "dcf")


#: What is done with fractions of a contention window.
Rounding = Literal["floor"] | Literal["random"]


@dataclass(frozen=True, kw_only=True)
class QueueingDelayAccess:
    """802.11 with contention windows by the queueing delay of the link that was served (wang2013 (18)).

    After a success the mean backoff is exp(−ρ)/b, with ρ = `scale`·b·backlog/(average rate).

    Attributes
    ----------
    scale
        β, the scale of the transmission aggressiveness; 1 as printed.
    rounding
        What is done with fractions of a window.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "queueing-delay")

    scale: float = 1.0
    rounding: Rounding = "floor"


@dataclass(frozen=True, kw_only=True)
class QueueLengthAccess:
    """802.11 with contention windows by the queue length: ρ = `scale`·backlog, in packets.

    Attributes
    ----------
    scale
        Aggressiveness per packet.
    rounding
        What is done with fractions of a window.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "queue-length")

    scale: float = 1.0
    rounding: Rounding = "floor"


#: Which links conflict.
Conflicts = Literal["sense"] | Literal["receive"] | Literal["primary"]


@dataclass(frozen=True, kw_only=True)
class IdealAccess:
    """Ideal CSMA: links sense each other at once, wait for exponential times and never collide.

    Attributes
    ----------
    scale
        β, the scale of the transmission aggressiveness b·(queueing delay).
    cap
        Largest aggressiveness: schedules change every exp(`cap`) packets.
    aggressiveness
        A constant aggressiveness instead. Default: by queueing delay.
    conflicts
        Which links conflict.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "ideal")

    scale: float = 1.0
    cap: float = 8.0
    aggressiveness: float | None = None
    conflicts: Conflicts = "sense"


@dataclass(frozen=True, kw_only=True)
class MaxWeightAccess:
    """Slots under centralised MaxWeight (Tassiulas and Ephremides 1992).

    Each slot serves the links without conflicts whose backlogs differ most. One packet, of any size, a slot and link.

    Goes with `routing = "backpressure"`, of which only `k` and `links` count. A loss in `[[wifi.loss]]` is the
    probability that the link is OFF in a slot.

    Attributes
    ----------
    slot
        Length of a slot.
    conflicts
        Which links conflict.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "max-weight")

    slot: str = "20 ms"
    conflicts: Conflicts = "sense"


#: How stations share the air.
Access = DcfAccess | QueueingDelayAccess | QueueLengthAccess | IdealAccess | MaxWeightAccess


@dataclass(frozen=True, kw_only=True)
class ShortestRouting:
    """Fixed: fewest hops; ties go by name, in natural order (N-2 before N-10), from the receiver back."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "shortest")


@dataclass(frozen=True, kw_only=True)
class DsdvRouting:
    """Destination-sequenced distance vectors: stations tell each other over the air what they know.

    `optimum` and `fluid` take the shortest routes.

    Attributes
    ----------
    period
        Everything is told once in this time, or up to a quarter sooner.
    settling
        How long routes are taken to settle before it is known.
    spacing
        Least distance of updates that tell changes.
    missed
        A neighbour that was not heard for this many periods is gone.
    link_layer
        Whether a packet that the MAC gave up breaks its link; under load that breaks links that are sound.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "dsdv")

    period: str = "15 s"
    settling: str = "6 s"
    spacing: str = "1 s"
    missed: int = 3
    link_layer: bool = False


@dataclass(frozen=True, kw_only=True)
class AodvRouting:
    """Ad hoc on-demand distance vectors (RFC 3561): a station that has no route asks for one when it needs it.

    `optimum` and `fluid` take the shortest routes.

    Attributes
    ----------
    mode
        Whose constants they are: RFC 3561's or ns-2.35's. Default: as the network's `mode`.
    active_route
        How long a route lives after its last use. Default: 3 s, ns-2 10 s.
    ttl_start
        Reach of the first request, in hops. Default: 1, ns-2 5.
    net_diameter
        Most hops across the network. Default: 35, ns-2 30.
    hello
        Distance of hello messages. Default: none is sent.
    link_layer
        Whether a packet that the MAC gave up breaks its link.
    local_repair
        Whether a station in the middle of a broken route seeks another one itself.
    intermediate_replies
        Whether stations with a fresh route answer for the destination.
    jitter
        Messages for all wait for a random time up to this.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "aodv")

    mode: MacMode | None = None
    active_route: str | None = None
    ttl_start: int | None = None
    net_diameter: int | None = None
    hello: str | None = None
    link_layer: bool = True
    local_repair: bool = True
    intermediate_replies: bool = True
    jitter: str = "10 ms"


#: Where a flow that is forwarded by backlog may go.
AllowedLinks = Literal["loop-free"] | Literal["downstream"] | Literal["not-farther"] | Literal["all"]


#: What the share of failures is of.
Failures = Literal["packets"] | Literal["attempts"]


#: How ACKs go where data is forwarded by backlog.
Acks = Literal["shortest"] | Literal["backlog"]


@dataclass(frozen=True, kw_only=True)
class BackpressureRouting:
    """None: stations forward by backlog (seferoglu2014).

    When the MAC lets one send, it sends a packet of that flow, to that neighbour, for which (max{`k`, own backlog} −
    the neighbour's backlog)·rate·(1 − share of failures) is largest, if positive.

    Buffers are in packets. `optimum` and `fluid` take the shortest routes.

    Attributes
    ----------
    k
        A queue shorter than this counts as so long, which keeps TCP alive: "shared" is a station's buffer over the
        flows that cross it, 0 classical backpressure.
    links
        Where a flow may go.
    report
        A station that has told its backlogs to nobody for so long broadcasts them.
    report_entry
        Bytes that a frame takes to tell the backlog of one flow.
    memory
        The share of failures is that of the last one to two of these spans.
    failures
        What can fail.
    acks
        How ACKs go.
    class_
        A rule of your own in place of this one: a Python class with a method `rank`, as FILE:CLASS, the file relative
        to the scenario's folder, or MODULE:CLASS.
    arguments
        Arguments of its constructor.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "backpressure")

    k: str | Literal[0] = "shared"
    links: AllowedLinks = "loop-free"
    report: str = "100 ms"
    report_entry: str = "2 B"
    memory: str = "1 s"
    failures: Failures = "packets"
    acks: Acks = "shortest"
    class_: str | None = field(default=None, metadata={"key": "class"})
    arguments: Mapping[str, Any] = field(default_factory=dict)


#: How routes across the network are found, unless a flow names its own by `via`.
Routing = ShortestRouting | DsdvRouting | AodvRouting | BackpressureRouting


@dataclass(frozen=True, kw_only=True)
class WifiTiming:
    """Timings of the MAC.

    Default: the standard's.

    Attributes
    ----------
    slot
        Backoff slot.
    sifs
        Short interframe space.
    difs
        Distributed interframe space.
    preamble
        Preamble and PHY header of a frame.
    propagation
        Propagation delay between any two stations.
    timeout
        From the end of a frame to the instant at which its answer is given up.
    cw_min
        Least contention window; backoffs are drawn from 0 to it.
    cw_max
        Largest contention window.
    eifs
        Whether EIFS follows a frame that could not be received.
    overhead
        Bytes that a data frame adds to a packet: MAC and LLC headers, checksum.
    """

    slot: str | None = None
    sifs: str | None = None
    difs: str | None = None
    preamble: str | None = None
    propagation: str | None = None
    timeout: str | None = None
    cw_min: int | None = None
    cw_max: int | None = None
    eifs: bool | None = None
    overhead: str | None = None


@dataclass(frozen=True, kw_only=True)
class FreeSpacePathLoss:
    """Free space."""

    TAG: ClassVar[tuple[str, str]] = ("model", "free-space")


@dataclass(frozen=True, kw_only=True)
class TwoRayGroundPathLoss:
    """Free space up to the cross-over distance, beyond it two-ray ground reflection: the fourth power of the distance.

    Attributes
    ----------
    height
        Height of the antennas.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "two-ray-ground")

    height: str = "1.5 m"


@dataclass(frozen=True, kw_only=True)
class LogDistancePathLoss:
    """Free space up to a reference distance, beyond it a power of the distance.

    Attributes
    ----------
    exponent
        The exponent.
    reference
        The reference distance.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "log-distance")

    exponent: float = 3.0
    reference: str = "1 m"


#: How power falls with distance.
PathLoss = FreeSpacePathLoss | TwoRayGroundPathLoss | LogDistancePathLoss


@dataclass(frozen=True, kw_only=True)
class WifiReach:
    """Who hears whom: by distances, or by the power that is received.

    Attributes
    ----------
    receive
        Largest distance at which frames are received. Default: 250 m, if no threshold is given.
    sense
        Largest distance at which frames are sensed. Default: 2.2 times `receive`.
    receive_threshold
        Least power at which frames are received, instead of `receive`.
    sense_threshold
        Least power at which frames are sensed, instead of `sense`.
    power
        Power of every sender.
    frequency
        Carrier frequency.
    path_loss
        How power falls with distance.
    capture
        Least ratio of a frame's power to that of all others together at which it is received, whatever its rate.
        Default: by rate; 10 dB with `mode = "ns2"`.
    """

    receive: str | None = None
    sense: str | None = None
    receive_threshold: str | None = None
    sense_threshold: str | None = None
    power: str = "24.5 dBm"
    frequency: str = "914 MHz"
    path_loss: str | PathLoss = "two-ray-ground"
    capture: str | None = None


@dataclass(frozen=True, kw_only=True)
class WifiNoise:
    """Noise and fading: which frames are lost by their signal-to-noise ratio.

    Attributes
    ----------
    power
        Noise in the channel.
    rayleigh
        Whether the power of a frame is exponential around its mean: Rayleigh fading, independent from frame to frame.
    """

    power: str
    rayleigh: bool = False


@dataclass(frozen=True, kw_only=True)
class GridLayout:
    """Rows of a grid, the first member at `origin`, the next to its right.

    Attributes
    ----------
    columns
        Members in a row.
    spacing
        Distance of neighbours in a row and of rows.
    origin
        Position of the first member.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "grid")

    columns: int
    spacing: str
    origin: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class RandomLayout:
    """Uniform in a rectangle.

    Attributes
    ----------
    width
        Its width.
    height
        Its height.
    seed
        Seed of the positions, which are the same for all seeds of the scenario.
    origin
        Its lower left corner.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "random")

    width: str
    height: str
    seed: int = 1
    origin: Sequence[str] = ()


#: Positions of a group of nodes.
Layout = GridLayout | RandomLayout


@dataclass(frozen=True, kw_only=True)
class Waypoint:
    """Where a station is at a given time.

    Attributes
    ----------
    time
        When.
    at
        Where: ["0 m", "150 m"].
    """

    time: str
    at: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class WaypointsMotion:
    """From place to place, straight and evenly, the first time from its position at the beginning.

    A single node only.

    Attributes
    ----------
    points
        When it is where, in order of time.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "waypoints")

    points: Sequence[Waypoint]


@dataclass(frozen=True, kw_only=True)
class RandomWaypointMotion:
    """To a random place in a rectangle at a random speed, a pause, and on.

    Attributes
    ----------
    width
        Width of the rectangle.
    height
        Its height.
    origin
        Its lower left corner.
    min_speed
        Speeds are uniform from this one.
    max_speed
        To this one.
    pause
        How long it rests at every place.
    seed
        Seed of the ways, which are the same for all seeds of the scenario.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "random-waypoint")

    width: str
    height: str
    origin: Sequence[str] = ()
    min_speed: str = "1 m/s"
    max_speed: str = "20 m/s"
    pause: str = "0 s"
    seed: int = 1


#: How stations move. `optimum` and `fluid` do not take networks whose stations do.
Motion = WaypointsMotion | RandomWaypointMotion


@dataclass(frozen=True, kw_only=True)
class WifiStation:
    """A station, or a group of them.

    Attributes
    ----------
    node
        Node, or group of nodes.
    at
        Position of a single node: ["0 m", "150 m"].
    layout
        Positions of a group.
    motion
        How it moves from there. Default: it does not.
    data_rate
        Rate of its data frames. Default: that of the network.
    buffer
        Its interface queue. Default: that of the network.
    queue
        Discipline of its interface queue. Default: that of the network.
    """

    node: str
    at: Sequence[str] | None = None
    layout: Layout | None = None
    motion: Motion | None = None
    data_rate: str | None = None
    buffer: str | None = None
    queue: str | Queue | None = None


#: What the losses of a link are of.
LossOf = Literal["attempts"] | Literal["packets"] | Literal["deliveries"]


@dataclass(frozen=True, kw_only=True)
class LinkLoss:
    """Losses of a link.

    Attributes
    ----------
    from_
        Sender.
    to
        Receiver.
    probability
        Probability of a loss. Broadcasts, which have no ACK and one attempt, are lost with it whatever `of` says.
    of
        What is lost with this probability.
    """

    from_: str = field(metadata={"key": "from"})
    to: str
    probability: float | str
    of: LossOf = "attempts"


@dataclass(frozen=True, kw_only=True)
class Wifi:
    """A wireless network of 802.11: stations with one transceiver each, all on one channel.

    It creates a one-way link, named `FROM->TO`, from every station to every other one that can receive its frames;
    links may join its nodes to others.

    Attributes
    ----------
    name
        Name of the network.
    standard
        Physical layer.
    mode
        `"ns2"` takes up the idiosyncrasies of ns-2.35, and its frame sizes and RTS threshold of 0 bytes.
    data_rate
        Rate of data frames. Default: the fastest of the standard.
    basic_rate
        Rate of RTS, CTS, ACK and broadcasts. Default: the slowest of the standard.
    rts_threshold
        Data frames longer than this, MAC header included, are preceded by RTS and CTS. Default: none is.
    short_retries
        Maximum attempts of a frame up to the RTS threshold, and of an RTS.
    long_retries
        Maximum attempts of a data frame above the RTS threshold.
    buffer
        Interface queue of every station, in packets or bytes, not counting the packet being sent.
    queue
        Discipline of every station's interface queue: its name, or a table of name and parameters. Default: drop-
        tail.
    access
        How stations share the air.
    routing
        How routes across the network are found.
    timing
        Timings that differ from the standard's.
    reach
        Who hears whom.
    noise
        Noise and fading, at every station that a frame reaches. Default: every frame in range that does not collide
        is received.
    entropy
        Weight of the schedule's entropy in the objective of `optimum` and `fluid`, in units of the flows' utility:
        packets for window-based laws. 0 is the best schedule. Default: 1/`scale` with access by queueing delay or
        ideal access, else 0.
    station
        The stations.
    loss
        Losses of single links beyond those of the air.
    """

    name: str
    standard: Standard = "802.11b"
    mode: MacMode = "standard"
    data_rate: str | None = None
    basic_rate: str | None = None
    rts_threshold: str | None = None
    short_retries: int = 7
    long_retries: int = 4
    buffer: str = "1000 packets"
    queue: str | Queue | None = None
    access: str | Access = "dcf"
    routing: str | Routing = "shortest"
    timing: WifiTiming | None = None
    reach: WifiReach = WifiReach()
    noise: WifiNoise | None = None
    entropy: float | None = None
    station: Sequence[WifiStation]
    loss: Sequence[LinkLoss] = ()


@dataclass(frozen=True, kw_only=True)
class BoxRegion:
    """Independent links, each with its own capacity: dedicated slots or bands.

    Attributes
    ----------
    name
        Name of the region.
    links
        Its links.
    capacity
        Capacity of each link; a single rate applies to all.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "box")

    name: str
    links: Sequence[str]
    capacity: str | Sequence[str]


@dataclass(frozen=True, kw_only=True)
class NormRegion:
    """The sum of (rate/capacity)^exponent over the links is at most 1: between time sharing and the box.

    Attributes
    ----------
    name
        Name of the region.
    links
        Its links.
    capacity
        Capacity of each link when alone; a single rate applies to all.
    exponent
        At least 1, which is time sharing; the larger, the less the links interfere.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "norm")

    name: str
    links: Sequence[str]
    capacity: str | Sequence[str]
    exponent: float


@dataclass(frozen=True, kw_only=True)
class EllipsoidRegion:
    """With y the rates over the capacities, y·My is at most 1.

    Attributes
    ----------
    name
        Name of the region.
    links
        Its links.
    capacity
        Capacity of each link when alone; a single rate applies to all.
    matrix
        M: symmetric, positive definite, with ones on the diagonal; off-diagonal entries couple two links.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "ellipsoid")

    name: str
    links: Sequence[str]
    capacity: str | Sequence[str]
    matrix: Sequence[Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit on a weighted sum of rates.

    Attributes
    ----------
    weights
        Weights, one per link, not negative.
    most
        Upper bound of the sum of weight × rate.
    """

    weights: Sequence[float]
    most: str


@dataclass(frozen=True, kw_only=True)
class HalfSpacesRegion:
    """Limits on weighted sums of the rates.

    Attributes
    ----------
    name
        Name of the region.
    links
        Its links.
    limit
        The limits; every link needs a positive weight in at least one.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "half-spaces")

    name: str
    links: Sequence[str]
    limit: Sequence[Limit]


@dataclass(frozen=True, kw_only=True)
class ChannelState:
    """A joint channel state.

    Attributes
    ----------
    rates
        Rate of each link if it is served.
    probability
        Probability of the state; they sum to 1. Default: all states are equally likely.
    """

    rates: Sequence[str]
    probability: float | str | None = None


@dataclass(frozen=True, kw_only=True)
class FadingRegion:
    """One link at a time, chosen per channel state: the ergodic region of a fading cell.

    Attributes
    ----------
    name
        Name of the region.
    links
        Its links.
    state
        The joint channel states.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "fading")

    name: str
    links: Sequence[str]
    state: Sequence[ChannelState]


@dataclass(frozen=True, kw_only=True)
class CsmaRegion:
    """Ideal CSMA: conflicting links are never active together, all others may be.

    Attributes
    ----------
    name
        Name of the region.
    links
        Its links.
    capacity
        Capacity of each link while active; a single rate applies to all.
    conflicts
        Pairs of links that conflict. A group means all its links: ["up", "up"] makes all links of `up` conflict with
        each other.
    entropy
        Weight of the schedule's entropy in the objective, which models CSMA backoff; in units of the flows' utility,
        packets for window-based laws. 0 is the best schedule.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "csma")

    name: str
    links: Sequence[str]
    capacity: str | Sequence[str]
    conflicts: Sequence[Sequence[str]]
    entropy: float = 0.0


#: A capacity region: the rates that links without a `rate` can have together. Every such link belongs to exactly one
#: region. A region has no packets: it is for `optimum` and `fluid`, and `simulate` refuses it. `links` lists one-way
#: links by name; the name of a group, or FROM->TO of one, means all its links.
Region = BoxRegion | NormRegion | EllipsoidRegion | HalfSpacesRegion | FadingRegion | CsmaRegion


#: What is lost when a link goes down.
Drop = Literal["nothing"] | Literal["flight"] | Literal["all"]


@dataclass(frozen=True, kw_only=True)
class ChangeStep:
    """A step of a change.

    Attributes
    ----------
    at
        When.
    rate
        Transmission rate, or a recording, which is replayed as if it had begun with the run. The rest of the packet
        in transmission is sent at the new rate; from or to a recording that packet begins again.
    delay
        Propagation delay of the packets whose transmission ends from then on. None arrives before one that was sent
        earlier.
    loss
        Random loss, 0 for none, of the packets whose transmission ends from then on.
    buffer
        Buffer size. Packets that wait already stay, even if there are more of them.
    jitter
        Random extra delay.
    reorder
        Packets that others overtake, of those whose transmission ends from then on; with a share of 0 for none.
    up
        Whether the link transmits. While it is down, packets wait in its buffer; the one in transmission stops, and
        the rest of it is sent when the link is up again.
    drop
        What is lost when the link goes down, with `up = false`. Default: nothing.
    snr
        Mean signal-to-noise ratio of a station of a cell, from the next slot on.
    position
        Position of a station of Wi-Fi, which it takes at once. The routing follows as with `motion`.
    """

    at: str
    rate: Rate | None = None
    delay: str | None = None
    loss: Loss | None = None
    buffer: str | None = None
    jitter: Jitter | None = None
    reorder: Reorder | None = None
    up: bool | None = None
    drop: Drop | None = None
    snr: str | None = None
    position: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of a link or a station while the scenario runs: at one time, or in steps.

    What is not given stays as it is.

    Attributes
    ----------
    link
        One-way link, by its name; the name of a group, or FROM->TO of one, means all its links. The link back has a
        name of its own.
    station
        Station of a cell or of Wi-Fi, by its node or group of nodes.
    at
        When, for a single change.
    steps
        Several changes, in order of time: a list, or the name of a CSV file with a column `time_s` and columns among
        `rate_bps`, `delay_ms`, `loss`, `buffer_packets`, `jitter_ms` (uniform up to it), `reorder` (the share) with
        `reorder_ms`, `up`, `snr_db`, and `x_m` with `y_m`; an empty cell means no change.
    rate
        Transmission rate, or a recording, which is replayed as if it had begun with the run. The rest of the packet
        in transmission is sent at the new rate; from or to a recording that packet begins again.
    delay
        Propagation delay of the packets whose transmission ends from then on. None arrives before one that was sent
        earlier.
    loss
        Random loss, 0 for none, of the packets whose transmission ends from then on.
    buffer
        Buffer size. Packets that wait already stay, even if there are more of them.
    jitter
        Random extra delay.
    reorder
        Packets that others overtake, of those whose transmission ends from then on; with a share of 0 for none.
    up
        Whether the link transmits. While it is down, packets wait in its buffer; the one in transmission stops, and
        the rest of it is sent when the link is up again.
    drop
        What is lost when the link goes down, with `up = false`. Default: nothing.
    snr
        Mean signal-to-noise ratio of a station of a cell, from the next slot on.
    position
        Position of a station of Wi-Fi, which it takes at once. The routing follows as with `motion`.
    """

    link: str | None = None
    station: str | None = None
    at: str | None = None
    steps: str | Sequence[ChangeStep] | None = None
    rate: Rate | None = None
    delay: str | None = None
    loss: Loss | None = None
    buffer: str | None = None
    jitter: Jitter | None = None
    reorder: Reorder | None = None
    up: bool | None = None
    drop: Drop | None = None
    snr: str | None = None
    position: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Reno:
    """RFC 5681's additive increase, multiplicative decrease.

    Attributes
    ----------
    byte_counting
        Count acknowledged packets (RFC 3465, and Linux) instead of ACKs (RFC 5681 Eq. 3, and ns-2). Default true.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "reno")

    byte_counting: bool = True


#: Whose CUBIC runs.
Version = Literal["rfc9438"] | Literal["linux"] | Literal["linux-2.6.22"] | Literal["linux-2.6.31"]


@dataclass(frozen=True, kw_only=True)
class Cubic:
    """RFC 9438's cubic function of the time since the last loss; what most servers run.

    Attributes
    ----------
    version
        Whose CUBIC: "rfc9438", "linux" (Linux 6, in its whole numbers), "linux-2.6.22" (v2.1, as in ns-2.35) or
        "linux-2.6.31" (v2.3). Default "rfc9438".
    c
        Steepness C in packets/s³ (RFC 9438 §5.1), 1e-6 to 1e6; the kernels have their own. Default 0.4.
    beta
        Share of the window that a loss leaves, β (RFC 9438 §4.6), 0.1 to 0.99; the kernels have their own. Default
        0.7.
    fast_convergence
        Give way to new flows after two losses at falling windows (RFC 9438 §4.7). Default on.
    hystart
        Leave slow start before it loses: the first one, by HyStart++ (RFC 9406); in "linux" and "linux-2.6.31" by
        HyStart, which the kernels have on. Default off.
    timestamps
        "linux-2.6.22" only: packets carry timestamps, without which that kernel takes no round trips and has no limit
        S_max to its growth. Default on; ns-2's senders have none.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "cubic")

    version: Version = "rfc9438"
    c: float = 0.4
    beta: float = 0.7
    fast_convergence: bool = True
    hystart: bool = False
    timestamps: bool = True


@dataclass(frozen=True, kw_only=True)
class Vegas:
    """Brakmo and Peterson's law: between `alpha` and `beta` packets in the queue.

    Attributes
    ----------
    alpha
        Fewer packets than this in queues: grow. 0.001 to 1e9. Default 2 (Vegas-2,4; ns-2: 1).
    beta
        More packets than this in queues: shrink. `alpha` to 1e9. Default 4 (Vegas-2,4; ns-2: 3).
    gamma
        More packets than this in queues end slow start. 0.001 to 1e9. Default 1.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "vegas")

    alpha: float = 2.0
    beta: float = 4.0
    gamma: float = 1.0


#: Which form of the law runs.
Mode2 = Literal["paper"] | Literal["ns2"]


@dataclass(frozen=True, kw_only=True)
class Fast:
    """Wei, Jin, Low and Hegde's law: `alpha` packets in the queue.

    Attributes
    ----------
    gamma
        Step size γ, 1e-6 to 4. Default 0.5 (Wei et al.; ns-2); huang2020 uses 1.5 in ns-2.
    alpha
        Packets α that the flow keeps in queues, 0.001 to 1e9. Default 100 (ns-2); huang2020 uses 200.
    mode
        The paper's law or the ns-2 module. Default the paper's.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "fast")

    gamma: float = 0.5
    alpha: float = 100.0
    mode: Mode2 = "paper"


@dataclass(frozen=True, kw_only=True)
class QuicTcp:
    """Huang, Sun and Wang's law: `backlog` packets in the queue, proven to converge.

    Attributes
    ----------
    rho
        Exponent ρ, from 0 to 1: small is quick at large windows, large is tolerant of κ. Default 0.5.
    kappa
        Step size κ, in packets^(2ρ−1), 1e-6 to 1e6. Default 0.5.
    backlog
        Packets p that the flow keeps in queues, 0.001 to 1e9. Default 200.
    mode
        The paper's law or the ns-2 module. Default the paper's.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "quic-tcp")

    rho: float = 0.5
    kappa: float = 0.5
    backlog: float = 200.0
    mode: Mode2 = "paper"


@dataclass(frozen=True, kw_only=True)
class Compound:
    """Tan, Song, Zhang and Sridharan's law: Reno's window plus a delay-driven one.

    Attributes
    ----------
    alpha
        Growth factor α: the window gains α·W^k packets per round trip; 1e-6 to 1e6. Default 1/8.
    k
        Growth exponent k, 0 to 1. Default 0.75.
    beta
        Share of the window that a loss takes, β; 0.1 to 0.9. Default 0.5.
    gamma
        Packets in queues from which the delay window gives way, γ; 0.001 to 1e9. Default 30.
    zeta
        Packets that the delay window gives up per packet in queues and round trip, ζ; 1e-6 to 1e6. Default 1.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "compound")

    alpha: float = 0.125
    k: float = 0.75
    beta: float = 0.5
    gamma: float = 30.0
    zeta: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Westwood:
    """Grieco and Mascolo's law: Reno that falls back to the rate that it has measured.

    Attributes
    ----------
    filter
        Share of the old bandwidth estimate that a round trip leaves, a; 0 to 0.999. Default 0.9.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "westwood")

    filter: float = 0.9


#: How TCP-FIT's N moves.
Update = Literal["proportional"] | Literal["step"]


@dataclass(frozen=True, kw_only=True)
class TcpFit:
    """Wang, Wen, Zhang, Xiong and Han's law: as many Renos as leave the queue short.

    Attributes
    ----------
    alpha
        Greatest share α of a Reno window that waits in queues at rest, 0.001 to 1. Default 0.1.
    beta
        Growth β of N per update, 1e-6 to 1e6; the paper recommends 5^(lg BDP − 3) with the BDP in packets. Default 1.
    period
        Least time between updates of N, in seconds, 1e-6 to 1e6. Default 0.5.
    noise
        Queueing delay in seconds that counts as none, where delay varies for other reasons, 0 to 1; the paper has
        none. Default 0.
    update
        How N moves: in proportion to what it is off, as in 2016, or by one step, as in 2011. Default "proportional".
    reset
        A timeout sets N back to 1; the paper leaves it open. Default off.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "tcp-fit")

    alpha: float = 0.1
    beta: float = 1.0
    period: float = 0.5
    noise: float = 0.0
    update: Update = "proportional"
    reset: bool = False


@dataclass(frozen=True, kw_only=True)
class Veno:
    """Fu and Liew's law: Reno that takes a loss for a random one while the queue is short.

    Attributes
    ----------
    beta
        Packets in queues from which a loss means congestion, β; 0.001 to 1e9. Default 3.
    gamma
        Share of the window that a random loss leaves, γ; 0.5 to 0.95. Default 0.8.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "veno")

    beta: float = 3.0
    gamma: float = 0.8


@dataclass(frozen=True, kw_only=True)
class Hybla:
    """Caini and Firrincieli's law: Reno that grows as if its round trip took 25 ms.

    Attributes
    ----------
    rtt0
        Round-trip time rtt₀ of the connection whose growth it has, in seconds; 0.001 to 10. Default 0.025.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "hybla")

    rtt0: float = 0.025


@dataclass(frozen=True, kw_only=True)
class Htcp:
    """Leith and Shorten's law: growth by the time since the last loss.

    Attributes
    ----------
    delta_l
        Time Δ_L after a congestion event in which it grows as Reno, in seconds; 1e-6 to 1e6. Default 1.
    rtt_scaling
        Scale growth by the round-trip time, so that it is the same in packets a second. Default on.
    bandwidth_switch
        Halve where the throughput has changed by more than a fifth since the last congestion event. Default on.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "htcp")

    delta_l: float = 1.0
    rtt_scaling: bool = True
    bandwidth_switch: bool = True


@dataclass(frozen=True, kw_only=True)
class Highspeed:
    """RFC 3649's law: Reno whose growth rises and whose decrease falls with the window."""

    TAG: ClassVar[tuple[str, str]] = ("name", "highspeed")


@dataclass(frozen=True, kw_only=True)
class Scalable:
    """Kelly's law: growth by a share of the window.

    Attributes
    ----------
    a
        Packets that a packet's ACK adds, a, 1e-6 to 1. Default 0.01.
    b
        Share of the window that a loss takes, b; 0.01 to 0.9. Default 0.125.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "scalable")

    a: float = 0.01
    b: float = 0.125


@dataclass(frozen=True, kw_only=True)
class Bic:
    """Xu, Harfoush and Rhee's law: binary search for the window at which the last loss came.

    Attributes
    ----------
    beta
        Share of the window that a loss leaves, β; 0.5 to 0.95. Default 0.8.
    s_max
        Greatest growth S_max in packets per round trip, 1 to 1000. Default 16.
    low_window
        Window in packets up to which it is Reno, 1 to 1e6. Default 14.
    fast_convergence
        Give way to new flows after two losses at falling windows. Default on.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "bic")

    beta: float = 0.8
    s_max: float = 16.0
    low_window: float = 14.0
    fast_convergence: bool = True


@dataclass(frozen=True, kw_only=True)
class Multcp:
    """Crowcroft and Oechslin's law: one connection with the share of `connections` Renos.

    Attributes
    ----------
    connections
        Connections N that it stands for, 1 to 1000. Default 2.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "multcp")

    connections: float = 2.0


@dataclass(frozen=True, kw_only=True)
class Bbr:
    """Cardwell and others' law, version 1 as in Linux: paces at the rate that the path delivers.

    Attributes
    ----------
    cwnd_gain
        Bandwidth-delay products in flight at most while it probes for bandwidth, 1 to 10. Default 2
        (`bbr_cwnd_gain`).
    min_rtt_window
        How long the least round-trip time counts, in seconds, 0.1 to 1e6. Default 10 (`bbr_min_rtt_win_sec`).
    probe_rtt
        How long it keeps four packets in flight to measure it again, in seconds, 0.001 to 10. Default 0.2
        (`bbr_probe_rtt_mode_ms`).
    policer
        Look for a policer, and send at its rate. Default on.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "bbr")

    cwnd_gain: float = 2.0
    min_rtt_window: float = 10.0
    probe_rtt: float = 0.2
    policer: bool = True


@dataclass(frozen=True, kw_only=True)
class Bbr3:
    """BBR, version 3 by its draft: keeps losses to `loss_threshold` and leaves `headroom` to others.

    Attributes
    ----------
    loss_threshold
        Share of losses that a probe for bandwidth may cause, 0.001 to 0.5. Default 0.02 (`BBR.LossThresh`).
    beta
        What a round with losses leaves at least, as a share, 0.1 to 1. Default 0.7 (`BBR.Beta`).
    headroom
        Share of what has fitted into the path that is left to others, 0 to 0.9. Default 0.15 (`BBR.Headroom`).
    probe_rtt_interval
        Time between measurements of the round-trip time, in seconds, 0.1 to 1e6. Default 5 (`BBR.ProbeRTTInterval`).
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "bbr3")

    loss_threshold: float = 0.02
    beta: float = 0.7
    headroom: float = 0.15
    probe_rtt_interval: float = 5.0


@dataclass(frozen=True, kw_only=True)
class Copa:
    """Arun and Balakrishnan's law: `1/delta` packets in the queue, more beside flows that fill it.

    Attributes
    ----------
    delta
        δ: it keeps 1/δ packets in queues; 0.001 to 1. Default 0.5, which is 2 packets (§2.1).
    competitive
        Lower δ where others fill the queue (§2.2). Default on.
    min_rtt_window
        How long the least round-trip time counts, in seconds, 0.1 to 1e6. Default 10.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "copa")

    delta: float = 0.5
    competitive: bool = True
    min_rtt_window: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Dctcp:
    """RFC 8257's law: Reno that falls by as much as a share of its packets was marked.

    Attributes
    ----------
    g
        Weight of a window's marks in their mean share, g; 1e-6 to 1. Default 1/16 (RFC 8257 §4.2).
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "dctcp")

    g: float = 0.0625


@dataclass(frozen=True, kw_only=True)
class Prague:
    """De Schepper, Tilmans, Briscoe and Goel's law: little and often, for queues that mark early.

    Attributes
    ----------
    g
        Weight of a round trip's marks in their mean share, g; 1e-6 to 1. Default 1/16 (§2.4.2).
    rtt_target
        Round trips that are shorter are taken for so long, seconds, 0 to 10: flows over them have the rate of one so
        long. Default 0, which is none; Linux has 0.025.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "prague")

    g: float = 0.0625
    rtt_target: float = 0.0


#: A law and its parameters, as a scenario names them.
LawSpec = (
    Reno
    | Cubic
    | Vegas
    | Fast
    | QuicTcp
    | Compound
    | Westwood
    | TcpFit
    | Veno
    | Hybla
    | Htcp
    | Highspeed
    | Scalable
    | Bic
    | Multcp
    | Bbr
    | Bbr3
    | Copa
    | Dctcp
    | Prague
)


@dataclass(frozen=True, kw_only=True)
class Tfrc:
    """TCP-friendly rate control (RFC 5348) in place of TCP: datagrams at the rate of the throughput equation.

    None is sent again. `segment` is the payload of a packet and `overhead`, 40 B by default, its headers and the size
    of a feedback; the other fields of TCP do not apply, and it has no `size`.

    Attributes
    ----------
    history_discounting
        Old loss intervals count less while nothing is lost (RFC 5348 §5.5).
    oscillation_reduction
        The instantaneous rate follows short-term changes of the RTT (RFC 5348 §4.5).
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "tfrc")

    history_discounting: bool = True
    oscillation_reduction: bool = True


@dataclass(frozen=True, kw_only=True)
class PythonLaw:
    """A law of your own: a Python class.

    Further keys are arguments of its constructor.

    Attributes
    ----------
    class_
        FILE:CLASS, the file relative to the scenario's folder, or MODULE:CLASS.
    parameters
        Arguments of its constructor, after the initial window.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "python")

    class_: str = field(metadata={"key": "class"})
    parameters: Mapping[str, Any] = field(default_factory=dict, metadata={"rest": True})


#: How the real n becomes a number of connections. chen2007 says that n is real and that the number of connections is
#: whole, and not how the one becomes the other.
ConnectionRounding = Literal["floor"] | Literal["nearest"]


@dataclass(frozen=True, kw_only=True)
class Emultcp:
    """E-MULTCP as published: chen2007 (21), updated every `tau`.

    Attributes
    ----------
    tau
        Time between updates, 1 ms to 1e6 s.
    alpha
        α: n grows by α/n in `tau`; 1e-6 to 1e6.
    beta
        β: a queue multiplies n by this; 0.01 to 0.99.
    gamma
        γ: the mean RTT signals congestion when it exceeds the minimum by this share; 1e-6 to 1e6.
    rounding
        How n, which is real, becomes a number of connections: its integer part, or the nearest integer. The paper
        does not say.
    window
        Time over which the minimum RTT is taken, so that a path that becomes longer is recognised after it; 0 s: the
        whole transfer, as published.
    max
        Maximum number of connections.
    """

    TAG: ClassVar[tuple[str, str]] = ("law", "emultcp")

    tau: str = "20 s"
    alpha: float = 0.25
    beta: float = 0.75
    gamma: float = 0.2
    rounding: ConnectionRounding = "floor"
    window: str = "0 s"
    max: int = 64


@dataclass(frozen=True, kw_only=True)
class Multfrc:
    """MULTFRC's law, chen2007's predecessor: as `emultcp`, but a queue takes β connections.

    Attributes
    ----------
    tau
        Time between updates, 1 ms to 1e6 s.
    alpha
        α: n grows by α/n in `tau`; 1e-6 to 1e6.
    beta
        β: a queue takes so many connections; 0.01 to 1e6.
    gamma
        γ: the mean RTT signals congestion when it exceeds the minimum by this share; 1e-6 to 1e6.
    rounding
        How n becomes a number of connections, as for `emultcp`.
    window
        Time over which the minimum RTT is taken, as for `emultcp`.
    max
        Maximum number of connections.
    """

    TAG: ClassVar[tuple[str, str]] = ("law", "multfrc")

    tau: str = "20 s"
    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 0.2
    rounding: ConnectionRounding = "floor"
    window: str = "0 s"
    max: int = 64


@dataclass(frozen=True, kw_only=True)
class EmultcpFast:
    """A faster variant for transfers of a minute: the number follows the queue within seconds.

    Attributes
    ----------
    tau
        Time scale: at the start, n doubles every `tau` while there is no queue; 1 ms to 1e6 s.
    alpha
        α: n grows by α/n in `tau` without a queue; 1e-6 to 1e6.
    beta
        β: a queue of twice the threshold multiplies n by this within `tau`; 0.01 to 0.99.
    gamma
        γ: the queueing-delay threshold as a share of the minimum RTT; 1e-6 to 1e6.
    floor
        Minimum threshold.
    settle
        A connection's RTT is ignored for this long after it opens.
    window
        Time over which the minimum RTT is taken, as for `emultcp`.
    bound
        Once several connections make a queue, the sum of their receive windows is bounded, as by `windward get`; TFRC
        has no window.
    max
        Maximum number of connections.
    """

    TAG: ClassVar[tuple[str, str]] = ("law", "emultcp-fast")

    tau: str = "1 s"
    alpha: float = 0.25
    beta: float = 0.75
    gamma: float = 0.14
    floor: str = "10 ms"
    settle: str = "1 s"
    window: str = "0 s"
    bound: bool = True
    max: int = 64


#: The law that changes how many connections carry a flow's data.
Connections = Emultcp | Multfrc | EmultcpFast


@dataclass(frozen=True, kw_only=True)
class RandomCoding:
    """Random combinations over GF(2^8).

    Attributes
    ----------
    block
        Segments of a block: "cwnd" is the window when the block opens, "mean-cwnd" its mean, at most 256.
    patience
        Smoothed round trips without progress after which the receiver asks for what a block lacks.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "random")

    block: str = "cwnd"
    patience: float = 1.0


@dataclass(frozen=True, kw_only=True)
class IdealCoding:
    """An infinite field: every combination says something new, as long as there is something.

    For comparison.

    Attributes
    ----------
    block
        Segments of a block: "cwnd" is the window when the block opens, "mean-cwnd" its mean, at most 256.
    patience
        Smoothed round trips without progress after which the receiver asks for what a block lacks.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "ideal")

    block: str = "cwnd"
    patience: float = 1.0


#: Network coding between TCP and the network: blocks of segments cross it as linear combinations.
Coding = RandomCoding | IdealCoding


#: Whose TCP a flow has.
Stack = Literal["rfc"] | Literal["linux"]


#: How losses are found on connections with SACK.
LossDetection = Literal["rfc6675"] | Literal["rack"]


#: How several losses are repaired without SACK.
NewReno = Literal["rfc6582"] | Literal["linux"]


#: How the retransmission timeout follows from the round trip.
Rto = Literal["rfc6298"] | Literal["linux"]


#: Explicit congestion notification of a flow.
Ecn = Literal["off"] | Literal["classic"] | Literal["accurate"] | Literal["scalable"]


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A TCP flow.

    Between two groups of equal size: one flow per pair of members. Between a group and a single node: one per member.
    Several flows are named NAME-1, NAME-2, ….

    The default route is the path with the fewest links; ties are broken by the least delay, then, compared from the
    receiver back, by the order of the links in the file or, between stations of Wi-Fi, by the natural order of their
    names.

    Attributes
    ----------
    name
        Name of the flow, or of the group of flows. Default: `FROM->TO`.
    from_
        Node or group that sends the data.
    to
        Node or group that receives it.
    count
        Number of parallel flows between two single nodes.
    via
        Nodes between `from` and `to` on the route of the data, in order; consecutive ones must be linked. Default:
        the shortest path.
    return_via
        Nodes between `to` and `from` on the route of the ACKs. Default: `via` reversed, or the shortest path.
    law
        Congestion control law: its name, or a table of name and parameters.
    connections
        Makes the flow an unlimited transfer over several connections, which this law opens and closes by the RTT and
        queue that the receiver sees. They are named NAME.1, NAME.2, … up to the maximum. Default: one connection.
    coding
        Network coding between TCP and the network, which hides losses on the air and reordering from TCP. Default:
        none.
    start
        When the connection opens.
    start_step
        Delay between the starts of consecutive flows of a group.
    start_spread
        Random extra delay of each start, uniform from 0 to this value, drawn from the seed. Default: none where
        anything else in the scenario but `host_jitter` is random; else up to a round trip without queues for every
        seed but 1, so that no two seeds are the same run.
    stop
        No new data is sent after this time, which is after the last start. Default: the end of the run.
    size
        Data to transfer. Default: unlimited.
    segment
        Payload of a full segment, 1 B to 65 495 B; with headers at most 65 535 B.
    overhead
        Header bytes of every packet. Default: what IPv4, TCP and the options in use take.
    stack
        What the options that say so in their default are taken from: the RFCs that the papers' simulators have, or
        Linux as it is today: losses by time, its timeout, its quick ACKs.
    delayed_ack
        Timeout of delayed ACKs (RFC 1122 §4.2.3.2), or false: every segment is acknowledged at once.
    quick_acks
        Segments that are acknowledged at once, each, at the beginning and after a duplicate. Default: 0; 16 with
        `stack = "linux"`.
    compress_sacks
        Whether the receiver holds SACKs back as Linux does: of the segments beyond a gap the first three are
        acknowledged at once, others by one ACK for at most 44, after min(1 ms, round trip/20). Needs `sack`. Default:
        false; true with `stack = "linux"`.
    host_jitter
        Longest time that the sending host takes from an ACK to the data that it lets out: uniform from 0, drawn from
        the seed; at most 1 s. A packet's time at the bottleneck ends phase effects, in which flows over drop-tail
        queues lock. Default: 0 s.
    receive_window
        Receive buffer, at least one segment.
    sack
        Selective acknowledgements (RFC 2018) with `loss_detection` and RFC 6937; otherwise NewReno (RFC 6582).
    loss_detection
        How losses are found: three SACKed segments above (RFC 6675), or by time as in Linux: RACK-TLP (RFC 8985) with
        F-RTO (RFC 5682) and D-SACK (RFC 2883), which need `sack`. Default: "rfc6675"; "rack" with `stack = "linux"`
        and `sack`.
    newreno
        How several losses are repaired without SACK: a timeout ends what the first partial ACK's timer does not see
        through (RFC 6582), or it takes a round trip for each, however many, as in Linux. Default: "rfc6582"; "linux"
        with `stack = "linux"`.
    timestamps
        Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    initial_window
        Segments in the first window (RFC 6928).
    min_rto
        Minimum retransmission timeout: 1 s in RFC 6298 §2.4, 200 ms in ns-2 and Linux. With `rto = "rfc6298"` and
        paths of more than 200 ms use 1 s, or timers fire spuriously when a queue grows.
    rto
        What the minimum is of: the whole timeout, max(minimum, srtt + 4·rttvar) (RFC 6298), or what variation adds,
        srtt + max(minimum, 4·rttvar) (Linux). Default: "rfc6298"; "linux" with `stack = "linux"`.
    known_base_rtt
        The base round-trip time given to the law; "path" computes it from the route, as propagation and transmission
        of a full segment and its ACK. Default: the law uses the smallest RTT sample.
    pacing
        Spread segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). Laws that set a pacing rate are
        always paced at it.
    ecn
        Explicit congestion notification, for queues that mark: none, by a flag that is repeated until it is answered
        (RFC 3168), by a counter in every ACK (RFC 9768), or by that counter with ECT(1) in every packet (RFC 9331).
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    law: str | LawSpec | Tfrc | PythonLaw | Callable[[float], Any]
    connections: str | Connections | None = None
    coding: str | Coding | None = None
    start: str = "0 s"
    start_step: str = "0 s"
    start_spread: str | None = None
    stop: str | None = None
    size: str | None = None
    segment: str = "1448 B"
    overhead: str | None = None
    stack: Stack = "rfc"
    delayed_ack: str | Literal[False] = "40 ms"
    quick_acks: int | None = None
    compress_sacks: bool | None = None
    host_jitter: str | None = None
    receive_window: str = "1048576 packets"
    sack: bool = True
    loss_detection: LossDetection | None = None
    newreno: NewReno | None = None
    timestamps: bool = True
    initial_window: int = 10
    min_rto: str = "200 ms"
    rto: Rto | None = None
    known_base_rtt: str | None = None
    pacing: bool = False
    ecn: Ecn = "off"


@dataclass(frozen=True, kw_only=True)
class Cbr:
    """Evenly spaced.

    Attributes
    ----------
    rate
        Rate.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "cbr")

    rate: str


@dataclass(frozen=True, kw_only=True)
class Poisson:
    """Independent exponential gaps.

    Attributes
    ----------
    rate
        Mean rate.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "poisson")

    rate: str


@dataclass(frozen=True, kw_only=True)
class Pareto:
    """Pareto with this shape, above 1 so that the mean is finite.

    Attributes
    ----------
    pareto

    """

    pareto: float


#: Distribution of a period around its mean.
Spread = Literal["fixed"] | Literal["exponential"] | Pareto


@dataclass(frozen=True, kw_only=True)
class OnOff:
    """Alternating on and off periods, starting with off.

    Attributes
    ----------
    rate
        Rate while on.
    on
        Mean length of an on period.
    off
        Mean length of an off period.
    on_spread
        Distribution of the on periods.
    off_spread
        Distribution of the off periods.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "on-off")

    rate: str
    on: str
    off: str
    on_spread: Spread = "exponential"
    off_spread: Spread = "exponential"


@dataclass(frozen=True, kw_only=True)
class Pulses:
    """Pulses of fixed length with exponential gaps, starting with a gap.

    Attributes
    ----------
    rate
        Rate within a pulse.
    length
        Length of a pulse.
    every
        Mean time between the starts of consecutive pulses; longer than `length`.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "pulses")

    rate: str
    length: str
    every: str


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """What the backlog U at its station allows, which forwards by backlog (seferoglu2014 (5)).

    In every slot `m`/(U + μ) datagrams, with μ ≥ 0 that keeps all such sources of a station within `limit`.

    Attributes
    ----------
    m
        M: rates grow with it, and backlogs.
    slot
        Length of a slot.
    limit
        Largest rate of the station, above all that it can send.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "backlog")

    m: float = 50.0
    slot: str = "20 ms"
    limit: str


#: When datagrams are sent. Rates are those on the wire, headers included.
Pattern = Cbr | Poisson | OnOff | Pulses | Backlog


#: ECN field of datagrams (RFC 3168, RFC 9331).
DatagramEcn = Literal["off"] | Literal["classic"] | Literal["scalable"]


@dataclass(frozen=True, kw_only=True)
class Background:
    """A UDP source that does not respond to congestion.

    Groups work as for flows.

    Attributes
    ----------
    name
        Name of the source; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group that sends.
    to
        Node or group that receives.
    via
        Nodes between `from` and `to`, in order. Default: the shortest path, as for flows.
    count
        Number of sources between two single nodes.
    pattern
        When datagrams are sent.
    packet
        Size of a datagram on the wire, headers included: 28 B (IPv4 and UDP headers) to 65 535 B.
    start
        When the source starts.
    start_step
        Delay between the starts of consecutive sources of a group.
    stop
        When it stops, after the last start. Default: the end of the run.
    ecn
        Whether queues may mark its datagrams: no, as those of classic flows (ECT(0)), or as those of scalable ones
        (ECT(1)). It does not answer marks either.
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    via: Sequence[str] | None = None
    count: int | None = None
    pattern: Pattern
    packet: str = "1500 B"
    start: str = "0 s"
    start_step: str = "0 s"
    stop: str | None = None
    ecn: DatagramEcn = "off"


@dataclass(frozen=True, kw_only=True)
class ScenarioFields:
    """A scenario: a network, what is sent over it, for how long.

    Attributes
    ----------
    name
        Short name of the scenario, also of its results folder.
    title
        One line for readers: the question that the scenario asks.
    cite
        Citation keys of the papers that the scenario comes from.
    duration
        How long to simulate.
    warmup
        Totals and means are taken from here on; shorter than `duration`.
    seeds
        How many seeds to run (5 means 1, 2, 3, 4, 5), or a list of them.
    output
        What is recorded.
    node
        Nodes. They are names only; links do the work.
    link
        Links between nodes.
    cell
        Cells: access points and the stations that share their carriers.
    wifi
        Wireless networks: stations that share the air, over any number of hops.
    region
        Capacity regions: the rates that links without a `rate` can have together.
    change
        What changes while the scenario runs.
    flow
        TCP flows.
    background
        UDP sources that do not respond to congestion.
    """

    name: str
    title: str | None = None
    cite: Sequence[str] = ()
    duration: str
    warmup: str = "0 s"
    seeds: int | Sequence[int] = 1
    output: Output = Output()
    node: Sequence[Node] = ()
    link: Sequence[Link] = ()
    cell: Sequence[Cell] = ()
    wifi: Sequence[Wifi] = ()
    region: Sequence[Region] = ()
    change: Sequence[Change] = ()
    flow: Sequence[Flow] = ()
    background: Sequence[Background] = ()
