//! Time per packet of an upload over quinn: through Windward's network, and through the plainest link that there can
//! be, a queue of a rate and a delay. ACKs count as packets. The difference is what the network costs.

#![expect(clippy::disallowed_types, reason = "a measurement of time")]

use bytes::{Bytes, BytesMut};
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, ServerConfig, StreamId,
    TransportConfig,
};
use std::{collections::VecDeque, net::SocketAddr, sync::Arc, time::Instant};
use windward_network::{Clock, Codepoint, Duration, End, HEADERS, Time};
use windward_quic::null::{Null, Tokens};
use windward_quic::{Laws, bottleneck};

/// Simulated time.
const END: Time = Time::from_nanos(60_000_000_000);
/// The link, both ways: 10 Mbit/s, 50 ms and 83 packets.
const DELAY: Duration = Duration::from_nanos(50_000_000);
const NANOS_PER_BYTE: u64 = 800;
const BUFFER: Duration = Duration::from_nanos(83 * 1480 * NANOS_PER_BYTE);

/// An endpoint, which writes or reads a stream without end.
struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    clock: Clock,
    is_client: bool,
    stream: Option<StreamId>,
    packets: u64,
}

impl Side {
    fn serve(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            self.endpoint.handle_event(*handle, event).into_iter().for_each(|event| connection.handle_event(event));
        }
        while connection.poll().is_some() {}
        if self.is_client {
            if self.stream.is_none() && !connection.is_handshaking() {
                self.stream = connection.streams().open(Dir::Uni);
            }
            if let Some(stream) = self.stream {
                let zeros = Bytes::from_static(&[0; 1 << 16]);
                while connection.send_stream(stream).write_chunks(&mut [zeros.clone()]).is_ok() {}
            }
        } else {
            let mut stream = connection.recv_stream(StreamId::new(quinn_proto::Side::Client, Dir::Uni, 0));
            if let Ok(mut chunks) = stream.read(false) {
                while let Ok(Some(_)) = chunks.next(usize::MAX) {}
                let _ = chunks.finalize();
            }
        }
    }
}

impl End<BytesMut> for Side {
    fn receive(&mut self, now: Time, payload: BytesMut, _: Codepoint) {
        let (at, peer, mut reply) = (self.clock.instant(now), SocketAddr::from(([127, 0, 0, 1], 1)), Vec::new());
        match (self.endpoint.handle(at, peer, None, None, payload, &mut reply), &mut self.connection) {
            (Some(DatagramEvent::NewConnection(new)), own) => {
                *own = self.endpoint.accept(new, at, &mut reply, None).ok();
            }
            (Some(DatagramEvent::ConnectionEvent(_, event)), Some((_, connection))) => connection.handle_event(event),
            _ => {}
        }
        self.serve();
    }

    fn poll(&mut self, now: Time) -> Option<(BytesMut, Codepoint)> {
        let (at, mut buffer) = (self.clock.instant(now), Vec::new());
        let connection = &mut self.connection.as_mut()?.1;
        if connection.poll_timeout().is_some_and(|timeout| timeout <= at) {
            connection.handle_timeout(at);
            self.serve();
        }
        let sent = self.connection.as_mut()?.1.poll_transmit(at, 1, &mut buffer)?;
        self.packets += 1;
        Some((BytesMut::from(&buffer[..sent.size]), Codepoint::NotCapable))
    }

    fn next_time(&mut self) -> Option<Time> {
        self.connection.as_mut()?.1.poll_timeout().map(|at| self.clock.time(at))
    }
}

fn ends() -> [Side; 2] {
    let clock = Clock::start();
    let transport = || {
        let mut transport = TransportConfig::default();
        let laws = Laws::named("cubic").expect("a law of quinn");
        transport.congestion_controller_factory(Arc::new(laws)).initial_mtu(1452).mtu_discovery_config(None);
        transport.max_idle_timeout(None);
        Arc::new(transport)
    };
    let mut server = ServerConfig::new(Arc::new(Null::default()), Arc::new(Tokens));
    server.transport_config(transport());
    let [client, server] = [None, Some(Arc::new(server))].map(|server| Side {
        is_client: server.is_none(),
        endpoint: Endpoint::new(Arc::new(EndpointConfig::new(Arc::new(Tokens))), server, false, None),
        connection: None,
        clock,
        stream: None,
        packets: 0,
    });
    let mut ends = [client, server];
    let mut config = ClientConfig::new(Arc::new(Null::default()));
    config.transport_config(transport());
    let peer = SocketAddr::from(([127, 0, 0, 1], 1));
    ends[0].connection = ends[0].endpoint.connect(clock.instant(Time::ZERO), config, peer, "server").ok();
    ends
}

/// The plainest link: no more than a rate, a delay and a buffer.
fn plain(ends: &mut [Side; 2]) {
    let mut ways: [VecDeque<(Time, BytesMut)>; 2] = Default::default();
    let (mut free, mut now) = ([Time::ZERO; 2], Time::ZERO);
    while now <= END {
        for (side, own) in ends.iter_mut().enumerate() {
            while let Some((payload, _)) = own.poll(now) {
                let begin = free[side].max(now);
                if begin.since(now) < BUFFER {
                    let size = payload.len() as u64 + u64::from(HEADERS);
                    free[side] = begin + Duration::from_nanos(size * NANOS_PER_BYTE);
                    ways[side].push_back((free[side] + DELAY, payload));
                }
            }
        }
        let arrivals = ways.iter().filter_map(|way| Some(way.front()?.0));
        now = arrivals.chain(ends.iter_mut().filter_map(End::next_time)).min().unwrap_or(END).max(now);
        for side in 0..2 {
            while ways[side].front().is_some_and(|(at, _)| *at <= now)
                && let Some((_, payload)) = ways[side].pop_front()
            {
                ends[1 - side].receive(now, payload, Codepoint::NotCapable);
            }
        }
    }
}

fn through_windward(ends: &mut [Side; 2]) {
    let mut network = bottleneck("10 Mbit/s", "50 ms", 83).expect("a valid link");
    let path = network.path("a", "b").expect("its flow");
    network.run(path, ends, (Time::ZERO, END), |_| false);
}

/// Microseconds per packet, the least of several runs, and the packets.
fn cost(run: fn(&mut [Side; 2])) -> (f64, u64) {
    let once = || {
        let (mut ends, begin) = (ends(), Instant::now());
        run(&mut ends);
        let packets = ends[0].packets + ends[1].packets;
        (begin.elapsed().as_secs_f64() * 1e6 / packets as f64, packets)
    };
    (0..7).map(|_| once()).min_by(|one, other| one.0.total_cmp(&other.0)).expect("seven runs")
}

fn main() {
    let [(own, own_packets), (least, packets)] = [cost(through_windward), cost(plain)];
    println!("plain link: {least:.2} µs a packet of {packets}");
    println!("windward-network: {own:.2} µs a packet of {own_packets}, {:.2} times as much", own / least);
}
