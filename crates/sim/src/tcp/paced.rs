//! A flow whose applications write or read at their own pace, or whose receive window moves: one direction of a two-way
//! connection.

use super::averages::Averages;
use super::duplex::{Duplex, Side};
use super::sender::Sender;
use super::writer::Writer;
use crate::net::Net;
use crate::network::{FlowConfig, Writing};
use windward_elements::engine::{FlowTimer, Wake};
use windward_elements::packet::{Kind, Packet};
use windward_laws::AnyLaw;
use windward_units::{Duration, Time, splitmix64};

/// A flow on a two-way connection. The client sends, the server reads.
pub struct Paced {
    index: u32,
    link: Duplex,
    segment: u32,
    writing: Option<Writing>,
    writer: Option<Writer>,
    /// Bytes that remain to be written.
    rest: u64,
    is_sized: bool,
    /// True if the receiving application reads at its own pace.
    is_read_slowly: bool,
    opened_at: Time,
    has_stopped: bool,
    is_done: bool,
    /// Time averages.
    pub averages: Averages,
    /// Least round-trip sample since this was last taken.
    pub recent_rtt: Option<Duration>,
    /// Time from the start of a sized flow to its last ACK, or to its last read by an application that reads slowly.
    pub completion: Option<Duration>,
}

impl Paced {
    /// Gives back the memory of a window that is no longer used.
    pub fn tidy(&mut self) {
        self.link.tidy();
    }

    /// Flow `index` of `config` in the run of `seed`, with the starts of its forward and backward routes. The
    /// receiver's end has a law too, which decides nothing.
    pub fn new(index: u32, config: &FlowConfig, laws: [AnyLaw; 2], routes: [u32; 2], seed: u64) -> Self {
        let tcp = &config.tcp;
        let segment = tcp.segment.count() as u32;
        // As many segments as have numbers: more than any run can send.
        let most = u64::from(u32::MAX - 1) * u64::from(segment);
        Self {
            index,
            link: Duplex::of_flow(index, tcp, routes, laws, splitmix64(seed) ^ config.key),
            segment,
            writing: tcp.writing,
            writer: None,
            rest: config.size.map_or(most, |size| size.count().clamp(1, most)),
            is_sized: config.size.is_some(),
            is_read_slowly: tcp.reading.is_some(),
            opened_at: config.start,
            has_stopped: false,
            is_done: false,
            averages: Averages::new(),
            recent_rtt: None,
            completion: None,
        }
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        self.link.start(net);
    }

    /// Stops sending new data.
    pub fn stop(&mut self, net: &mut Net) {
        self.has_stopped = true;
        self.link.cut(Side::Client);
        self.finish_if_done(net);
    }

    /// Handles a packet at the end of its route.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        let is_for_client = matches!(packet.kind, Kind::SynAck | Kind::Ack);
        let side = if is_for_client { Side::Client } else { Side::Server };
        if self.is_done && is_for_client {
            return;
        }
        let was_open = self.link.is_open(Side::Client);
        self.link.on_packet(net, packet, side);
        if !is_for_client {
            return self.finish_if_read(net);
        }
        if !was_open {
            return self.open(net);
        }
        if let Some(sample) = self.link.sample(Side::Client) {
            self.averages.sample(sample);
            self.recent_rtt = Some(self.recent_rtt.map_or(sample, |least| least.min(sample)));
        }
        self.advance(net.now);
        self.finish_if_done(net);
    }

    /// Starts the application when the handshake is complete.
    fn open(&mut self, net: &mut Net) {
        if !self.link.is_open(Side::Client) {
            return;
        }
        self.averages.begin(net.now, self.sender().law().cwnd());
        let rtt = self.sender().rtt().srtt();
        if rtt > Duration::ZERO {
            self.averages.sample(rtt);
        }
        self.writer = self.writing.map(|writing| Writer::new(writing, net.now));
        self.write(net);
    }

    /// Writes what is due.
    fn write(&mut self, net: &mut Net) {
        if self.has_stopped {
            return;
        }
        let due = self.writer.as_mut().map_or(self.rest, Writer::write).min(self.rest);
        self.rest -= due;
        let is_last = self.rest == 0;
        self.link.write(net, Side::Client, due, is_last);
        self.advance(net.now);
        if let Some(writer) = self.writer.as_ref().filter(|_| !is_last) {
            net.schedule(writer.next(), Wake::Flow(FlowTimer::Write), self.index);
        }
    }

    fn advance(&mut self, now: Time) {
        let cwnd = self.sender().law().cwnd();
        self.averages.advance(now, cwnd);
    }

    /// Ends the flow if its last byte may just have been read.
    fn finish_if_read(&mut self, net: &Net) {
        if self.is_read_slowly {
            self.finish_if_done(net);
        }
    }

    /// Ends the flow when all data is acknowledged, and read: goodput is what the application has read in this time.
    fn finish_if_done(&mut self, net: &Net) {
        let is_done = !self.is_done && self.link.is_open(Side::Client) && self.link.is_done(Side::Client);
        if !is_done || self.is_read_slowly && self.payload_read() < self.link.written(Side::Client) {
            return;
        }
        self.is_done = true;
        self.completion = (self.is_sized && self.rest == 0).then(|| net.now.since(self.opened_at));
        self.averages.end(net.now);
    }

    /// Handles the expiry of a timer of the flow.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer) {
        match which {
            FlowTimer::Open => self.start(net),
            FlowTimer::Close => self.stop(net),
            FlowTimer::Write => self.write(net),
            FlowTimer::DelayedAck => self.link.wake(net, which, Side::Server),
            FlowTimer::Read => {
                self.link.wake(net, which, Side::Server);
                self.finish_if_read(net);
            }
            FlowTimer::Retransmit | FlowTimer::Pace => {
                self.link.wake(net, which, Side::Client);
                if self.is_open() {
                    self.advance(net.now);
                }
            }
            FlowTimer::Request | FlowTimer::Complete => {}
        }
    }

    /// True if the handshake is complete and data remain to be written, sent or acknowledged.
    pub fn is_open(&self) -> bool {
        self.link.is_open(Side::Client) && !self.is_done
    }

    /// True if the amount of data is finite.
    pub fn is_sized(&self) -> bool {
        self.is_sized
    }

    /// Payload that the receiving application has read, in bytes.
    pub fn payload_read(&self) -> u64 {
        self.link.arrived(Side::Server)
    }

    /// Payload of a full segment, in bytes.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// The sending end.
    pub fn sender(&self) -> &Sender {
        self.link.sender(Side::Client)
    }

    /// Number of segments that have arrived with a mark.
    pub fn marked(&self) -> u32 {
        self.link.marked(Side::Server)
    }
}
