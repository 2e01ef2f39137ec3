//! A stack without input and output of its own behind an LTE cell: two endpoints of quinn-proto, which know nothing of
//! Windward, and the network of a scenario file. The handshake takes a round trip over the cell.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant")]

use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, Event, ServerConfig,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use windward_network::{Datagram, Network, Scenario, Time};
use windward_quic::null::{Null, Tokens};

const CELL: &str = include_str!("../../../scenarios/lte.toml");

fn main() {
    // The network: the flow `near` is ours, the others run under their laws.
    let scenario = Scenario::from_toml(CELL, "lte.toml").expect("a valid file");
    let mut network: Network<BytesMut> = Network::new(&scenario, &["near"], 1).expect("a network for datagrams");
    let down = network.flow("near").expect("its flow");

    // The stack: a server at the beginning of the path, a client at its end.
    let addresses = [1, 2].map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let config = Arc::new(EndpointConfig::new(Arc::new(Tokens)));
    let server = Arc::new(ServerConfig::new(Arc::new(Null::default()), Arc::new(Tokens)));
    let mut endpoints = [Some(server), None].map(|server| Endpoint::new(Arc::clone(&config), server, false, None));
    let (origin, mut now) = (Instant::now(), Time::ZERO);
    let client = ClientConfig::new(Arc::new(Null::default()));
    let begun = endpoints[1].connect(origin, client, addresses[0], "server").expect("a known address");
    let mut connections: [Option<(ConnectionHandle, Connection)>; 2] = [None, Some(begun)];

    // The loop: the earlier of the network's next event and the stack's next timer.
    let mut buffer = Vec::new();
    loop {
        let at = origin + std::time::Duration::from_nanos(now.as_nanos());
        for side in 0..2 {
            let Some((handle, connection)) = &mut connections[side] else { continue };
            connection.handle_timeout(at);
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = endpoints[side].handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            while let Some(event) = connection.poll() {
                if matches!(event, Event::Connected) && side == 1 {
                    return println!("connected after {:.1} ms", now.as_secs() * 1e3);
                }
            }
            while let Some(sent) = connection.poll_transmit(at, 1, &mut buffer) {
                let path = if side == 0 { down } else { down.back() };
                network.send(now, Datagram::new(path, BytesMut::from(&buffer[..sent.size])));
                buffer.clear();
            }
        }
        let timers = connections.iter_mut().flatten().filter_map(|(_, connection)| connection.poll_timeout());
        let timers = timers.map(|at| Time::from_nanos(at.saturating_duration_since(origin).as_nanos() as u64));
        now = now.max(timers.chain(network.next_time()).min().expect("a cell has always a next slot"));
        while let Some((_, Datagram { path, payload, .. })) = network.poll(now) {
            let side = usize::from(path == down);
            let at = origin + std::time::Duration::from_nanos(now.as_nanos());
            match endpoints[side].handle(at, addresses[1 - side], None, None, payload, &mut buffer) {
                Some(DatagramEvent::ConnectionEvent(_, event)) => {
                    if let Some((_, connection)) = &mut connections[side] {
                        connection.handle_event(event);
                    }
                }
                Some(DatagramEvent::NewConnection(incoming)) => {
                    connections[side] = endpoints[side].accept(incoming, at, &mut buffer, None).ok();
                }
                _ => {}
            }
        }
    }
}
