//! What a host tells a law, and what a law answers.

use windward_units::{Duration, PacketRate, Packets, Time};

/// New data was acknowledged. One per ACK that delivers anything new; never for a pure duplicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// The host's clock; never decreases from call to call.
    pub now: Time,
    /// Packets that this ACK reports delivered for the first time, cumulatively or selectively; in coded flows
    /// the innovative ones.
    pub acked: Packets,
    /// Of `acked`, those that carried an ECN mark, where ACKs count them (RFC 9768).
    pub marked: Packets,
    /// Packets newly found lost while this ACK was processed.
    pub lost: Packets,
    /// Round-trip sample of this ACK; `None` where Karn's rule (RFC 6298 §3) forbids one.
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time (RFC 6298 §2); zero before the first sample.
    pub srtt: Duration,
    /// Least round-trip time ever seen, or the propagation delay where the host was told it.
    pub base_rtt: Duration,
    /// Packets in flight after this ACK.
    pub flight: Packets,
    /// When the newest packet that this ACK delivers was sent.
    pub sent_at: Time,
    /// Packets in flight just after that packet was sent.
    pub flight_at_send: Packets,
    /// Delivery rate over the life of that packet; `None` until one is known.
    pub delivery_rate: Option<PacketRate>,
    /// The window was not used while that packet was in flight: the sender had less data than it allows, or the receiver less room. A law
    /// must not grow on it. To a law that [drives recovery](Law::drives_recovery), a lack of data alone.
    pub app_limited: bool,
    /// The host is repairing a loss and holds the window itself, or this ACK only repeats the last cumulative one: learn
    /// from the sample, do not grow.
    pub recovering: bool,
    /// Round trips completed; grows by one when a packet sent after the last growth is acknowledged.
    pub round: u64,
    /// What the network said explicitly, where it speaks. No network of the simulator does: always `None` there.
    pub feedback: Option<Feedback>,
    /// What a law needs that models its path by rates: one for which [`Law::reads_samples`] holds; for others a host may leave it empty.
    pub sample: Sample,
}

/// How the path delivered while the newest packet that an ACK delivers was on its way, as Linux counts it (`struct
/// rate_sample`, net/ipv4/tcp_rate.c; draft-ietf-ccwg-bbr, "Delivery Rate Samples").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Packets of the connection delivered so far, with this ACK.
    pub delivered: Packets,
    /// The same when the newest packet that this ACK delivers was sent.
    pub delivered_at_send: Packets,
    /// Packets of the connection found lost so far, with this ACK.
    pub lost: Packets,
    /// The same when that packet was sent.
    pub lost_at_send: Packets,
    /// The time in which `delivered - delivered_at_send` packets were delivered: that between the sending or that between the
    /// acknowledgement of the first and the last of them, whichever is longer.
    pub interval: Duration,
    /// Packets in flight before this ACK.
    pub prior_flight: Packets,
    /// When pacing lets the next packet out; in the past where it need not wait.
    pub next_send: Time,
    /// What the host is repairing, with this ACK.
    pub repair: Repair,
}

/// What a host is repairing, until all that it had sent when it began is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// Nothing.
    #[default]
    Nothing,
    /// Losses that later packets have shown: fast recovery.
    Losses,
    /// Everything that was in flight when the retransmission timer expired.
    Timeout,
}

/// A connection opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The host's clock.
    pub now: Time,
    /// Round-trip time of the handshake; `None` where Karn's rule forbids it.
    pub rtt: Option<Duration>,
    /// Where a law draws its random numbers from: another one for each flow and each run.
    pub seed: u64,
}

/// Explicit feedback carried by an ACK; see [`Ack::feedback`] for who brings any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feedback {
    /// A rate the network grants.
    Rate(PacketRate),
    /// A price: the sum of the path's link prices, in the unit of the law's utility.
    Price(f64),
    /// Speed up (`true`) or slow down, one bit a packet.
    Accelerate(bool),
}

/// The network is congested, or seems so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// The host's clock.
    pub now: Time,
    /// How congestion showed itself.
    pub kind: CongestionKind,
    /// Packets in flight when it was found, the lost ones included (RFC 5681's FlightSize).
    pub flight: Packets,
    /// Packets found lost so far in this event.
    pub lost: Packets,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// Least round-trip time ever seen.
    pub base_rtt: Duration,
}

/// How congestion showed itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionKind {
    /// A packet is lost; at most once per round trip.
    Loss,
    /// An ECN mark arrived; at most once per round trip.
    Mark,
    /// The retransmission timer expired.
    Timeout,
}

/// A congestion control law: decides the window, and the rate where it paces.
///
/// The host promises: `now` never decreases; `flight` already excludes what an ACK delivered; Karn's rule is
/// applied; bytes are converted to packets at the edge; the floor (one packet, two after a loss) and the ceiling of
/// the window in force are its own. After [`CongestionKind::Loss`] the host drives the window towards
/// [`Law::cwnd`] through its own recovery.
///
/// The interface is wider than the simulated TCP, which never calls [`Law::on_restart`] and leaves [`Ack::feedback`]
/// empty (docs/measured/limits.md). The conformance tests bring restarts and marks to every law.
pub trait Law {
    /// The connection opens. A host need not say so.
    fn on_start(&mut self, _start: &Start) {}

    /// New data was acknowledged.
    fn on_ack(&mut self, ack: &Ack);

    /// Congestion was found.
    fn on_congestion(&mut self, event: &Congestion);

    /// The window: how many packets may be in flight. May be fractional, or below one (the host then paces).
    fn cwnd(&self) -> Packets;

    /// The rate to pace at; `None`: the host paces at cwnd/srtt, or not at all.
    fn pacing_rate(&self) -> Option<PacketRate> {
        None
    }

    /// How many packets go out at once where [`Law::pacing_rate`] paces them.
    fn send_quantum(&self) -> u32 {
        1
    }

    /// Whether the window is the law's own in recovery too, as with Linux's `cong_control`: the host then reduces nothing by itself,
    /// neither after a loss nor after a mark. The same for as long as the law lives.
    fn drives_recovery(&self) -> bool {
        false
    }

    /// Whether it reads [`Ack::sample`]. The same for as long as the law lives.
    fn reads_samples(&self) -> bool {
        false
    }

    /// Whether it answers marks itself, by [`Ack::marked`]: the host then tells it of no [`CongestionKind::Mark`], and does not hold
    /// the window meanwhile.
    fn answers_marks(&self) -> bool {
        false
    }

    /// Sending resumes after an idle time longer than the retransmission timeout. The simulated TCP does not restart: its
    /// applications have data until they are done.
    fn on_restart(&mut self, _now: Time) {}

    /// The last congestion event was spurious. The window was `before` ahead of it, or ahead of the first of several events of one
    /// recovery: a law that keeps a window restores it.
    fn on_undo(&mut self, before: Packets);

    /// Shows named internals (`ssthresh`, `w_max`, …) for traces: calls `sink(name, value)` once for each, the same
    /// names in the same order every time.
    fn observe(&self, _sink: &mut dyn FnMut(&str, f64)) {}
}
