//! The two ends of a flow, whatever its transport.

use crate::engine::FlowTimer;
use crate::makers::{LawChoice, Makers};
use crate::net::Net;
use crate::network::{FlowConfig, TcpOptions};
use crate::packet::Packet;
use crate::tcp::{self, Counts, Tally};
use crate::tfrc;
use windward_laws::{AnyLaw, Law};
use windward_units::Duration;

/// A flow at work.
#[expect(clippy::large_enum_variant, reason = "most flows are TCP's, and a pointer would cost each packet a miss")]
pub enum Endpoint {
    /// TCP, whose window a law decides.
    Tcp(tcp::Connection),
    /// TFRC, whose rate the throughput equation decides.
    Tfrc(Box<tfrc::Connection>),
}

impl Endpoint {
    /// The flow `index` of `config` in the run of `seed`, with the beginnings of its routes, there and back.
    pub fn new(index: u32, config: &FlowConfig, makers: &Makers, routes: [u32; 2], seed: u64) -> Self {
        match config.law {
            LawChoice::Tfrc(options) => Self::Tfrc(Box::new(tfrc::Connection::new(index, config, options, routes))),
            law => {
                let law = makers.law(law).build(config.tcp.initial_cwnd());
                Self::Tcp(tcp::Connection::new(index, config, law, routes, seed))
            }
        }
    }

    /// The TCP that it is.
    pub fn tcp(&self) -> Option<&tcp::Connection> {
        match self {
            Self::Tcp(flow) => Some(flow),
            Self::Tfrc(_) => None,
        }
    }

    /// A packet reaches the end of its route.
    #[inline]
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        match self {
            Self::Tcp(flow) => flow.on_packet(net, packet),
            Self::Tfrc(flow) => flow.on_packet(net, packet),
        }
    }

    /// A timer of the flow rings.
    #[inline]
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer) {
        match self {
            Self::Tcp(flow) => flow.wake(net, which),
            Self::Tfrc(flow) => flow.wake(net, which),
        }
    }

    /// The connection opens.
    pub fn start(&mut self, net: &mut Net) {
        match self {
            Self::Tcp(flow) => flow.start(net),
            Self::Tfrc(flow) => flow.start(net),
        }
    }

    /// No new data from here on.
    pub fn stop(&mut self, net: &mut Net) {
        match self {
            Self::Tcp(flow) => flow.stop(net),
            Self::Tfrc(flow) => flow.stop(net),
        }
    }

    /// Sends data again after [`Self::stop`]; whether over a new connection, with a fresh `law` where it needs one.
    pub fn reopen(&mut self, net: &mut Net, tcp: &TcpOptions, law: impl FnOnce() -> AnyLaw) -> bool {
        match self {
            Self::Tcp(flow) => flow.reopen(net, tcp, law),
            Self::Tfrc(flow) => {
                flow.reopen(net);
                true
            }
        }
    }

    /// Whether the handshake is over and not all is done.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Tcp(flow) => flow.is_open(),
            Self::Tfrc(flow) => flow.is_open(),
        }
    }

    /// Payload that has reached the receiver, in bytes, each segment once.
    pub fn payload_arrived(&self) -> u64 {
        match self {
            Self::Tcp(flow) => flow.payload_arrived(),
            Self::Tfrc(flow) => flow.payload_arrived(),
        }
    }

    /// Payload that the receiver has handed on, in bytes.
    pub fn payload_delivered(&self) -> u64 {
        match self {
            Self::Tcp(flow) => flow.payload_below(flow.receiver.next()),
            Self::Tfrc(flow) => flow.payload_arrived(),
        }
    }

    /// Payload of a full segment, in bytes.
    pub fn segment(&self) -> u32 {
        match self {
            Self::Tcp(flow) => flow.segment(),
            Self::Tfrc(flow) => flow.segment(),
        }
    }

    /// What its sender counted.
    pub fn counts(&self) -> Counts {
        match self {
            Self::Tcp(flow) => flow.sender.counts,
            Self::Tfrc(flow) => flow.counts(),
        }
    }

    /// The window; of a rate, what it sends in a round trip. In packets.
    pub fn cwnd(&self) -> f64 {
        match self {
            Self::Tcp(flow) => flow.sender.law().cwnd().count(),
            Self::Tfrc(flow) => flow.sender().window(),
        }
    }

    /// Packets on their way, as far as the sender knows.
    pub fn flight(&self) -> u32 {
        match self {
            Self::Tcp(flow) => flow.sender.pipe(),
            Self::Tfrc(flow) => flow.flight(),
        }
    }

    /// Smoothed and last round-trip time; zero before the first sample.
    pub fn rtts(&self) -> (Duration, Duration) {
        match self {
            Self::Tcp(flow) => (flow.sender.rtt().srtt(), flow.sender.last_rtt()),
            Self::Tfrc(flow) => (flow.sender().rtt(), flow.sender().last_rtt()),
        }
    }

    /// Means over time.
    pub fn tally(&self) -> &Tally {
        match self {
            Self::Tcp(flow) => &flow.tally,
            Self::Tfrc(flow) => &flow.tally,
        }
    }

    /// The same to be changed.
    pub fn tally_mut(&mut self) -> &mut Tally {
        match self {
            Self::Tcp(flow) => &mut flow.tally,
            Self::Tfrc(flow) => &mut flow.tally,
        }
    }

    /// Takes the least round-trip time since this was called last, or the receiver's own where it measures; `None` without any.
    pub fn take_recent_rtt(&mut self) -> Option<Duration> {
        match self {
            Self::Tcp(flow) => match &mut flow.receiver_rtt {
                Some(rtt) => rtt.take(),
                None => flow.recent_rtt.take(),
            },
            Self::Tfrc(flow) => flow.recent_rtt.take(),
        }
    }

    /// The receiver measures round trips by timestamps from here on.
    pub fn measure_at_receiver(&mut self) {
        match self {
            Self::Tcp(flow) if flow.coding.is_none() => _ = flow.receiver_rtt.get_or_insert_default(),
            // Combinations echo no ACK of a segment, and TFRC's receiver is told the sender's.
            Self::Tcp(_) | Self::Tfrc(_) => {}
        }
    }

    /// What the receiver offers is at most so many segments, or what it can buffer.
    pub fn bound_receive_window(&mut self, segments: Option<u32>) {
        match self {
            Self::Tcp(flow) => flow.bound_receive_window(segments),
            // TFRC has no window.
            Self::Tfrc(_) => {}
        }
    }

    /// Shows the state of the law, or of the rate.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        match self {
            Self::Tcp(flow) => flow.sender.law().observe(sink),
            Self::Tfrc(flow) => flow.observe(sink),
        }
    }
}
