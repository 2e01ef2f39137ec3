//! A two-way connection: the handshake, two ends that send and receive, and the packets between them.

use super::end::{End, Outgoing};
use super::headers::Headers;
use super::sender::Counts;
use super::timer::{Ring, Timer};
use crate::engine::{AppTimer, FlowTimer, Wake};
use crate::net::Net;
use crate::network::TcpOptions;
use crate::packet::{Kind, Packet, Piggyback};
use windward_laws::AnyLaw;
use windward_units::{Duration, Time, splitmix64};

/// Timeout of a SYN (RFC 6298 §2.1).
const SYN_TIMEOUT: Duration = Duration::from_millis(1000);

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The end that opens the connection.
    Client = 0,
    /// The end that answers.
    Server = 1,
}

impl Side {
    /// The side that a packet or a timer with the number `flow` belongs to.
    #[inline]
    pub fn of(flow: u32) -> Self {
        if flow & 1 == 0 { Self::Client } else { Self::Server }
    }

    fn other(self) -> Self {
        if self == Self::Client { Self::Server } else { Self::Client }
    }
}

/// A connection.
pub struct Duplex {
    /// Number of the client's end; that of the server follows. A packet carries the number of the end that it goes to.
    id: u32,
    headers: Headers,
    /// Starts of the routes from the client and from the server.
    routes: [u32; 2],
    ends: [End; 2],
    /// True for each end that has completed the handshake.
    is_open: [bool; 2],
    /// SYNs and their answers.
    syns: [u32; 2],
    answered_at: Time,
    /// Number of bytes for which the application of each end waits.
    watches: [u64; 2],
}

impl Duplex {
    /// A connection with these options and laws before the handshake. `id` is even, relative to the first number of
    /// two-way connections, which is even in effect.
    pub fn new(id: u32, tcp: &TcpOptions, routes: [u32; 2], laws: [AnyLaw; 2], seed: u64) -> Self {
        let [client, server] = laws;
        let ends = [End::new(client, tcp, splitmix64(seed)), End::new(server, tcp, splitmix64(!seed))];
        let headers = Headers::new(tcp);
        let (answered_at, watches) = (Time::ZERO, [u64::MAX; 2]);
        Self { id, headers, routes, ends, is_open: [false; 2], syns: [0; 2], answered_at, watches }
    }

    /// True if `side` has completed the handshake.
    pub fn is_open(&self, side: Side) -> bool {
        self.is_open[side as usize]
    }

    /// Counters of an end's sender.
    pub fn counts(&self, side: Side) -> Counts {
        self.ends[side as usize].sender.counts()
    }

    /// Bytes that have arrived at `side` in order.
    #[inline]
    pub fn arrived(&self, side: Side) -> u64 {
        self.ends[side as usize].arrived(&self.ends[side.other() as usize])
    }

    /// Bytes that `side` has written.
    pub fn written(&self, side: Side) -> u64 {
        self.ends[side as usize].written()
    }

    /// Wakes the application of `side` once `bytes` have arrived there.
    pub fn watch(&mut self, side: Side, bytes: u64) {
        self.watches[side as usize] = bytes;
    }

    /// True if the server has closed the connection and all its data is acknowledged.
    pub fn is_done(&self) -> bool {
        self.ends[Side::Server as usize].is_done()
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        self.syns[0] += 1;
        let packet = Packet { size: self.headers.syn(), ..self.packet(net.now, Kind::Syn, Side::Client) };
        net.send(packet, false);
        let wait = SYN_TIMEOUT * (1 << (self.syns[0] - 1).min(7));
        let sender = &mut self.ends[0].sender;
        let deadline = net.now + sender.rtt().bounded(wait);
        sender.timer().set(deadline);
        self.schedule(net, Side::Client);
    }

    /// Writes `bytes` at `side`; the last ones if `is_last`, so that FIN follows them.
    pub fn write(&mut self, net: &mut Net, side: Side, bytes: u64, is_last: bool) {
        let (from, mut out) = self.outlet(net, side);
        let now = out.net.now;
        from.write(now, bytes, is_last, |outgoing| out.put(outgoing));
        self.schedule(net, side);
    }

    /// A packet of `kind` from `side`.
    fn packet(&self, now: Time, kind: Kind, side: Side) -> Packet {
        Packet::new(kind, now, self.id + side.other() as u32, self.routes[side as usize], 0)
    }

    /// An end, and the way of its segments into the network.
    #[inline]
    fn outlet<'a>(&'a mut self, net: &'a mut Net, side: Side) -> (&'a mut End, Outlet<'a>) {
        let (flow, hop) = (self.id + side.other() as u32, self.routes[side as usize]);
        (&mut self.ends[side as usize], Outlet { net, headers: self.headers, flow, hop })
    }

    /// Handles a packet that has arrived at `side`.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet, side: Side) {
        match packet.kind {
            Kind::Syn => self.answer_syn(net, packet),
            Kind::SynAck => self.establish(net, packet),
            Kind::HandshakeAck => self.accept(net.now),
            Kind::Segment | Kind::Ack => {
                if side == Side::Server {
                    // The ACK of the SYN-ACK may be lost.
                    self.accept(net.now);
                }
                if !self.is_open(side) {
                    return;
                }
                let payload = packet.size.saturating_sub(self.headers.data());
                let (end, mut out) = self.outlet(net, side);
                let now = out.net.now;
                end.arrive(now, packet, payload, |outgoing| out.put(outgoing));
                self.schedule(net, side);
                self.tell(net, side);
            }
            _ => debug_assert!(false, "no packet of a two-way connection"),
        }
    }

    /// Wakes the application of `side` if its bytes have arrived.
    #[inline]
    fn tell(&mut self, net: &mut Net, side: Side) {
        if self.arrived(side) >= self.watches[side as usize] {
            self.watches[side as usize] = u64::MAX;
            net.schedule(net.now, Wake::App(AppTimer::Heard), self.id + side as u32);
        }
    }

    fn answer_syn(&mut self, net: &mut Net, packet: &Packet) {
        self.syns[1] += 1;
        self.answered_at = net.now;
        self.ends[1].receiver.answer_syn(net.now);
        let answer = self.packet(net.now, Kind::SynAck, Side::Server);
        net.send(Packet { stamp: packet.stamp, size: self.headers.syn(), ..answer }, false);
    }

    fn establish(&mut self, net: &mut Net, packet: &Packet) {
        if self.is_open[0] {
            return;
        }
        self.is_open[0] = true;
        let sender = &mut self.ends[0].sender;
        sender.timer().cancel();
        // The answer to a repeated SYN may belong to the first one (Karn's rule).
        let sample = (self.syns[0] == 1).then(|| Duration::from_nanos(net.now.as_nanos() - packet.stamp));
        sender.establish(net.now, sample);
        let size = self.headers.ack(&Default::default());
        net.send(Packet { size, ..self.packet(net.now, Kind::HandshakeAck, Side::Client) }, false);
        net.schedule(net.now, Wake::App(AppTimer::Heard), self.id);
    }

    fn accept(&mut self, now: Time) {
        if self.is_open[1] {
            return;
        }
        self.is_open[1] = true;
        let End { sender, receiver, .. } = &mut self.ends[1];
        receiver.open(now);
        sender.establish(now, (self.syns[1] == 1).then(|| now.since(self.answered_at)));
    }

    /// Schedules the events that the timers of `side` need.
    #[inline]
    fn schedule(&mut self, net: &mut Net, side: Side) {
        let End { sender, receiver, .. } = &mut self.ends[side as usize];
        let index = self.id + side as u32;
        let mut watch = |timer: &mut Timer, which| {
            if let Some(time) = timer.unwatched() {
                net.schedule(time, Wake::Flow(which), index);
            }
        };
        watch(&mut receiver.timer, FlowTimer::DelayedAck);
        watch(sender.timer(), FlowTimer::Retransmit);
        watch(sender.pacing_timer(), FlowTimer::Pace);
    }

    /// Handles the expiry of a timer of `side`.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer, side: Side) {
        let End { sender, receiver, .. } = &mut self.ends[side as usize];
        let timer = match which {
            FlowTimer::DelayedAck => &mut receiver.timer,
            FlowTimer::Retransmit => sender.timer(),
            FlowTimer::Pace => sender.pacing_timer(),
            FlowTimer::Request | FlowTimer::Complete | FlowTimer::Open | FlowTimer::Close => return,
        };
        match timer.ring(net.now) {
            Ring::Nothing => {}
            Ring::Later(time) => net.schedule(time, Wake::Flow(which), self.id + side as u32),
            Ring::Expired => {
                if !self.is_open(side) {
                    return self.start(net);
                }
                let (end, mut out) = self.outlet(net, side);
                let now = out.net.now;
                let put = |outgoing| out.put(outgoing);
                match which {
                    FlowTimer::DelayedAck => end.expire_ack(put),
                    FlowTimer::Retransmit => end.expire(now, put),
                    _ => _ = end.send(now, put),
                }
                self.schedule(net, side);
            }
        }
    }
}

/// The way of an end's segments into the network.
struct Outlet<'a> {
    net: &'a mut Net,
    headers: Headers,
    flow: u32,
    hop: u32,
}

impl Outlet<'_> {
    #[inline]
    fn put(&mut self, outgoing: Outgoing) {
        let Outgoing { data, number, sack, stamp, ecn } = outgoing;
        let packet = match data {
            Some(data) => {
                // The SACK block takes no room: Linux shortens the payload for it, so that the packet is no larger.
                let size = self.headers.data() + data.payload;
                let mut packet = Packet::new(Kind::Segment, self.net.now, self.flow, self.hop, size);
                packet.set_ack(Piggyback { number, stamp, block: sack[0] });
                Packet { number: data.number, is_last: data.is_last, ecn, ..packet }
            }
            None => {
                let packet = Packet::new(Kind::Ack, self.net.now, self.flow, self.hop, self.headers.ack(&sack));
                Packet { stamp, number, sack, ecn, ..packet }
            }
        };
        self.net.send(packet, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkConfig;
    use crate::medium::Hooks;
    use crate::queue::Buffer;
    use crate::topology::Topology;
    use windward_laws::LawSpec;
    use windward_units::{BitRate, Packets};

    /// Both ends send without end over a link of 10 Mbit/s each way. The headers allow goodputs of 2·1448/1500 = 1.931
    /// times the rate together. At worst a pure ACK follows every second segment, where the window of 200 segments
    /// limits: 2·2896/3052 = 1.898, less the start and the segments in flight at the end, some 1 % of the time.
    #[test]
    fn both_directions_fill_their_links() {
        const RATE: u64 = 10_000_000;
        const SECONDS: u64 = 60;
        const BYTES: u64 = 1_000_000_000;
        let link = |key| LinkConfig {
            buffer: Buffer::Unlimited,
            ..LinkConfig::new(key, BitRate::bits_per_sec(RATE), Duration::from_millis(10))
        };
        let topology = Topology::of_links(vec![link(1), link(2)]);
        let mut net = Net::new(&topology, &Hooks::default(), 1, [0, 0], 16);
        let routes = [net.add_route(&vec![0].into()), net.add_route(&vec![1].into())];
        let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
        let laws = [(); 2].map(|()| law.build(Packets::new(10.0)));
        let tcp = TcpOptions { receive_window: 200, ..TcpOptions::default() };
        let mut link = Duplex::new(0, &tcp, routes, laws, 1);
        link.start(&mut net);
        let end = Time::ZERO + Duration::from_millis(1000 * SECONDS);
        while let Some(event) = net.calendar.pop().filter(|event| event.time() <= end) {
            net.now = event.time();
            let side = Side::of(event.index());
            match event.wake() {
                Wake::Port(timer) => {
                    if let Some(packet) = net.wake_port(timer, event.index()) {
                        link.on_packet(&mut net, &packet, Side::of(packet.flow));
                    }
                }
                Wake::Flow(timer) => link.wake(&mut net, timer, side),
                Wake::App(AppTimer::Heard) => link.write(&mut net, Side::Client, BYTES, false),
                other => panic!("{other:?} wakes nobody here"),
            }
            if link.is_open(Side::Server) && link.written(Side::Server) == 0 {
                link.write(&mut net, Side::Server, BYTES, false);
            }
        }
        let bytes: u64 = [Side::Client, Side::Server].map(|side| link.arrived(side)).iter().sum();
        let share = bytes as f64 * 8.0 / (RATE * SECONDS) as f64;
        assert!((1.88..1.931).contains(&share), "{share}");
    }
}
