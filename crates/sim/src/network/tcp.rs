//! TCP parameters, and the applications of a flow.

use std::sync::Arc;
use windward_units::{BitRate, Bytes, Duration, Packets, Time};

/// TCP parameters of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpOptions {
    /// Payload of a full segment; positive.
    pub segment: Bytes,
    /// Header bytes of every packet; `None`: the actual size of IPv4, TCP and the options in use.
    pub overhead: Option<Bytes>,
    /// Longest delay of an ACK (RFC 1122 §4.2.3.2); `None`: every segment is acknowledged at once.
    pub delayed_ack: Option<Duration>,
    /// Receive buffer in segments; at least 1.
    pub receive_window: u32,
    /// Most unacknowledged payload of a host whose buffers follow the window, as in Linux; at least a segment. `None`:
    /// unlimited.
    pub most_in_flight: Option<Bytes>,
    /// Selective acknowledgements (RFC 2018) and recovery by RFC 6675 and 6937; else NewReno (RFC 6582).
    pub sack: bool,
    /// Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    pub timestamps: bool,
    /// Initial window in segments; positive. RFC 6928 recommends 10 at most.
    pub initial_window: u32,
    /// Slow-start threshold of a new connection in segments, for laws that have one; `None`: none, so that slow start
    /// ends by a loss.
    pub initial_ssthresh: Option<u32>,
    /// Minimum retransmission timeout (RFC 6298 §2.4: 1 s; Linux and ns-2: 200 ms).
    pub min_rto: Duration,
    /// Propagation delay given to the law in place of its least RTT sample.
    pub known_base_rtt: Option<Duration>,
    /// Round trip of a full segment and its ACK less that of the handshake, on a path without queues: the handshake's
    /// sample and this are a sample of the base. `None` if the handshake is no sample of it.
    pub handshake_excess: Option<Duration>,
    /// True to pace segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles the window). A law with a rate of
    /// its own is always paced.
    pub pacing: bool,
    /// ECN between the two ends.
    pub ecn: EcnMode,
    /// Loss detection on connections with SACK.
    pub loss_detection: LossDetection,
    /// Loss recovery on connections without SACK.
    pub newreno: NewReno,
    /// Formula of the retransmission timeout.
    pub rto: RtoRule,
    /// Number of segments that are acknowledged one by one and at once, at the beginning and after a duplicate.
    pub quick_acks: u32,
    /// True if each segment that raises an autotuned receive window is acknowledged at once, as in Linux.
    pub quick_growth: bool,
    /// Time over which the receiving host joins the segments that arrive, and acknowledges them once; `None`: each is
    /// handled as it arrives.
    pub receive_offload: Option<Duration>,
    /// True if the receiver compresses SACKs as Linux does, on connections with SACK.
    pub compress_sacks: bool,
    /// Longest time that the sending host takes from an ACK to the data that it releases; uniform from zero.
    pub host_jitter: Duration,
    /// True if Reno's growth counts ACKs (RFC 5681 Eq. 3), not acknowledged packets (RFC 3465).
    pub ack_counting: bool,
    /// Number of ACKs that the receiver sends in the place of one, each of a part of the data; at least 1.
    pub ack_division: u32,
    /// Time from the departure of a segment to that of its ACK from an optimistic receiver, whether or not the segment
    /// arrives; `None` for a receiver that acknowledges what has arrived.
    pub optimistic_acks: Option<Duration>,
    /// Packets waiting for the first link at which the sender stops and reduces its window; `None`: no limit.
    pub device_queue: Option<u32>,
    /// TCP small queues with this pacing shift, at most 31, for senders on stations of 802.11n, ac and ax without
    /// `device_queue`; `None`: no limit.
    pub small_queues: Option<u8>,
    /// True if the delay of ACKs on two-way connections follows the gaps between segments, and waits for answers, as in
    /// Linux; otherwise it is `delayed_ack`.
    pub adapts_delayed_ack: bool,
    /// True if a short segment of a two-way connection waits while another one is in flight (Nagle's algorithm in
    /// Minshall's variant, as in Linux).
    pub nagle: bool,
    /// Restart of two-way connections after a pause of the application.
    pub idle_restart: IdleRestart,
    /// Receive buffer in bytes, whose window moves; `None`: the constant `receive_window`.
    pub receive_buffer: Option<ReceiveBuffer>,
    /// Send buffer of two-way connections, which makes a writer wait; `None`: unlimited.
    pub send_buffer: Option<SendBuffer>,
    /// Application that reads at its own pace; `None`: everything at once. Without `receive_buffer` the buffer is that
    /// of `receive_window`.
    pub reading: Option<Reading>,
    /// Application of a flow that writes at a rate; `None`: it always has data.
    pub writing: Option<Writing>,
}

/// Receive buffer of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveBuffer {
    /// Constant, in bytes of payload; at least a segment.
    Fixed(Bytes),
    /// Follows what the application reads in a round trip, as in Linux; in bytes of memory, twice those of payload.
    Auto {
        /// Initial size (`tcp_rmem[1]`); at least two segments.
        start: Bytes,
        /// Largest size (`tcp_rmem[2]`); at least `start`.
        most: Bytes,
    },
}

impl ReceiveBuffer {
    /// Linux's initial size.
    pub const START: Bytes = Bytes::new(131_072);
    /// Linux's largest size since 6.16.
    pub const MOST: Bytes = Bytes::new(32 << 20);
}

/// Send buffer of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendBuffer {
    /// Constant, in bytes of memory; at least a segment.
    Fixed(Bytes),
    /// Follows the congestion window, as in Linux.
    Auto {
        /// Largest size (`tcp_wmem[2]`); positive.
        most: Bytes,
    },
}

impl SendBuffer {
    /// Linux's largest size.
    pub const MOST: Bytes = Bytes::new(4 << 20);
}

/// Pace of an application that reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Rate at which it works on what it has read; positive. `None`: without delay.
    pub rate: Option<BitRate>,
    /// Most bytes of a read under `rate`; positive.
    pub chunk: Bytes,
    /// Times in which it reads nothing: beginning and end of each, in order and apart.
    pub pauses: Arc<[(Time, Time)]>,
}

/// Pace of an application that writes, from the opening of its connection on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// At every span, what the rate brings in it; both positive.
    Periodic {
        /// Rate of the payload.
        rate: BitRate,
        /// Time between two writes.
        every: Duration,
    },
    /// Writes of equal size at the rate; both positive.
    Chunks {
        /// Bytes of a write.
        chunk: Bytes,
        /// Rate of the payload.
        rate: BitRate,
    },
    /// Writes of equal size at every span; both positive.
    Fixed {
        /// Bytes of a write.
        chunk: Bytes,
        /// Time between two writes.
        every: Duration,
    },
}

impl Writing {
    /// Mean rate of the payload, in bits per second.
    pub fn rate(self) -> f64 {
        match self {
            Self::Periodic { rate, .. } | Self::Chunks { rate, .. } => rate.as_bits_per_sec() as f64,
            Self::Fixed { chunk, every } => 8.0 * chunk.count() as f64 / every.as_secs(),
        }
    }

    /// Bytes of a write, at least one; those of writes at a rate are rounded.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Periodic { .. } => ((self.rate() / 8.0 * self.span()).round() as u64).max(1),
            Self::Chunks { chunk, .. } | Self::Fixed { chunk, .. } => chunk.count(),
        }
    }

    /// Mean time between two writes, in seconds.
    pub fn span(self) -> f64 {
        match self {
            Self::Periodic { every, .. } | Self::Fixed { every, .. } => every.as_secs(),
            Self::Chunks { chunk, rate } => 8.0 * chunk.count() as f64 / rate.as_bits_per_sec() as f64,
        }
    }
}

/// Window of a two-way connection when its application writes after a pause of more than a timeout, with nothing
/// outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdleRestart {
    /// As the pause found it.
    #[default]
    Off,
    /// The initial window at most (RFC 5681 §4.1).
    Rfc5681,
    /// Linux (`tcp_cwnd_restart`): halved once for each whole timeout that the pause exceeds, not below the initial
    /// window.
    Linux,
}

/// Loss detection of a sender with SACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossDetection {
    /// RFC 6675: a segment is lost once three above it are SACKed.
    #[default]
    Rfc6675,
    /// By time, as in Linux: RACK-TLP (RFC 8985), F-RTO (RFC 5682), and undo of reductions by D-SACK (RFC 2883) or
    /// timestamps.
    Rack,
}

/// Recovery of a sender without SACK from several losses in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewReno {
    /// RFC 6582, the impatient variant of §4: only the first partial ACK restarts the retransmission timer, so that
    /// recovery from many losses ends in a timeout. The law computes from the flight size.
    #[default]
    Rfc6582,
    /// Linux: each partial ACK restarts the timer, and one loss is repaired per round trip, however long recovery
    /// takes. The law computes from the window, because in such a recovery the flight grows by all segments that
    /// duplicates release.
    Linux,
}

/// Formula of the retransmission timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RtoRule {
    /// RFC 6298: max(minimum, srtt + 4·rttvar), at most 60 s.
    #[default]
    Rfc6298,
    /// Linux: srtt + max(minimum, 4·rttvar), at most 120 s.
    Linux,
}

/// Explicit congestion notification between the two ends, negotiated in the handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// No ECN: queues drop.
    #[default]
    Off,
    /// RFC 3168: data is ECT(0); the receiver repeats a mark in every ACK until the sender confirms that it has reduced
    /// its window.
    Classic,
    /// RFC 9768: data is ECT(0); every ACK carries the number of marked packets, in three bits.
    Accurate,
    /// RFC 9768 with ECT(1), retransmissions included: the low-latency service of RFC 9330.
    Scalable,
}

impl EcnMode {
    /// True if ACKs count marked packets.
    #[inline]
    pub const fn counts(self) -> bool {
        matches!(self, Self::Accurate | Self::Scalable)
    }
}

impl TcpOptions {
    /// TCP of Linux 6.18, with or without SACK.
    pub fn linux(sack: bool) -> Self {
        Self {
            sack,
            loss_detection: if sack { LossDetection::Rack } else { LossDetection::Rfc6675 },
            newreno: NewReno::Linux,
            rto: RtoRule::Linux,
            compress_sacks: sack,
            // TCP_MAX_QUICKACKS
            quick_acks: 16,
            quick_growth: true,
            adapts_delayed_ack: true,
            idle_restart: IdleRestart::Linux,
            ..Self::default()
        }
    }

    /// True if the applications of a flow write or read at their own pace, or its buffers are limited.
    pub fn is_paced_by_applications(&self) -> bool {
        self.receive_buffer.is_some() || self.send_buffer.is_some() || self.reading.is_some() || self.writing.is_some()
    }

    /// Receive buffer of an end whose window moves.
    pub(crate) fn moving_window(&self) -> Option<ReceiveBuffer> {
        let bytes = u64::from(self.receive_window) * self.segment.count();
        self.receive_buffer.or(self.reading.is_some().then_some(ReceiveBuffer::Fixed(Bytes::new(bytes))))
    }

    /// Most segments in flight: those for which both hosts have room.
    pub fn window(&self) -> u32 {
        let of_sender = self.most_in_flight.map_or(u64::MAX, |bytes| bytes.count() / self.segment.count());
        of_sender.clamp(1, u64::from(self.receive_window)) as u32
    }

    /// True if the sender follows Linux where the RFCs leave a choice.
    pub(crate) fn is_linux(&self) -> bool {
        self.is_by_time() || self.newreno == NewReno::Linux
    }

    /// True if losses are detected by time.
    pub(crate) fn is_by_time(&self) -> bool {
        self.sack && self.loss_detection == LossDetection::Rack
    }

    /// Initial window.
    pub(crate) fn initial_cwnd(&self) -> Packets {
        Packets::new(f64::from(self.initial_window))
    }
}

impl Default for TcpOptions {
    fn default() -> Self {
        Self {
            segment: Bytes::new(1448),
            overhead: None,
            delayed_ack: Some(Duration::from_millis(40)),
            receive_window: 1 << 20,
            most_in_flight: None,
            sack: true,
            timestamps: true,
            initial_window: 10,
            initial_ssthresh: None,
            min_rto: Duration::from_millis(200),
            known_base_rtt: None,
            handshake_excess: None,
            pacing: false,
            ecn: EcnMode::Off,
            loss_detection: LossDetection::Rfc6675,
            newreno: NewReno::Rfc6582,
            rto: RtoRule::Rfc6298,
            quick_acks: 0,
            quick_growth: false,
            receive_offload: None,
            compress_sacks: false,
            host_jitter: Duration::ZERO,
            ack_counting: false,
            ack_division: 1,
            optimistic_acks: None,
            device_queue: None,
            small_queues: None,
            adapts_delayed_ack: false,
            nagle: false,
            idle_restart: IdleRestart::Off,
            receive_buffer: None,
            send_buffer: None,
            reading: None,
            writing: None,
        }
    }
}
