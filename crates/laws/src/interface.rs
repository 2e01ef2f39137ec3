//! Interface between a host and a law.

use windward_units::{Duration, PacketRate, Packets, Time};

/// Acknowledgement of new data. One per ACK that delivers anything new; never for a pure duplicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// The host's clock; never decreases from call to call.
    pub now: Time,
    /// Packets that this ACK reports delivered for the first time, cumulatively or selectively; in coded flows
    /// the innovative ones.
    pub acked: Packets,
    /// True if Reno's growth counts ACKs (RFC 5681 Eq. 3), not acknowledged packets (RFC 3465).
    pub counts_acks: bool,
    /// ECN-marked packets among `acked`, where ACKs count them (RFC 9768).
    pub marked: Packets,
    /// Packets newly found lost while this ACK was processed.
    pub lost: Packets,
    /// Round-trip sample of this ACK; `None` where Karn's rule (RFC 6298 §3) forbids one.
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time (RFC 6298 §2); zero before the first sample.
    pub srtt: Duration,
    /// Least round-trip time ever seen, or the propagation delay if the host has it.
    pub base_rtt: Duration,
    /// Packets in flight after this ACK.
    pub flight: Packets,
    /// Send time of the newest packet that this ACK delivers.
    pub sent_at: Time,
    /// Packets in flight just after that packet was sent.
    pub flight_at_send: Packets,
    /// Delivery rate over the life of that packet; `None` until one is known.
    pub delivery_rate: Option<PacketRate>,
    /// True if the window did not limit the sender: a law must not grow on this ACK, but may shrink.
    ///
    /// The host decides it by one rule for every law (RFC 9002 §7.8, RFC 9438 §5.8; Linux, `tcp_is_cwnd_limited`): the
    /// window was full in the last round trip, or, in slow start, is below twice the number of outstanding packets.
    /// Retransmissions fill it as new data does. For a law that reads [samples](Needs::reads_samples) it is true if the
    /// newest packet was sent when there was no more data: its delivery rate is then no sample of the path.
    pub app_limited: bool,
    /// True if the host is repairing a loss and holds the window itself, or this ACK only repeats the last cumulative
    /// one: learn from the sample, do not grow.
    pub recovering: bool,
    /// Round trips completed; grows by one when a packet sent after the last growth is acknowledged.
    pub round: u64,
    /// Delivery sample for laws that model their path by rates ([`Needs::reads_samples`]); for others a host may leave
    /// it empty.
    pub sample: Sample,
}

impl Ack {
    /// Packets that this ACK counts for in Reno's growth.
    #[inline]
    pub fn counted(&self) -> Packets {
        if self.counts_acks { Packets::ONE } else { self.acked }
    }
}

/// Delivery of the path while the newest packet that an ACK delivers was in flight, in Linux's terms (`struct
/// rate_sample`, net/ipv4/tcp_rate.c; draft-ietf-ccwg-bbr, "Delivery Rate Samples").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Packets of the connection delivered so far, with this ACK.
    pub delivered: Packets,
    /// Value of `delivered` when the newest packet that this ACK delivers was sent.
    pub delivered_at_send: Packets,
    /// Packets of the connection found lost so far, with this ACK.
    pub lost: Packets,
    /// Value of `lost` when that packet was sent.
    pub lost_at_send: Packets,
    /// Time in which `delivered - delivered_at_send` packets were delivered: between the sending or between the
    /// acknowledgement of the first and the last of them, whichever is longer.
    pub interval: Duration,
    /// Packets in flight before this ACK.
    pub prior_flight: Packets,
    /// Time at which pacing releases the next packet; in the past if it need not wait.
    pub next_send: Time,
    /// Repair by the host, with this ACK.
    pub repair: Repair,
}

/// Repair by a host, until all packets sent before its beginning are acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// No repair.
    #[default]
    Nothing,
    /// Losses detected by later packets: fast recovery.
    Losses,
    /// All packets in flight when the retransmission timer expired.
    Timeout,
}

/// Opening of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The host's clock.
    pub now: Time,
    /// Round-trip time of the handshake; `None` if Karn's rule forbids it.
    pub rtt: Option<Duration>,
    /// Seed of the law's random stream, different for each flow and each run.
    pub seed: u64,
}

/// Congestion, or signs of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// The host's clock.
    pub now: Time,
    /// Kind of congestion signal.
    pub kind: CongestionKind,
    /// Packets in flight at detection, the lost ones included (RFC 5681's FlightSize).
    pub flight: Packets,
    /// Packets declared lost so far in this event.
    pub lost: Packets,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// Least round-trip time ever seen.
    pub base_rtt: Duration,
}

/// Demands of a law on its host, constant for the life of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// True if the law also controls the window in recovery, as with Linux's `cong_control`: the host reduces nothing
    /// by itself, neither after a loss nor after a mark.
    pub drives_recovery: bool,
    /// True if the law reads [`Ack::sample`].
    pub reads_samples: bool,
    /// True if the law responds to the number of marks, [`Ack::marked`], for which one echo per round trip does not
    /// suffice: the host sends it no [`CongestionKind::Mark`], and does not hold the window meanwhile.
    pub counts_marks: bool,
    /// True if the law reads [`Ack::base_rtt`], which a host may know better than the least sample.
    pub reads_base_rtt: bool,
    /// True if the law grows by [`Ack::counted`], for which [`Ack::counts_acks`] makes a difference.
    pub counts_acks: bool,
}

impl Needs {
    /// Demands of a law that grows by what is acknowledged and responds to losses and marks by events.
    pub const CLASSIC: Self = Self {
        drives_recovery: false,
        reads_samples: false,
        counts_marks: false,
        reads_base_rtt: false,
        counts_acks: true,
    };
}

/// Kind of congestion signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionKind {
    /// A packet is lost; at most once per round trip.
    Loss,
    /// An ECN mark arrived; at most once per round trip.
    Mark,
    /// The retransmission timer expired.
    Timeout,
}

/// A congestion control law: decides the window, and the rate if it paces.
///
/// The host promises: `now` never decreases; `flight` already excludes what an ACK delivered; Karn's rule is
/// applied; bytes are converted to packets at the edge; the floor (one packet, two after a loss) and the ceiling of
/// the window in force are its own. After [`CongestionKind::Loss`] the host drives the window towards
/// [`Law::cwnd`] through its own recovery.
pub trait Law {
    /// Demands on the host; those of a classic law by default.
    const NEEDS: Needs = Needs::CLASSIC;

    /// Reason why a Linux kernel cannot run the law by a module of its name, with a hint on a second line; `None` if
    /// such a module is this law.
    const NOT_IN_LINUX: Option<&'static str> = None;

    /// Handles the opening of a connection. Hosts may omit it.
    fn on_start(&mut self, _start: &Start) {}

    /// Handles an acknowledgement of new data.
    fn on_ack(&mut self, ack: &Ack);

    /// Handles congestion.
    fn on_congestion(&mut self, event: &Congestion);

    /// Window: limit of packets in flight. May be fractional, or below one (the host then paces).
    fn cwnd(&self) -> Packets;

    /// Pacing rate; `None`: the host paces at cwnd/srtt, or not at all.
    fn pacing_rate(&self) -> Option<PacketRate> {
        None
    }

    /// Packets per burst under [`Law::pacing_rate`].
    fn send_quantum(&self) -> u32 {
        1
    }

    /// Handles new data after the application had none in flight and none to send (Linux's `CA_EVENT_TX_START`): the
    /// clock of a law that grows with time stood still meanwhile, and a rate model has no fresh samples. The host
    /// decides by itself whether the window was validated (RFC 7661). The simulated TCP calls it on two-way
    /// connections.
    fn on_restart(&mut self, _now: Time) {}

    /// Reduces the window to `cwnd` after an idle time (RFC 5681 §4.1; Linux: `tcp_cwnd_restart`). A threshold
    /// remembers three quarters of the window. Laws that control a rate do nothing, as in Linux.
    fn on_idle(&mut self, _cwnd: Packets) {}

    /// Takes the slow-start threshold of a new connection, which the host remembers of earlier ones, before the first
    /// ACK. Returns false, and does nothing, if the law has no threshold.
    fn remember(&mut self, _ssthresh: Packets) -> bool {
        false
    }

    /// Handles a spurious congestion event. The window was `before` prior to it, or to the first of several
    /// events of one recovery: a law that keeps a window restores it.
    fn on_undo(&mut self, before: Packets);

    /// Shows named internals (`ssthresh`, `w_max`, …) for traces: calls `sink(name, value)` once for each, the same
    /// names in the same order every time.
    fn observe(&self, _sink: &mut dyn FnMut(&str, f64)) {}
}
