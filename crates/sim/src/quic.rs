//! Flows over QUIC. The two ends are made outside of this crate; here they meet the network and the calendar.

use crate::ends::{MakeQuic, QuicConfig, QuicDatagram, QuicEnds, QuicState, UDP_HEADERS};
use crate::net::Net;
use crate::network::{EcnMode, FlowConfig, Writing};
use crate::tcp::{Averages, Counts, Ring, Timer, Writer};
use windward_elements::ecn::{Codepoint, Ecn};
use windward_elements::engine::{FlowTimer, Wake};
use windward_elements::packet::{Kind, Packet};
use windward_laws::LawSpec;
use windward_units::{Duration, Time, splitmix64};

/// A running flow.
pub struct Connection {
    index: u32,
    config: QuicConfig,
    make: MakeQuic,
    /// Starts of the routes forward and backward.
    routes: [u32; 2],
    segment: u32,
    /// True if datagrams keep the ECN fields of their senders.
    has_ecn: bool,
    /// Pace of the application, and the application once the connection is open.
    writing: Option<Writing>,
    writer: Option<Writer>,
    /// Bytes that it has not written.
    rest: u64,
    /// The ends, once opened.
    ends: Option<Box<dyn QuicEnds>>,
    opened: Time,
    was_open: bool,
    timer: Timer,
    sent: u64,
    marked: u64,
    /// Time averages.
    pub averages: Averages,
    /// Least RTT sample since it was last taken.
    pub recent_rtt: Option<Duration>,
}

impl Connection {
    /// Flow `index` of `config` under `law` in the run of `seed`, with the starts of its routes.
    pub fn new(index: u32, config: &FlowConfig, law: LawSpec, make: MakeQuic, routes: [u32; 2], seed: u64) -> Self {
        let tcp = &config.tcp;
        let segment = tcp.segment.count();
        let quic = QuicConfig {
            law,
            datagram: (tcp.wire_bytes() as u32).saturating_sub(UDP_HEADERS),
            initial_window: tcp.initial_window,
            size: config.size.map(|size| size.count()),
            is_paced: tcp.writing.is_some(),
            receive_window: u64::from(tcp.receive_window).saturating_mul(segment),
            seed: splitmix64(splitmix64(seed) ^ config.key),
        };
        Self {
            index,
            config: quic,
            make,
            routes,
            segment: segment as u32,
            has_ecn: tcp.ecn != EcnMode::Off,
            writing: tcp.writing,
            writer: None,
            rest: config.size.map_or(u64::MAX, |size| size.count()),
            ends: None,
            opened: Time::ZERO,
            was_open: false,
            timer: Timer::off(),
            sent: 0,
            marked: 0,
            averages: Averages::new(),
            recent_rtt: None,
        }
    }

    /// State of the connection; that of a closed one before it is opened.
    pub fn state(&self) -> QuicState {
        self.ends.as_ref().map_or_else(QuicState::default, |ends| ends.state())
    }

    /// Payload that TCP would carry in a packet of the same size, in bytes.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// True if the amount of data is finite.
    pub fn is_sized(&self) -> bool {
        self.config.size.is_some()
    }

    /// Time from the start of a sized flow to its last ACK.
    pub fn completion(&self) -> Option<Duration> {
        self.state().completed.map(|end| end.since(self.opened))
    }

    /// Datagrams of the sender that have arrived with a mark.
    pub fn marked(&self) -> u64 {
        self.marked
    }

    /// Counters of the sender. It sends the content of lost packets again, not the packets: each packet declared lost
    /// counts as a retransmission.
    pub fn counts(&self) -> Counts {
        let QuicState { recoveries, timeouts, .. } = self.state();
        let retransmits = self.ends.as_ref().map_or(0, |ends| ends.declared_lost());
        Counts { sent: self.sent, retransmits, recoveries, timeouts, ..Counts::default() }
    }

    /// Reports the internal state of the law.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        if let Some(ends) = &self.ends {
            ends.observe(sink);
        }
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        let now = net.now;
        self.opened = now;
        self.ends.insert((self.make)(&self.config)).open(now);
        self.send(net);
    }

    /// Stops sending new data.
    pub fn stop(&mut self, net: &mut Net) {
        if let Some(ends) = &mut self.ends {
            ends.close(net.now);
            self.send(net);
        }
    }

    /// Handles a datagram at the end of its route.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        debug_assert!(matches!(packet.kind, Kind::Quic | Kind::QuicBack), "no packet of a flow over QUIC");
        let is_backward = packet.kind == Kind::QuicBack;
        let Some(ends) = &mut self.ends else { return };
        let ecn = packet.ecn.codepoint();
        self.marked += u64::from(!is_backward && ecn == Codepoint::Marked);
        if is_backward && let Some(tap) = &mut net.tap {
            tap.packet(net.now, packet, false);
        }
        let size = packet.size.saturating_sub(UDP_HEADERS);
        ends.receive(net.now, QuicDatagram { handle: packet.number, is_backward, size, ecn });
        self.send(net);
    }

    /// Handles the expiry of a timer of the flow.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer) {
        match which {
            FlowTimer::Open => self.start(net),
            FlowTimer::Close => self.stop(net),
            FlowTimer::Retransmit => match self.timer.ring(net.now) {
                Ring::Nothing => {}
                Ring::Later(time) => net.schedule(time, Wake::Flow(which), self.index),
                Ring::Expired => {
                    if let Some(ends) = &mut self.ends {
                        ends.wake(net.now);
                    }
                    self.send(net);
                }
            },
            FlowTimer::Write => self.write(net),
            _ => debug_assert!(false, "no timer of a flow over QUIC"),
        }
    }

    /// Writes what is due, and sends it.
    fn write(&mut self, net: &mut Net) {
        let (Some(ends), Some(writer)) = (&mut self.ends, &mut self.writer) else { return };
        if !self.was_open {
            return;
        }
        let due = writer.write().min(self.rest);
        self.rest -= due;
        ends.write(due, self.rest == 0);
        if self.rest > 0 {
            net.schedule(writer.next(), Wake::Flow(FlowTimer::Write), self.index);
        }
        self.send(net);
    }

    /// Sends what both ends have to send now, and takes their figures.
    fn send(&mut self, net: &mut Net) {
        let Some(ends) = &mut self.ends else { return };
        let now = net.now;
        while let Some(packet) = net.losses.take_quic(self.index) {
            ends.forget(packet.number);
        }
        while let Some(QuicDatagram { handle, is_backward, size, ecn }) = ends.poll(now) {
            let hop = self.routes[usize::from(is_backward)];
            let kind = if is_backward { Kind::QuicBack } else { Kind::Quic };
            let packet = Packet::new(kind, now, self.index, hop, size + UDP_HEADERS);
            let ecn = Ecn::new(if self.has_ecn { ecn } else { Codepoint::NotCapable });
            self.sent += u64::from(!is_backward);
            net.send(Packet { number: handle, ecn, ..packet }, !is_backward);
        }
        let state = ends.state();
        if state.is_open != self.was_open {
            self.was_open = state.is_open;
            if state.is_open {
                self.averages.begin(now, state.cwnd)
            } else {
                self.averages.end(now)
            }
            if let Some(writing) = self.writing.take_if(|_| state.is_open) {
                self.writer = Some(Writer::new(writing, now));
                net.schedule(now, Wake::Flow(FlowTimer::Write), self.index);
            }
        }
        let Self { averages, recent_rtt, .. } = self;
        ends.take_rtts(&mut |rtt| {
            averages.sample(rtt);
            *recent_rtt = Some(recent_rtt.map_or(rtt, |least| least.min(rtt)));
        });
        if state.is_open {
            averages.advance(now, state.cwnd);
        }
        match ends.next_time() {
            Some(time) => self.timer.set(time.max(now)),
            None => self.timer.cancel(),
        }
        if let Some(time) = self.timer.unwatched() {
            net.schedule(time, Wake::Flow(FlowTimer::Retransmit), self.index);
        }
    }
}
