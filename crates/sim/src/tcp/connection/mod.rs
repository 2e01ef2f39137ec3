//! A connection: the handshake, a sender and a receiver at the two ends, and the packets between them.

mod beside;
mod coded;
mod held_back;
mod host_jitter;
mod host_queue;

use super::averages::Averages;
use super::coding::Coding;
use super::headers::Headers;
use super::receiver::{AckDue, Beside, Misbehaving, Receiver};
use super::sender::{Sender, Turn};
use super::timer::{Ring, Timer};
use crate::net::Net;
use crate::network::{FlowConfig, TcpOptions};
use host_jitter::HostJitter;
use host_queue::HostQueue;
use windward_elements::engine::{FlowTimer, Wake};
use windward_elements::packet::{Kind, Packet};
use windward_laws::AnyLaw;
use windward_units::{Duration, Time, splitmix64};

/// Segments of an unbounded flow: more than any run can send.
const MOST_SEGMENTS: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    SynSent,
    Open,
    Done,
}

/// A TCP flow.
pub struct Connection {
    index: u32,
    state: State,
    headers: Headers,
    segment: u32,
    /// Most segments for which both hosts have room.
    buffer: u32,
    /// Number and payload of the last segment of a sized flow.
    last: Option<(u32, u32)>,
    forward: u32,
    backward: u32,
    opened_at: Time,
    syns: u32,
    /// Delay of the sending host, if it has one.
    host: Option<Box<HostJitter>>,
    /// Limit of the sending host on what waits at the first link.
    host_queue: HostQueue,
    /// The sending end.
    pub sender: Sender,
    /// The receiving end.
    pub receiver: Receiver,
    /// Time averages.
    pub averages: Averages,
    /// Least time from a segment's departure to its ACK, over the ACKs of new data since this was last taken; `None`
    /// without samples. Timestamps distinguish retransmissions, and the least sample contains no wait for a second
    /// segment at the receiver.
    pub recent_rtt: Option<Duration>,
    /// The receiver's round-trip estimate, for a transfer that uses it, or the state of a receiver that cheats.
    pub beside: Option<Box<Beside>>,
    /// Time from the start of a sized flow to its last ACK.
    pub completion: Option<Duration>,
    /// The coding layer, if there is one.
    pub coding: Option<Box<Coding>>,
}

impl Connection {
    /// Flow `index` of `config` in the run of `seed`, with the starts of its forward and backward routes in the table
    /// of routes.
    pub fn new(index: u32, config: &FlowConfig, law: AnyLaw, [forward, backward]: [u32; 2], seed: u64) -> Self {
        let tcp = &config.tcp;
        let segment = tcp.segment.count() as u32;
        let last = config.size.map(|size| {
            let count = size.count().div_ceil(u64::from(segment)).clamp(1, u64::from(MOST_SEGMENTS));
            let rest = size.count() - (count - 1) * u64::from(segment);
            (count as u32 - 1, rest as u32)
        });
        let end = last.map_or(MOST_SEGMENTS, |(number, _)| number + 1);
        Self {
            index,
            state: State::Closed,
            headers: Headers::new(tcp),
            segment,
            buffer: tcp.window(),
            last,
            forward,
            backward,
            opened_at: config.start,
            syns: 0,
            host: HostJitter::new(tcp.host_jitter, config.key, seed),
            host_queue: HostQueue::new(tcp),
            sender: Sender::new(law, tcp, end, splitmix64(seed) ^ config.key),
            receiver: Receiver::new(tcp),
            averages: Averages::new(),
            recent_rtt: None,
            beside: Misbehaving::new(tcp).map(|own| Box::new(Beside::Misbehaving(own))),
            completion: None,
            coding: config.coding.map(|coding| Box::new(Coding::new(&coding, splitmix64(seed) ^ config.key))),
        }
    }

    /// Payload of the segments below `number`, in bytes.
    pub fn payload_below(&self, number: u32) -> u64 {
        let full = u64::from(number) * u64::from(self.segment);
        match self.last {
            Some((last, bytes)) if number > last => full - u64::from(self.segment - bytes),
            _ => full,
        }
    }

    /// Payload that has reached the receiver, in bytes; each segment counts once. Data beyond a gap have crossed the
    /// network as well and count too.
    pub fn payload_arrived(&self) -> u64 {
        let full = u64::from(self.receiver.arrived()) * u64::from(self.segment);
        match self.last {
            Some((last, bytes)) if self.receiver.end() > last => full - u64::from(self.segment - bytes),
            _ => full,
        }
    }

    /// True if the handshake is complete and data remain to be sent or acknowledged.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// True if the amount of data is finite.
    pub fn is_sized(&self) -> bool {
        self.last.is_some()
    }

    /// Payload of a full segment, in bytes.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// Index among the flows.
    pub(super) fn index(&self) -> u32 {
        self.index
    }

    /// Sizes of the flow's packets.
    pub(super) fn headers(&self) -> Headers {
        self.headers
    }

    /// Start of the forward route.
    pub(super) fn forward(&self) -> u32 {
        self.forward
    }

    /// Start of the backward route, which the ACKs take.
    pub(super) fn backward(&self) -> u32 {
        self.backward
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        self.state = State::SynSent;
        self.send_syn(net);
    }

    fn send_syn(&mut self, net: &mut Net) {
        let packet = Packet { size: self.headers.syn(), ..self.packet(net.now, Kind::Syn, self.forward) };
        net.send(packet, true);
        let deadline = net.now + self.sender.rtt().of_syn(self.syns);
        self.syns += 1;
        self.sender.timer().set(deadline);
        self.watch(net);
    }

    /// Stops sending new data.
    pub fn stop(&mut self, net: &mut Net) {
        self.sender.set_end(self.sender.end().min(self.sender.next()));
        if self.sender.is_done() && self.state != State::Done {
            self.finish(net);
        }
    }

    /// Sends data again after [`Self::stop`]: over the same connection while it still has data in flight, else over a
    /// new one with a fresh `law`, whose segment numbers continue those of the old one. Returns true for a new
    /// connection.
    pub fn reopen(&mut self, net: &mut Net, tcp: &TcpOptions, law: impl FnOnce() -> AnyLaw) -> bool {
        self.sender.set_end(MOST_SEGMENTS);
        if self.state != State::Done {
            self.send(net);
            return false;
        }
        self.sender.renew(law(), tcp);
        self.receiver.renew(tcp);
        self.syns = 0;
        self.start(net);
        true
    }

    /// Limits the advertised window to `segments`, or to the receive buffer if `None`.
    pub fn bound_receive_window(&mut self, segments: Option<u32>) {
        self.sender.set_receive_window(segments.map_or(self.buffer, |segments| segments.clamp(1, self.buffer)));
    }

    pub(super) fn packet(&self, now: Time, kind: Kind, hop: u32) -> Packet {
        Packet::new(kind, now, self.index, hop, 0)
    }

    /// Handles a packet at the end of its route.
    #[inline]
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        match packet.kind {
            Kind::Data => self.on_data(net, packet),
            Kind::Ack => self.on_ack(net, packet),
            Kind::Syn => self.answer_syn(net, packet),
            Kind::SynAck => self.establish(net, packet),
            Kind::Coded => self.on_combination(net, packet),
            Kind::CodedAck => self.on_feedback(net, packet),
            // The receiver has answered the SYN and already waits for data.
            Kind::HandshakeAck => self.receiver.open(net.now),
            Kind::Segment
            | Kind::Probe
            | Kind::Datagram
            | Kind::Report
            | Kind::Quic
            | Kind::QuicBack
            | Kind::Parcel { .. }
            | Kind::Routing => {
                debug_assert!(false, "no packet of a connection")
            }
        }
    }

    fn answer_syn(&mut self, net: &mut Net, packet: &Packet) {
        self.receiver.answer_syn(net.now);
        let size = self.headers.syn();
        let answer = self.packet(net.now, Kind::SynAck, self.backward);
        net.send(Packet { stamp: packet.stamp, size, ..answer }, false);
    }

    fn establish(&mut self, net: &mut Net, packet: &Packet) {
        if let Some(tap) = &mut net.tap {
            tap.packet(net.now, packet, false);
        }
        if self.state != State::SynSent {
            return;
        }
        self.state = State::Open;
        self.sender.timer().cancel();
        let rtt = Duration::from_nanos(net.now.as_nanos() - packet.stamp);
        self.sender.establish(net.now, self.syns, Some(rtt));
        self.averages.begin(net.now, self.sender.law().cwnd());
        if self.syns == 1 {
            self.averages.sample(rtt);
        }
        let size = self.headers.ack(&Default::default());
        net.send(Packet { size, ..self.packet(net.now, Kind::HandshakeAck, self.forward) }, true);
        self.send(net);
    }

    #[inline]
    fn on_data(&mut self, net: &mut Net, packet: &Packet) {
        if self.beside.is_some() && self.is_taken_beside(net.now, packet) {
            return;
        }
        self.receiver.note_rtt(|| self.sender.rtt_of_receiver());
        match self.receiver.receive(net.now, packet) {
            AckDue::Now => self.acknowledge(net),
            AckDue::By(deadline) => {
                self.receiver.timer.set(deadline);
                Self::watch_timer(&mut self.receiver.timer, net, FlowTimer::DelayedAck, self.index);
            }
        }
    }

    #[inline]
    fn acknowledge(&mut self, net: &mut Net) {
        let (sack, stamp) = self.receiver.acknowledge();
        let number = self.receiver.next();
        if self.beside.is_some() && self.is_acknowledged_beside(net, number, stamp) {
            return;
        }
        net.send(
            Packet {
                stamp,
                number,
                size: self.headers.ack(&sack),
                sack,
                is_last: self.last.is_some_and(|(last, _)| number > last),
                ecn: self.receiver.echo(),
                ..self.packet(net.now, Kind::Ack, self.backward)
            },
            false,
        );
    }

    #[inline]
    pub(super) fn on_ack(&mut self, net: &mut Net, packet: &Packet) {
        if self.state != State::Open {
            // A late packet.
            return;
        }
        if let Some(tap) = &mut net.tap {
            tap.packet(net.now, packet, false);
        }
        if self.beside.is_some() && self.is_part_beside(net, packet) {
            return;
        }
        let una = self.sender.una();
        let sample = self.sender.on_ack(net.now, packet);
        if self.sender.una() > una {
            let rtt = Duration::from_nanos(net.now.as_nanos() - packet.stamp);
            self.recent_rtt = Some(self.recent_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        if let Some(rtt) = sample {
            self.averages.sample(rtt);
        }
        self.averages.advance(net.now, self.sender.law().cwnd());
        if self.sender.is_done() {
            self.finish(net);
            return;
        }
        if let Some(host) = &mut self.host {
            host.on_ack(net.now);
        }
        self.send(net);
    }

    fn finish(&mut self, net: &mut Net) {
        self.state = State::Done;
        let is_whole = self.last.is_some_and(|(last, _)| self.sender.end() > last);
        self.completion = is_whole.then(|| net.now.since(self.opened_at));
        self.sender.timer().cancel();
        self.averages.end(net.now);
    }

    /// Takes the window of the law, which was set between two events, and sends what it allows.
    pub fn poke(&mut self, net: &mut Net) {
        if self.state == State::Open {
            self.sender.take_window();
            self.averages.advance(net.now, self.sender.law().cwnd());
            self.send(net);
        }
    }

    /// Sends all segments that are allowed now.
    #[inline]
    fn send(&mut self, net: &mut Net) {
        if let Some(until) = self.host.as_ref().and_then(|host| host.busy_until(net.now)) {
            self.wait(net, until);
            return self.watch(net);
        }
        loop {
            let turn = self.sender.turn(net.now);
            let number = match turn {
                Turn::New(number) | Turn::Again(number) => number,
                Turn::Wait(until) => {
                    self.wait(net, until);
                    break;
                }
                Turn::Idle => break,
            };
            if self.host_queue != HostQueue::Unlimited && self.is_held_back(net, turn, number) {
                break;
            }
            let ecn = self.sender.on_send(net.now, turn);
            if self.beside.is_some() {
                self.send_beside(net, number);
            }
            let (payload, is_last) = self.payload(number);
            let packet = Packet {
                number,
                size: self.headers.data() + payload,
                is_last,
                ecn,
                ..self.packet(net.now, Kind::Data, self.forward)
            };
            match self.coding {
                None => net.send(packet, true),
                Some(_) => self.send_coded(net, turn, packet),
            }
        }
        self.watch(net);
    }

    /// Payload of a segment, and true for the last one of a sized flow.
    #[inline]
    fn payload(&self, number: u32) -> (u32, bool) {
        match self.last {
            Some((last, bytes)) if number == last => (bytes, true),
            _ => (self.segment, false),
        }
    }

    /// Schedules the next transmission at `until`.
    #[inline]
    fn wait(&mut self, net: &mut Net, until: Time) {
        self.sender.pacing_timer().set(until);
        Self::watch_timer(self.sender.pacing_timer(), net, FlowTimer::Pace, self.index);
    }

    #[inline]
    fn watch(&mut self, net: &mut Net) {
        Self::watch_timer(self.sender.timer(), net, FlowTimer::Retransmit, self.index);
    }

    #[inline]
    pub(super) fn watch_timer(timer: &mut Timer, net: &mut Net, which: FlowTimer, index: u32) {
        if let Some(time) = timer.unwatched() {
            net.schedule(time, Wake::Flow(which), index);
        }
    }

    /// Handles the expiry of a timer of the flow.
    #[inline]
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer) {
        let timer = match which {
            FlowTimer::DelayedAck => &mut self.receiver.timer,
            FlowTimer::Retransmit => self.sender.timer(),
            FlowTimer::Pace => self.sender.pacing_timer(),
            FlowTimer::Request => return self.wake_requests(net),
            FlowTimer::Open => return self.start(net),
            FlowTimer::Close => return self.stop(net),
            FlowTimer::Complete if self.state == State::Open => return self.send(net),
            FlowTimer::Complete | FlowTimer::Read | FlowTimer::Write => return,
        };
        match timer.ring(net.now) {
            Ring::Nothing => {}
            Ring::Later(time) => net.schedule(time, Wake::Flow(which), self.index),
            Ring::Expired => self.expire(net, which),
        }
    }

    fn expire(&mut self, net: &mut Net, which: FlowTimer) {
        match (which, self.state) {
            (FlowTimer::DelayedAck, _) => self.acknowledge(net),
            (FlowTimer::Retransmit, State::SynSent) => self.send_syn(net),
            (FlowTimer::Retransmit, State::Open) => {
                self.sender.on_timer(net.now);
                self.averages.advance(net.now, self.sender.law().cwnd());
                self.send(net);
            }
            (FlowTimer::Pace, State::Open) => self.send(net),
            _ => {}
        }
    }
}
