"""The fields of a scenario as dataclasses.

Generated from the scenario format's schema by tools/generate_model.py: change the format, not this file. Times, rates
and sizes are strings with units ("100 ms", "10 Mbit/s", "125 kB"); `None` means that a field is absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

__all__ = [
    "Adaptation",
    "AirSpan",
    "Ampdu",
    "AodvRouting",
    "ArrivalTime",
    "AutoregressiveFading",
    "Autotuning",
    "Average",
    "Background",
    "Backlog",
    "BackpressureRouting",
    "BbaRule",
    "Bbr",
    "Bbr3",
    "BernoulliLoss",
    "Bic",
    "BlockAck",
    "BolaRule",
    "BoxRegion",
    "BufferRule",
    "Cake",
    "Call",
    "Cbr",
    "Cell",
    "Change",
    "ChangeStep",
    "ChannelState",
    "ClippedNormalJitter",
    "ClosedArrivals",
    "Codel",
    "Compound",
    "Constant",
    "ConstantFading",
    "Contention",
    "ConvolutionalAmc",
    "Copa",
    "CsmaRegion",
    "CsvArrivals",
    "CsvSize",
    "CtcAmc",
    "Cubic",
    "CyclesDrx",
    "DataMiningSize",
    "DcfAccess",
    "Dctcp",
    "DropTail",
    "DsdvRouting",
    "Dualpi2",
    "Edca",
    "EllipsoidRegion",
    "Emultcp",
    "EmultcpFast",
    "ExpDelay",
    "ExpRuleScheduler",
    "ExponentialJitter",
    "ExponentialSize",
    "FadingRegion",
    "Fast",
    "FixedRate",
    "FixedRateControl",
    "FixedSize",
    "Flow",
    "Formula",
    "FqCodel",
    "FreeSpacePathLoss",
    "Game",
    "Gcc",
    "GilbertElliottLoss",
    "GridLayout",
    "HalfSpacesRegion",
    "Handover",
    "Harq",
    "Highspeed",
    "Hold",
    "Htcp",
    "Hybla",
    "IdealAccess",
    "IdealCoding",
    "IdealRateControl",
    "Illinois",
    "IndependentFading",
    "JakesFading",
    "L4span",
    "LawSpec",
    "Ledbat",
    "Leo",
    "Limit",
    "Link",
    "LinkLoss",
    "LogDistancePathLoss",
    "LognormalSize",
    "Lp",
    "MLwdfScheduler",
    "MarkovFading",
    "MaxSnrScheduler",
    "MaxWeightAccess",
    "MessagePassing",
    "MinstrelHtRateControl",
    "Mode",
    "ModesAmc",
    "MpcRule",
    "Multcp",
    "Multfrc",
    "Nada",
    "Node",
    "NormRegion",
    "NormalJitter",
    "OffDrx",
    "OnOff",
    "Output",
    "Page",
    "PageObject",
    "Pareto",
    "ParetoSize",
    "Pdcp",
    "Periodic",
    "PeriodicArrivals",
    "PhoneDrx",
    "Pie",
    "Ping",
    "Poisson",
    "PoissonArrivals",
    "Policer",
    "Prague",
    "ProportionalFairScheduler",
    "Pulses",
    "PythonLaw",
    "PythonScheduler",
    "QueueLengthAccess",
    "QueueLengthScheduler",
    "QueueingDelayAccess",
    "QueueingDelayScheduler",
    "QuicTcp",
    "RanBearer",
    "RanCell",
    "RanSite",
    "RanStation",
    "RandomCoding",
    "RandomLayout",
    "RandomWaypointMotion",
    "Read",
    "RecordedDelay",
    "RecordedRate",
    "Red",
    "Reno",
    "Reorder",
    "Repair",
    "Requests",
    "Reverse",
    "Rlc",
    "RobustMpcRule",
    "RoundRobinScheduler",
    "Saturated",
    "Scalable",
    "ScenarioFields",
    "Scream",
    "SendAutotuning",
    "Session",
    "ShannonAmc",
    "ShortestRouting",
    "SizePoint",
    "SmallQueues",
    "Station",
    "Tcp",
    "TcpFit",
    "Tfrc",
    "ThroughputRule",
    "TraceFading",
    "TransmitQueues",
    "TwoRayGroundPathLoss",
    "UniformJitter",
    "UplinkGrants",
    "Vegas",
    "Veno",
    "Video",
    "Waypoint",
    "WaypointsMotion",
    "WebSearchSize",
    "Westwood",
    "Wifi",
    "WifiNoise",
    "WifiReach",
    "WifiStation",
    "WifiTiming",
    "Window",
    "Write",
    "Yeah",
]

#: TCP stack of a flow.
Stack = Literal["rfc"] | Literal["linux"]


@dataclass(frozen=True, kw_only=True)
class AirSpan:
    """Period of a run whose frames and transport blocks are recorded.

    Attributes
    ----------
    from_
        Start of the period.
    length
        Length of the period.

    Examples
    --------
    >>> import windward as ww
    >>> air = ww.format.AirSpan(from_="10 s", length="1 s")
    >>> output = ww.Output(air=air)
    """

    from_: str = field(metadata={"key": "from"})
    length: str


@dataclass(frozen=True, kw_only=True)
class Window:
    """A window of time with figures of its own.

    Attributes
    ----------
    name
        Name of the window.
    from_
        Its beginning: not before the end of the warm-up.
    to
        Its end: not after the end of the run.

    Examples
    --------
    >>> import windward as ww
    >>> windows = ww.format.Window(name="home", from_="10 s", to="30 s")
    >>> output = ww.Output(windows=[windows])
    """

    name: str
    from_: str = field(metadata={"key": "from"})
    to: str


@dataclass(frozen=True, kw_only=True)
class Output:
    """Recorded output.

    Attributes
    ----------
    sample_interval
        Sampling interval of the series. Default: `duration`/600, rounded up to 1, 2 or 5 times a power of ten; longer
        if the series would exceed 10 million rows.
    internals
        Also samples the laws' internal state (ssthresh, phases, …).
    air
        Period in which the frames of wireless networks, and the transport blocks of LTE and NR cells, are recorded
        too. Default: none.
    windows
        Windows of time for which `simulate` gives figures of their own, in `flow_windows` and `link_windows`.
        Default: none.

    Examples
    --------
    >>> import windward as ww
    >>> output = ww.Output()
    """

    sample_interval: str | None = None
    internals: bool = False
    air: AirSpan | None = None
    windows: Sequence[Window] = ()


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node, or a group of nodes.

    Attributes
    ----------
    name
        Name of the node or of the group.
    count
        Makes a group of this many nodes, NAME-1, NAME-2, …; NAME then means the whole group.

    Examples
    --------
    >>> import windward as ww
    >>> node = ww.Node(name="laptop")
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

    Examples
    --------
    >>> import windward as ww
    >>> rate = ww.format.RecordedRate(trace="drive.trace")
    >>> link = ww.Link(from_="server", to="client", delay="20 ms", rate=rate)
    """

    trace: str | Sequence[int]


#: Transmission rate of a link: constant, or recorded.
Rate = str | RecordedRate


@dataclass(frozen=True, kw_only=True)
class RecordedDelay:
    """A recorded one-way delay.

    It repeats when it ends. Packets keep their order where it falls.

    Attributes
    ----------
    trace
        Name of a file with one delay per line in milliseconds, as LeoReplayer has them, or the list of delays.
    interval
        Time between two delays.

    Examples
    --------
    >>> import windward as ww
    >>> delay = ww.format.RecordedDelay(trace="drive.trace", interval="10 ms")
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay=delay)
    """

    trace: str | Sequence[float]
    interval: str


#: Propagation delay of a link: constant, or recorded.
Delay = str | RecordedDelay


@dataclass(frozen=True, kw_only=True)
class DropTail:
    """First in, first out; packets that arrive at a full buffer are dropped.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.DropTail()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "drop-tail")


@dataclass(frozen=True, kw_only=True)
class Red:
    """Random early detection (Floyd and Jacobson 1993): the drop probability rises with the mean queue.

    Attributes
    ----------
    min
        Mean queue above which packets are dropped, in packets.
    max
        Mean queue at which the drop probability is `probability`, in packets; `min` itself for a step.
    probability
        Drop probability at a mean queue of `max`.
    weight
        Weight of the queue length at an arrival in the moving average.
    gentle
        Raises the drop probability to one between `max` and twice that; if false, all packets are dropped above
        `max`.
    ecn
        Marks packets of flows with `ecn` instead of dropping them, while the mean queue is below `max`.
    hard_drop
        Drops packets of flows with `ecn` while the mean queue is above `max`; if false, they are marked there too.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.Red()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
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
    """Controlled delay (RFC 8289): drops at the head while the minimum delay over an interval is above the target.

    Attributes
    ----------
    target
        Acceptable standing delay.
    interval
        Window of the minimum delay: the largest expected round-trip time.
    ecn
        Marks packets of flows with `ecn` instead of dropping them.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.Codel()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "codel")

    target: str = "5 ms"
    interval: str = "100 ms"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class FqCodel:
    """Flow queueing (RFC 8290): a CoDel queue per flow, in round-robin order; the default of many Linux hosts.

    Attributes
    ----------
    target
        Acceptable standing delay.
    interval
        Window of the minimum delay.
    queues
        Number of queues, to which flows are assigned by a hash.
    quantum
        Bytes that a queue may send per round, 1 B to 1 MB.
    ecn
        Marks packets of flows with `ecn` instead of dropping them.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.FqCodel()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "fq-codel")

    target: str = "5 ms"
    interval: str = "100 ms"
    queues: int = 1024
    quantum: str = "1514 B"
    ecn: bool = True


#: Units among which CAKE shares the bandwidth equally.
CakeIsolation = (
    Literal["flowblind"]
    | Literal["srchost"]
    | Literal["dsthost"]
    | Literal["hosts"]
    | Literal["flows"]
    | Literal["dual-srchost"]
    | Literal["dual-dsthost"]
    | Literal["triple-isolate"]
)


#: Priority tins of CAKE.
CakeTins = Literal["besteffort"] | Literal["diffserv3"] | Literal["diffserv4"]


#: Framing of a line.
CakeFraming = Literal["noatm"] | Literal["atm"] | Literal["ptm"]


@dataclass(frozen=True, kw_only=True)
class Cake:
    """CAKE, as Linux's `sch_cake`: a shaper, priority tins, host and flow isolation, and COBALT in each queue.

    Attributes
    ----------
    bandwidth
        Rate of the shaper, below that of the link so that the queue is here. Default: no shaper.
    isolation
        Units among which the bandwidth is shared equally.
    tins
        Priority tins by the code points of packets (`dscp`).
    framing
        Framing of the line that the shaper accounts for.
    overhead
        Bytes that the line adds to each packet, −64 to 256.
    mpu
        Least size of a packet on the line, in bytes, 0 to 256.
    rtt
        Round-trip time for which the queue is tuned: COBALT's interval; its target is a twentieth of it. 1 µs to 4 s.
    memory
        Limit on the memory of queued packets. Default: four times bandwidth × rtt, at least 4 MiB.
    ingress
        Charges dropped packets to the shaper, for a shaper behind the bottleneck.
    ecn
        Marks packets of flows with `ecn` instead of dropping them.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.Cake()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "cake")

    bandwidth: str | None = None
    isolation: CakeIsolation = "triple-isolate"
    tins: CakeTins = "diffserv3"
    framing: CakeFraming = "noatm"
    overhead: float = 0.0
    mpu: float = 0.0
    rtt: str = "100 ms"
    memory: str | None = None
    ingress: bool = False
    ecn: bool = True


@dataclass(frozen=True, kw_only=True)
class Pie:
    """Proportional integral controller enhanced (RFC 8033): drops at the tail to keep the delay at a target.

    Attributes
    ----------
    target
        Target delay.
    update
        Time between updates of the probability, at least 1 ms.
    alpha
        α: increase of the probability per update for each second of delay above the target.
    beta
        β: increase of the probability per update for each second by which the delay rose.
    burst
        Length of a burst that passes without drops after idleness.
    ecn
        Marks packets of flows with `ecn` instead of dropping them, while the probability is at most 10 %.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.Pie()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
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
    """Dual queue with coupled PI² (RFC 9332): flows with `ecn = "scalable"` have their own, which marks early.

    Attributes
    ----------
    target
        Target delay of the classic queue.
    update
        Time between updates of the base probability p', at least 1 ms.
    alpha
        α: increase of p' per update for each second of delay above the target.
    beta
        β: increase of p' per update for each second by which the delay rose.
    coupling
        k: scalable packets are marked with probability k·p', classic ones with p'²; at least 1.
    threshold
        Delay above which scalable packets are marked regardless of the classic queue.
    range
        Range of delay over which the mark probability rises from 0 at `threshold` to 1; "0 s" for a step.
    classic_share
        Share of the bytes for the classic queue while packets wait in both queues, above 0 and below 1.
    shift
        Time shift that replaces `classic_share`: packets are sent in order of arrival, and scalable packets count as
        having arrived this much earlier.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.Dualpi2()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
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


@dataclass(frozen=True, kw_only=True)
class L4span:
    """Marks by predicted sojourn (L4Span, 2025): the bytes ahead of an arrival over the recent rate of service.

    For links whose rate changes within milliseconds. Packets of flows without `ecn` pass.

    Attributes
    ----------
    threshold
        Predicted sojourn at which half of the packets of flows with `ecn = "scalable"` are marked.
    window
        Time over which the rate of service is measured, while packets wait.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.L4span()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "l4span")

    threshold: str = "10 ms"
    window: str = "25 ms"


@dataclass(frozen=True, kw_only=True)
class Policer:
    """Token bucket policer: drops arrivals above `rate` that exceed `burst`, and delays none.

    Packets that pass wait for the link as in drop-tail.

    Attributes
    ----------
    rate
        Rate of the tokens, below that of the link. Default: no policing.
    burst
        Size of the bucket, which is full at first, at least 1500 B.

    Examples
    --------
    >>> import windward as ww
    >>> queue = ww.format.Policer()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", queue=queue)
    """

    TAG: ClassVar[tuple[str, str]] = ("discipline", "policer")

    rate: str | None = None
    burst: str = "65536 B"


#: Queue discipline: scheduling, dropping and marking.
Queue = DropTail | Red | Codel | FqCodel | Cake | Pie | Dualpi2 | L4span | Policer


@dataclass(frozen=True, kw_only=True)
class BernoulliLoss:
    """Every packet is lost with the same probability, independently.

    Attributes
    ----------
    probability
        Loss probability.

    Examples
    --------
    >>> import windward as ww
    >>> loss = ww.format.BernoulliLoss(probability=0.01)
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", loss=loss)
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

    Examples
    --------
    >>> import windward as ww
    >>> loss = ww.format.GilbertElliottLoss(good_to_bad=0.01, bad_to_good=0.3)
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", loss=loss)
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "gilbert-elliott")

    good_to_bad: float | str
    bad_to_good: float | str
    loss_good: float | str = 0.0
    loss_bad: float | str = 1.0


#: Model of random loss.
LossModel = BernoulliLoss | GilbertElliottLoss


#: Random loss: a probability for every packet independently, or a model.
Loss = float | str | LossModel


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Aggregation: the first packet opens a hold, and all packets of the hold arrive together.

    Attributes
    ----------
    length
        Length of a hold, from the end of the transmission of its first packet. Packets arrive one propagation delay
        after its end.
    thin
        Thins out ACKs: within a hold, an ACK takes the place of the one before if that is of the same flow and
        acknowledges less.

    Examples
    --------
    >>> import windward as ww
    >>> hold = ww.format.Hold(length="1 s")
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", hold=hold)
    """

    length: str
    thin: bool = False


@dataclass(frozen=True, kw_only=True)
class UniformJitter:
    """Uniform between zero and `max`.

    Attributes
    ----------
    max
        Maximum extra delay.

    Examples
    --------
    >>> import windward as ww
    >>> jitter = ww.format.UniformJitter(max="5 ms")
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", jitter=jitter)
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

    Examples
    --------
    >>> import windward as ww
    >>> jitter = ww.format.NormalJitter(deviation="2 ms")
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", jitter=jitter)
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

    Examples
    --------
    >>> import windward as ww
    >>> jitter = ww.format.ClippedNormalJitter(deviation="2 ms")
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", jitter=jitter)
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

    Examples
    --------
    >>> import windward as ww
    >>> jitter = ww.format.ExponentialJitter(mean="2 ms")
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", jitter=jitter)
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "exponential")

    mean: str


#: Distribution of the extra delay.
Jitter = UniformJitter | NormalJitter | ClippedNormalJitter | ExponentialJitter


@dataclass(frozen=True, kw_only=True)
class Reorder:
    """Reordering: some packets take longer, and the others overtake them.

    The delayed packets keep their order among themselves, and so do the others.

    Attributes
    ----------
    share
        Share of the delayed packets, each drawn independently.
    delay
        Extra delay of these packets.

    Examples
    --------
    >>> import windward as ww
    >>> reorder = ww.format.Reorder(share=0.01, delay="20 ms")
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", reorder=reorder)
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
        Propagation delay, or a recording.
    buffer
        Buffer size.
    queue
        Discipline of the queue.
    loss
        Random loss; 0 for none.
    hold
        Aggregation.
    lose
        Packets that are lost, by their numbers; an empty list for none.
    jitter
        Random extra delay; "0 s" for none.
    reorder
        Reordering; a share of 0 turns it off.

    Examples
    --------
    >>> import windward as ww
    >>> reverse = ww.format.Reverse()
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms", reverse=reverse)
    """

    name: str | None = None
    rate: Rate | None = None
    delay: Delay | None = None
    buffer: str | None = None
    queue: str | Queue | None = None
    loss: Loss | None = None
    hold: Hold | None = None
    lose: Sequence[int] | None = None
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
        Transmission rate, or a recording. A link without a rate belongs to a `[[region]]`.
    delay
        Propagation delay, one way, or a recording.
    buffer
        Buffer size in packets, bytes or time, not counting the packet in transmission. Default: that of a Linux
        interface.
    queue
        Discipline of the queue: its name, or a table of name and parameters.
    loss
        Random loss on the wire: a probability, or a model.
    hold
        Aggregation: packets are held back and arrive together, as behind a block of frames. Default: none.
    lose
        Packets that are lost on the wire, by their numbers from 1 in the order of transmission, rising. Default:
        none.
    jitter
        Random extra delay; packets keep their order. Default: none.
    reorder
        Reordering: delays some packets so that others overtake them. Default: none.
    duplex
        Makes a link back too, equal to this one except for `reverse`.
    reverse
        Differences of the link back.

    Examples
    --------
    >>> import windward as ww
    >>> link = ww.Link(from_="server", to="client", rate="10 Mbit/s", delay="20 ms")
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    rate: Rate | None = None
    delay: Delay
    buffer: str = "1000 packets"
    queue: str | Queue = "drop-tail"
    loss: Loss = 0.0
    hold: Hold | None = None
    lose: Sequence[int] | None = None
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
        Minimum signal-to-noise ratio of the mode. Default: the ratio at which the packet error rate is
        `target_error`.
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
    """Rayleigh with the correlation of `jakes`, as an autoregressive process.

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
    """Largest signal-to-noise ratio.

    Attributes
    ----------
    oblivious
        Also considers stations with empty queues.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "max-snr")

    oblivious: bool = False


@dataclass(frozen=True, kw_only=True)
class RoundRobinScheduler:
    """Round robin.

    Attributes
    ----------
    oblivious
        Spends a slot on the next station even if its queue is empty; if false, empty stations are skipped.
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
    """The exponential rule (Shakkottai and Stolyar 2002), with `deadline` and `violation` of the stations."""

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


#: Scheduler: selects the station that a slot serves; ties go to the first.
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


#: Packing of packets into the bits of a slot.
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
        Holds a station's average while its queue is empty; if false, such slots count as rate 0.
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
        Fading of the station's channel. Default: that of the cell.
    buffer
        Buffer of the station. Default: that of the cell.
    queue
        Discipline of the station's queue. Default: that of the cell.
    delay
        Delay from the end of a packet's transmission to its arrival. Default: that of the cell.
    deadline
        T of M-LWDF and the EXP rule: the delay that may be exceeded with probability `violation`.
    violation
        δ of M-LWDF and the EXP rule: accepted probability of a delay above `deadline`; above 0 and below 1.
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
        Packing of packets into the bits of a slot.
    average
        Average rate used by the schedulers.
    buffer
        Buffer per station, in packets, bytes, or time at its mean rate if all stations share the cell equally; a time
        is at least 150 kB and at most 6.17 MB, the RLC queue of a base station. The default is latency under load in
        measured LTE networks, ten times that of an idle one (Garcia, Alfredsson and Brunstrom, EuCNC 2015).
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

    Examples
    --------
    >>> import windward as ww
    >>> cell = ww.Cell(
    ...     name="home",
    ...     access_point="mast",
    ...     slot="1 ms",
    ...     symbol_rate="5 MBd",
    ...     amc="shannon",
    ...     station=[ww.format.Station(node="phone", snr="20 dB")],
    ... )
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
    buffer: str = "400 ms"
    queue: str | Queue | None = None
    shared_buffer: str | None = None
    delay: str = "0 s"
    repair: Repair | None = None
    station: Sequence[Station]


#: Radio technology of a cell.
Technology = Literal["lte"] | Literal["nr"]


#: Carrier of a cell of LTE or NR.
Preset = (
    Literal["lte-10mhz"]
    | Literal["lte-20mhz"]
    | Literal["n78-20mhz"]
    | Literal["n78-40mhz"]
    | Literal["n78-100mhz"]
    | Literal["nr-fdd-10mhz"]
    | Literal["nr-fdd-20mhz"]
)


#: Table of modulation and coding schemes.
McsTable = Literal["64qam"] | Literal["256qam"] | Literal["low-rate"]


@dataclass(frozen=True, kw_only=True)
class Harq:
    """Hybrid ARQ of LTE and NR, with chase combining.

    Attributes
    ----------
    transmissions
        Most transmissions of a block, the first included; 1 to 16.
    min_k1
        Least slots from a block to its feedback, 1 to 32.
    gnb_slots
        Slots that the base station needs between a slot of the uplink and its next decision, 1 to 16. Default: 4 with
        LTE, 2 with NR.
    feedback_error
        Probability that a NACK is read as an ACK.
    """

    transmissions: int = 4
    min_k1: int = 4
    gnb_slots: int | None = None
    feedback_error: float | str = 0.0


@dataclass(frozen=True, kw_only=True)
class Adaptation:
    """Link adaptation of LTE and NR.

    Attributes
    ----------
    outer_loop
        Outer loop link adaptation; if false, the CQI alone decides the MCS.
    target
        Target block error rate of first transmissions; above 0 and below 1.
    step
        Decibels by which a NACK lowers the offset of the outer loop. An ACK raises it by this step times target/(1 −
        target).
    limit
        Largest offset either way.
    cqi_period
        Period of CQI reports. Default: 40 ms with LTE, 10 ms with NR.
    cqi_delay
        Age of a report when it is used first. Default: 8 ms with LTE, 4 ms with NR.
    first_cqi
        CQI until the first report, 1 to 15.
    receiver_loss
        Loss of real receivers against the block error curves.
    """

    outer_loop: bool = True
    target: float | str = 0.1
    step: str = "0.1 dB"
    limit: str = "15 dB"
    cqi_period: str | None = None
    cqi_delay: str | None = None
    first_cqi: int = 3
    receiver_loss: str = "0 dB"


@dataclass(frozen=True, kw_only=True)
class UplinkGrants:
    """Grants of the uplink of LTE and NR.

    Attributes
    ----------
    sr_period
        Period of a station's occasions for scheduling requests; a multiple of the pattern of slots.
    min_k2
        Least slots from a grant to its block, 1 to 32.
    first_grant
        Bytes that the answer to a scheduling request grants.
    prescheduling
        Time after a block of the downlink for which the base station grants without a request.
    """

    sr_period: str = "10 ms"
    min_k2: int = 4
    first_grant: str = "576 B"
    prescheduling: str = "0 s"


#: Mode of radio link control.
RlcMode = Literal["am"] | Literal["um"]


@dataclass(frozen=True, kw_only=True)
class Rlc:
    """Radio link control of LTE and NR.

    Attributes
    ----------
    mode
        Mode.
    reassembly
        Time for which the receiver waits for a gap to close: t-Reassembly of NR, t-Reordering of LTE. Default: 50 ms
        with LTE, 20 ms with NR.
    poll_retransmit
        t-PollRetransmit of acknowledged mode. Default: 120 ms with LTE, 100 ms with NR.
    poll_packets
        Packets after which the sender polls for a status report. Default: 64 with LTE, 16 with NR.
    status_prohibit
        t-StatusProhibit: least time between status reports. Default: 50 ms with LTE, 10 ms with NR.
    max_retransmissions
        Retransmissions after which a part is given up. Default: 16 with LTE, 32 with NR.
    window
        Most packets sent and not acknowledged in acknowledged mode: 2048 with numbers of 12 bits. Default: 131072
        with NR, no limit with LTE.
    """

    mode: RlcMode = "am"
    reassembly: str | None = None
    poll_retransmit: str | None = None
    poll_packets: int | None = None
    status_prohibit: str | None = None
    max_retransmissions: int | None = None
    window: int | None = None


@dataclass(frozen=True, kw_only=True)
class Pdcp:
    """Packet data convergence protocol of LTE and NR.

    Attributes
    ----------
    reordering
        Time after which a receiver of NR gives up a gap and delivers what is behind it. Default: 220 ms.
    discard
        Age at which a packet that has not been sent is discarded. Default: never.
    """

    reordering: str | None = None
    discard: str | None = None


@dataclass(frozen=True, kw_only=True)
class OffDrx:
    """Always."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "off")


@dataclass(frozen=True, kw_only=True)
class PhoneDrx:
    """On for 10 ms of every 40 ms, after 4 such cycles of every 320 ms; awake for 200 ms after activity.

    The most frequent configuration in a user's log of one LTE network.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "phone")


@dataclass(frozen=True, kw_only=True)
class CyclesDrx:
    """Cycles of your own.

    Attributes
    ----------
    on
        On-duration.
    inactivity
        Time awake after new data.
    short
        Short cycle. Default: long cycles only.
    short_cycles
        Number of short cycles before the long ones.
    long
        Long cycle.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "cycles")

    on: str
    inactivity: str
    short: str | None = None
    short_cycles: int = 4
    long: str


#: Discontinuous reception in connected mode: when a station listens to the downlink.
Drx = OffDrx | PhoneDrx | CyclesDrx


#: Environment of an LTE or NR cell.
Propagation = Literal["uma"] | Literal["umi"] | Literal["rma"]


@dataclass(frozen=True, kw_only=True)
class RanSite:
    """A site of an LTE or NR cell.

    Attributes
    ----------
    name
        Name of the site.
    at
        Position: ["0 m", "1000 m"].
    power
        Transmit power, antenna gain included.
    """

    name: str
    at: Sequence[str]
    power: str = "46 dBm"


@dataclass(frozen=True, kw_only=True)
class Handover:
    """Handover by event A3 (a neighbour becomes better than the serving site by an offset), and radio link failure.

    Attributes
    ----------
    offset
        Decibels by which a neighbour must exceed the serving site.
    hysteresis
        Decibels beyond the offset.
    time_to_trigger
        Time for which the condition must hold.
    measurement_period
        Period of the measurements, and of the updates of positions.
    filter
        Coefficient k of the filter: measurements 200 ms apart have the weight 2^(−k/4); 0 to 19. Other periods keep
        the behaviour over time.
    preparation
        Time from the trigger to the command, for the report and the preparation of the target.
    interruption
        Time without a site.
    forwarding
        True if the source forwards what it has not sent, and in acknowledged mode what is not acknowledged. If false
        it drops both.
    forwarding_delay
        Delay of forwarding; a longer one prolongs the interruption.
    reestablishment
        Time from a radio link failure to service by the strongest site. A link fails after 1.2 s below −8 dB.
    """

    offset: str = "3 dB"
    hysteresis: str = "0 dB"
    time_to_trigger: str = "256 ms"
    measurement_period: str = "40 ms"
    filter: float = 4.0
    preparation: str = "15 ms"
    interruption: str = "40 ms"
    forwarding: bool = True
    forwarding_delay: str = "5 ms"
    reestablishment: str = "500 ms"


@dataclass(frozen=True, kw_only=True)
class GridLayout:
    """Rows of a grid, the first member at `origin`, the next to its right.

    Attributes
    ----------
    columns
        Members in a row.
    spacing
        Distance between neighbours in a row, and between rows.
    origin
        Position of the first member.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "grid")

    columns: int
    spacing: str
    origin: Sequence[str] = ("0 m", "0 m")


@dataclass(frozen=True, kw_only=True)
class RandomLayout:
    """Uniformly distributed in a rectangle.

    Attributes
    ----------
    width
        Width of the rectangle.
    height
        Height of the rectangle.
    seed
        Seed of the positions, which are the same for all seeds of the scenario.
    origin
        Lower left corner of the rectangle.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "random")

    width: str
    height: str
    seed: int = 1
    origin: Sequence[str] = ("0 m", "0 m")


#: Positions of a group of nodes.
Layout = GridLayout | RandomLayout


@dataclass(frozen=True, kw_only=True)
class Waypoint:
    """Position of a station at a given time.

    Attributes
    ----------
    time
        Time of the position.
    at
        Position: ["0 m", "150 m"].
    """

    time: str
    at: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class WaypointsMotion:
    """Straight lines at constant speed between given positions, the first from its position at the start.

    For a single node only.

    Attributes
    ----------
    points
        Times and positions, in order of time.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "waypoints")

    points: Sequence[Waypoint]


@dataclass(frozen=True, kw_only=True)
class RandomWaypointMotion:
    """Random waypoint: to a random position in a rectangle at a random speed, a pause, then the next.

    Attributes
    ----------
    width
        Width of the rectangle.
    height
        Height of the rectangle.
    origin
        Lower left corner of the rectangle.
    min_speed
        Minimum of the uniformly distributed speed.
    max_speed
        Maximum of the uniformly distributed speed.
    pause
        Pause at every position.
    seed
        Seed of the motion, which is the same for all seeds of the scenario.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "random-waypoint")

    width: str
    height: str
    origin: Sequence[str] = ("0 m", "0 m")
    min_speed: str = "1 m/s"
    max_speed: str = "20 m/s"
    pause: str = "0 s"
    seed: int = 1


#: Motion of stations. `optimum` and `fluid` refuse networks with moving stations.
Motion = WaypointsMotion | RandomWaypointMotion


@dataclass(frozen=True, kw_only=True)
class RanBearer:
    """A bearer of a station, or of a group's members: packets of a code point, with queues and an RLC of their own.

    Attributes
    ----------
    qi
        5QI of NR, QCI of LTE: 1 to 8. It gives priority level, delay budget, error rate and whether a rate is
        guaranteed (3GPP TS 23.501, table 5.7.4-1), and the mode and timers of RLC.
    dscp
        Code point of its packets. Those of all bearers of a station are different.
    guaranteed
        Guaranteed rate of each direction; only of 5QI 1 to 4, which need it. Below it the bearer is served before all
        others of the same station priority, in the order of the priority levels.
    buffer
        Buffer of the bearer and direction. Default: that of the station.
    queue
        Discipline of the bearer's queues. Default: that of the station.
    """

    qi: int
    dscp: int | str
    guaranteed: str | None = None
    buffer: str | None = None
    queue: str | Queue | None = None


@dataclass(frozen=True, kw_only=True)
class RanStation:
    """A station of an LTE or NR cell, or a group of identical stations.

    Attributes
    ----------
    node
        Node, or group of nodes.
    snr
        Mean signal-to-noise ratio of the downlink, of a station without a place.
    at
        Place of a single node, instead of `snr`: ["50 m", "200 m"].
    layout
        Places of a group, instead of `snr`.
    motion
        Motion of the station from its place. Default: none.
    uplink_snr
        Mean signal-to-noise ratio of the uplink if the station spreads its power over the whole carrier. Default: 6
        dB below `snr`. A change of `snr` moves both.
    speed
        Speed, which gives Rayleigh fading with the Doppler frequency speed × `frequency`/c. Default: without
        `fading`, the mean speed of the `motion` while the station moves.
    fading
        Fading of the station's channel. Default: that of the cell.
    delay_spread
        Delay spread of the station's channel. Default: that of the cell.
    buffer
        Buffer of the station and direction. Default: that of the cell.
    queue
        Discipline of the station's queues. Default: that of the cell.
    delay
        Delay beyond the radio link. Default: that of the cell.
    weight
        Weight: a factor of the scheduler's rule, 0.01 to 100. Under proportional fairness airtime is in proportion to
        it. `round-robin` and rules in Python have none.
    priority
        Priority, 1 to 8: stations of a higher one are served first in each slot and direction. Rules in Python have
        none.
    deadline
        T of M-LWDF and the EXP rule: the delay that may be exceeded with probability `violation`.
    violation
        δ of M-LWDF and the EXP rule: accepted probability of a delay above `deadline`; above 0 and below 1.
    bearer
        Bearers beside the default one, which has 5QI 9.
    """

    node: str
    snr: str | None = None
    at: Sequence[str] | None = None
    layout: Layout | None = None
    motion: Motion | None = None
    uplink_snr: str | None = None
    speed: str | None = None
    fading: str | Fading | None = None
    delay_spread: str | None = None
    buffer: str | None = None
    queue: str | Queue | None = None
    delay: str | None = None
    weight: float = 1.0
    priority: int = 1
    deadline: str = "100 ms"
    violation: float | str = 0.05
    bearer: Sequence[RanBearer] = ()


@dataclass(frozen=True, kw_only=True)
class RanCell:
    """A cell of LTE or 5G NR: link adaptation, HARQ, RLC, PDCP, and the grants of the uplink.

    It creates a link between the access point and each station in both directions, `ACCESS_POINT->NODE` and
    `NODE->ACCESS_POINT`.

    Attributes
    ----------
    name
        Name of the cell.
    access_point
        Node of the access point.
    technology
        Radio technology.
    preset
        Carrier: duplex mode, bandwidth, subcarrier spacing and pattern of slots.
    frequency
        Carrier frequency, which gives the Doppler frequency of a `speed`. Default: that of the preset's band, 3.5 GHz
        for n78 and 2.1 GHz for the others.
    tdd
        Pattern of slots of a TDD preset: letters D, S and U. Default: "DDDSU".
    special
        Symbols of the slots S: DOWNLINK:GAP:UPLINK, 14 in total. Default: "10:2:2".
    layers
        Most layers of the downlink (MIMO): 1, 2, or 4 with NR. Stations use the number that carries most. The uplink
        has one layer.
    mcs_table
        Table of modulation and coding schemes. Default: 64qam with LTE, 256qam with NR.
    scheduler
        Scheduler of the resource-block groups.
    average
        Time constant of the average rates that schedulers use.
    per_slot
        Most stations served in a slot and direction.
    harq
        Hybrid ARQ.
    adaptation
        Link adaptation.
    uplink
        Grants of the uplink.
    rlc
        Radio link control.
    pdcp
        Packet data convergence protocol.
    drx
        Discontinuous reception.
    fading
        Fading of the channels around their mean. Default: none, or that of a station's `speed`.
    delay_spread
        Delay spread of Rayleigh fading, at most 10 us: each group of resource blocks has a gain of its own, by an
        exponential power delay profile. Default: none, all resource blocks of a station fade alike.
    buffer
        Buffer of a station and direction, in packets, bytes, or time at its mean rate if all stations share the cell
        equally; a time is at least 150 kB and at most 6.17 MB, the RLC queue of a base station. The default is
        latency under load in measured LTE networks, ten times that of an idle one (Garcia, Alfredsson and Brunstrom,
        EuCNC 2015).
    queue
        Discipline of the queues of both directions: its name, or a table of name and parameters. Default: drop-tail.
    delay
        Delay beyond the radio link, such as that of the core network.
    propagation
        Environment of stations that have a place: path loss, shadowing and line of sight of 3GPP TR 38.901.
    shadowing
        Shadowing of stations that have a place: log-normal, correlated over the distance moved.
    line_of_sight
        Line of sight of stations that have a place, to all sites. Default: drawn for each station and site with the
        probability of the environment, again after 10 decorrelation distances of the shadowing.
    station_power
        Transmit power of stations that have a place.
    site
        Sites, each with a carrier of its own at the same frequency. Default: one at ["0 m", "0 m"], of the cell's
        name.
    handover
        Handover between sites.
    station
        The stations.
    """

    name: str
    access_point: str
    technology: Technology
    preset: Preset
    frequency: str | None = None
    tdd: str | None = None
    special: str | None = None
    layers: int = 1
    mcs_table: McsTable | None = None
    scheduler: str | Scheduler | Callable[[], Any] = "proportional-fair"
    average: str = "100 ms"
    per_slot: int = 8
    harq: Harq = Harq()
    adaptation: Adaptation = Adaptation()
    uplink: UplinkGrants = UplinkGrants()
    rlc: Rlc = Rlc()
    pdcp: Pdcp = Pdcp()
    drx: str | Drx = "off"
    fading: str | Fading | None = None
    delay_spread: str | None = None
    buffer: str = "400 ms"
    queue: str | Queue | None = None
    delay: str = "0 s"
    propagation: Propagation = "uma"
    shadowing: bool = True
    line_of_sight: bool | None = None
    station_power: str = "23 dBm"
    site: Sequence[RanSite] = ()
    handover: Handover = Handover()
    station: Sequence[RanStation]


#: A cell: slotted, or of LTE or NR where it has a `technology`.
AnyCell = Cell | RanCell


#: Physical layer.
Standard = (
    Literal["802.11b"]
    | Literal["802.11a"]
    | Literal["802.11g"]
    | Literal["802.11n"]
    | Literal["802.11ac"]
    | Literal["802.11ax"]
    | Literal["bianchi"]
)


#: MAC behaviour.
MacMode = Literal["standard"] | Literal["ns2"]


@dataclass(frozen=True, kw_only=True)
class DcfAccess:
    """The distributed coordination function of 802.11.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> access = ww.format.DcfAccess()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], access=access)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "dcf")


#: Rounding of fractional contention windows.
Rounding = Literal["floor"] | Literal["random"]


@dataclass(frozen=True, kw_only=True)
class QueueingDelayAccess:
    """802.11 with contention windows by the queueing delay of the served link (wang2013 (18)).

    After a success the mean backoff is exp(−ρ)/b, with ρ = `scale`·b·backlog/(average rate).

    Attributes
    ----------
    scale
        β, the scale of the transmission aggressiveness; 1 as printed.
    rounding
        Rounding of fractional windows.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> access = ww.format.QueueingDelayAccess()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], access=access)
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
        Rounding of fractional windows.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> access = ww.format.QueueLengthAccess()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], access=access)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "queue-length")

    scale: float = 1.0
    rounding: Rounding = "floor"


#: Pairs of links that conflict.
Conflicts = Literal["sense"] | Literal["receive"] | Literal["primary"]


@dataclass(frozen=True, kw_only=True)
class IdealAccess:
    """Ideal CSMA: links sense each other at once, wait for exponential times and never collide.

    Attributes
    ----------
    scale
        β, the scale of the transmission aggressiveness b·(queueing delay).
    cap
        Maximum aggressiveness: schedules change every exp(`cap`) packets.
    epsilon
        ε of the aggressiveness ε·b·(queue length in packets), with b the packets that the link alone carries in a
        second (wang2013 §II-C; Jiang and Walrand 2010). Default: by queueing delay.
    aggressiveness
        Constant aggressiveness that replaces the one by queueing delay. Default: by queueing delay.
    conflicts
        Pairs of links that conflict.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> access = ww.format.IdealAccess()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], access=access)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "ideal")

    scale: float = 1.0
    cap: float = 8.0
    epsilon: str | None = None
    aggressiveness: float | None = None
    conflicts: Conflicts = "sense"


@dataclass(frozen=True, kw_only=True)
class MaxWeightAccess:
    """Slots under centralised MaxWeight (Tassiulas and Ephremides 1992).

    Each slot serves the set of links without conflicts whose differences of backlog are largest. A link sends one
    packet per slot, of any size.

    Needs `routing = "backpressure"`, of which only `k` and `links` have an effect. A loss in `[[wifi.loss]]` is the
    probability that the link is OFF in a slot.

    Attributes
    ----------
    slot
        Length of a slot.
    conflicts
        Pairs of links that conflict.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "max-weight")

    slot: str = "20 ms"
    conflicts: Conflicts = "sense"


#: Channel access of the stations.
Access = DcfAccess | QueueingDelayAccess | QueueLengthAccess | IdealAccess | MaxWeightAccess


@dataclass(frozen=True, kw_only=True)
class ShortestRouting:
    """Fixed routes with the fewest hops.

    Ties are broken by name, in natural order (N-2 before N-10), from the receiver back.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> routing = ww.format.ShortestRouting()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], routing=routing)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "shortest")


@dataclass(frozen=True, kw_only=True)
class DsdvRouting:
    """Destination-sequenced distance vectors (DSDV): stations exchange their routing tables over the air.

    `optimum` and `fluid` use the shortest routes.

    Attributes
    ----------
    period
        Period of full updates; each comes up to a quarter of it sooner.
    settling
        Settling time of a route before it is advertised.
    spacing
        Minimum interval between triggered updates.
    missed
        Number of periods without an update after which a neighbour is removed.
    link_layer
        Treats a packet dropped by the MAC as a broken link. Under load that breaks intact links.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> routing = ww.format.DsdvRouting()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], routing=routing)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "dsdv")

    period: str = "15 s"
    settling: str = "6 s"
    spacing: str = "1 s"
    missed: int = 3
    link_layer: bool = False


@dataclass(frozen=True, kw_only=True)
class AodvRouting:
    """Ad hoc on-demand distance vectors (AODV, RFC 3561): a station without a route requests one when it needs it.

    `optimum` and `fluid` use the shortest routes.

    Attributes
    ----------
    mode
        Constants: RFC 3561's or ns-2.35's. Default: as the network's `mode`.
    active_route
        Lifetime of a route after its last use. Default: 3 s, ns-2 10 s.
    ttl_start
        Time to live of the first request, in hops. Default: 1, ns-2 5.
    net_diameter
        Maximum number of hops across the network. Default: 35, ns-2 30.
    hello
        Interval of hello messages. Default: none are sent.
    link_layer
        Treats a packet dropped by the MAC as a broken link.
    local_repair
        Lets a station in the middle of a broken route search for a new one.
    intermediate_replies
        Lets stations with a fresh route answer for the destination.
    jitter
        Maximum random delay of broadcasts.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> routing = ww.format.AodvRouting()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], routing=routing)
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


#: Links that a flow forwarded by backlog may use.
AllowedLinks = Literal["loop-free"] | Literal["downstream"] | Literal["not-farther"] | Literal["all"]


#: Unit of the failure share.
Failures = Literal["packets"] | Literal["attempts"]


#: Routing of ACKs where data is forwarded by backlog.
Acks = Literal["shortest"] | Literal["fifo"] | Literal["loss"] | Literal["backlog"]


@dataclass(frozen=True, kw_only=True)
class BackpressureRouting:
    """Backpressure: stations forward by backlog, without routes (seferoglu2014).

    When the MAC lets a station send, it chooses flow and neighbour with the largest (max{`k`, own backlog} − the
    neighbour's backlog)·rate·(1 − failure share), if positive.

    Buffers are in packets. `optimum` and `fluid` use the shortest routes.

    Attributes
    ----------
    k
        Threshold K: a shorter queue counts as this long, which keeps TCP from starving. "shared" is a station's
        buffer divided by the number of flows through it. "recent" counts a flow in proportion to its recent traffic
        if it has less than a tenth of the busiest flow's, so that nearly silent flows do not lower K; 0 is classical
        backpressure.
    links
        Links that a flow may use.
    report
        Time after which a station that has not sent its backlogs broadcasts them.
    report_entry
        Bytes of a frame that carry the backlog of one flow.
    memory
        Averaging time of the failure share, which covers the last one to two of these periods.
    failures
        Unit of the failure share.
    acks
        Routing of ACKs. "fifo" takes the path of fewest hops and "loss" that of fewest expected attempts, both in
        order of arrival with data; "shortest" takes the path of fewest hops before all data; "backlog" forwards by
        backlog.
    class_
        A rule of your own that replaces this one: a Python class with a method `rank`, as FILE:CLASS, the file
        relative to the scenario's folder, or MODULE:CLASS.
    arguments
        Arguments of its constructor.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> routing = ww.format.BackpressureRouting()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], routing=routing)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "backpressure")

    k: str | Literal[0] = "shared"
    links: AllowedLinks = "loop-free"
    report: str = "100 ms"
    report_entry: str = "2 B"
    memory: str = "1 s"
    failures: Failures = "packets"
    acks: Acks = "fifo"
    class_: str | None = field(default=None, metadata={"key": "class"})
    arguments: Mapping[str, Any] = field(default_factory=dict)


#: Routing across the network; a flow's `via` takes precedence.
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
        CTS and ACK timeout, from the end of the frame.
    cw_min
        Minimum contention window; backoffs are drawn from 0 to it.
    cw_max
        Maximum contention window.
    eifs
        Waits EIFS after a frame that could not be received.
    overhead
        Bytes that a data frame adds to a packet: MAC and LLC headers, checksum.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> timing = ww.format.WifiTiming()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], timing=timing)
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
    """Free space up to the cross-over distance; beyond it two-ray ground reflection, the fourth power of the distance.

    Attributes
    ----------
    height
        Height of the antennas.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "two-ray-ground")

    height: str = "1.5 m"


@dataclass(frozen=True, kw_only=True)
class LogDistancePathLoss:
    """Free space up to a reference distance; beyond it a power of the distance.

    Attributes
    ----------
    exponent
        Path loss exponent.
    reference
        Reference distance.
    """

    TAG: ClassVar[tuple[str, str]] = ("model", "log-distance")

    exponent: float = 3.0
    reference: str = "1 m"


#: Path loss: power as a function of distance.
PathLoss = FreeSpacePathLoss | TwoRayGroundPathLoss | LogDistancePathLoss


@dataclass(frozen=True, kw_only=True)
class WifiReach:
    """Reception and carrier sense: by distance, or by received power.

    Attributes
    ----------
    receive
        Maximum distance at which frames are received. Default: 250 m, if no threshold is given; for 802.11n, ac and
        ax a threshold of −82 dBm.
    sense
        Maximum distance at which frames are sensed. Default: 2.2 times `receive`; for 802.11n, ac and ax `receive`.
    receive_threshold
        Minimum power at which frames are received, instead of `receive`.
    sense_threshold
        Minimum power at which frames are sensed, instead of `sense`.
    power
        Transmit power of every station. Default: 24.5 dBm, ns-2's; 20 dBm for 802.11n, ac and ax.
    frequency
        Carrier frequency. Default: 914 MHz, ns-2's; 2.437, 5.25 or 6.5 GHz by the band for 802.11n, ac and ax.
    path_loss
        Path loss: power as a function of distance. Default: two-ray ground; for 802.11n, ac and ax free space up to 5
        m and from there the power 3.5 of the distance, as within a house (model B of IEEE 802.11-03/940).
    capture
        Minimum signal-to-interference ratio at which a frame is received, for all rates: its power over the sum of
        all others. Default: by rate; 10 dB with `mode = "ns2"`.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> reach = ww.format.WifiReach()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], reach=reach)
    """

    receive: str | None = None
    sense: str | None = None
    receive_threshold: str | None = None
    sense_threshold: str | None = None
    power: str | None = None
    frequency: str | None = None
    path_loss: str | PathLoss | None = None
    capture: str | None = None


@dataclass(frozen=True, kw_only=True)
class WifiNoise:
    """Noise and fading: losses of frames by their signal-to-noise ratio.

    Attributes
    ----------
    power
        Noise power in the channel.
    rayleigh
        Draws the power of each frame from an exponential distribution around its mean: Rayleigh fading, independent
        from frame to frame.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> noise = ww.format.WifiNoise(power="-90 dBm")
    >>> wifi = ww.Wifi(name="home", station=[home, phone], noise=noise)
    """

    power: str
    rayleigh: bool = False


#: Implementation whose choices are the defaults in a network of 802.11n, ac or ax.
Profile = Literal["linux-ath9k"] | Literal["linux-mt76"] | Literal["ns3"]


@dataclass(frozen=True, kw_only=True)
class IdealRateControl:
    """The rate with the most goodput at the signal, rate × (1 − loss) of MPDUs of 1538 bytes without interference."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "ideal")


@dataclass(frozen=True, kw_only=True)
class MinstrelHtRateControl:
    """Minstrel-HT, the rate control of Linux's mac80211, decision by decision.

    For 802.11ax its rules are applied to the rates of 802.11ax, which Linux leaves to firmware.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "minstrel-ht")


@dataclass(frozen=True, kw_only=True)
class FixedRateControl:
    """One rate.

    Attributes
    ----------
    mcs
        Modulation and coding scheme per stream: 0 to 7 in 802.11n, to 9 in 802.11ac, to 11 in 802.11ax.
    streams
        Spatial streams. Default: those of the network.
    width
        Width of the PPDUs. Default: that of the channel.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "fixed")

    mcs: int
    streams: int | None = None
    width: str | None = None


#: Choice of the rate of data.
RateControl = IdealRateControl | MinstrelHtRateControl | FixedRateControl


@dataclass(frozen=True, kw_only=True)
class Ampdu:
    """Limits of an A-MPDU, which all hold at once.

    Attributes
    ----------
    mpdus
        MPDUs, at most the window of the BlockAck; 1: no aggregation, and an ACK for each frame. Default: 64; 256 in
        802.11ax; 32 with `profile = "linux-ath9k"`.
    bytes
        Bytes. Default: 65 535 in 802.11n and with `profile = "ns3"`, 1 048 575 in 802.11ac, 6 500 631 in 802.11ax.
    duration
        Duration of the PPDU, up to 5484 µs. Default: 5484 µs; 4096 µs with `profile = "linux-ath9k"`.
    spacing
        Least time between the starts of two MPDUs that receivers ask for, up to 16 µs. Default: 0 s.
    """

    mpdus: int | None = None
    bytes: str | None = None
    duration: str | None = None
    spacing: str | None = None


#: Reaction of the sender to an A-MPDU without an answer.
AfterLoss = Literal["data"] | Literal["request"]


@dataclass(frozen=True, kw_only=True)
class BlockAck:
    """BlockAck sessions, which exist from the beginning.

    Attributes
    ----------
    window
        Window in MPDUs: 1 to 256. Default: 64; 256 in 802.11ax.
    attempts
        Transmissions of an MPDU before it is given up. Default: 30, as ath9k; with `profile = "ns3"` no limit;
        without aggregation `short_retries`.
    after_loss
        Reaction of the sender to an A-MPDU without an answer. Default: "data"; "request" with `profile = "ns3"`.
    reorder_timeout
        Time for which a receiver holds MPDUs behind a missing one. Default: 100 ms, as Linux.
    """

    window: int | None = None
    attempts: int | None = None
    after_loss: AfterLoss | None = None
    reorder_timeout: str | None = None


#: Discipline of the queues above the MAC.
TransmitQueue = Literal["fq-codel"] | Literal["shared-fq-codel"] | Literal["fifo"] | Literal["strict-fifo"]


#: Place and time at which A-MPDUs are composed.
Hardware = Literal["driver"] | Literal["two-aggregates"] | Literal["firmware"]


@dataclass(frozen=True, kw_only=True)
class TransmitQueues:
    """Queues of packets above the MAC of 802.11n, ac and ax.

    Attributes
    ----------
    queue
        Discipline of the queues. Default: "fq-codel"; "fifo" with `profile = "ns3"`.
    airtime_fairness
        Deficit round robin in airtime between receivers, by their `weight`. If false, receivers take turns by
        A-MPDUs. Needs `queue = "fq-codel"`. Default: true with it.
    aql
        Airtime queue limits: 5 to 12 ms of estimated airtime for each receiver below the queues. Needs `queue = "fq-
        codel"`. Default: true with it; false with `profile = "linux-ath9k"`.
    received_airtime
        True if a station is charged for the airtime of what it sends, too, as Linux does unless `airtime_flags` says
        otherwise. A station that sends much then waits for what it is sent, the ACKs of its upload among it. Needs
        airtime fairness. Default: true with it.
    hardware
        Place and time at which A-MPDUs are composed. Default: "driver"; "two-aggregates" with `profile = "linux-
        ath9k"`, "firmware" with `profile = "linux-mt76"`.
    below
        Most packets of an access category below a queue that all receivers share. Default: 123, as ath9k.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> txq = ww.format.TransmitQueues()
    >>> wifi = ww.Wifi(name="home", station=[home, phone], txq=txq, standard="802.11n", access_point="home")
    """

    queue: TransmitQueue | None = None
    airtime_fairness: bool | None = None
    aql: bool | None = None
    received_airtime: bool | None = None
    hardware: Hardware | None = None
    below: int | None = None


@dataclass(frozen=True, kw_only=True)
class Contention:
    """Contention parameters of an access category.

    Default of each: as stations or access points have it.

    Attributes
    ----------
    aifsn
        Slots of the interframe space after SIFS: 1 to 15.
    cw_min
        Least contention window: 1 to 32 767.
    cw_max
        Largest contention window: `cw_min` to 32 767.
    txop
        TXOP limit, up to 8160 µs; 0 s: one PPDU.
    """

    aifsn: int | None = None
    cw_min: int | None = None
    cw_max: int | None = None
    txop: str | None = None


@dataclass(frozen=True, kw_only=True)
class Edca:
    """Contention parameters by access category.

    Default: what Linux's stations assume; at the access point what access points use for their own traffic.

    Attributes
    ----------
    background
        Background, AC_BK.
    best_effort
        Best effort, AC_BE.
    video
        Video, AC_VI.
    voice
        Voice, AC_VO.
    """

    background: Contention | None = None
    best_effort: Contention | None = None
    video: Contention | None = None
    voice: Contention | None = None


@dataclass(frozen=True, kw_only=True)
class FixedRate:
    """One rate.

    Attributes
    ----------
    mcs
        Modulation and coding scheme per stream: 0 to 7 in 802.11n, to 9 in 802.11ac, to 11 in 802.11ax.
    streams
        Spatial streams. Default: those of the network.
    width
        Width of the PPDUs. Default: that of the channel.
    """

    mcs: int
    streams: int | None = None
    width: str | None = None


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
    wall_loss
        Attenuation of walls around the station, of all that it sends and receives: 0 to 100 dB. It adds to that of
        the other station. Default: none.
    snr
        Signal-to-noise ratio between the station, at its first position, and the access point, in place of what path
        loss and `wall_loss` make of their distance, −20 to 100 dB. The difference applies to all that the station
        sends and receives. For 802.11n, ac and ax.
    motion
        Motion of the station from its position. Default: none.
    data_rate
        Rate of the station's data frames. Default: that of the network.
    buffer
        Interface queue of the station. Default: that of the network.
    queue
        Discipline of the station's interface queue. Default: that of the network.
    rate_control
        Choice of the rate of what the station sends, for 802.11n, ac and ax. Default: that of the network.
    receive_rate
        Rate of what is sent to the station, for 802.11n, ac and ax. Default: as its sender chooses.
    txq
        Queues above the MAC of the station, for 802.11n, ac and ax. Default: those of the network.
    weight
        Weight of what is sent to the station under airtime fairness, 1 to 65 535. Default: 256.
    edca
        Contention parameters of the station, for 802.11n, ac and ax. Default: those of the network.
    """

    node: str
    at: Sequence[str] | None = None
    layout: Layout | None = None
    wall_loss: str | None = None
    snr: str | None = None
    motion: Motion | None = None
    data_rate: str | None = None
    buffer: str | None = None
    queue: str | Queue | None = None
    rate_control: str | RateControl | None = None
    receive_rate: FixedRate | None = None
    txq: TransmitQueues | None = None
    weight: int | None = None
    edca: Edca | None = None


#: Unit to which the loss probability of a link applies.
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
        Loss probability. Broadcasts, which have no ACK and one attempt, are lost with it for every value of `of`.
    of
        Unit to which the probability applies.
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
        MAC behaviour; `"ns2"` adopts the deviations of ns-2.35, its frame sizes and its RTS threshold of 0 bytes.
    data_rate
        Rate of data frames. Default: the fastest of the standard.
    basic_rate
        Rate of RTS, CTS, ACK and broadcasts. Default: the slowest of the standard.
    rts_threshold
        Size above which data frames are preceded by RTS and CTS, MAC header included. Default: no limit, so none are.
    short_retries
        Maximum attempts of a frame up to the RTS threshold, and of an RTS.
    long_retries
        Maximum attempts of a data frame above the RTS threshold, for 802.11a, b and g. Default: 4.
    buffer
        Interface queue of every station, in packets or bytes, not counting the packet being sent; with 802.11n, ac
        and ax for `txq = { queue = "fifo" }`. Default: 1000 packets.
    queue
        Discipline of every station's interface queue: its name, or a table of name and parameters. Default: drop-
        tail.
    access
        Channel access of the stations.
    routing
        Routing across the network.
    timing
        Timings that differ from the standard's.
    reach
        Reception and carrier-sense ranges.
    noise
        Noise and fading, at every station that a frame reaches. Default: every frame in range that does not collide
        is received.
    entropy
        Weight of the schedule's entropy in the objective of `optimum` and `fluid`, in units of the flows' utility:
        packets for window-based laws. 0 is the best schedule. Default: 1/`scale` with access by queueing delay or
        ideal access, else 0.
    band
        Band of the channel, for 802.11n and ax: `"2.4 GHz"`, `"5 GHz"`, with 802.11ax also `"6 GHz"`. Default: 5 GHz.
    width
        Width of the channel, for 802.11n, ac and ax: 20, 40, 80 or 160 MHz. Default: 20 MHz in 802.11n, else 80 MHz.
    streams
        Spatial streams at most, for 802.11n, ac and ax: 1 to 4. Default: 2.
    guard_interval
        Guard interval between symbols, for 802.11n and ac 400 or 800 ns, for 802.11ax 800, 1600 or 3200 ns. Default:
        the shortest.
    profile
        Implementation whose limits, queues and rate control are the defaults, for 802.11n, ac and ax. Explicit keys
        override it. Default: the limits of the standard behind Linux's queues.
    rate_control
        Choice of the rate of data, for 802.11n, ac and ax. Default: "ideal"; "minstrel-ht" with `profile = "linux-
        ath9k"`.
    ampdu
        Limits of A-MPDUs, for 802.11n, ac and ax. Default: those of the standard.
    amsdu
        Most bytes of an A-MSDU, an MPDU of several packets, for 802.11n, ac and ax: up to 7935 bytes in 802.11n, 4065
        with A-MPDUs; 11 424 in 802.11ac and ax, 7935 at 2.4 GHz. Default: 0 bytes, so that each packet is an MPDU of
        its own.
    block_ack
        BlockAck sessions, for 802.11n, ac and ax.
    txq
        Queues above the MAC of every station, for 802.11n, ac and ax. Default: those of Linux's mac80211.
    edca
        Contention parameters of all stations, for 802.11n, ac and ax. Default: as stations and access points have
        them.
    access_point
        Station that is the access point, for 802.11n, ac and ax: all links begin or end at it. Default: none, so that
        every pair of stations in reach has links.
    station
        The stations.
    loss
        Losses of single links in addition to those of the channel.

    Examples
    --------
    >>> import windward as ww
    >>> home = ww.format.WifiStation(node="home", at=["0 m", "0 m"])
    >>> phone = ww.format.WifiStation(node="phone", at=["5 m", "0 m"])
    >>> wifi = ww.Wifi(name="home", station=[home, phone])
    """

    name: str
    standard: Standard = "802.11b"
    mode: MacMode = "standard"
    data_rate: str | None = None
    basic_rate: str | None = None
    rts_threshold: str | None = None
    short_retries: int = 7
    long_retries: int | None = None
    buffer: str | None = None
    queue: str | Queue | None = None
    access: str | Access = "dcf"
    routing: str | Routing = "shortest"
    timing: WifiTiming | None = None
    reach: WifiReach = WifiReach()
    noise: WifiNoise | None = None
    entropy: float | None = None
    band: str | None = None
    width: str | None = None
    streams: int | None = None
    guard_interval: str | None = None
    profile: Profile | None = None
    rate_control: str | RateControl | None = None
    ampdu: Ampdu | None = None
    amsdu: str | None = None
    block_ack: BlockAck | None = None
    txq: TransmitQueues | None = None
    edca: Edca | None = None
    access_point: str | None = None
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
        Exponent, at least 1, which is time sharing; the larger it is, the less the links interfere.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "norm")

    name: str
    links: Sequence[str]
    capacity: str | Sequence[str]
    exponent: float


@dataclass(frozen=True, kw_only=True)
class EllipsoidRegion:
    """y·My is at most 1, with y the vector of rates over capacities.

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


#: Packets that are lost when a link goes down.
Drop = Literal["nothing"] | Literal["flight"] | Literal["all"]


@dataclass(frozen=True, kw_only=True)
class ChangeStep:
    """A step of a change.

    Attributes
    ----------
    at
        Time of the step.
    rate
        Transmission rate, or a recording, which replays as if it had begun with the run. The rest of the packet in
        transmission is sent at the new rate. A change from or to a recording restarts that packet.
    delay
        Propagation delay of the packets whose transmission ends from then on, or a recording, which replays as if it
        had begun with the run. No packet arrives before one that was sent earlier.
    loss
        Random loss, 0 for none, of the packets whose transmission ends from then on.
    buffer
        Buffer size. Packets already queued stay, even if they exceed it.
    jitter
        Random extra delay.
    reorder
        Reordering of packets whose transmission ends from then on; a share of 0 turns it off.
    up
        State of the link: true if it transmits. While it is down, packets wait in its buffer, and the packet in
        transmission pauses until the link is up again.
    drop
        Packets that are lost when the link goes down, with `up = false`. Default: none.
    snr
        Mean signal-to-noise ratio of a station of a cell, from the next slot on.
    position
        New position of a Wi-Fi station, effective at once. The routing follows as with `motion`.
    """

    at: str
    rate: Rate | None = None
    delay: Delay | None = None
    loss: Loss | None = None
    buffer: str | None = None
    jitter: Jitter | None = None
    reorder: Reorder | None = None
    up: bool | None = None
    drop: Drop | None = None
    snr: str | None = None
    position: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Leo:
    """A path through satellites in a low orbit (LEO), by geometry: delay, rate, loss and outages of a link over time.

    The path changes its satellite from epoch to epoch, and goes up and down by way of it to a gateway near the
    station.

    Attributes
    ----------
    epoch
        Time between changes of the satellite.
    offset
        Time of the first change.
    altitude
        Altitude of the satellites.
    min_elevation
        Least elevation of a satellite in use, in degrees; 5 to 85.
    gateway
        One-way delay from the gateway on.
    capacity
        Median of the capacity.
    spread
        Standard deviation of the logarithm of the capacity from epoch to epoch, 0 to 3.
    variation
        Standard deviation of the logarithm of the capacity around that of the epoch, 0 to 3; a first-order
        autoregression that keeps 0.8 from one update to the next.
    update
        Interval of the updates of delay and capacity.
    outage
        Time without a link at each change, which loses the packets on the way; shorter than `update`.
    loss_at_change
        Loss from a change to the next update.
    loss
        Loss at other times.
    seed
        Seed of satellites and capacities, which are the same for all seeds of the scenario. Links with one seed use
        the same satellites, so give both directions the same.
    """

    epoch: str = "15 s"
    offset: str = "15 s"
    altitude: str = "550 km"
    min_elevation: float = 25.0
    gateway: str = "5 ms"
    capacity: str
    spread: float = 0.4
    variation: float = 0.15
    update: str = "1 s"
    outage: str = "75 ms"
    loss_at_change: float | str = 0.01
    loss: float | str = 0.0
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of a link or a station during the run: at one time, or in steps.

    Omitted values do not change.

    Attributes
    ----------
    link
        One-way link, by its name; the name of a group, or FROM->TO of one, means all its links. The link back has a
        name of its own.
    station
        Station of a cell or of Wi-Fi, by its node or group of nodes.
    at
        Time of a single change.
    steps
        Several changes, in order of time: a list, or the name of a CSV file. The file has a column `time_s` and any
        of `rate_bps`, `delay_ms`, `loss`, `buffer_packets`, `jitter_ms` (uniform up to it), `reorder` (the share)
        with `reorder_ms`, `up`, `snr_db`, and `x_m` with `y_m`. An empty cell means no change.
    every
        Period after which the steps begin again, until the end of the run. Longer than the time from the first to the
        last of them. Default: they happen once.
    until
        Time from which the steps do not begin again. A repetition that has begun is completed. Default: the end of
        the run.
    leo
        A path through satellites in a low orbit, instead of `at` and `steps`: it gives the steps of a link.
    rate
        Transmission rate, or a recording, which replays as if it had begun with the run. The rest of the packet in
        transmission is sent at the new rate. A change from or to a recording restarts that packet.
    delay
        Propagation delay of the packets whose transmission ends from then on, or a recording, which replays as if it
        had begun with the run. No packet arrives before one that was sent earlier.
    loss
        Random loss, 0 for none, of the packets whose transmission ends from then on.
    buffer
        Buffer size. Packets already queued stay, even if they exceed it.
    jitter
        Random extra delay.
    reorder
        Reordering of packets whose transmission ends from then on; a share of 0 turns it off.
    up
        State of the link: true if it transmits. While it is down, packets wait in its buffer, and the packet in
        transmission pauses until the link is up again.
    drop
        Packets that are lost when the link goes down, with `up = false`. Default: none.
    snr
        Mean signal-to-noise ratio of a station of a cell, from the next slot on.
    position
        New position of a Wi-Fi station, effective at once. The routing follows as with `motion`.
    """

    link: str | None = None
    station: str | None = None
    at: str | None = None
    steps: str | Sequence[ChangeStep] | None = None
    every: str | None = None
    until: str | None = None
    leo: Leo | None = None
    rate: Rate | None = None
    delay: Delay | None = None
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
        Count acknowledged packets (RFC 3465, and Linux) instead of ACKs (RFC 5681 Eq. 3, and ns-2). Default on.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Reno()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "reno")

    byte_counting: bool = True


#: Implementation of CUBIC.
Version = Literal["rfc9438"] | Literal["linux"] | Literal["linux-2.6.22"] | Literal["linux-2.6.31"]


@dataclass(frozen=True, kw_only=True)
class Cubic:
    """RFC 9438's cubic function of the time since the last loss; what most servers run.

    Attributes
    ----------
    version
        Implementation: "rfc9438", "linux" (Linux 6, in its integer arithmetic), "linux-2.6.22" (v2.1, as in ns-2.35)
        or "linux-2.6.31" (v2.3). Default "linux" with Linux's stack, "rfc9438" otherwise and if `c` or `beta` is
        given.
    c
        Steepness C in packets/s³ (RFC 9438 §5.1); the kernels have their own. 1e-6 to 1e6. Default 0.4.
    beta
        Share of the window that a loss leaves, β (RFC 9438 §4.6); the kernels have their own. 0.1 to 0.99. Default
        0.7.
    fast_convergence
        Give way to new flows after two losses at falling windows (RFC 9438 §4.7). Default on.
    hystart
        Leave the first slow start before it causes losses, by HyStart++ (RFC 9406); in "linux" and "linux-2.6.31" by
        HyStart, which the kernels have on. Default off; on with Linux's stack.
    timestamps
        "linux-2.6.22" only: packets carry timestamps, without which that kernel has no round-trip samples and no
        limit S_max of its growth. Default on; ns-2's senders have none.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Cubic()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "cubic")

    version: Version | None = None
    c: float | None = None
    beta: float | None = None
    fast_convergence: bool = True
    hystart: bool | None = None
    timestamps: bool = True


@dataclass(frozen=True, kw_only=True)
class Vegas:
    """Brakmo and Peterson's law: between `alpha` and `beta` packets in the queue.

    Attributes
    ----------
    alpha
        Packets in queues below which the window grows, α. 0.001 to 1e9. Default 2 (Vegas-2,4; ns-2: 1).
    beta
        Packets in queues above which the window shrinks, β; at least `alpha`. 0.001 to 1e9. Default 4 (Vegas-2,4;
        ns-2: 3).
    gamma
        Packets in queues above which slow start ends, γ. 0.001 to 1e9. Default 1.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Vegas()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "vegas")

    alpha: float = 2.0
    beta: float = 4.0
    gamma: float = 1.0


#: Form of the law.
Mode2 = Literal["paper"] | Literal["ns2"]


@dataclass(frozen=True, kw_only=True)
class Fast:
    """Wei, Jin, Low and Hegde's law: `alpha` packets in the queue.

    Attributes
    ----------
    gamma
        Step size γ. 1e-6 to 4. Default 0.5 (Wei et al.; ns-2); huang2020 uses 1.5 in ns-2.
    alpha
        Packets α that the flow keeps in queues. 0.001 to 1e9. Default 100 (ns-2); huang2020 uses 200.
    mode
        Form of the law: the paper's or the ns-2 module's. Default the paper's.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Fast()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
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
        Exponent ρ: a small one settles fast at large windows, a large one tolerates more of κ. 0 to 1. Default 0.5.
    kappa
        Step size κ, in packets^(2ρ−1). 1e-6 to 1e6. Default 0.5.
    backlog
        Packets p that the flow keeps in queues. 0.001 to 1e9. Default 200.
    mode
        Form of the law: the paper's or the ns-2 module's. Default the paper's.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.QuicTcp()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
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
        Growth factor α: the window gains α·W^k packets per round trip. 1e-6 to 1e6. Default 0.125.
    k
        Growth exponent k. 0 to 1. Default 0.75.
    beta
        Share of the window that a loss takes, β. 0.1 to 0.9. Default 0.5.
    gamma
        Packets in queues from which the delay window shrinks, γ. 0.001 to 1e9. Default 30.
    zeta
        Packets that the delay window gives up per packet in queues and round trip, ζ. 1e-6 to 1e6. Default 1.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Compound()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
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
        Share of the old bandwidth estimate that a round trip leaves, a. 0 to 0.999. Default 0.9.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Westwood()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "westwood")

    filter: float = 0.9


#: Update rule of N.
Update = Literal["proportional"] | Literal["step"]


#: Base round-trip time RTTmin.
Base = Literal["sample"] | Literal["mean"]


@dataclass(frozen=True, kw_only=True)
class TcpFit:
    """Wang, Wen, Zhang, Xiong and Han's law: as many Renos as leave the queue short.

    Attributes
    ----------
    alpha
        Maximum share α of a Reno window in queues at rest. 0.001 to 1. Default 0.1.
    beta
        Growth β of N per update; the paper recommends 5^(lg BDP − 3) with the BDP in packets. 1e-6 to 1e6. Default 1.
    period
        Least time between updates of N, in seconds. 1e-6 to 1e6. Default 0.5.
    noise
        Queueing delay to ignore, in seconds, where delay varies for other reasons; the paper has none. 0 to 1.
        Default 0.
    update
        Update of N: proportional to its error, as in 2016 ("proportional"), or by one step, as in 2011 ("step").
        Default "proportional".
    reset
        Reset N to 1 after a timeout; the paper does not specify it. Default off.
    adaptive
        Bound α by half of the greatest share that the queue had of the round trip (§5.5). Default on.
    base
        Base round-trip time: the least sample ("sample"), or the least mean of a period ("mean"). Default "sample".

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.TcpFit()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "tcp-fit")

    alpha: float = 0.1
    beta: float = 1.0
    period: float = 0.5
    noise: float = 0.0
    update: Update = "proportional"
    reset: bool = False
    adaptive: bool = True
    base: Base = "sample"


@dataclass(frozen=True, kw_only=True)
class Veno:
    """Fu and Liew's law: Reno that takes a loss for a random one while the queue is short.

    Attributes
    ----------
    beta
        Packets in queues from which a loss means congestion, β. 0.001 to 1e9. Default 3.
    gamma
        Share of the window that a random loss leaves, γ. 0.5 to 0.95. Default 0.8.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Veno()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
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
        Round-trip time rtt₀ of the reference connection for growth, in seconds. 0.001 to 10. Default 0.025.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Hybla()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "hybla")

    rtt0: float = 0.025


@dataclass(frozen=True, kw_only=True)
class Htcp:
    """Leith and Shorten's law: growth by the time since the last loss.

    Attributes
    ----------
    delta_l
        Time Δ_L after a congestion event with Reno's growth, in seconds. 1e-6 to 1e6. Default 1.
    rtt_scaling
        Scale growth by the round-trip time, to the same growth in packets per second. Default on.
    bandwidth_switch
        Halve if the throughput has changed by more than a fifth since the last congestion event. Default on.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Htcp()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "htcp")

    delta_l: float = 1.0
    rtt_scaling: bool = True
    bandwidth_switch: bool = True


@dataclass(frozen=True, kw_only=True)
class Highspeed:
    """RFC 3649's law: Reno whose growth rises and whose decrease falls with the window.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Highspeed()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "highspeed")


@dataclass(frozen=True, kw_only=True)
class Scalable:
    """Kelly's law: growth by a share of the window.

    Attributes
    ----------
    a
        Packets added per acknowledged packet, a. 1e-6 to 1. Default 0.01.
    b
        Share of the window that a loss takes, b. 0.01 to 0.9. Default 0.125.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Scalable()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
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
        Share of the window that a loss leaves, β. 0.5 to 0.95. Default 0.8.
    s_max
        Greatest growth S_max in packets per round trip. 1 to 1000. Default 16.
    low_window
        Window in packets up to which the law is Reno's. 1 to 1e6. Default 14.
    fast_convergence
        Give way to new flows after two losses at falling windows. Default on.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Bic()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "bic")

    beta: float = 0.8
    s_max: float = 16.0
    low_window: float = 14.0
    fast_convergence: bool = True


@dataclass(frozen=True, kw_only=True)
class Illinois:
    """Liu, Başar and Srikant's law: Reno that grows less, and falls more, the longer the queue.

    Attributes
    ----------
    alpha_min
        Least growth in packets per round trip, at the greatest delay, α_min. 0.01 to 1. Default 0.3.
    alpha_max
        Greatest growth in packets per round trip, without delay, α_max. 1 to 100. Default 10.
    beta_min
        Least share of the window that a loss takes, β_min. 0.01 to 0.5. Default 0.125.
    beta_max
        Greatest share of the window that a loss takes, β_max. 0.5 to 0.9. Default 0.5.
    win_thresh
        Window below which the law is Reno, in packets, W_thresh. 0 to 1000. Default 15.
    theta
        Round trips with a short delay before growth is greatest again, θ. 1 to 100. Default 5.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Illinois()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "illinois")

    alpha_min: float = 0.3
    alpha_max: float = 10.0
    beta_min: float = 0.125
    beta_max: float = 0.5
    win_thresh: float = 15.0
    theta: float = 5.0


@dataclass(frozen=True, kw_only=True)
class Yeah:
    """Baiocchi, Castellani and Vacirca's law: Scalable over a short queue, Reno over a long one.

    Attributes
    ----------
    alpha
        Packets in queues above which the law is slow and gives way, α. 0.001 to 1e9. Default 80.
    gamma
        Share 1/γ of the backlog that a slow round trip takes. 1 to 100. Default 1.
    phi
        Share 1/φ of the base RTT above which the delay makes the law slow. 1 to 1000. Default 8.
    rho
        Slow round trips after which a loss halves the window, ρ. 1 to 1000. Default 16.
    zeta
        Fast round trips after which W_reno is forgotten, ζ. 1 to 1000. Default 50.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Yeah()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "yeah")

    alpha: float = 80.0
    gamma: float = 1.0
    phi: float = 8.0
    rho: float = 16.0
    zeta: float = 50.0


@dataclass(frozen=True, kw_only=True)
class Ledbat:
    """RFC 6817's law for background transfers: `target` seconds of queueing delay.

    Attributes
    ----------
    target
        Queueing delay that the law keeps, in seconds; the RFC allows 0.1 at most. 0.0001 to 10. Default 0.1.
    gain
        Growth in packets per round trip without delay; the RFC allows 1 at most. 0.01 to 100. Default 1.
    history
        Minutes whose least delay is the base delay (BASE_HISTORY), rounded up, at most 20. 1 to 20. Default 10.
    filter
        Samples whose least is the current delay (CURRENT_FILTER), rounded up, at most 16. 1 to 16. Default 4.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Ledbat()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "ledbat")

    target: float = 0.1
    gain: float = 1.0
    history: float = 10.0
    filter: float = 4.0


@dataclass(frozen=True, kw_only=True)
class Lp:
    """Kuzmanovic and Knightly's law for background transfers: gives way at the first delay.

    Attributes
    ----------
    delta
        Share of the range of delays above which they mean congestion, δ. 0.01 to 0.99. Default 0.15.
    inference
        Round trips for which an indication is not repeated, and the window does not grow. 0 to 100. Default 3.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Lp()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "lp")

    delta: float = 0.15
    inference: float = 3.0


@dataclass(frozen=True, kw_only=True)
class Multcp:
    """Crowcroft and Oechslin's law: one connection with the share of `connections` Renos.

    Attributes
    ----------
    connections
        Number N of emulated connections. 1 to 1000. Default 2.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Multcp()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "multcp")

    connections: float = 2.0


@dataclass(frozen=True, kw_only=True)
class Bbr:
    """Cardwell and others' law, version 1 as in Linux: paces at the rate that the path delivers.

    Attributes
    ----------
    cwnd_gain
        Limit of bandwidth-delay products in flight while probing for bandwidth. 1 to 10. Default 2 (`bbr_cwnd_gain`).
    min_rtt_window
        Window of the minimum-RTT filter, in seconds. 0.1 to 1e6. Default 10 (`bbr_min_rtt_win_sec`).
    probe_rtt
        Time with four packets in flight to measure the minimum RTT again, in seconds. 0.001 to 10. Default 0.2
        (`bbr_probe_rtt_mode_ms`).
    policer
        Detect a policer, and send at its rate. Default on.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Bbr()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
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
        Share of losses that a probe for bandwidth may cause. 0.001 to 0.5. Default 0.02 (`BBR.LossThresh`).
    beta
        Least share that a round with losses leaves. 0.1 to 1. Default 0.7 (`BBR.Beta`).
    headroom
        Share of the measured capacity of the path left to others. 0 to 0.9. Default 0.15 (`BBR.Headroom`).
    probe_rtt_interval
        Time between measurements of the round-trip time, in seconds. 0.1 to 1e6. Default 5 (`BBR.ProbeRTTInterval`).
    min_rtt_window
        Window of the minimum-RTT filter, in seconds. 0.1 to 1e6. Default 10 (`BBR.MinRTTFilterLen`).
    precaution
        End a probe for bandwidth at the flight at which the last one lost too much. Default on (Precautionary
        Bandwidth Probing).
    prior_flight
        Compare the flight before the ACK for it, as Linux's BBRv3 does, and not the flight after it. Default off.
    prior_min_rtt
        Size ProbeRTT's window by the minimum RTT of before its expiry. Default off; proposed in the draft's issue
        109.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Bbr3()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "bbr3")

    loss_threshold: float = 0.02
    beta: float = 0.7
    headroom: float = 0.15
    probe_rtt_interval: float = 5.0
    min_rtt_window: float = 10.0
    precaution: bool = True
    prior_flight: bool = False
    prior_min_rtt: bool = False


@dataclass(frozen=True, kw_only=True)
class Copa:
    """Arun and Balakrishnan's law: `1/delta` packets in the queue, more beside flows that fill it.

    Attributes
    ----------
    delta
        δ: the law keeps 1/δ packets in queues. 0.001 to 1. Default 0.5, which is 2 packets (§2.1).
    competitive
        Lower δ beside flows that fill the queue (§2.2). Default on.
    min_rtt_window
        Window of the minimum-RTT filter, in seconds. 0.1 to 1e6. Default 10.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Copa()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "copa")

    delta: float = 0.5
    competitive: bool = True
    min_rtt_window: float = 10.0


@dataclass(frozen=True, kw_only=True)
class ExpDelay:
    """Exponential map from queueing delay to rate: an error of the delay costs the same ratio on any link.

    Attributes
    ----------
    rate
        Rate X without a queue, in packets per second; more than the flow's share of any link. 1 to 1e9. Default
        100000 (1.2 Gbit/s of 1500 B).
    tau
        Queueing delay τ over which the rate falls to 1/e, in seconds. 1e-5 to 100. Default 0.0144 (10 ms of error
        cost a ratio of 2).
    gamma
        Step size γ. 0.001 to 1. Default 0.5.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.ExpDelay()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "exp-delay")

    rate: float = 100000.0
    tau: float = 0.0144
    gamma: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Dctcp:
    """RFC 8257's law: Reno that falls by as much as a share of its packets was marked.

    Attributes
    ----------
    g
        Weight of a window's marks in their mean share, g. 1e-6 to 1. Default 0.0625 (1/16, RFC 8257 §4.2).

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Dctcp()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "dctcp")

    g: float = 0.0625


@dataclass(frozen=True, kw_only=True)
class Prague:
    """De Schepper, Tilmans, Briscoe and Goel's law: little and often, for queues that mark early.

    Attributes
    ----------
    g
        Weight of a round trip's marks in their mean share, g. 1e-6 to 1. Default 0.0625 (1/16, §2.4.2).
    rtt_target
        Minimum virtual round trip in seconds: flows with shorter round trips have the rate of one with this round
        trip. 0 to 10. Default 0, none; Linux has 0.025.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Prague()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "prague")

    g: float = 0.0625
    rtt_target: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A law of your own as formulas: what an ACK adds to the window, and what a loss or a mark leaves.

    Attributes
    ----------
    step
        Packets that an ACK adds to the window in congestion avoidance. Default Reno's, "acked / w".
    loss
        Window after a loss. Default Reno's, "flight / 2".
    mark
        Window after an ECN mark. Default "", that after a loss.
    start
        Packets that an ACK adds to the window in slow start; "": those that it is for, up to the threshold, as in
        Linux. Default Reno's, "min(acked, max(ssthresh - w, 2))".
    exit
        Packets in queues at which slow start ends; 0: it ends at the threshold and at losses alone. 0 to 1e9. Default
        0.
    average
        Length of the averages `avg` and `lost`, in samples. 1 to 1e6. Default 256.
    constants
        Named numbers of the formulas, to be swept and tuned as `law.constants.NAME`. Default none.

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.Formula()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "formula")

    step: str = "acked / w"
    loss: str = "flight / 2"
    mark: str = ""
    start: str = "min(acked, max(ssthresh - w, 2))"
    exit: float = 0.0
    average: float = 256.0
    constants: Mapping[str, Any] = field(default_factory=dict)


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
    | Illinois
    | Yeah
    | Ledbat
    | Lp
    | Multcp
    | Bbr
    | Bbr3
    | Copa
    | ExpDelay
    | Dctcp
    | Prague
    | Formula
)


@dataclass(frozen=True, kw_only=True)
class Tfrc:
    """TCP-friendly rate control (RFC 5348) in place of TCP.

    Datagrams are sent at the rate of the throughput equation, without retransmissions. `segment` is the payload of a
    packet. `overhead`, 40 B by default, is its headers and the size of a feedback packet. The other fields of TCP do
    not apply, and it has no `size`.

    Attributes
    ----------
    history_discounting
        Old loss intervals count less while nothing is lost (RFC 5348 §5.5).
    oscillation_reduction
        The instantaneous rate follows short-term changes of the RTT (RFC 5348 §4.5).

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.format.Tfrc()
    >>> flow = ww.Flow(from_="server", to="client", law=law)
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

    Examples
    --------
    >>> import windward as ww
    >>> law = ww.format.PythonLaw(class_="my_law.py:MyLaw")
    >>> flow = ww.Flow(from_="server", to="client", law=law)
    """

    TAG: ClassVar[tuple[str, str]] = ("name", "python")

    class_: str = field(metadata={"key": "class"})
    parameters: Mapping[str, Any] = field(default_factory=dict, metadata={"rest": True})


#: Transport of a flow.
Transport = Literal["tcp"] | Literal["quic"]


#: Implementation of a law over QUIC.
LawOf = Literal["windward"] | Literal["quinn"] | Literal["noq"]


#: Rounding of the real n to a number of connections. chen2007 has a real n and an integer number of connections, and
#: does not specify the rounding.
ConnectionRounding = Literal["floor"] | Literal["nearest"]


@dataclass(frozen=True, kw_only=True)
class Emultcp:
    """E-MULTCP as published: chen2007 (21), updated every `tau`.

    Attributes
    ----------
    tau
        Time between updates, 1 ms to 1e6 s.
    alpha
        α: n grows by α/n per `tau`; 1e-6 to 1e6.
    beta
        β: congestion multiplies n by this; 0.01 to 0.99.
    gamma
        γ: the mean RTT signals congestion when it exceeds the minimum by this share; 1e-6 to 1e6.
    rounding
        Conversion of the real n to a number of connections: its integer part, or the nearest integer. The paper does
        not specify it.
    window
        Window of the minimum-RTT filter, after which a longer path is recognised. 0 s: the whole transfer, as
        published.
    probes
        Measures round trips by UDP probes of 32 bytes, one for each data packet, which the receiver returns (chen2007
        §IV-A). They take their share of the links, and `background` counts them as `NAME-probes`. When the number of
        hops changes, the minimum RTT is that of the new route. Default: round trips of the connections themselves.
    combined
        Sends at n times the rate of a connection over a single one, without steps of whole connections (AIO-TFRC,
        chen2007 §V-A). Needs `law = "tfrc"`. Default: n connections side by side.
    max
        Maximum number of connections.

    Examples
    --------
    >>> import windward as ww
    >>> connections = ww.format.Emultcp()
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", connections=connections)
    """

    TAG: ClassVar[tuple[str, str]] = ("law", "emultcp")

    tau: str = "20 s"
    alpha: float = 0.25
    beta: float = 0.75
    gamma: float = 0.2
    rounding: ConnectionRounding = "floor"
    window: str = "0 s"
    probes: bool | None = None
    combined: bool | None = None
    max: int = 64


@dataclass(frozen=True, kw_only=True)
class Multfrc:
    """MULTFRC's law, chen2007's predecessor: as `emultcp`, but congestion subtracts β connections.

    Attributes
    ----------
    tau
        Time between updates, 1 ms to 1e6 s.
    alpha
        α: n grows by α/n per `tau`; 1e-6 to 1e6.
    beta
        β: number of connections that congestion subtracts; 0.01 to 1e6.
    gamma
        γ: the mean RTT signals congestion when it exceeds the minimum by this share; 1e-6 to 1e6.
    rounding
        Conversion of n to a number of connections, as for `emultcp`.
    window
        Window of the minimum-RTT filter, as for `emultcp`.
    probes
        Measures round trips by UDP probes of 32 bytes, one for each data packet, which the receiver returns (chen2007
        §IV-A). They take their share of the links, and `background` counts them as `NAME-probes`. When the number of
        hops changes, the minimum RTT is that of the new route. Default: round trips of the connections themselves.
    combined
        Sends at n times the rate of a connection over a single one, without steps of whole connections (AIO-TFRC,
        chen2007 §V-A). Needs `law = "tfrc"`. Default: n connections side by side.
    max
        Maximum number of connections.

    Examples
    --------
    >>> import windward as ww
    >>> connections = ww.format.Multfrc()
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", connections=connections)
    """

    TAG: ClassVar[tuple[str, str]] = ("law", "multfrc")

    tau: str = "20 s"
    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 0.2
    rounding: ConnectionRounding = "floor"
    window: str = "0 s"
    probes: bool | None = None
    combined: bool | None = None
    max: int = 64


@dataclass(frozen=True, kw_only=True)
class EmultcpFast:
    """A faster variant for transfers of about a minute: n follows the queue within seconds.

    Attributes
    ----------
    tau
        Time scale: at the start, n doubles every `tau` while there is no queue; 1 ms to 1e6 s.
    alpha
        α: n grows by α/n per `tau` without a queue; 1e-6 to 1e6.
    beta
        β: a queue of twice the threshold multiplies n by this within `tau`; 0.01 to 0.99.
    gamma
        γ: the queueing-delay threshold as a share of the minimum RTT; 1e-6 to 1e6.
    floor
        Minimum threshold.
    settle
        Time after a connection opens during which its RTT is ignored.
    window
        Window of the minimum-RTT filter, as for `emultcp`.
    bound
        Bounds the sum of the receive windows once several connections make a queue, as `windward get` does. TFRC has
        no window.
    max
        Maximum number of connections.

    Examples
    --------
    >>> import windward as ww
    >>> connections = ww.format.EmultcpFast()
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", connections=connections)
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


#: Law that controls the number of connections of a flow.
Connections = Emultcp | Multfrc | EmultcpFast


@dataclass(frozen=True, kw_only=True)
class RandomCoding:
    """Random combinations over GF(2^8).

    Attributes
    ----------
    block
        Number of segments in a block: "cwnd" is the window when the block opens, "mean-cwnd" its mean, at most 256.
    patience
        Time without progress after which the receiver requests the missing combinations of a block, in smoothed round
        trips.

    Examples
    --------
    >>> import windward as ww
    >>> coding = ww.format.RandomCoding()
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", coding=coding)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "random")

    block: str = "cwnd"
    patience: float = 1.0


@dataclass(frozen=True, kw_only=True)
class IdealCoding:
    """An infinite field: every combination is innovative until the block is complete.

    For comparison.

    Attributes
    ----------
    block
        Number of segments in a block: "cwnd" is the window when the block opens, "mean-cwnd" its mean, at most 256.
    patience
        Time without progress after which the receiver requests the missing combinations of a block, in smoothed round
        trips.

    Examples
    --------
    >>> import windward as ww
    >>> coding = ww.format.IdealCoding()
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", coding=coding)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "ideal")

    block: str = "cwnd"
    patience: float = 1.0


#: Network coding between TCP and the network: linear combinations of the segments of a block are sent.
Coding = RandomCoding | IdealCoding


@dataclass(frozen=True, kw_only=True)
class SmallQueues:
    """Limit of TCP small queues.

    Attributes
    ----------
    shift
        Pacing shift, 0 to 20: at most the pacing rate times 2^-shift seconds wait below TCP.
    """

    shift: int = 7


#: Loss detection on connections with SACK.
LossDetection = Literal["rfc6675"] | Literal["rack"]


#: Recovery from several losses without SACK.
NewReno = Literal["rfc6582"] | Literal["linux"]


#: Retransmission timeout as a function of the round trip.
Rto = Literal["rfc6298"] | Literal["linux"]


#: Explicit congestion notification of a flow.
Ecn = Literal["off"] | Literal["classic"] | Literal["accurate"] | Literal["scalable"]


@dataclass(frozen=True, kw_only=True)
class Write:
    """Pace of an application that writes, by two of the three keys, or by `rate` alone.

    Attributes
    ----------
    rate
        Rate of the payload. Alone, it comes in writes of a full segment.
    every
        Time between two writes, at least 1 µs; the first is at the opening of the connection.
    chunk
        Bytes of a write.

    Examples
    --------
    >>> import windward as ww
    >>> write = ww.format.Write(rate="5 Mbit/s")
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", write=write)
    """

    rate: str | None = None
    every: str | None = None
    chunk: str | None = None


@dataclass(frozen=True, kw_only=True)
class Read:
    """Pace of an application that reads: a rate, pauses, or both.

    Attributes
    ----------
    rate
        Rate at which the application works on what it has read: it reads at most `chunk` and is then busy for as long
        as the rate takes. Default: it takes everything at once.
    chunk
        Most bytes of a read under `rate`. Default: a full segment.
    pauses
        Pauses in which nothing is read: pairs of time and length, in order and apart.

    Examples
    --------
    >>> import windward as ww
    >>> read = ww.format.Read(rate="5 Mbit/s")
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", read=read)
    """

    rate: str | None = None
    chunk: str | None = None
    pauses: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, kw_only=True)
class Autotuning:
    """Autotuning of a receive buffer.

    Attributes
    ----------
    max
        Largest buffer in bytes of memory (Linux: `tcp_rmem[2]`), of which half is payload. At least 131 072 B, with
        which it begins.

    Examples
    --------
    >>> import windward as ww
    >>> receive_buffer = ww.format.Autotuning()
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", receive_buffer=receive_buffer)
    """

    max: str = "33554432 B"


@dataclass(frozen=True, kw_only=True)
class SendAutotuning:
    """Autotuning of a send buffer.

    Attributes
    ----------
    max
        Largest buffer in bytes (Linux: `tcp_wmem[2]`).

    Examples
    --------
    >>> import windward as ww
    >>> send_buffer = ww.format.SendAutotuning()
    >>> flow = ww.Flow(from_="server", to="client", law="cubic", send_buffer=send_buffer)
    """

    max: str = "4194304 B"


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A flow over TCP or QUIC.

    Between two groups of equal size: one flow per pair of members. Between a group and a single node: one per member.
    Several flows are named NAME-1, NAME-2, ….

    The default route is the path with the fewest links, then with the least delay. Remaining ties are broken from the
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
    dscp
        Code point of the data, which decides their access category on 802.11n, ac and ax as Linux maps it: a number,
        or a name such as `"EF"`. Default: best effort.
    ack_dscp
        Code point of the ACKs. A receiver does not copy that of the data. Default: best effort.
    law
        Congestion control law: its name, or a table of name and parameters.
    transport
        Transport: TCP, or QUIC between two endpoints of quinn-proto 0.11 whose sender runs the law. Options that name
        TCP's mechanisms are refused with "quic". Default: "tcp".
    law_of
        Implementation of the law over QUIC: "windward", "quinn" for the controller that quinn has by this name
        (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of noq-
        proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
    zero_rtt
        Resumes a session over QUIC, whose data leaves with the first flight (0-RTT), and whose handshake has no
        certificate. Default: false.
    connections
        Turns the flow into an unlimited transfer over several connections, which this law opens and closes by the RTT
        and queue that the receiver measures. They are named NAME.1, NAME.2, … up to the maximum. Default: one
        connection.
    coding
        Network coding between TCP and the network; it hides wireless losses and reordering from TCP. Default: none.
    start
        Time at which the connection opens. A list has a time for each flow: between two single nodes it makes as many
        flows.
    start_step
        Delay between the starts of consecutive flows of a group.
    start_spread
        Random extra delay of each start, uniform from 0 to this value, drawn from the seed. Default: 0 s where
        anything else in the scenario, apart from `host_jitter`, is random. Otherwise it is up to a round trip without
        queues for every seed except 1, so that no two seeds are the same run.
    stop
        Time after which no new data is sent; later than the last start. Default: the end of the run.
    size
        Data to transfer. Default: unlimited.
    segment
        Payload of a full segment, 1 B to 65 495 B; with headers at most 65 535 B.
    overhead
        Header bytes of every packet. Default: the size of IPv4, TCP and the options in use.
    stack
        Source of the defaults that name it: the RFCs, as in the papers' simulators, or current Linux with loss
        detection by time, its timeout and its quick ACKs. Default: the scenario's `stack`.
    delayed_ack
        Timeout of delayed ACKs (RFC 1122 §4.2.3.2), or false: every segment is acknowledged at once.
    quick_acks
        Number of segments that are each acknowledged at once, at the start and after a duplicate. Default: 16, and
        besides each segment that raises an autotuned receive window; 0 with `stack = "rfc"`.
    compress_sacks
        SACK compression at the receiver, as in Linux. Of the segments beyond a gap the first three are acknowledged
        at once, others by one ACK for at most 44, after min(1 ms, round trip/20). Needs `sack`. Default: false; true
        with `stack = "linux"`.
    host_jitter
        Maximum of the sending host's processing time between an ACK and the data that it releases: uniform from 0,
        drawn from the seed; at most 1 s. A packet's transmission time at the bottleneck prevents phase effects, the
        locking of flows at drop-tail queues. Default: 0 s.
    device_queue
        Packets waiting for the first link at which the sending host refuses a segment: the sender keeps it and
        reduces its window without a loss, as Linux does if its device queue overflows (`txqueuelen`,
        `tcp_enter_cwr`). Default: no limit.
    small_queues
        TCP small queues of a sender on a station of 802.11n, ac or ax, as in Linux: at most 1/128 s of its pacing
        rate wait below TCP until they are acknowledged on the air. A table sets the pacing shift; `{ shift = 10 }` is
        1/1024 s, as on wired interfaces. Default: true with `stack = "linux"` and such a sender.
    ack_division
        ACK division by a receiver that cheats: number of ACKs, each of a part of the data, that it sends in the place
        of one; 1 to 1448. A sender that counts ACKs then grows faster; one that counts packets does not. Simulated
        only. Default: 1.
    optimistic_acks
        Optimistic ACKs by a receiver that cheats: the ACK of a segment leaves the receiver this long after the
        segment has left the sender, whether or not it arrives; at most 10 s. The sender sees short round trips and no
        losses, and repairs none; a send buffer of 4 MiB bounds its window. Simulated only. Default: data is
        acknowledged when it arrives.
    ack_counting
        Counts ACKs (RFC 5681 Eq. 3), not acknowledged packets (RFC 3465), where a law grows in the way of Reno.
        Delayed ACKs then halve the growth. Linux 2.6 does so by default (`tcp_abc = 0`).
    receive_window
        Receive window in packets or bytes, at least one segment. Without one, hosts with Linux's stack have at most
        2.6 MB in flight: as much as their largest send buffer of 4 MiB lets out in a round trip. Default: 1048576
        packets.
    sack
        Selective acknowledgements (RFC 2018) with `loss_detection` and PRR (RFC 6937); if false, NewReno (RFC 6582).
    loss_detection
        Loss detection: three SACKed segments above (RFC 6675), or by time as in Linux: RACK-TLP (RFC 8985) with F-RTO
        (RFC 5682) and D-SACK (RFC 2883), which need `sack`. Default: "rfc6675"; "rack" with Linux's stack and `sack`.
    newreno
        Recovery from several losses without SACK. With "rfc6582" only the first partial ACK restarts the timer, so
        long recoveries end in a timeout. With "linux" each does, and recovery takes one round trip per loss. Default:
        "linux"; "rfc6582" with `stack = "rfc"`.
    timestamps
        Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    initial_window
        Initial window in segments. RFC 6928 recommends 10 at most; servers of content networks use up to 50.
        Emulation sets it as `initcwnd` of the kernel's route.
    initial_ssthresh
        Slow-start threshold of a new connection in segments, at least 2: what a host remembers of earlier connections
        to the same destination, as Linux did by default before 5.6 (`tcp_no_metrics_save = 0`). Simulated only.
        Default: none; slow start ends by a loss, a mark, or HyStart.
    min_rto
        Minimum retransmission timeout: 1 s in RFC 6298 §2.4, 200 ms in ns-2 and Linux. With `rto = "rfc6298"` and
        paths of more than 200 ms use 1 s; otherwise timeouts are spurious when a queue grows.
    rto
        Term to which `min_rto` applies: the whole timeout, max(minimum, srtt + 4·rttvar) (RFC 6298), or the
        variation, srtt + max(minimum, 4·rttvar) (Linux). Default: "linux"; "rfc6298" with `stack = "rfc"`.
    known_base_rtt
        Base round-trip time given to the law. "path" computes it from the route, as propagation and transmission of a
        full segment and its ACK. "handshake" is the smallest RTT sample with that of the handshake among them, plus
        the difference of the transmission times. Default: the law uses the smallest RTT sample of data. The fluid
        engine takes "handshake" and the default as the present path's.
    pacing
        Paces segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). Laws that set a pacing rate are always
        paced at it.
    ecn
        Explicit congestion notification, for queues that mark: none, a flag repeated until the sender answers (RFC
        3168), a counter in every ACK (RFC 9768), or that counter with ECT(1) in every packet (RFC 9331). Default:
        "scalable" with `law = "prague"`, "accurate" with "dctcp", else "off".
    write
        Application that writes at its own pace, such as `{ rate = "1 Mbit/s", every = "20 ms" }`. Default: it always
        has data.
    read
        Application that reads at its own pace, such as `{ rate = "2 Mbit/s" }` or `{ pauses = [["10 s", "2 s"]] }`.
        The receive window then moves; it needs `receive_buffer` or a `receive_window`. Default: everything at once.
    receive_buffer
        Receive buffer whose window moves, as in Linux: a size in bytes, `"auto"` for one that follows the application
        from 81 920 B on, or a table with its limit. Default: "auto" with Linux's stack where an application writes or
        reads at its own pace and no `receive_window` is given, else none: the window is constant.
    send_buffer
        Send buffer, which makes a writer wait while it is full, as in Linux: a size in bytes of memory, `"auto"` for
        one that follows the congestion window from 87 040 B on, or a table with its limit. The rate depends on the
        size of the writes. Default: "auto" with Linux's stack where an application writes or reads at its own pace,
        else none: what is written and not sent is unlimited.
    nagle
        Nagle's algorithm in Minshall's variant, as in Linux: a short segment waits while another one is in flight.
        Default: false, as browsers and servers choose with `TCP_NODELAY`.
    idle_restart
        Reduces the window when the application writes after a pause of more than a timeout: to the initial window
        (RFC 5681 §4.1), or with `stack = "linux"` by half for each timeout, not below the initial window. Default:
        false; true with `stack = "linux"`, as its `tcp_slow_start_after_idle`. Flows that always have data never
        pause.

    Examples
    --------
    >>> import windward as ww
    >>> flow = ww.Flow(from_="server", to="client", law="cubic")
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    dscp: int | str | None = None
    ack_dscp: int | str | None = None
    law: str | LawSpec | Tfrc | PythonLaw | Callable[[float], Any]
    transport: Transport | None = None
    law_of: LawOf | None = None
    zero_rtt: bool = False
    connections: str | Connections | None = None
    coding: str | Coding | None = None
    start: str | Sequence[str] = "0 s"
    start_step: str = "0 s"
    start_spread: str | None = None
    stop: str | None = None
    size: str | None = None
    segment: str = "1448 B"
    overhead: str | None = None
    stack: Stack | None = None
    delayed_ack: str | Literal[False] = "40 ms"
    quick_acks: int | None = None
    compress_sacks: bool | None = None
    host_jitter: str | None = None
    device_queue: int | None = None
    small_queues: bool | SmallQueues | None = None
    ack_division: int | None = None
    optimistic_acks: str | None = None
    ack_counting: bool = False
    receive_window: str | None = None
    sack: bool = True
    loss_detection: LossDetection | None = None
    newreno: NewReno | None = None
    timestamps: bool = True
    initial_window: int = 10
    initial_ssthresh: int | None = None
    min_rto: str = "200 ms"
    rto: Rto | None = None
    known_base_rtt: str | None = None
    pacing: bool = False
    ecn: Ecn | None = None
    write: Write | None = None
    read: Read | None = None
    receive_buffer: str | Autotuning | None = None
    send_buffer: str | SendAutotuning | None = None
    nagle: bool = False
    idle_restart: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Tcp:
    """TCP options of both ends of an application's connections.

    Attributes
    ----------
    segment
        Payload of a full segment, 1 B to 65 495 B; with headers at most 65 535 B.
    overhead
        Header bytes of every packet. Default: the size of IPv4, TCP and the options in use.
    stack
        Source of the defaults that name it: the RFCs, as in the papers' simulators, or current Linux with loss
        detection by time, its timeout and its quick ACKs. Default: the scenario's `stack`.
    delayed_ack
        Timeout of delayed ACKs (RFC 1122 §4.2.3.2), or false: every segment is acknowledged at once.
    quick_acks
        Number of segments that are each acknowledged at once, at the start and after a duplicate. Default: 16, and
        besides each segment that raises an autotuned receive window; 0 with `stack = "rfc"`.
    compress_sacks
        SACK compression at the receiver, as in Linux. Of the segments beyond a gap the first three are acknowledged
        at once, others by one ACK for at most 44, after min(1 ms, round trip/20). Needs `sack`. Default: false; true
        with `stack = "linux"`.
    ack_counting
        Counts ACKs (RFC 5681 Eq. 3), not acknowledged packets (RFC 3465), where a law grows in the way of Reno.
        Delayed ACKs then halve the growth. Linux 2.6 does so by default (`tcp_abc = 0`).
    receive_window
        Receive window in packets or bytes, at least one segment. Without one, hosts with Linux's stack have at most
        2.6 MB in flight: as much as their largest send buffer of 4 MiB lets out in a round trip. Default: 1048576
        packets.
    sack
        Selective acknowledgements (RFC 2018) with `loss_detection` and PRR (RFC 6937); if false, NewReno (RFC 6582).
    loss_detection
        Loss detection: three SACKed segments above (RFC 6675), or by time as in Linux: RACK-TLP (RFC 8985) with F-RTO
        (RFC 5682) and D-SACK (RFC 2883), which need `sack`. Default: "rfc6675"; "rack" with Linux's stack and `sack`.
    newreno
        Recovery from several losses without SACK. With "rfc6582" only the first partial ACK restarts the timer, so
        long recoveries end in a timeout. With "linux" each does, and recovery takes one round trip per loss. Default:
        "linux"; "rfc6582" with `stack = "rfc"`.
    timestamps
        Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    initial_window
        Initial window in segments. RFC 6928 recommends 10 at most; servers of content networks use up to 50.
        Emulation sets it as `initcwnd` of the kernel's route.
    initial_ssthresh
        Slow-start threshold of a new connection in segments, at least 2: what a host remembers of earlier connections
        to the same destination, as Linux did by default before 5.6 (`tcp_no_metrics_save = 0`). Simulated only.
        Default: none; slow start ends by a loss, a mark, or HyStart.
    min_rto
        Minimum retransmission timeout: 1 s in RFC 6298 §2.4, 200 ms in ns-2 and Linux. With `rto = "rfc6298"` and
        paths of more than 200 ms use 1 s; otherwise timeouts are spurious when a queue grows.
    rto
        Term to which `min_rto` applies: the whole timeout, max(minimum, srtt + 4·rttvar) (RFC 6298), or the
        variation, srtt + max(minimum, 4·rttvar) (Linux). Default: "linux"; "rfc6298" with `stack = "rfc"`.
    pacing
        Paces segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). Laws that set a pacing rate are always
        paced at it.
    ecn
        Explicit congestion notification, for queues that mark: none, a flag repeated until the sender answers (RFC
        3168), a counter in every ACK (RFC 9768), or that counter with ECT(1) in every packet (RFC 9331). Default:
        "scalable" with `law = "prague"`, "accurate" with "dctcp", else "off".
    read
        Application that reads at its own pace, such as `{ rate = "2 Mbit/s" }` or `{ pauses = [["10 s", "2 s"]] }`.
        The receive window then moves; it needs `receive_buffer` or a `receive_window`. Default: everything at once.
    receive_buffer
        Receive buffer whose window moves, as in Linux: a size in bytes, `"auto"` for one that follows the application
        from 81 920 B on, or a table with its limit. Default: "auto" with Linux's stack where an application writes or
        reads at its own pace and no `receive_window` is given, else none: the window is constant.
    send_buffer
        Send buffer, which makes a writer wait while it is full, as in Linux: a size in bytes of memory, `"auto"` for
        one that follows the congestion window from 87 040 B on, or a table with its limit. The rate depends on the
        size of the writes. Default: "auto" with Linux's stack where an application writes or reads at its own pace,
        else none: what is written and not sent is unlimited.
    nagle
        Nagle's algorithm in Minshall's variant, as in Linux: a short segment waits while another one is in flight.
        Default: false, as browsers and servers choose with `TCP_NODELAY`.
    idle_restart
        Reduces the window when the application writes after a pause of more than a timeout: to the initial window
        (RFC 5681 §4.1), or with `stack = "linux"` by half for each timeout, not below the initial window. Default:
        false; true with `stack = "linux"`, as its `tcp_slow_start_after_idle`. Flows that always have data never
        pause.
    """

    segment: str = "1448 B"
    overhead: str | None = None
    stack: Stack | None = None
    delayed_ack: str | Literal[False] = "40 ms"
    quick_acks: int | None = None
    compress_sacks: bool | None = None
    ack_counting: bool = False
    receive_window: str | None = None
    sack: bool = True
    loss_detection: LossDetection | None = None
    newreno: NewReno | None = None
    timestamps: bool = True
    initial_window: int = 10
    initial_ssthresh: int | None = None
    min_rto: str = "200 ms"
    rto: Rto | None = None
    pacing: bool = False
    ecn: Ecn | None = None
    read: Read | None = None
    receive_buffer: str | Autotuning | None = None
    send_buffer: str | SendAutotuning | None = None
    nagle: bool = False
    idle_restart: bool | None = None


@dataclass(frozen=True, kw_only=True)
class PoissonArrivals:
    """Open loop: a Poisson process, by `load` or by `rate`.

    Attributes
    ----------
    load
        Responses with their headers as a share of the slowest link on their way, of all clients of the table
        together.
    rate
        Requests per second of each client.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "poisson")

    load: float | None = None
    rate: float | None = None


@dataclass(frozen=True, kw_only=True)
class PeriodicArrivals:
    """Open loop: one request at the start, and one after every span.

    Attributes
    ----------
    every
        Time between two requests of a client.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "periodic")

    every: str


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
class ClosedArrivals:
    """Closed loop: each user thinks, sends a request, and waits for the response.

    Attributes
    ----------
    users
        Number of users of each client.
    think
        Mean time for which a user thinks.
    think_spread
        Distribution of these times.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "closed")

    users: int
    think: str
    think_spread: Spread = "exponential"


@dataclass(frozen=True, kw_only=True)
class ArrivalTime:
    """A given arrival.

    Attributes
    ----------
    time
        Time from `start`, not before that of the arrival above.
    bytes
        Size of the response. Default: drawn from `response`.
    """

    time: str
    bytes: str | None = None


@dataclass(frozen=True, kw_only=True)
class CsvArrivals:
    """Open loop: given times.

    Attributes
    ----------
    times
        A file of comma-separated values with the columns `time_s`, from `start`, and optionally `bytes`, the size of
        the response; or a list of the same.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "csv")

    times: str | Sequence[ArrivalTime]


#: Arrivals of requests. In an open loop they do not wait for responses; in a closed loop they do.
Arrivals = PoissonArrivals | PeriodicArrivals | ClosedArrivals | CsvArrivals


@dataclass(frozen=True, kw_only=True)
class FixedSize:
    """Constant.

    Attributes
    ----------
    size
        Size.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "fixed")

    size: str


@dataclass(frozen=True, kw_only=True)
class ExponentialSize:
    """Exponential.

    Attributes
    ----------
    mean
        Mean.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "exponential")

    mean: str


@dataclass(frozen=True, kw_only=True)
class LognormalSize:
    """Lognormal.

    Attributes
    ----------
    mean
        Mean.
    cv
        Coefficient of variation: standard deviation divided by mean; positive.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "lognormal")

    mean: str
    cv: float


@dataclass(frozen=True, kw_only=True)
class ParetoSize:
    """Pareto between two bounds.

    Attributes
    ----------
    shape
        Shape, positive.
    min
        Lower bound.
    max
        Upper bound.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "pareto")

    shape: float
    min: str
    max: str


@dataclass(frozen=True, kw_only=True)
class WebSearchSize:
    """Web search, as in HPCC's and HKUST's traffic generators: mean 1.71 MB, up to 30 MB, linear between 11 points."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "web-search")


@dataclass(frozen=True, kw_only=True)
class DataMiningSize:
    """Data mining (VL2), as in HKUST's traffic generator: mean 12.7 MB, up to 1 GB, linear between 12 points."""

    TAG: ClassVar[tuple[str, str]] = ("kind", "data-mining")


@dataclass(frozen=True, kw_only=True)
class SizePoint:
    """A point of a distribution of sizes.

    Attributes
    ----------
    bytes
        Size.
    share
        Share of the responses of at most this size; at most 1.
    """

    bytes: str
    share: float


@dataclass(frozen=True, kw_only=True)
class CsvSize:
    """Given points, linear between them.

    Attributes
    ----------
    points
        A file of comma-separated values with the columns `bytes` and `share`, the share of the responses with at most
        that size; or a list of the same. Both increase, and the last share is 1. Sizes below the first point are that
        point's.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "csv")

    points: str | Sequence[SizePoint]


#: Distribution of sizes.
Sizes = FixedSize | ExponentialSize | LognormalSize | ParetoSize | WebSearchSize | DataMiningSize | CsvSize


@dataclass(frozen=True, kw_only=True)
class Requests:
    """A client sends requests to a server, which answers each with a response.

    Attributes
    ----------
    name
        Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group of the clients, which open connections and send requests: browsers, players.
    to
        Node or group of the servers.
    count
        Number of pairs of client and server between two single nodes.
    via
        Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for flows.
    return_via
        Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
    start
        Time at which the application starts. A list has a time for each pair of client and server: between two single
        nodes it makes as many.
    stop
        Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        Default: the end of the run.
    law
        Congestion control law of both ends; any but `tfrc`.
    transport
        Transport of the connections: TCP, or QUIC between two endpoints of quinn-proto 0.11 whose ends both run the
        law. Options in `tcp` that name TCP's mechanisms are refused with "quic". Default: "tcp".
    law_of
        Implementation of the law over QUIC: "windward", "quinn" for the controller that quinn has by this name
        (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of noq-
        proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
    zero_rtt
        Resumes a session over QUIC, whose requests leave with the first flight (0-RTT), and whose handshake has no
        certificate. Default: false.
    tcp
        TCP options of both ends.
    arrivals
        Arrivals of requests.
    request
        Size of a request. The default is that of 3GPP's model of web browsing.
    response
        Size of a response, or its distribution.
    service
        Time at the server from the last byte of a request to the first of its response.
    connections
        Use of connections, each of which carries one request at a time: "new" opens one for each request, which the
        server closes after the response; "pool" keeps connections and opens another one if none is idle; a number is
        the most that are kept, and requests wait while all are in use.
    deadline
        Time after which a response counts as late. Default: none.

    Examples
    --------
    >>> import windward as ww
    >>> requests = ww.Requests(
    ...     from_="server", to="client", law="cubic", arrivals=ww.format.PoissonArrivals(rate=2.0), response="20 kB"
    ... )
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "requests")

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    start: str | Sequence[str] = "0 s"
    stop: str | None = None
    law: str | LawSpec | Tfrc | PythonLaw
    transport: Transport | None = None
    law_of: LawOf | None = None
    zero_rtt: bool = False
    tcp: Tcp = Tcp()
    arrivals: Arrivals
    request: str = "328 B"
    response: str | Sizes
    service: str = "0 s"
    connections: str | int = "new"
    deadline: str | None = None


#: DataDirection of transfers.
DataDirection = Literal["down"] | Literal["up"]


@dataclass(frozen=True, kw_only=True)
class Session:
    """Bulk transfers that come and go, each over a connection of its own, of a given `size` or for a given time (`on`).

    The end that receives asks for a transfer with one byte. With arrivals of the kind `closed` a user transfers,
    pauses, and transfers again.

    Attributes
    ----------
    name
        Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group of the clients, which open connections and send requests: browsers, players.
    to
        Node or group of the servers.
    count
        Number of pairs of client and server between two single nodes.
    via
        Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for flows.
    return_via
        Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
    start
        Time at which the application starts. A list has a time for each pair of client and server: between two single
        nodes it makes as many.
    stop
        Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        Default: the end of the run.
    law
        Congestion control law of both ends; any but `tfrc`.
    tcp
        TCP options of both ends.
    arrivals
        Arrivals of transfers.
    size
        Size of a transfer, or its distribution.
    on
        Mean time for which a transfer has data, in the place of a `size`. What is in flight then still arrives.
    on_spread
        Distribution of these times. Default: exponential.
    direction
        Direction of the data: "down", from the server to the client, or "up".
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "session")

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    start: str | Sequence[str] = "0 s"
    stop: str | None = None
    law: str | LawSpec | Tfrc | PythonLaw
    tcp: Tcp = Tcp()
    arrivals: Arrivals
    size: str | Sizes | None = None
    on: str | None = None
    on_spread: Spread | None = None
    direction: DataDirection = "down"


#: Estimate of the throughput.
Estimate = Literal["harmonic"] | Literal["ewma"]


@dataclass(frozen=True, kw_only=True)
class ThroughputRule:
    """Throughput: the largest bit rate of at most `safety` times the estimate (dash.js, sabre).

    Attributes
    ----------
    safety
        Share of the estimate, above 0.
    estimate
        Estimate: "harmonic" mean of the last five chunks, or "ewma", the lesser of two averages with half-lives of 3
        s and 8 s.

    Examples
    --------
    >>> import windward as ww
    >>> rule = ww.format.ThroughputRule()
    >>> video = ww.Video(from_="server", to="client", rule=rule)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "throughput")

    safety: float = 0.9
    estimate: Estimate = "harmonic"


@dataclass(frozen=True, kw_only=True)
class BufferRule:
    """Buffer, as in Pensieve's "BB".

    The level is proportional to the buffer above `reservoir`, and the highest one `cushion` above it.

    Attributes
    ----------
    reservoir
        Buffer up to which the level is the lowest.
    cushion
        Buffer above it at which the level is the highest.

    Examples
    --------
    >>> import windward as ww
    >>> rule = ww.format.BufferRule()
    >>> video = ww.Video(from_="server", to="client", rule=rule)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "buffer")

    reservoir: str = "5 s"
    cushion: str = "10 s"


@dataclass(frozen=True, kw_only=True)
class BbaRule:
    """BBA-0 (Huang et al. 2014): a bit rate linear in the buffer; the level changes when it crosses the next one.

    Attributes
    ----------
    reservoir
        Buffer up to which the level is the lowest. Default: 3/8 of the player's `buffer`, 90 s of 240 s.
    cushion
        Buffer above it from which the level is the highest. Default: 21/40 of the player's `buffer`, 126 s of 240 s.

    Examples
    --------
    >>> import windward as ww
    >>> rule = ww.format.BbaRule()
    >>> video = ww.Video(from_="server", to="client", rule=rule)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "bba")

    reservoir: str | None = None
    cushion: str | None = None


@dataclass(frozen=True, kw_only=True)
class BolaRule:
    """BOLA-BASIC (Spiteri et al. 2016), by the buffer alone.

    Attributes
    ----------
    gamma
        γ times the playing time of a chunk, above 0: weight of the buffer against the quality.
    buffer
        Buffer that it aims below; longer than a chunk, at most the player's `buffer`.

    Examples
    --------
    >>> import windward as ww
    >>> rule = ww.format.BolaRule()
    >>> video = ww.Video(from_="server", to="client", rule=rule)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "bola")

    gamma: float = 5.0
    buffer: str = "25 s"


@dataclass(frozen=True, kw_only=True)
class MpcRule:
    """Model-predictive control (Yin et al. 2015): the best quality of experience over the next chunks.

    Attributes
    ----------
    horizon
        Chunks that the search covers: 1 to 8.

    Examples
    --------
    >>> import windward as ww
    >>> rule = ww.format.MpcRule()
    >>> video = ww.Video(from_="server", to="client", rule=rule)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "mpc")

    horizon: int = 5


@dataclass(frozen=True, kw_only=True)
class RobustMpcRule:
    """The robust form of MPC, which divides the expected throughput by one plus its largest recent error.

    Attributes
    ----------
    horizon
        Chunks that the search covers: 1 to 8.

    Examples
    --------
    >>> import windward as ww
    >>> rule = ww.format.RobustMpcRule()
    >>> video = ww.Video(from_="server", to="client", rule=rule)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "robust-mpc")

    horizon: int = 5


#: Rules of adaptive bit rates.
Rule = ThroughputRule | BufferRule | BbaRule | BolaRule | MpcRule | RobustMpcRule


#: Formula of the quality of experience.
Qoe = Literal["linear"] | Literal["log"]


@dataclass(frozen=True, kw_only=True)
class Video:
    """A player of adaptive video.

    It asks for one chunk after the other over one connection, and a rule chooses the bit rate of each.

    Attributes
    ----------
    name
        Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group of the clients, which open connections and send requests: browsers, players.
    to
        Node or group of the servers.
    count
        Number of pairs of client and server between two single nodes.
    via
        Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for flows.
    return_via
        Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
    start
        Time at which the application starts. A list has a time for each pair of client and server: between two single
        nodes it makes as many.
    stop
        Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        Default: the end of the run.
    law
        Congestion control law of both ends; any but `tfrc`. Default: CUBIC.
    transport
        Transport of the connections: TCP, or QUIC between two endpoints of quinn-proto 0.11 whose ends both run the
        law. Options in `tcp` that name TCP's mechanisms are refused with "quic". Default: "tcp".
    law_of
        Implementation of the law over QUIC: "windward", "quinn" for the controller that quinn has by this name
        (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of noq-
        proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
    zero_rtt
        Resumes a session over QUIC, whose requests leave with the first flight (0-RTT), and whose handshake has no
        certificate. Default: false.
    tcp
        TCP options of both ends.
    rule
        Rule that chooses the bit rates. The first chunk has the lowest. Default: BOLA.
    ladder
        Bit rates of the levels, increasing. Default: 300, 750, 1200, 1850, 2850 and 4300 kbit/s (Pensieve).
    chunk
        Playing time of a chunk.
    chunks
        Number of chunks. Default: that of `sizes`, or as many as the run takes.
    sizes
        A file of comma-separated values with the bytes of every chunk: a line for each chunk, a column for each
        level, and a header that begins each column with `level`; or a list of lists. Default: bit rate times `chunk`.
    buffer
        Playing time for which the player has room: it asks for a chunk once the chunk has room too.
    start_after
        Chunks that arrive before playback starts, and before it resumes after a stall.
    request
        Size of a request.
    qoe
        Formula of the quality of experience (Pensieve): "linear" or "log".

    Examples
    --------
    >>> import windward as ww
    >>> video = ww.Video(from_="server", to="client")
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "video")

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    start: str | Sequence[str] = "0 s"
    stop: str | None = None
    law: str | LawSpec | Tfrc | PythonLaw = "cubic"
    transport: Transport | None = None
    law_of: LawOf | None = None
    zero_rtt: bool = False
    tcp: Tcp = Tcp()
    rule: str | Rule = "bola"
    ladder: Sequence[str] = ("300 kbit/s", "750 kbit/s", "1.2 Mbit/s", "1.85 Mbit/s", "2.85 Mbit/s", "4.3 Mbit/s")
    chunk: str = "4 s"
    chunks: int | None = None
    sizes: str | Sequence[Sequence[str]] | None = None
    buffer: str = "60 s"
    start_after: int = 1
    request: str = "328 B"
    qoe: Qoe = "linear"


@dataclass(frozen=True, kw_only=True)
class PageObject:
    """Object of a page.

    Attributes
    ----------
    name
        Name of the object, unique within the page.
    size
        Bytes of the response, headers included.
    origin
        Origin, such as "https://example.org". All origins are at the node `to`. Default: that of the page.
    parent
        Object that names this one, which is discovered once that has arrived. Default: the page.
    delay
        Time from the last byte of the parent to the discovery: parsing, scripts.
    service
        Time at the server from the last byte of the request to the first of the response.
    blocking
        True if the browser shows nothing before the object has arrived. The page itself always blocks.
    redirect
        True if the browser goes on to the object whose parent this is: the first byte of a visit is that of the
        object at the end.
    """

    name: str
    size: str
    origin: str | None = None
    parent: str | None = None
    delay: str = "0 s"
    service: str = "0 s"
    blocking: bool = False
    redirect: bool = False


#: Protocol of a page.
HttpProtocol = Literal["h2"] | Literal["h3"] | Literal["http/1.1"]


#: Order of a browser's requests.
RequestOrder = Literal["discovery"] | Literal["tight"]


@dataclass(frozen=True, kw_only=True)
class Page:
    """A browser that visits a web page.

    It discovers objects by what has arrived, and asks for them over HTTP. Each visit begins without connections,
    addresses or a cache.

    Attributes
    ----------
    name
        Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group of the clients, which open connections and send requests: browsers, players.
    to
        Node or group of the servers.
    count
        Number of pairs of client and server between two single nodes.
    via
        Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for flows.
    return_via
        Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
    start
        Time at which the application starts. A list has a time for each pair of client and server: between two single
        nodes it makes as many.
    stop
        Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        Default: the end of the run.
    law
        Congestion control law of both ends; any but `tfrc`. Default: CUBIC.
    tcp
        TCP options of both ends.
    objects
        Objects of the page, the page itself first: a file, either `{"objects": […]}` in JSON or a HAR 1.2, or the
        list. Default: the means of 3GPP's model of web browsing, a page of 10 710 B that names 6 objects of 7758 B
        after 130 ms.
    protocol
        Use of connections: "h2" sends all requests of an origin over one connection, and responses in the order in
        which they are ready; "h3" has one connection over QUIC to each origin, as `transport` of other applications,
        with a stream for each request; "http/1.1" has up to `connections` to an origin, each with one request at a
        time.
    law_of
        Implementation of the law with "h3": "windward", "quinn" for the controller that quinn has by this name
        (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of noq-
        proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
    order
        Order of the requests: "discovery" sends each once its object is discovered; "tight" is Chromium's tight mode:
        until all objects with `blocking` have arrived, it asks for another one only while fewer than two are on their
        way.
    connections
        Most connections to an origin with "http/1.1".
    preconnect
        Connections that "http/1.1" opens when the first object of an origin is discovered.
    dns
        Time that the first object of an origin waits for its address.
    tls
        Round trips of TLS after the handshake of TCP: 1 for TLS 1.3, 2 for TLS 1.2, 0 for none. With "h3", whose
        handshake contains TLS: 1, or 0 for a resumed session whose requests leave with the first flight (0-RTT).
    request
        Size of a request. The default is that of 3GPP's model of web browsing.
    visits
        Number of visits. Default: as many as the run takes.
    reading
        Mean time from the last byte of a page to the next visit. The default is that of 3GPP's model.
    reading_spread
        Distribution of these times: "fixed" or "exponential".

    Examples
    --------
    >>> import windward as ww
    >>> page = ww.Page(from_="server", to="client")
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "page")

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    start: str | Sequence[str] = "0 s"
    stop: str | None = None
    law: str | LawSpec | Tfrc | PythonLaw = "cubic"
    tcp: Tcp = Tcp()
    objects: str | Sequence[PageObject] | None = None
    protocol: HttpProtocol = "h2"
    law_of: LawOf | None = None
    order: RequestOrder = "discovery"
    connections: int = 6
    preconnect: int = 1
    dns: str = "0 s"
    tls: float = 1.0
    request: str = "328 B"
    visits: int | None = None
    reading: str = "30 s"
    reading_spread: Spread = "exponential"


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game: small datagrams both ways.

    Gaps and sizes have extreme-value distributions (IEEE 802.11's report on real-time applications). From the client
    one every 18.3 ms with 40 B on average, from the server one every 15.1 ms with 56 B, and 28 B of headers each.

    Attributes
    ----------
    name
        Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group of the clients, which open connections and send requests: browsers, players.
    to
        Node or group of the servers.
    count
        Number of pairs of client and server between two single nodes.
    via
        Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for flows.
    return_via
        Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
    start
        Time at which the application starts. A list has a time for each pair of client and server: between two single
        nodes it makes as many.
    stop
        Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        Default: the end of the run.
    dscp
        Code point of the datagrams, which decides their access category on 802.11n, ac and ax: a number, or a name
        such as `"EF"`. Default: best effort.

    Examples
    --------
    >>> import windward as ww
    >>> game = ww.Game(from_="server", to="client")
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "game")

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    start: str | Sequence[str] = "0 s"
    stop: str | None = None
    dscp: int | str | None = None


#: ECN field of datagrams (RFC 3168, RFC 9331).
DatagramEcn = Literal["off"] | Literal["classic"] | Literal["scalable"]


@dataclass(frozen=True, kw_only=True)
class Constant:
    """Constant bit rate.

    Attributes
    ----------
    fps
        Frames per second, 1 to 240.
    packet
        Largest datagram on the wire, headers included: 100 B to 65 535 B. A frame is divided evenly.
    spread
        Scale of the Laplace distribution of frame sizes, as a share of the mean: 0 to 0.5. 0: all have the mean size.
        RFC 8593 has 0.15.
    report
        Time between two reports of the receiver, at least 1 ms. Default: 100 ms (RFC 8698); with `scream` at most 40
        ms, 16 datagrams, and at the end of each frame (the draft's requirements).
    ecn
        ECN field of the datagrams: none, ECT(0), or ECT(1). `nada` and `scream` respond to marks, `scream` to those
        of ECT(1) as to L4S.
    rate
        Bit rate.

    Examples
    --------
    >>> import windward as ww
    >>> video = ww.format.Constant(rate="2 Mbit/s")
    >>> call = ww.Call(from_="server", to="client", video=video)
    """

    TAG: ClassVar[tuple[str, str]] = ("control", "constant")

    fps: float = 30.0
    packet: str = "1200 B"
    spread: float = 0.0
    report: str | None = None
    ecn: DatagramEcn = "off"
    rate: str


@dataclass(frozen=True, kw_only=True)
class Nada:
    """NADA (RFC 8698): by queueing delay, losses and marks.

    Attributes
    ----------
    fps
        Frames per second, 1 to 240.
    packet
        Largest datagram on the wire, headers included: 100 B to 65 535 B. A frame is divided evenly.
    spread
        Scale of the Laplace distribution of frame sizes, as a share of the mean: 0 to 0.5. 0: all have the mean size.
        RFC 8593 has 0.15.
    report
        Time between two reports of the receiver, at least 1 ms. Default: 100 ms (RFC 8698); with `scream` at most 40
        ms, 16 datagrams, and at the end of each frame (the draft's requirements).
    ecn
        ECN field of the datagrams: none, ECT(0), or ECT(1). `nada` and `scream` respond to marks, `scream` to those
        of ECT(1) as to L4S.
    least
        RMIN: least bit rate.
    most
        RMAX: largest bit rate. Shares of a bottleneck are proportional to it.
    priority
        PRIO: weight of the stream, 0.01 to 100.

    Examples
    --------
    >>> import windward as ww
    >>> video = ww.format.Nada()
    >>> call = ww.Call(from_="server", to="client", video=video)
    """

    TAG: ClassVar[tuple[str, str]] = ("control", "nada")

    fps: float = 30.0
    packet: str = "1200 B"
    spread: float = 0.0
    report: str | None = None
    ecn: DatagramEcn = "off"
    least: str = "150 kbit/s"
    most: str = "1.5 Mbit/s"
    priority: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Scream:
    """SCReAM v2 (draft-ietf-ccwg-rfc8298bis-screamv2, August 2026): a window by queueing delay, losses and marks.

    Attributes
    ----------
    fps
        Frames per second, 1 to 240.
    packet
        Largest datagram on the wire, headers included: 100 B to 65 535 B. A frame is divided evenly.
    spread
        Scale of the Laplace distribution of frame sizes, as a share of the mean: 0 to 0.5. 0: all have the mean size.
        RFC 8593 has 0.15.
    report
        Time between two reports of the receiver, at least 1 ms. Default: 100 ms (RFC 8698); with `scream` at most 40
        ms, 16 datagrams, and at the end of each frame (the draft's requirements).
    ecn
        ECN field of the datagrams: none, ECT(0), or ECT(1). `nada` and `scream` respond to marks, `scream` to those
        of ECT(1) as to L4S.
    least
        Least bit rate.
    most
        Largest bit rate.

    Examples
    --------
    >>> import windward as ww
    >>> video = ww.format.Scream()
    >>> call = ww.Call(from_="server", to="client", video=video)
    """

    TAG: ClassVar[tuple[str, str]] = ("control", "scream")

    fps: float = 30.0
    packet: str = "1200 B"
    spread: float = 0.0
    report: str | None = None
    ecn: DatagramEcn = "off"
    least: str = "150 kbit/s"
    most: str = "1.5 Mbit/s"


@dataclass(frozen=True, kw_only=True)
class Gcc:
    """GCC (draft-ietf-rmcat-gcc-02): by the trend of the delay, and losses.

    Browsers have moved on from the draft.

    Attributes
    ----------
    fps
        Frames per second, 1 to 240.
    packet
        Largest datagram on the wire, headers included: 100 B to 65 535 B. A frame is divided evenly.
    spread
        Scale of the Laplace distribution of frame sizes, as a share of the mean: 0 to 0.5. 0: all have the mean size.
        RFC 8593 has 0.15.
    report
        Time between two reports of the receiver, at least 1 ms. Default: 100 ms (RFC 8698); with `scream` at most 40
        ms, 16 datagrams, and at the end of each frame (the draft's requirements).
    ecn
        ECN field of the datagrams: none, ECT(0), or ECT(1). `nada` and `scream` respond to marks, `scream` to those
        of ECT(1) as to L4S.
    least
        Least bit rate.
    most
        Largest bit rate.

    Examples
    --------
    >>> import windward as ww
    >>> video = ww.format.Gcc()
    >>> call = ww.Call(from_="server", to="client", video=video)
    """

    TAG: ClassVar[tuple[str, str]] = ("control", "gcc")

    fps: float = 30.0
    packet: str = "1200 B"
    spread: float = 0.0
    report: str | None = None
    ecn: DatagramEcn = "off"
    least: str = "150 kbit/s"
    most: str = "1.5 Mbit/s"


#: Video of a call: frames of an encoder, whose bit rate a law decides by the reports of the receiver. Rates are on the
#: wire, headers included.
CallVideo = Constant | Nada | Scream | Gcc


@dataclass(frozen=True, kw_only=True)
class Call:
    """A telephone call: datagrams of speech both ways at a constant rate, and video if `video` is given.

    The quality of the speech in each direction is judged by the E-model (ITU-T G.107).

    Attributes
    ----------
    name
        Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group of the clients, which open connections and send requests: browsers, players.
    to
        Node or group of the servers.
    count
        Number of pairs of client and server between two single nodes.
    via
        Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for flows.
    return_via
        Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
    start
        Time at which the application starts. A list has a time for each pair of client and server: between two single
        nodes it makes as many.
    stop
        Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        Default: the end of the run.
    packet
        Size of a datagram on the wire, headers included: 28 B to 65 535 B. Default: Opus at 32 kbit/s, 80 B with 40 B
        of RTP, UDP and IPv4.
    every
        Playing time of a datagram.
    playout
        Time that the receiver waits beyond the shortest delay before it plays a datagram; later ones are lost to it.
    impairment
        Impairment Ie of the codec, 0 to 95. There is none for Opus: 0 is chosen. G.711: 0; G.729A: 11.
    robustness
        Robustness Bpl of the codec against loss, above 0. There is none for Opus: 25 is chosen. G.711 with
        concealment: 25.1; G.729A: 19.
    video
        Video in each direction: the law of its bit rate, or a table. Default: none.
    dscp
        Code point of the datagrams. Default: best effort.

    Examples
    --------
    >>> import windward as ww
    >>> call = ww.Call(from_="server", to="client")
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "call")

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    start: str | Sequence[str] = "0 s"
    stop: str | None = None
    packet: str = "120 B"
    every: str = "20 ms"
    playout: str = "60 ms"
    impairment: float = 0.0
    robustness: float = 25.0
    video: str | CallVideo | None = None
    dscp: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Ping:
    """A ping: the server answers each datagram of the client with one of the same size.

    The delays are round trips.

    Attributes
    ----------
    name
        Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    from_
        Node or group of the clients, which open connections and send requests: browsers, players.
    to
        Node or group of the servers.
    count
        Number of pairs of client and server between two single nodes.
    via
        Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for flows.
    return_via
        Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
    start
        Time at which the application starts. A list has a time for each pair of client and server: between two single
        nodes it makes as many.
    stop
        Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        Default: the end of the run.
    every
        Time between two datagrams.
    packet
        Size of a datagram on the wire, headers included: 28 B to 65 535 B. The default is that of `ping`.
    dscp
        Code point of the datagrams and of the answers. Default: best effort.

    Examples
    --------
    >>> import windward as ww
    >>> ping = ww.Ping(from_="server", to="client")
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "ping")

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    count: int | None = None
    via: Sequence[str] | None = None
    return_via: Sequence[str] | None = None
    start: str | Sequence[str] = "0 s"
    stop: str | None = None
    every: str = "200 ms"
    packet: str = "84 B"
    dscp: int | str | None = None


#: An application between a client and a server. Groups work as for flows: each pair of client and server has arrivals
#: and connections of its own.
App = Requests | Session | Video | Page | Game | Call | Ping


@dataclass(frozen=True, kw_only=True)
class Cbr:
    """Constant bit rate: evenly spaced datagrams.

    Attributes
    ----------
    rate
        Rate.

    Examples
    --------
    >>> import windward as ww
    >>> pattern = ww.format.Cbr(rate="2 Mbit/s")
    >>> background = ww.Background(from_="server", to="client", pattern=pattern)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "cbr")

    rate: str


@dataclass(frozen=True, kw_only=True)
class Poisson:
    """Poisson process: independent exponential gaps.

    Attributes
    ----------
    rate
        Mean rate.

    Examples
    --------
    >>> import windward as ww
    >>> pattern = ww.format.Poisson(rate="2 Mbit/s")
    >>> background = ww.Background(from_="server", to="client", pattern=pattern)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "poisson")

    rate: str


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

    Examples
    --------
    >>> import windward as ww
    >>> pattern = ww.format.OnOff(rate="2 Mbit/s", on="1 s", off="1 s")
    >>> background = ww.Background(from_="server", to="client", pattern=pattern)
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

    Examples
    --------
    >>> import windward as ww
    >>> pattern = ww.format.Pulses(rate="2 Mbit/s", length="1 s", every="5 s")
    >>> background = ww.Background(from_="server", to="client", pattern=pattern)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "pulses")

    rate: str
    length: str
    every: str


@dataclass(frozen=True, kw_only=True)
class Periodic:
    """One datagram in every span, at its start or, with `jitter`, at a random time after it.

    Attributes
    ----------
    every
        Length of a span.
    jitter
        Latest time within the span, at most `every`; the time is uniform from zero.

    Examples
    --------
    >>> import windward as ww
    >>> pattern = ww.format.Periodic(every="5 s")
    >>> background = ww.Background(from_="server", to="client", pattern=pattern)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "periodic")

    every: str
    jitter: str = "0 s"


@dataclass(frozen=True, kw_only=True)
class Saturated:
    """As fast as the first hop takes datagrams.

    `backlog` of them wait there, and each that it has acknowledged, given up, dropped or sent is followed by another.
    As a UDP sender without a rate (`iperf3 -u -b 0`), or Bianchi's saturated station. Not for LTE and NR, or stations
    that find routes themselves.

    Attributes
    ----------
    backlog
        Datagrams at the first hop, at most its buffer. Default: as many of 1500 B as Linux's default `SO_SNDBUF`
        allows.

    Examples
    --------
    >>> import windward as ww
    >>> pattern = ww.format.Saturated()
    >>> background = ww.Background(from_="server", to="client", pattern=pattern)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "saturated")

    backlog: int = 92


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """Sending by the backlog U of the source's station, which forwards by backlog (seferoglu2014 (5)).

    In each slot the source sends `m`/(U + μ) datagrams. μ ≥ 0 keeps all such sources of a station within `limit`.

    Attributes
    ----------
    m
        M: rates and backlogs grow with it.
    slot
        Length of a slot.
    limit
        Maximum rate of the station; above its capacity.
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "backlog")

    m: float = 50.0
    slot: str = "20 ms"
    limit: str


@dataclass(frozen=True, kw_only=True)
class MessagePassing:
    """Source-rate control by message passing (huang2020 §II-A, wang2013 §II-C).

    The rate is `weight`/ΣQ, with the queue lengths Q along the route. In each slot the last node of the route tells
    the node before it the length of its queue. That one adds its own and tells the next, up to the source. Messages
    are datagrams of the sources NAME-messages-1, from the first node behind the source, NAME-messages-2 and so on.
    Not over stations that find routes themselves.

    Attributes
    ----------
    weight
        V·p of the utility p·log x, in packets² per second: rates and queues grow with it.
    slot
        Time between updates of the rate, and between messages.
    limit
        Maximum rate, that of an empty route.
    message
        Size of a message on the wire, headers included.

    Examples
    --------
    >>> import windward as ww
    >>> pattern = ww.format.MessagePassing(weight=20_000.0, limit="10 Mbit/s")
    >>> background = ww.Background(from_="server", to="client", pattern=pattern)
    """

    TAG: ClassVar[tuple[str, str]] = ("kind", "message-passing")

    weight: float
    slot: str = "20 ms"
    limit: str
    message: str = "32 B"


#: Sending times of datagrams. Rates are on the wire, headers included.
Pattern = Cbr | Poisson | OnOff | Pulses | Periodic | Saturated | Backlog | MessagePassing


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
        Sending times of the datagrams.
    packet
        Size of a datagram on the wire, headers included: 28 B (IPv4 and UDP headers) to 65 535 B.
    dscp
        Code point of the datagrams, which decides their access category on 802.11n, ac and ax: a number, or a name
        such as `"EF"`. Default: best effort.
    start
        Time at which the source starts. A list has a time for each source: between two single nodes it makes as many.
    start_step
        Delay between the starts of consecutive sources of a group.
    stop
        Time at which the source stops, after the last start. Default: the end of the run.
    ecn
        ECN field of the datagrams, which allows queues to mark them: none, ECT(0) as classic flows, or ECT(1) as
        scalable flows. The source does not respond to marks.

    Examples
    --------
    >>> import windward as ww
    >>> background = ww.Background(from_="server", to="client", pattern=ww.format.Cbr(rate="2 Mbit/s"))
    """

    name: str | None = None
    from_: str = field(metadata={"key": "from"})
    to: str
    via: Sequence[str] | None = None
    count: int | None = None
    pattern: Pattern
    packet: str = "1500 B"
    dscp: int | str | None = None
    start: str | Sequence[str] = "0 s"
    start_step: str = "0 s"
    stop: str | None = None
    ecn: DatagramEcn = "off"


@dataclass(frozen=True, kw_only=True)
class ScenarioFields:
    """A scenario: a network, the traffic over it, and the duration of the run.

    Attributes
    ----------
    name
        Short name of the scenario, also of its results folder.
    title
        Title in one line: the question that the scenario asks.
    cite
        Citation keys of the papers that the scenario comes from.
    duration
        Simulated time.
    warmup
        Start of the period that totals and means cover; shorter than `duration`.
    seeds
        Number of seeds (5 means 1, 2, 3, 4, 5), or a list of them.
    stack
        TCP stack of all flows and applications that do not name another one: "linux", as computers have it, or "rfc",
        the RFCs as in the papers' simulators.
    output
        Recorded output.
    node
        Nodes: the named ends of links, without properties of their own.
    link
        Links between nodes.
    cell
        Cells: access points and the stations that share their carriers.
    wifi
        Wireless networks: stations that share one channel, over any number of hops.
    region
        Capacity regions: the rates that links without a `rate` can have together.
    change
        Changes of links and stations during the run.
    flow
        TCP flows.
    app
        Applications: requests, pages, videos, calls, games and pings.
    background
        UDP sources that do not respond to congestion.
    """

    name: str
    title: str | None = None
    cite: Sequence[str] = ()
    duration: str
    warmup: str = "0 s"
    seeds: int | Sequence[int] = 1
    stack: Stack = "linux"
    output: Output = Output()
    node: Sequence[Node] = ()
    link: Sequence[Link] = ()
    cell: Sequence[AnyCell] = ()
    wifi: Sequence[Wifi] = ()
    region: Sequence[Region] = ()
    change: Sequence[Change] = ()
    flow: Sequence[Flow] = ()
    app: Sequence[App] = ()
    background: Sequence[Background] = ()
