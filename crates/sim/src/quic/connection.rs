//! Flows over QUIC.

use super::{Wire, read};
use crate::ends::{MakeQuic, QuicConfig, QuicFlow, QuicState};
use crate::net::Net;
use crate::network::{FlowConfig, QuicOptions, Writing};
use crate::tcp::{Averages, Counts, Ring, Writer};
use windward_elements::ecn::Codepoint;
use windward_elements::engine::{FlowTimer, Wake};
use windward_elements::packet::Packet;
use windward_laws::LawSpec;
use windward_units::{Duration, Time, splitmix64};

/// A running flow.
pub struct Connection {
    config: QuicConfig,
    make: MakeQuic,
    wire: Wire,
    segment: u32,
    /// Pace of the application, and the application once the connection is open.
    writing: Option<Writing>,
    writer: Option<Writer>,
    /// Bytes that it has not written.
    rest: u64,
    /// The ends, once opened.
    ends: Option<Box<dyn QuicFlow>>,
    opened: Time,
    was_open: bool,
    sent: u64,
    marked: u64,
    /// Time averages.
    pub averages: Averages,
    /// Least RTT sample since it was last taken.
    pub recent_rtt: Option<Duration>,
}

impl Connection {
    /// Flow `index` of `config` under `law` in the run of `seed`, with the starts of its routes.
    pub fn new(
        index: u32,
        config: &FlowConfig,
        law: (LawSpec, QuicOptions),
        make: MakeQuic,
        routes: [u32; 2],
        seed: u64,
    ) -> Self {
        let tcp = &config.tcp;
        let quic = QuicConfig {
            size: config.size.map(|size| size.count()),
            is_paced: tcp.writing.is_some(),
            ..QuicConfig::new(tcp, law, splitmix64(splitmix64(seed) ^ config.key))
        };
        Self {
            config: quic,
            make,
            wire: Wire::new(index, tcp, routes),
            segment: tcp.segment.count() as u32,
            writing: tcp.writing,
            writer: None,
            rest: config.size.map_or(u64::MAX, |size| size.count()),
            ends: None,
            opened: Time::ZERO,
            was_open: false,
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
        self.ends.insert(self.make.flow(&self.config)).open(now);
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
        let Some(ends) = &mut self.ends else { return };
        let datagram = read(packet);
        self.marked += u64::from(!datagram.is_backward && datagram.ecn == Codepoint::Marked);
        if datagram.is_backward
            && let Some(tap) = &mut net.tap
        {
            tap.packet(net.now, packet, false);
        }
        ends.receive(net.now, datagram);
        self.send(net);
    }

    /// Handles the expiry of a timer of the flow.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer) {
        match which {
            FlowTimer::Open => self.start(net),
            FlowTimer::Close => self.stop(net),
            FlowTimer::Retransmit => match self.wire.timer.ring(net.now) {
                Ring::Nothing => {}
                Ring::Later(time) => net.schedule(time, Wake::Flow(which), self.wire.index),
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
            net.schedule(writer.next(), Wake::Flow(FlowTimer::Write), self.wire.index);
        }
        self.send(net);
    }

    /// Sends what both ends have to send now, and takes their figures.
    fn send(&mut self, net: &mut Net) {
        let Some(ends) = &mut self.ends else { return };
        let now = net.now;
        self.sent += self.wire.send(net, ends.as_mut(), true);
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
                net.schedule(now, Wake::Flow(FlowTimer::Write), self.wire.index);
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
        self.wire.watch(net, ends.as_mut());
    }
}
