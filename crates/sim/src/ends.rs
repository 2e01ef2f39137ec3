//! The two ends of a QUIC connection, made outside of this crate.

use crate::network::{QuicOptions, TcpOptions};
use std::sync::Arc;
use windward_elements::ecn::Codepoint;
use windward_laws::LawSpec;
use windward_units::{Duration, Packets, Time};

/// Bytes of an IPv4 and a UDP header.
pub const UDP_HEADERS: u32 = 28;

/// Both ends of a QUIC connection. They have no clock and no network.
pub trait QuicEnds: Send {
    /// Begins the handshake.
    fn open(&mut self, now: Time);

    /// Ends the connection without sending data that has not been sent.
    fn close(&mut self, now: Time);

    /// Handles the arrival of a datagram.
    fn receive(&mut self, now: Time, datagram: QuicDatagram);

    /// Forgets a datagram that the network has lost.
    fn forget(&mut self, handle: u32);

    /// Takes out the content of a datagram of [`Self::poll`], for a network of real packets. Empty if there is none.
    fn take(&mut self, handle: u32) -> Vec<u8>;

    /// Keeps the content of a datagram from a network of real packets, and returns the handle for [`Self::receive`].
    fn put(&mut self, payload: &[u8]) -> u32;

    /// Time of the next timer of either end.
    fn next_time(&mut self) -> Option<Time>;

    /// Handles the timers that are due.
    fn wake(&mut self, now: Time);

    /// Takes out the next datagram to send now. Call it until there is none after each of the other calls.
    fn poll(&mut self, now: Time) -> Option<QuicDatagram>;
}

/// Both ends of a flow: one stream from the first end to the second.
pub trait QuicFlow: QuicEnds {
    /// Adds bytes to the stream of an application that writes at a pace; the stream ends with them if they are the
    /// last.
    fn write(&mut self, bytes: u64, is_last: bool);

    /// Takes out the RTT samples since the last call, in order.
    fn take_rtts(&mut self, sink: &mut dyn FnMut(Duration));

    /// State of the connection.
    fn state(&self) -> QuicState;

    /// Packets that the first end has declared lost.
    fn declared_lost(&self) -> u64;

    /// Reports the internal state of the law.
    fn observe(&self, sink: &mut dyn FnMut(&str, f64));
}

/// Both ends of an application's connection. The first end opens a stream for each request, and the second answers on
/// it.
pub trait QuicExchange: QuicEnds {
    /// True from the end of the first end's handshake on.
    fn is_open(&self) -> bool;

    /// Sends the request `number`, of `bytes`, on a new stream.
    fn ask(&mut self, number: u32, bytes: u64);

    /// Answers the request `number` with `bytes`.
    fn answer(&mut self, number: u32, bytes: u64);

    /// Takes out what has arrived next: at the first end of a response, at the second of a request.
    fn take_heard(&mut self, is_backward: bool) -> Option<QuicHeard>;

    /// True if the second end knows that all its answers have arrived.
    fn is_answered(&self) -> bool;

    /// Packets that both ends have declared lost, and persistent congestions.
    fn repairs(&self) -> [u64; 2];
}

/// Arrival on the stream of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuicHeard {
    /// Number of the request.
    pub number: u32,
    /// Bytes that have arrived in order, those of earlier arrivals included.
    pub bytes: u64,
    /// True if the stream has arrived to its end.
    pub is_whole: bool,
}

/// A datagram of one of the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuicDatagram {
    /// Identifier that the ends gave to its content.
    pub handle: u32,
    /// True from the second end to the first.
    pub is_backward: bool,
    /// Bytes of UDP payload.
    pub size: u32,
    /// ECN field.
    pub ecn: Codepoint,
}

/// State of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuicState {
    /// True from the end of the first end's handshake to the end of the connection.
    pub is_open: bool,
    /// Time at which the first end knew that a stream of finite size had arrived.
    pub completed: Option<Time>,
    /// Bytes of the stream that have arrived, each counted once.
    pub arrived: u64,
    /// Congestion window, in full datagrams.
    pub cwnd: Packets,
    /// Full datagrams in flight, rounded.
    pub flight: u32,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Duration,
    /// Latest RTT sample; zero before the first one.
    pub last_rtt: Duration,
    /// Reductions of the window by losses.
    pub recoveries: u64,
    /// Persistent congestions (RFC 9002 §7.6).
    pub timeouts: u64,
}

/// Properties of the two ends.
#[derive(Clone, Debug, PartialEq)]
pub struct QuicConfig {
    /// Congestion control law of the ends.
    pub law: LawSpec,
    /// Options of the connection.
    pub options: QuicOptions,
    /// Bytes of UDP payload in a full datagram.
    pub datagram: u32,
    /// Initial window in full datagrams.
    pub initial_window: u32,
    /// Bytes of the stream; `None`: unlimited.
    pub size: Option<u64>,
    /// True if the stream has only the bytes that [`QuicFlow::write`] adds; false if it always has all.
    pub is_paced: bool,
    /// Bytes that the second end accepts beyond those that it has read.
    pub receive_window: u64,
    /// Seed of everything that they draw.
    pub seed: u64,
}

impl QuicConfig {
    /// Configuration of connections with these options, whose stream has no end.
    pub fn new(tcp: &TcpOptions, (law, options): (LawSpec, QuicOptions), seed: u64) -> Self {
        Self {
            law,
            options,
            datagram: (tcp.wire_bytes() as u32).saturating_sub(UDP_HEADERS),
            initial_window: tcp.initial_window,
            size: None,
            is_paced: false,
            receive_window: u64::from(tcp.receive_window).saturating_mul(tcp.segment.count()),
            seed,
        }
    }
}

/// Maker of the ends of connections over QUIC.
pub trait QuicMaker: Send + Sync {
    /// Makes the ends of a flow.
    fn flow(&self, config: &QuicConfig) -> Box<dyn QuicFlow>;

    /// Makes the ends of an application's connection.
    fn exchange(&self, config: &QuicConfig) -> Box<dyn QuicExchange>;
}

/// Shared maker of the ends.
pub type MakeQuic = Arc<dyn QuicMaker>;
