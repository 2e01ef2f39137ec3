//! The two ends of a flow, for any transport.

use crate::makers::{Maker, Makers};
use crate::net::Net;
use crate::network::{FlowConfig, LawChoice, TcpOptions};
use crate::quic;
use crate::tcp::{self, Averages, Beside, Counts};
use crate::tfrc;
use windward_elements::engine::FlowTimer;
use windward_elements::packet::Packet;
use windward_laws::Reins;
use windward_units::Duration;

/// A running flow.
#[expect(clippy::large_enum_variant, reason = "most flows are TCP's, and a pointer would cost each packet a miss")]
pub enum Endpoint {
    /// TCP: a law decides the window.
    Tcp(tcp::Connection),
    /// TCP between applications that write or read at their own pace.
    Paced(Box<tcp::Paced>),
    /// TFRC: the throughput equation decides the rate.
    Tfrc(Box<tfrc::Connection>),
    /// QUIC: a law decides the window, and the two ends are those of another crate.
    Quic(Box<quic::Connection>),
}

impl Endpoint {
    /// Flow `index` of `config` in the run of `seed`, with the starts of its forward and backward routes.
    pub fn new(index: u32, config: &FlowConfig, makers: &Makers, routes: [u32; 2], seed: u64) -> Self {
        if let LawChoice::Quic(law, options) = config.law {
            return Self::Quic(Box::new(quic::Connection::new(
                index,
                config,
                (law, options),
                makers.ends(),
                routes,
                seed,
            )));
        }
        match makers.law(config.law) {
            Ok(maker) => {
                let law = maker.build(&config.tcp);
                if config.tcp.is_paced_by_applications() {
                    let laws = [law, maker.build(&config.tcp)];
                    return Self::Paced(Box::new(tcp::Paced::new(index, config, laws, routes, seed)));
                }
                Self::Tcp(tcp::Connection::new(index, config, law, routes, seed))
            }
            Err(options) => Self::Tfrc(Box::new(tfrc::Connection::new(index, config, options, routes))),
        }
    }

    /// Returns the TCP connection of a TCP flow.
    pub fn tcp(&self) -> Option<&tcp::Connection> {
        match self {
            Self::Tcp(flow) => Some(flow),
            Self::Paced(_) | Self::Tfrc(_) | Self::Quic(_) => None,
        }
    }

    /// Time from the start of a sized flow to its last ACK.
    pub fn completion(&self) -> Option<Duration> {
        match self {
            Self::Tcp(flow) => flow.completion,
            Self::Paced(flow) => flow.completion,
            Self::Tfrc(_) => None,
            Self::Quic(flow) => flow.completion(),
        }
    }

    /// True if the amount of data is finite.
    pub fn is_sized(&self) -> bool {
        match self {
            Self::Tcp(flow) => flow.is_sized(),
            Self::Paced(flow) => flow.is_sized(),
            Self::Tfrc(_) => false,
            Self::Quic(flow) => flow.is_sized(),
        }
    }

    /// Number of segments that have arrived with a mark.
    pub fn marked(&self) -> u64 {
        match self {
            Self::Tcp(flow) => u64::from(flow.receiver.marked()),
            Self::Paced(flow) => u64::from(flow.marked()),
            Self::Tfrc(_) => 0,
            Self::Quic(flow) => flow.marked(),
        }
    }

    /// Gives back the memory of a window that is no longer used.
    pub fn tidy(&mut self) {
        match self {
            Self::Tcp(flow) => flow.sender.tidy(),
            Self::Paced(flow) => flow.tidy(),
            Self::Tfrc(_) | Self::Quic(_) => {}
        }
    }

    /// Handles a packet at the end of its route.
    #[inline]
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        match self {
            Self::Tcp(flow) => flow.on_packet(net, packet),
            Self::Paced(flow) => flow.on_packet(net, packet),
            Self::Tfrc(flow) => flow.on_packet(net, packet),
            Self::Quic(flow) => flow.on_packet(net, packet),
        }
    }

    /// Handles the expiry of a timer of the flow.
    #[inline]
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer) {
        match self {
            Self::Tcp(flow) => flow.wake(net, which),
            Self::Paced(flow) => flow.wake(net, which),
            Self::Tfrc(flow) => flow.wake(net, which),
            Self::Quic(flow) => flow.wake(net, which),
        }
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        match self {
            Self::Tcp(flow) => flow.start(net),
            Self::Paced(flow) => flow.start(net),
            Self::Tfrc(flow) => flow.start(net),
            Self::Quic(flow) => flow.start(net),
        }
    }

    /// Stops sending new data.
    pub fn stop(&mut self, net: &mut Net) {
        match self {
            Self::Tcp(flow) => flow.stop(net),
            Self::Paced(flow) => flow.stop(net),
            Self::Tfrc(flow) => flow.stop(net),
            Self::Quic(flow) => flow.stop(net),
        }
    }

    /// Sends data again after [`Self::stop`]. Returns true if over a new connection, which has a fresh law, if
    /// the transport has laws.
    pub fn reopen(&mut self, net: &mut Net, tcp: &TcpOptions, law: Option<&Maker>) -> bool {
        match self {
            // No transfer opens them.
            Self::Paced(_) | Self::Quic(_) => false,
            Self::Tcp(flow) => law.is_some_and(|law| flow.reopen(net, tcp, || law.build(tcp))),
            Self::Tfrc(flow) => {
                flow.reopen(net);
                true
            }
        }
    }

    /// True if the handshake is complete and the flow is not done.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Tcp(flow) => flow.is_open(),
            Self::Paced(flow) => flow.is_open(),
            Self::Tfrc(flow) => flow.is_open(),
            Self::Quic(flow) => flow.state().is_open,
        }
    }

    /// Payload that has reached the receiver, in bytes; each segment counts once. Of an application that reads at its
    /// own pace, what it has read.
    pub fn payload_arrived(&self) -> u64 {
        match self {
            Self::Tcp(flow) => flow.payload_arrived(),
            Self::Paced(flow) => flow.payload_read(),
            Self::Tfrc(flow) => flow.payload_arrived(),
            Self::Quic(flow) => flow.state().arrived,
        }
    }

    /// Payload that the receiver has handed to the application, in bytes.
    pub fn payload_delivered(&self) -> u64 {
        match self {
            Self::Tcp(flow) => flow.payload_below(flow.receiver.next()),
            Self::Paced(flow) => flow.payload_read(),
            Self::Tfrc(flow) => flow.payload_arrived(),
            Self::Quic(flow) => flow.state().arrived,
        }
    }

    /// Sends at the rate of `connections`; TFRC's flows alone do.
    pub fn emulate(&mut self, connections: f64) {
        if let Self::Tfrc(flow) = self {
            flow.emulate(connections);
        }
    }

    /// Payload of a full segment, in bytes.
    pub fn segment(&self) -> u32 {
        match self {
            Self::Tcp(flow) => flow.segment(),
            Self::Paced(flow) => flow.segment(),
            Self::Tfrc(flow) => flow.segment(),
            Self::Quic(flow) => flow.segment(),
        }
    }

    /// Counters of the sender.
    pub fn counts(&self) -> Counts {
        match self {
            Self::Tcp(flow) => flow.sender.counts(),
            Self::Paced(flow) => flow.sender().counts(),
            Self::Tfrc(flow) => flow.counts(),
            Self::Quic(flow) => flow.counts(),
        }
    }

    /// Congestion window in packets; of a rate-based flow, the packets sent in a round trip.
    pub fn cwnd(&self) -> f64 {
        match self {
            Self::Tcp(flow) => flow.sender.law().cwnd().count(),
            Self::Paced(flow) => flow.sender().law().cwnd().count(),
            Self::Tfrc(flow) => flow.sender().window(),
            Self::Quic(flow) => flow.state().cwnd.count(),
        }
    }

    /// Packets in flight, as far as the sender knows.
    pub fn flight(&self) -> u32 {
        match self {
            Self::Tcp(flow) => flow.sender.pipe(),
            Self::Paced(flow) => flow.sender().pipe(),
            Self::Tfrc(flow) => flow.flight(),
            Self::Quic(flow) => flow.state().flight,
        }
    }

    /// Smoothed and latest round-trip times; zero before the first sample.
    pub fn rtts(&self) -> (Duration, Duration) {
        match self {
            Self::Tcp(flow) => (flow.sender.rtt().srtt(), flow.sender.last_rtt()),
            Self::Paced(flow) => (flow.sender().rtt().srtt(), flow.sender().last_rtt()),
            Self::Tfrc(flow) => (flow.sender().rtt(), flow.sender().last_rtt()),
            Self::Quic(flow) => {
                let state = flow.state();
                (state.srtt, state.last_rtt)
            }
        }
    }

    /// Time averages.
    pub fn averages(&self) -> &Averages {
        match self {
            Self::Tcp(flow) => &flow.averages,
            Self::Paced(flow) => &flow.averages,
            Self::Tfrc(flow) => &flow.averages,
            Self::Quic(flow) => &flow.averages,
        }
    }

    /// Mutable access to the time averages.
    pub fn averages_mut(&mut self) -> &mut Averages {
        match self {
            Self::Tcp(flow) => &mut flow.averages,
            Self::Paced(flow) => &mut flow.averages,
            Self::Tfrc(flow) => &mut flow.averages,
            Self::Quic(flow) => &mut flow.averages,
        }
    }

    /// Takes the least round-trip time since the last call, or the receiver's estimate if the receiver measures. `None`
    /// without samples.
    pub fn take_recent_rtt(&mut self) -> Option<Duration> {
        match self {
            Self::Tcp(flow) => match flow.beside.as_deref_mut() {
                Some(Beside::Rtt(rtt)) => rtt.take(),
                Some(Beside::Misbehaving(_)) | None => flow.recent_rtt.take(),
            },
            Self::Paced(flow) => flow.recent_rtt.take(),
            Self::Tfrc(flow) => flow.recent_rtt.take(),
            Self::Quic(flow) => flow.recent_rtt.take(),
        }
    }

    /// Makes the receiver measure round-trip times by timestamps from now on.
    pub fn measure_at_receiver(&mut self) {
        match self {
            Self::Tcp(flow) if flow.coding.is_none() => _ = flow.beside.get_or_insert_default(),
            // Combinations echo no ACK of a segment; TFRC's receiver gets the sender's estimate.
            Self::Tcp(_) | Self::Paced(_) | Self::Tfrc(_) | Self::Quic(_) => {}
        }
    }

    /// Limits the advertised window to `segments`, or to the receive buffer if `None`.
    pub fn bound_receive_window(&mut self, segments: Option<u32>) {
        match self {
            Self::Tcp(flow) => flow.bound_receive_window(segments),
            // TFRC has no window, and no transfer bounds that of applications.
            Self::Paced(_) | Self::Tfrc(_) | Self::Quic(_) => {}
        }
    }

    /// The law if it is set from outside.
    pub fn reins(&mut self) -> Option<&mut Reins> {
        match self {
            Self::Tcp(flow) => flow.sender.reins(),
            Self::Paced(_) | Self::Tfrc(_) | Self::Quic(_) => None,
        }
    }

    /// Sends what a law that is set from outside allows now.
    pub fn poke(&mut self, net: &mut Net) {
        match self {
            Self::Tcp(flow) => flow.poke(net),
            Self::Paced(_) | Self::Tfrc(_) | Self::Quic(_) => {}
        }
    }

    /// Reports the state of the law, or of the rate control.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        match self {
            Self::Tcp(flow) => flow.sender.law().observe(sink),
            Self::Paced(flow) => flow.sender().law().observe(sink),
            Self::Tfrc(flow) => flow.observe(sink),
            Self::Quic(flow) => flow.observe(sink),
        }
    }
}
