//! A two-way connection: the handshake, two ends that send and receive, and the packets between them.

use super::end::{End, Outgoing};
use super::headers::Headers;
use super::receiver::ReceiverRtt;
use super::sender::Sender;
use super::timer::{Ring, Timer};
use crate::net::Net;
use crate::network::TcpOptions;
use windward_elements::engine::{AppTimer, FlowTimer, Wake};
use windward_elements::packet::{Kind, Packet, Piggyback};
use windward_laws::AnyLaw;
use windward_units::{Duration, Time, splitmix64};

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
    /// Numbers of the client's and the server's end. A packet carries the number of the end that it goes to.
    ids: [u32; 2],
    /// True if the ends belong to applications with events of their own.
    has_apps: bool,
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
    /// Round-trip times measured by the receivers of the two ends, if their buffers follow them.
    rtts: Option<Box<[ReceiverRtt; 2]>>,
}

impl Duplex {
    /// Gives back the memory of windows that are no longer used.
    pub fn tidy(&mut self) {
        self.ends.iter_mut().for_each(|end| end.sender.tidy());
    }

    /// An application's connection with these options and laws before the handshake. `id` is even, relative to the
    /// first number of two-way connections, which is even in effect.
    pub fn new(id: u32, tcp: &TcpOptions, routes: [u32; 2], laws: [AnyLaw; 2], seed: u64) -> Self {
        Self { ids: [id, id + 1], has_apps: true, ..Self::of_flow(id, tcp, routes, laws, seed) }
    }

    /// The connection of the flow `id`, whose packets and timers all carry that number.
    pub fn of_flow(id: u32, tcp: &TcpOptions, routes: [u32; 2], laws: [AnyLaw; 2], seed: u64) -> Self {
        let [client, server] = laws;
        let ends = [End::new(client, tcp, splitmix64(seed)), End::new(server, tcp, splitmix64(!seed))];
        let headers = Headers::new(tcp);
        let is_tuned = ends[0].inbox.as_ref().is_some_and(|inbox| inbox.is_tuned());
        Self {
            ids: [id; 2],
            has_apps: false,
            headers,
            routes,
            ends,
            is_open: [false; 2],
            syns: [0; 2],
            answered_at: Time::ZERO,
            watches: [u64::MAX; 2],
            rtts: is_tuned.then(Box::default),
        }
    }

    /// Starts over as [`Self::new`], in the storage of this connection. Options and routes are those with which it was
    /// made; packets of the old one have other numbers.
    pub fn recycle(&mut self, id: u32, tcp: &TcpOptions, laws: [AnyLaw; 2], seed: u64) {
        let Self { ids, has_apps: _, headers: _, routes: _, ends, is_open, syns, answered_at, watches, rtts } = self;
        let ([client, server], [client_law, server_law]) = (ends, laws);
        client.recycle(client_law, tcp, splitmix64(seed));
        server.recycle(server_law, tcp, splitmix64(!seed));
        *ids = [id, id + 1];
        (*is_open, *syns, *answered_at, *watches) = ([false; 2], [0; 2], Time::ZERO, [u64::MAX; 2]);
        if let Some(rtts) = rtts {
            **rtts = Default::default();
        }
    }

    /// True if `side` has completed the handshake.
    pub fn is_open(&self, side: Side) -> bool {
        self.is_open[side as usize]
    }

    /// Sender of an end.
    pub fn sender(&self, side: Side) -> &Sender {
        &self.ends[side as usize].sender
    }

    /// Number of segments that have arrived at `side` with a mark.
    pub fn marked(&self, side: Side) -> u32 {
        self.ends[side as usize].receiver.marked()
    }

    /// Round-trip sample of the last packet that has arrived at `side`, if any.
    pub fn sample(&self, side: Side) -> Option<Duration> {
        self.ends[side as usize].sample
    }

    /// Bytes that have arrived at `side` in order and that its application has read.
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

    /// True if `side` has closed its direction and all its data is acknowledged.
    pub fn is_done(&self, side: Side) -> bool {
        self.ends[side as usize].is_done()
    }

    /// Drops the data of `side` that has not been sent, and closes its direction.
    pub fn cut(&mut self, side: Side) {
        self.ends[side as usize].cut();
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        let packet = Packet { size: self.headers.syn(), ..self.packet(net.now, Kind::Syn, Side::Client) };
        net.send(packet, false);
        let sender = &mut self.ends[0].sender;
        let deadline = net.now + sender.rtt().of_syn(self.syns[0]);
        sender.timer().set(deadline);
        self.syns[0] += 1;
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
        Packet::new(kind, now, self.ids[side.other() as usize], self.routes[side as usize], 0)
    }

    /// An end, and the way of its segments into the network.
    #[inline]
    fn outlet<'a>(&'a mut self, net: &'a mut Net, side: Side) -> (&'a mut End, Outlet<'a>) {
        let (flow, hop) = (self.ids[side.other() as usize], self.routes[side as usize]);
        let rtts = self.rtts.as_deref_mut();
        (&mut self.ends[side as usize], Outlet { net, headers: self.headers, flow, hop, side, rtts })
    }

    /// Handles a packet that has arrived at `side`.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet, side: Side) {
        match packet.kind {
            Kind::Syn => self.answer_syn(net, packet),
            Kind::SynAck => self.establish(net, packet),
            Kind::HandshakeAck => self.accept(net.now),
            Kind::Segment | Kind::Ack | Kind::Probe => {
                if side == Side::Server {
                    // The ACK of the SYN-ACK may be lost.
                    self.accept(net.now);
                }
                if !self.is_open(side) {
                    return;
                }
                self.measure(net.now, packet, side);
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

    /// Takes the receivers' round-trip samples of a packet that arrives at `side`.
    #[inline]
    fn measure(&mut self, now: Time, packet: &Packet, side: Side) {
        if packet.kind == Kind::Segment {
            let rtt = self.ends[side.other() as usize].sender.rtt_of_receiver();
            self.ends[side as usize].receiver.note_rtt(|| rtt);
        }
        let Some(rtts) = &mut self.rtts else { return };
        let acknowledges = if packet.kind == Kind::Segment { packet.ack().number } else { packet.number };
        rtts[side.other() as usize].on_ack(acknowledges);
        let own = &mut rtts[side as usize];
        if packet.kind == Kind::Segment {
            own.receive(now, packet.number);
        }
        if let Some(inbox) = &mut self.ends[side as usize].inbox {
            inbox.rtt = own.estimate();
        }
    }

    /// Wakes the application of `side` if its bytes have arrived.
    #[inline]
    fn tell(&mut self, net: &mut Net, side: Side) {
        if self.arrived(side) >= self.watches[side as usize] {
            self.watches[side as usize] = u64::MAX;
            net.schedule(net.now, Wake::App(AppTimer::Heard), self.ids[side as usize]);
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
        sender.establish(net.now, self.syns[0], Some(Duration::from_nanos(net.now.as_nanos() - packet.stamp)));
        let size = self.headers.ack(&Default::default());
        net.send(Packet { size, ..self.packet(net.now, Kind::HandshakeAck, Side::Client) }, false);
        if self.has_apps {
            net.schedule(net.now, Wake::App(AppTimer::Heard), self.ids[0]);
        }
    }

    fn accept(&mut self, now: Time) {
        if self.is_open[1] {
            return;
        }
        self.is_open[1] = true;
        let End { sender, receiver, .. } = &mut self.ends[1];
        receiver.open(now);
        sender.establish(now, self.syns[1], Some(now.since(self.answered_at)));
    }

    /// Schedules the events that the timers of `side` need.
    #[inline]
    fn schedule(&mut self, net: &mut Net, side: Side) {
        let index = self.ids[side as usize];
        let End { sender, receiver, inbox, .. } = &mut self.ends[side as usize];
        let mut watch = |timer: &mut Timer, which| {
            if let Some(time) = timer.unwatched() {
                net.schedule(time, Wake::Flow(which), index);
            }
        };
        watch(&mut receiver.timer, FlowTimer::DelayedAck);
        watch(sender.timer(), FlowTimer::Retransmit);
        watch(sender.pacing_timer(), FlowTimer::Pace);
        if let Some(inbox) = inbox {
            watch(&mut inbox.timer, FlowTimer::Read);
        }
    }

    /// Handles the expiry of a timer of `side`.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer, side: Side) {
        let End { sender, receiver, inbox, .. } = &mut self.ends[side as usize];
        let timer = match which {
            FlowTimer::Read => match inbox {
                Some(inbox) => &mut inbox.timer,
                None => return,
            },
            FlowTimer::DelayedAck => &mut receiver.timer,
            FlowTimer::Retransmit => sender.timer(),
            FlowTimer::Pace => sender.pacing_timer(),
            FlowTimer::Request | FlowTimer::Complete | FlowTimer::Open | FlowTimer::Close | FlowTimer::Write => return,
        };
        match timer.ring(net.now) {
            Ring::Nothing => {}
            Ring::Later(time) => net.schedule(time, Wake::Flow(which), self.ids[side as usize]),
            Ring::Expired => {
                // Until the connection is open the timer is that of the SYN.
                if !self.is_open(side) {
                    return self.start(net);
                }
                let (end, mut out) = self.outlet(net, side);
                let now = out.net.now;
                let put = |outgoing| out.put(outgoing);
                match which {
                    FlowTimer::DelayedAck => end.expire_ack(now, put),
                    FlowTimer::Retransmit => end.expire(now, put),
                    FlowTimer::Read => end.read(now, put),
                    _ => _ = end.send(now, put),
                }
                self.schedule(net, side);
                self.tell(net, side);
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
    side: Side,
    rtts: Option<&'a mut [ReceiverRtt; 2]>,
}

impl Outlet<'_> {
    #[inline]
    fn put(&mut self, outgoing: Outgoing) {
        let Outgoing { data, is_probe, number, window, sack, stamp, ecn } = outgoing;
        if let Some(rtts) = &mut self.rtts {
            rtts[self.side as usize].acknowledge(self.net.now, number);
            match data {
                Some(data) => rtts[self.side.other() as usize].send(data.number),
                None => rtts[self.side.other() as usize].skip(),
            }
        }
        let packet = match data {
            Some(data) => {
                // The SACK block takes no room: Linux shortens the payload for it, so that the packet is no larger.
                let size = self.headers.data() + data.payload;
                let mut packet = Packet::new(Kind::Segment, self.net.now, self.flow, self.hop, size);
                packet.set_ack(Piggyback { number, window: window.unwrap_or(0), stamp, block: sack[0] });
                Packet { number: data.number, is_last: data.is_last, ecn, ..packet }
            }
            None => {
                let mut packet = Packet::new(Kind::Ack, self.net.now, self.flow, self.hop, 0);
                packet.sack = sack;
                if let Some(window) = window {
                    packet.set_window(window);
                }
                let kind = if is_probe { Kind::Probe } else { Kind::Ack };
                Packet { kind, size: self.headers.ack(&packet.sack), stamp, number, ecn, ..packet }
            }
        };
        self.net.send(packet, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Reading;
    use crate::topology::Topology;
    use windward_elements::link::LinkConfig;
    use windward_elements::queue::Buffer;
    use windward_laws::LawSpec;
    use windward_radio::Hooks;
    use windward_units::{BitRate, Bytes, Packets};

    /// A connection between two nodes, 10 Mbit/s and 10 ms each way.
    fn between(tcp: &TcpOptions) -> (Duplex, Net) {
        let link = |key| LinkConfig {
            buffer: Buffer::Unlimited,
            ..LinkConfig::new(key, BitRate::bits_per_sec(RATE), Duration::from_millis(10))
        };
        let topology = Topology::of_links(vec![link(1), link(2)]);
        let mut net = Net::new(&topology, &Hooks::default(), 1, [0, 0], 16);
        let routes = [0, 1].map(|port| net.add_route(&vec![port].into(), windward_elements::queue::Label::default()));
        let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
        let laws = [(); 2].map(|()| law.build(Packets::new(10.0)));
        let mut link = Duplex::new(0, tcp, routes, laws, 1);
        link.start(&mut net);
        (link, net)
    }

    /// Handles the events until `end`, and lets `apps` act after each.
    fn play(link: &mut Duplex, net: &mut Net, end: Time, mut apps: impl FnMut(&mut Duplex, &mut Net)) {
        while let Some(event) = net.calendar.pop().filter(|event| event.time() <= end) {
            net.now = event.time();
            match event.wake() {
                Wake::Port(timer) => {
                    if let Some(packet) = net.wake_port(timer, event.index()) {
                        link.on_packet(net, &packet, Side::of(packet.flow));
                    }
                }
                Wake::Flow(timer) => link.wake(net, timer, Side::of(event.index())),
                Wake::App(_) => {}
                other => panic!("{other:?} wakes nobody here"),
            }
            apps(link, net);
        }
    }

    const RATE: u64 = 10_000_000;

    /// Both ends send without end over a link of 10 Mbit/s each way. The headers allow goodputs of 2·1448/1500 = 1.931
    /// times the rate together. At worst a pure ACK follows every second segment, where the window of 200 segments
    /// limits: 2·2896/3052 = 1.898, less the start and the segments in flight at the end, some 1 % of the time.
    #[test]
    fn both_directions_fill_their_links() {
        const SECONDS: u64 = 60;
        const BYTES: u64 = 1_000_000_000;
        let (mut link, mut net) = between(&TcpOptions { receive_window: 200, ..TcpOptions::default() });
        let end = Time::ZERO + Duration::from_millis(1000 * SECONDS);
        play(&mut link, &mut net, end, |link, net| {
            for side in [Side::Client, Side::Server] {
                if link.is_open(side) && link.written(side) == 0 {
                    link.write(net, side, BYTES, false);
                }
            }
        });
        let bytes: u64 = [Side::Client, Side::Server].map(|side| link.arrived(side)).iter().sum();
        let share = bytes as f64 * 8.0 / (RATE * SECONDS) as f64;
        assert!((1.88..1.931).contains(&share), "{share}");
    }

    /// The classic stall of Nagle's algorithm and delayed ACKs: requests of two small writes. In the first exchange the
    /// server acknowledges the first write at once, so that the second leaves after a round trip of 20 ms and arrives
    /// after 30 ms. From then on data answers data, the ACK of the first write waits 40 ms, and so does the second.
    #[test]
    fn small_writes_stall_behind_delayed_acks() {
        let (mut link, mut net) = between(&TcpOptions { nagle: true, ..TcpOptions::linux(true) });
        let mut asked: Option<Time> = None;
        let mut took = Vec::new();
        let mut answered = 0;
        play(&mut link, &mut net, Time::ZERO + Duration::from_millis(1000), |link, net| {
            let requests = link.arrived(Side::Server) / 200;
            if requests > answered {
                answered = requests;
                took.extend(asked.take().map(|since| net.now.since(since).as_nanos() / 1_000_000));
                link.write(net, Side::Server, 1000, false);
            }
            let responses = link.arrived(Side::Client) / 1000;
            if link.is_open(Side::Client) && asked.is_none() && responses == answered && answered < 3 {
                asked = Some(net.now);
                link.write(net, Side::Client, 100, false);
                link.write(net, Side::Client, 100, false);
            }
        });
        // Two segments of 152 B and an ACK take another 0.3 ms.
        assert_eq!(took, [30, 70, 70]);
    }

    /// A server whose application reads 80 kB/s gets a megabyte in 12.5 s, and the answers of both ends' applications
    /// keep to what has been read.
    #[test]
    fn an_application_that_reads_slowly_holds_the_other() {
        let reading =
            Reading { rate: Some(BitRate::bits_per_sec(640_000)), chunk: Bytes::new(1448), pauses: [].into() };
        let tcp = TcpOptions { receive_window: 40, reading: Some(reading), ..TcpOptions::linux(true) };
        let (mut link, mut net) = between(&tcp);
        let mut done = None;
        play(&mut link, &mut net, Time::ZERO + Duration::from_millis(20_000), |link, net| {
            if link.is_open(Side::Client) && link.written(Side::Client) == 0 {
                link.write(net, Side::Client, 1_000_000, false);
            }
            if link.arrived(Side::Server) == 1_000_000 {
                done.get_or_insert(net.now);
            }
        });
        // The last chunk is read, not worked on: less than 18.1 ms earlier. The first arrives after some 31 ms.
        let took = done.expect("all is read").since(Time::ZERO).as_secs();
        assert!((12.5..12.54).contains(&took), "{took}");
    }
}
