//! The laws as controllers of noq, beside noq's own, over the simulator's links.

mod null;

use bytes::{Bytes, BytesMut};
use noq_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, FourTuple, PathId,
    ServerConfig, Side, StreamId, TransportConfig, VarInt,
};
use null::{Null, Tokens};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use windward_network::{Clock, Codepoint, Datagram, Path, Time};
use windward_quic::{Laws, bottleneck};

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// Address of both ends, which have a network each.
fn peer() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1))
}

/// An endpoint and its connection.
struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    path: Path,
}

impl End {
    fn new(path: Path, server: Option<Arc<ServerConfig>>) -> Self {
        let mut config = EndpointConfig::new(Arc::new(Tokens));
        config.rng_seed(Some([1; 32]));
        Self { endpoint: Endpoint::new(Arc::new(config), server, false), connection: None, path }
    }
}

/// Figures of an upload: goodput in Mbit/s from 10 s on, share of packets lost, and smoothed RTT in ms at the end.
struct Figures {
    rate: f64,
    lost: f64,
    rtt: f64,
}

fn transport(controller: Factory) -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    transport
        .congestion_controller_factory(controller)
        .initial_mtu(1452)
        .mtu_discovery_config(None)
        .max_idle_timeout(None)
        .stream_receive_window(VarInt::MAX)
        .receive_window(VarInt::MAX)
        .send_window(64 << 20);
    Arc::new(transport)
}

/// An upload of 60 s over 10 Mbit/s and 100 ms there and back, behind a buffer of `packets`.
fn upload(controller: &Factory, packets: u64) -> Figures {
    let mut network = bottleneck("10 Mbit/s", "50 ms", packets).expect("a valid link");
    let there = network.path("a", "b").expect("its flow");
    let clock = Clock::start();
    let mut server = ServerConfig::new(Arc::new(Null), Arc::new(Tokens));
    server.transport_config(transport(Arc::clone(controller)));
    let mut ends = [End::new(there, None), End::new(there.back(), Some(Arc::new(server)))];
    let mut client = ClientConfig::new(Arc::new(Null));
    client.transport_config(transport(Arc::clone(controller)));
    ends[0].connection = ends[0].endpoint.connect(clock.instant(Time::ZERO), client, peer(), "server").ok();
    let (mut now, mut received, mut early, mut stream, mut buffer) = (Time::ZERO, 0, None, None, Vec::new());
    while now < Time::from_nanos(60_000_000_000) {
        if now >= Time::from_nanos(10_000_000_000) {
            early.get_or_insert(received);
        }
        for (side, end) in ends.iter_mut().enumerate() {
            let Some((handle, connection)) = &mut end.connection else { continue };
            connection.handle_timeout(clock.instant(now));
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = end.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            while connection.poll().is_some() {}
            if side == 0 {
                if stream.is_none() && !connection.is_handshaking() {
                    stream = connection.streams().open(Dir::Uni);
                }
                if let Some(id) = stream {
                    let zeros = &mut [Bytes::from_static(&[0; 1 << 16])];
                    while connection.send_stream(id).write_chunks(&mut &mut zeros[..]).is_ok_and(|count| count > 0) {
                        zeros[0] = Bytes::from_static(&[0; 1 << 16]);
                    }
                }
            } else if let Ok(mut chunks) = connection.recv_stream(StreamId::new(Side::Client, Dir::Uni, 0)).read(false)
            {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    received += chunk.bytes.len();
                }
                let _ = chunks.finalize();
            }
            buffer.clear();
            while connection.poll_transmit(clock.instant(now), NonZeroUsize::MIN, &mut buffer).is_some() {
                let payload = BytesMut::from(&buffer[..]);
                network.send(now, Datagram { path: end.path, payload, ecn: Codepoint::NotCapable, conversation: 1 });
                buffer.clear();
            }
        }
        let timers = ends.iter().filter_map(|end| end.connection.as_ref()?.1.poll_timeout()).map(|at| clock.time(at));
        let next = timers.chain(network.next_time()).min().expect("a connection has a timer");
        now = now.max(next);
        while let Some((_, datagram)) = network.poll(now) {
            let End { endpoint, connection, .. } = &mut ends[usize::from(datagram.path == there)];
            let (at, from) = (clock.instant(now), FourTuple::new(peer(), None));
            match endpoint.handle(at, from, None, datagram.payload, &mut buffer) {
                Some(DatagramEvent::ConnectionEvent(_, event)) => {
                    if let Some((_, connection)) = connection {
                        connection.handle_event(event);
                    }
                }
                Some(DatagramEvent::NewConnection(incoming)) => {
                    *connection = endpoint.accept(incoming, at, &mut buffer, None).ok();
                }
                _ => {}
            }
        }
    }
    let (_, client) = ends[0].connection.as_mut().expect("a connection");
    let path = client.path_stats(PathId::ZERO).expect("its path");
    Figures {
        rate: (received - early.unwrap_or(0)) as f64 * 8.0 / 50.0 / 1e6,
        lost: path.lost_packets as f64 / path.sent_packets as f64,
        rtt: path.rtt.as_secs_f64() * 1e3,
    }
}

fn law(name: &str) -> Factory {
    Arc::new(Laws::named(name).unwrap())
}

/// noq's own NewReno and CUBIC are independent of Windward's laws.
#[test]
fn reno_and_cubic_carry_what_noqs_own_do() {
    for packets in [42, 83] {
        let pairs: [(&str, Factory); 2] =
            [("reno", Arc::new(NewRenoConfig::default())), ("cubic", Arc::new(CubicConfig::default()))];
        for (name, theirs) in pairs {
            let (own, theirs) = (upload(&law(name), packets), upload(&theirs, packets));
            println!(
                "{name} {packets}: {:.3} {:.3} Mbit/s, {:.4} {:.4} lost",
                own.rate, theirs.rate, own.lost, theirs.lost
            );
            assert!(
                (own.rate / theirs.rate - 1.0).abs() < 0.005,
                "{name}, {packets}: {} for {}",
                own.rate,
                theirs.rate
            );
            assert!((own.lost / theirs.lost - 1.0).abs() < 0.1, "{name}, {packets}: {} for {}", own.lost, theirs.lost);
        }
    }
}

/// Behind half a bandwidth-delay product quinn's pacer makes BBR lose a third of its packets, and keeps two products
/// in flight behind more.
#[test]
fn the_pacing_rate_of_a_law_reaches_noqs_pacer() {
    for packets in [42, 83, 417] {
        for name in ["bbr", "bbr3"] {
            let Figures { rate, lost, rtt } = upload(&law(name), packets);
            println!("{name} {packets}: {rate:.2} Mbit/s, {:.2} % lost, {rtt:.0} ms", 100.0 * lost);
            assert!(rate > 8.9 && lost < 0.02, "{name}, {packets}: {rate} Mbit/s, {lost} lost");
            assert!(rtt < 125.0, "{name}, {packets}: {rtt} ms");
        }
    }
}
