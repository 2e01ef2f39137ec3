"""The fields of a scenario as dataclasses.

Generated from the scenario format's schema by tools/generate_model.py: change the format, not this file. Times, rates
and sizes are strings with units ("100 ms", "10 Mbit/s", "125 kB"); `None` means that a field is absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is recorded.

    Attributes
    ----------
    sample_interval
        Distance of the samples in the series. Default: `duration`/600, rounded up to 1, 2 or 5 times a power of ten;
        longer where the flows and links are so many that the series would pass 10 million rows.
    internals
        Sample what the laws show of themselves (ssthresh, phases, …) too.
    """

    sample_interval: str | None = None
    internals: bool = False


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node, or a group of nodes.

    Attributes
    ----------
    name
        Name of the node or of the group.
    count
        Makes a group of so many nodes, NAME-1, NAME-2, …; NAME then means the whole group.
    """

    name: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True)
class RecordedRate:
    """A recorded rate: instants at which up to 1500 bytes may leave, as mahimahi writes and replays them.

    It begins again when it ends.

    Attributes
    ----------
    trace
        A file of mahimahi's, a whole number of milliseconds from the beginning in each line, in order; or the list of
        them. The last is the length of the recording.
    """

    trace: str | Sequence[int]


#: How fast a link transmits: a rate, or a recording of one.
Rate = str | RecordedRate


@dataclass(frozen=True, kw_only=True)
class BernoulliLoss:
    """Every packet is lost with the same probability, independently.

    Attributes
    ----------
    probability
        Probability of losing a packet.
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
        Probability of losing a packet in the good state.
    loss_bad
        Probability of losing a packet in the bad state.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "gilbert-elliott")

    good_to_bad: float | str
    bad_to_good: float | str
    loss_good: float | str = 0.0
    loss_bad: float | str = 1.0


#: How packets are lost.
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
class ExponentialJitter:
    """Exponential.

    Attributes
    ----------
    mean
        Mean extra delay.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "exponential")

    mean: str


#: How the extra delay is spread.
Jitter = UniformJitter | NormalJitter | ExponentialJitter


@dataclass(frozen=True, kw_only=True)
class Reverse:
    """What the link back has different; all else is as in the link forth.

    Attributes
    ----------
    name
        Name of the link back. Default: `TO->FROM`, or `NAME-reverse` if the link has a name of its own.
    rate
        Transmission rate, or a recording.
    delay
        Propagation delay.
    buffer
        How much may wait.
    loss
        Random loss; 0 for none.
    jitter
        Random extra delay; one of "0 s" for none.
    """

    name: str | None = None
    rate: Rate | None = None
    delay: str | None = None
    buffer: str | None = None
    loss: Loss | None = None
    jitter: Jitter | None = None


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link: a drop-tail queue, a transmitter, random loss, propagation, jitter, in this order.

    Between a group and a single node: one link for each member. Between two groups of equal size: member by member.

    Attributes
    ----------
    name
        Name of the link; members of a group of links are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group at the beginning.
    to
        Node or group at the end.
    rate
        Transmission rate, or a recording. A link without one shares a [[region]].
    delay
        Propagation delay, one way.
    buffer
        How much may wait, in packets, bytes or time; the packet in transmission is not counted. Default: what a Linux
        interface queues.
    loss
        Random loss on the wire: a probability, or a model.
    jitter
        Random extra delay; packets keep their order. Default: none.
    duplex
        There is a link back too, equal to this one but for what `reverse` says.
    reverse
        What the link back has different.
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    rate: Rate | None = None
    delay: str
    buffer: str = "1000 packets"
    loss: Loss = 0.0
    jitter: Jitter | None = None
    duplex: bool = True
    reverse: Reverse | None = None


#: Which way a cell's packets go.
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
        How many modes: 5 or 6 (with 16-QAM 9/16).
    target_error
        Packet error rate at a mode's threshold; above 0 and below 1.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "convolutional")

    modes: int = 6
    target_error: float | str = 0.01


@dataclass(frozen=True, kw_only=True)
class ShannonAmc:
    """Shannon's formula with a gap: log2(1 + SNR/gap) bits a symbol.

    Attributes
    ----------
    gap
        How far a real code is from the bound.
    max_efficiency
        Most bits a symbol. Default: no limit.
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
        Used from this signal-to-noise ratio on. Default: from where packets err at the rate `target_error`.
    efficiency
        Bits a symbol, above 0.
    a
        a of the packet error rate min(1, a·exp(−g·SNR)), SNR linear. Default: no packet errs.
    g
        g of the same.
    """

    snr: str | None = None
    efficiency: float
    a: float | None = None
    g: float | None = None


@dataclass(frozen=True, kw_only=True)
class ModesAmc:
    """Modes of your own.

    Attributes
    ----------
    modes
        The modes, slowest first.
    target_error
        Packet error rate at the threshold of a mode that has no `snr`; above 0 and below 1.
    packet
        Size of the packets that `a` and `g` were fitted to; needed with them.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "modes")

    modes: Sequence[Mode]
    target_error: float | str = 0.01
    packet: str | None = None


#: Adaptive modulation and coding.
Amc = CtcAmc | ConvolutionalAmc | ShannonAmc | ModesAmc


@dataclass(frozen=True, kw_only=True)
class IndependentFading:
    """Rayleigh, a new draw in every slot."""

    TAG: ClassVar[tuple[str, str]] = ("model", "independent")


@dataclass(frozen=True, kw_only=True)
class JakesFading:
    """Rayleigh with the correlation J0(2π f τ) of Clarke and Jakes, by a sum of sinusoids.

    Attributes
    ----------
    doppler
        Doppler frequency.
    sinusoids
        How many sinusoids.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "jakes")

    doppler: str
    sinusoids: int = 16


@dataclass(frozen=True, kw_only=True)
class AutoregressiveFading:
    """The same correlation by an autoregressive process.

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
    """A Markov chain over the modes with steps between neighbours only; for slow fading.

    Attributes
    ----------
    doppler
        Doppler frequency.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "markov")

    doppler: str


@dataclass(frozen=True, kw_only=True)
class ConstantFading:
    """No fading: always the mean."""

    TAG: ClassVar[tuple[str, str]] = ("model", "constant")


@dataclass(frozen=True, kw_only=True)
class TraceFading:
    """Measured: the station's `snr` is added to the samples.

    Attributes
    ----------
    samples
        Signal-to-noise ratios in decibels, from the beginning of the run; or a CSV file with columns `time_s` and
        `snr_db`. They begin again when they end.
    interval
        Distance of the samples; a file has its own.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "trace")

    samples: str | Sequence[float]
    interval: str | None = None


#: How a channel fades.
Fading = IndependentFading | JakesFading | AutoregressiveFading | MarkovFading | ConstantFading | TraceFading


@dataclass(frozen=True, kw_only=True)
class QueueingDelayScheduler:
    """Largest backlog over average rate, times rate: queueing-delay MaxWeight (huang2020 (10))."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "queueing-delay")


@dataclass(frozen=True, kw_only=True)
class QueueLengthScheduler:
    """Largest backlog times rate: MaxWeight."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "queue-length")


@dataclass(frozen=True, kw_only=True)
class MaxSnrScheduler:
    """The best channel.

    Attributes
    ----------
    oblivious
        Also where nothing waits behind it.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "max-snr")

    oblivious: bool = False


@dataclass(frozen=True, kw_only=True)
class RoundRobinScheduler:
    """Stations in turn.

    Attributes
    ----------
    oblivious
        A slot belongs to its station even if nothing waits there; else empty stations are skipped.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "round-robin")

    oblivious: bool = False


@dataclass(frozen=True, kw_only=True)
class ProportionalFairScheduler:
    """Largest rate over average rate."""

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
    """One of your own: a Python class with a method `choose`.

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


#: Which station a slot serves. Of equals the first.
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


#: How the bits of a slot become packets.
Service = Literal["whole"] | Literal["carry"] | Literal["fluid"]


@dataclass(frozen=True, kw_only=True)
class Average:
    """The exponential filter of rates, one step a slot.

    Attributes
    ----------
    slots
        Slots in which it forgets, a number from 1: r ← r + (new − r)/slots.
    start
        Where the averages start.
    held_when_empty
        Whether slots in which nothing waits for a station leave its average as it is; else they count as rate 0.
    """

    slots: float = 256.0
    start: str = "1 bit/s"
    held_when_empty: bool = False


@dataclass(frozen=True, kw_only=True)
class Repair:
    """Link-layer repair of transmissions that are not decoded.

    Attributes
    ----------
    transmissions
        Transmissions of a packet, the first included, after which it is lost.
    """

    transmissions: int


@dataclass(frozen=True, kw_only=True)
class Station:
    """A station of a cell, or a group of stations that are alike.

    Attributes
    ----------
    node
        Node, or group of nodes.
    snr
        Mean signal-to-noise ratio.
    fading
        How its channel fades; else as the cell says.
    buffer
        How much may wait for it; else as the cell says.
    delay
        From the end of a packet's transmission to its arrival; else as the cell says.
    deadline
        T of M-LWDF and the EXP rule, which serve so that a wait is longer than T with probability `violation`.
    violation
        δ of M-LWDF and the EXP rule; above 0 and below 1.
    """

    node: str
    snr: str
    fading: str | Fading | None = None
    buffer: str | None = None
    delay: str | None = None
    deadline: str = "100 ms"
    violation: float | str = 0.05


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A slotted cell: one carrier that its stations share.

    It makes a one-way link between the access point and each station, `ACCESS_POINT->NODE` in a downlink,
    `NODE->ACCESS_POINT` in an uplink; for the other direction add links, or a second cell.

    Attributes
    ----------
    name
        Name of the cell.
    access_point
        Node at the middle.
    direction
        Which way packets go.
    slot
        Length of a slot; the channels stand still within it.
    symbol_rate
        Data symbols a second of the whole carrier.
    amc
        Adaptive modulation and coding: what a symbol carries at which signal-to-noise ratio.
    fading
        How the channels fade around their mean.
    scheduler
        Which station a slot serves.
    service
        How the bits of a slot become packets.
    average
        The filter of the rates that schedulers reckon with.
    buffer
        How much may wait for each station, in packets or bytes.
    shared_buffer
        How many packets may wait for all stations together. Default: only `buffer` counts.
    delay
        From the end of a packet's transmission to its arrival.
    repair
        Transmissions that fail and are repeated by the link layer. Default: every packet that is sent arrives.
    station
        Who is there.
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
    shared_buffer: str | None = None
    delay: str = "0 s"
    repair: Repair | None = None
    station: Sequence[Station]


@dataclass(frozen=True, kw_only=True)
class BoxRegion:
    """Each link has its own, whatever the others do: slots or bands that are theirs.

    Attributes
    ----------
    name
        Name of the region.
    links
        The links that share it.
    capacity
        What each link carries; one rate stands for all.
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
        The links that share it.
    capacity
        What each link carries alone; one rate stands for all.
    exponent
        From 1, which is time sharing; the larger, the less links take from each other.
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
        The links that share it.
    capacity
        What each link carries alone; one rate stands for all.
    matrix
        M: symmetric, positive definite, with ones on the diagonal; beside it, how much two links take from each
        other.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "ellipsoid")

    name: str
    links: Sequence[str]
    capacity: str | Sequence[str]
    matrix: Sequence[Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit to a weighted sum of rates.

    Attributes
    ----------
    weights
        From 0, one for each link.
    most
        The sum of weight times rate is at most this.
    """

    weights: Sequence[float]
    most: str


@dataclass(frozen=True, kw_only=True)
class HalfSpacesRegion:
    """Weighted sums of the rates have limits.

    Attributes
    ----------
    name
        Name of the region.
    links
        The links that share it.
    limit
        The limits; every link has a weight in one of them.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "half-spaces")

    name: str
    links: Sequence[str]
    limit: Sequence[Limit]


@dataclass(frozen=True, kw_only=True)
class ChannelState:
    """A joint state of channels.

    Attributes
    ----------
    rates
        What each link would carry if it were served.
    probability
        How likely the state is; of all states they sum to 1. Default: all states are alike.
    """

    rates: Sequence[str]
    probability: float | str | None = None


@dataclass(frozen=True, kw_only=True)
class FadingRegion:
    """One link at a time, chosen anew in every state of the channels: the ergodic region of a fading cell.

    Attributes
    ----------
    name
        Name of the region.
    links
        The links that share it.
    state
        The joint states of their channels.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "fading")

    name: str
    links: Sequence[str]
    state: Sequence[ChannelState]


@dataclass(frozen=True, kw_only=True)
class CsmaRegion:
    """Ideal CSMA: links in conflict are never active together, all others may be.

    Attributes
    ----------
    name
        Name of the region.
    links
        The links that share it.
    capacity
        What each link carries while it is active; one rate stands for all.
    conflicts
        Pairs of links that conflict. A group stands for all its links, so that ["up", "up"] lets all of `up` conflict
        with each other.
    entropy
        Weight of the entropy of the shares of time in what is maximised, as the backoffs of CSMA add it; in units of
        the flows' utility, in packets for windows. From 0, which is the best schedule.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "csma")

    name: str
    links: Sequence[str]
    capacity: str | Sequence[str]
    conflicts: Sequence[Sequence[str]]
    entropy: float = 0.0


#: A capacity region: the rates that links without a `rate` of their own can have together. Every such link belongs to
#: one region. A region says which rates are possible, not how packets get them: `optimum` and `fluid` answer,
#: `simulate` refuses. `links` holds names of one-way links; the name of a group, or FROM->TO of one, stands for all
#: its links.
Region = BoxRegion | NormRegion | EllipsoidRegion | HalfSpacesRegion | FadingRegion | CsmaRegion


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


@dataclass(frozen=True, kw_only=True)
class Cubic:
    """RFC 9438's cubic function of the time since the last loss; what most servers run.

    Attributes
    ----------
    c
        Steepness C in packets/s³ (RFC 9438 §5.1). Default 0.4.
    beta
        Share of the window that a loss leaves, β (RFC 9438 §4.6). Default 0.7.
    fast_convergence
        Give way to new flows after two losses at falling windows (RFC 9438 §4.7). Default on.
    hystart
        Leave the first slow start when the round-trip time rises (HyStart++, RFC 9406). Default off.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "cubic")

    c: float = 0.4
    beta: float = 0.7
    fast_convergence: bool = True
    hystart: bool = False


@dataclass(frozen=True, kw_only=True)
class Vegas:
    """Brakmo and Peterson's law: between `alpha` and `beta` packets in the queue.

    Attributes
    ----------
    alpha
        Fewer packets than this in queues: grow. Default 2 (Vegas-2,4; ns-2: 1).
    beta
        More packets than this in queues: shrink. Default 4 (Vegas-2,4; ns-2: 3).
    gamma
        More packets than this in queues end slow start. Default 1.
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
        Step size γ, at most 4. Default 0.5 (Wei et al.; ns-2); huang2020 uses 1.5 in ns-2.
    alpha
        Packets α that the flow keeps in queues. Default 100 (ns-2); huang2020 uses 200.
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
        Step size κ, in packets^(2ρ−1). Default 0.5.
    backlog
        Packets p that the flow keeps in queues. Default 200.
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
        Growth factor α: the window gains α·W^k packets per round trip. Default 1/8.
    k
        Growth exponent k. Default 0.75.
    beta
        Share of the window that a loss takes, β. Default 0.5.
    gamma
        Packets in queues from which the delay window gives way, γ. Default 30.
    zeta
        Packets that the delay window gives up per packet in queues and round trip, ζ. Default 1.
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
        Share of the old bandwidth estimate that a round trip leaves, a. Default 0.9.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "westwood")

    filter: float = 0.9


@dataclass(frozen=True, kw_only=True)
class TcpFit:
    """Wang, Wen, Zhang, Xiong and Han's law: as many Renos as leave the queue short.

    Attributes
    ----------
    alpha
        Greatest share α of a Reno window that waits in queues at rest. Default 0.1.
    beta
        Growth β of N per update; the paper recommends 5^(lg BDP − 3) with the BDP in packets. Default 1.
    period
        Least time between updates of N, in seconds. Default 0.5.
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "tcp-fit")

    alpha: float = 0.1
    beta: float = 1.0
    period: float = 0.5


#: A law and its parameters, as a scenario names them.
LawSpec = Reno | Cubic | Vegas | Fast | QuicTcp | Compound | Westwood | TcpFit


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


@dataclass(frozen=True, kw_only=True)
class Emultcp:
    """E-MULTCP as published: chen2007 (21), once in `tau`.

    Attributes
    ----------
    tau
        Time between updates.
    alpha
        α: n grows by α/n in `tau`; above 0.
    beta
        β: what a queue leaves of n; between 0 and 1.
    gamma
        γ: a mean round trip longer than the least one by this share of it is congestion; above 0.
    max
        Most connections.
    """

    TAG: ClassVar[tuple[str, str]] = ("law", "emultcp")

    tau: str = "20 s"
    alpha: float = 0.25
    beta: float = 0.75
    gamma: float = 0.2
    max: int = 32


@dataclass(frozen=True, kw_only=True)
class EmultcpFast:
    """The same for transfers of a minute: the number follows the queue within seconds.

    Attributes
    ----------
    tau
        Time scale: n doubles in it at the start while no queue is seen.
    alpha
        α: n grows by α/n in `tau` without a queue; above 0.
    beta
        β: what a queue of twice the threshold leaves of n after `tau`; between 0 and 1.
    gamma
        γ: the threshold is this share of the least round trip; above 0.
    floor
        Least threshold.
    settle
        The round trip of a connection counts only so long after it opened.
    max
        Most connections.
    """

    TAG: ClassVar[tuple[str, str]] = ("law", "emultcp-fast")

    tau: str = "1 s"
    alpha: float = 0.25
    beta: float = 0.75
    gamma: float = 0.15
    floor: str = "10 ms"
    settle: str = "1 s"
    max: int = 32


#: The law that changes how many connections carry a flow's data.
Connections = Emultcp | EmultcpFast


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A TCP flow.

    Between two groups of equal size: one flow for each pair of members. Between a group and a single node: one for
    each member. Several flows are named NAME-1, NAME-2, ….

    The shortest path is the one of fewest links; among those the one of least delay; among those, compared from the
    receiver backwards, the one whose link stands first in the file.

    Attributes
    ----------
    name
        Name of the flow, or of the group of flows. Default: `FROM->TO`.
    from_
        Node or group that sends the data.
    to
        Node or group that receives it.
    count
        Makes so many parallel flows, between two single nodes.
    via
        Nodes between `from` and `to` on the way of the data, in order; each is linked to the next. Default: the
        shortest path.
    return_via
        Nodes between `to` and `from` on the way of the ACKs. Default: `via` backwards, or the shortest path.
    law
        Congestion control law: its name, or a table of its name and parameters.
    connections
        The flow is a transfer without end over several connections: this law opens and closes them, and RTT and queue
        are what its receiver sees. They are named NAME.1, NAME.2, … up to the most there can be. Default: one
        connection.
    start
        When the connection opens.
    start_step
        Of several flows, each opens so much later than the one before.
    start_spread
        Each flow opens at a random instant, uniform up to so much later, drawn from the seed.
    stop
        No new data from here on; after the last start. Default: to the end of the run.
    size
        Data to transfer. Default: without end.
    segment
        Payload of a full segment, 1 B to 65 495 B; with headers at most 65 535 B.
    overhead
        Header bytes of every packet. Default: what IPv4, TCP and the options in use take.
    delayed_ack
        Longest wait of a delayed ACK (RFC 1122 §4.2.3.2), or false: every segment is acknowledged at once.
    receive_window
        What the receiver buffers, at least one segment.
    sack
        Selective acknowledgements (RFC 2018) and recovery by RFC 6675 and RFC 6937; else NewReno (RFC 6582).
    timestamps
        Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    initial_window
        Segments in the first window (RFC 6928).
    min_rto
        Least retransmission timeout: RFC 6298 §2.4 says 1 s; ns-2 takes 200 ms, and Linux 200 ms beyond the smoothed
        round trip. On paths of more than 200 ms take 1 s, or timers expire for nothing when a queue grows.
    known_base_rtt
        The base round-trip time, where the law shall be told it; "path" computes it from the route, as propagation
        and transmission of a full segment and of its ACK. Default: the law sees the least sample.
    pacing
        Spread segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). A law that names a rate of its own is
        paced at it in any case.
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    law: str | LawSpec | PythonLaw | Callable[[float], Any]
    connections: str | Connections | None = None
    start: str = "0 s"
    start_step: str = "0 s"
    start_spread: str = "0 s"
    stop: str | None = None
    size: str | None = None
    segment: str = "1448 B"
    overhead: str | None = None
    delayed_ack: str | Literal[False] = "40 ms"
    receive_window: str = "1048576 packets"
    sack: bool = True
    timestamps: bool = True
    initial_window: int = 10
    min_rto: str = "200 ms"
    known_base_rtt: str | None = None
    pacing: bool = False


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
    """As a Pareto variable of this shape; above 1, or there would be no mean.

    Attributes
    ----------
    pareto

    """

    pareto: float


#: How a period varies around its mean.
Spread = Literal["fixed"] | Literal["exponential"] | Pareto


@dataclass(frozen=True, kw_only=True)
class OnOff:
    """Periods of sending and of silence in turn, beginning with silence.

    Attributes
    ----------
    rate
        Rate while sending.
    on
        Mean length of a period of sending.
    off
        Mean length of a period of silence.
    on_spread
        How the periods of sending vary.
    off_spread
        How the periods of silence vary.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "on-off")

    rate: str
    on: str
    off: str
    on_spread: Spread = "exponential"
    off_spread: Spread = "exponential"


@dataclass(frozen=True, kw_only=True)
class Pulses:
    """Pulses of fixed length with exponential gaps between them, beginning with a gap.

    Attributes
    ----------
    rate
        Rate within a pulse.
    length
        Length of a pulse.
    every
        Mean time from the beginning of one pulse to that of the next; longer than `length`.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "pulses")

    rate: str
    length: str
    every: str


#: When datagrams are sent. Rates are those on the wire, headers included.
Pattern = Cbr | Poisson | OnOff | Pulses


@dataclass(frozen=True, kw_only=True)
class Background:
    """A UDP source that does not respond to congestion.

    Between groups: as with flows.

    Attributes
    ----------
    name
        Name of the source; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group that sends.
    to
        Node or group that receives.
    via
        Nodes between `from` and `to`, in order. Default: the shortest path, as with flows.
    count
        Makes so many sources, between two single nodes.
    pattern
        When datagrams are sent.
    packet
        Size of a datagram on the wire, headers included: 28 B (IPv4 and UDP headers) to 65 535 B.
    start
        When the source starts.
    start_step
        Of several sources, each starts so much later than the one before.
    stop
        When it stops; after the last start. Default: at the end of the run.
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


@dataclass(frozen=True, kw_only=True)
class ScenarioFields:
    """A scenario: a network, what is sent over it, for how long.

    Attributes
    ----------
    name
        Short name of the scenario; names the folder of its results.
    title
        One line for people: the question that the scenario asks.
    cite
        Keys of the papers that the scenario comes from.
    duration
        How long to simulate.
    warmup
        Totals and means count from here; less than `duration`.
    seeds
        How many seeds to run (5 means 1, 2, 3, 4, 5), or a list of them.
    output
        What is recorded.
    node
        Nodes. They only carry names; links do the work.
    link
        Links between nodes.
    cell
        Cells: access points and the stations that share their carriers.
    region
        Capacity regions: which rates links without a rate of their own can have together.
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
    region: Sequence[Region] = ()
    flow: Sequence[Flow] = ()
    background: Sequence[Background] = ()
