//! A stack without input and output of its own behind an LTE cell, in forty lines of code: two endpoints of
//! quinn-proto, which know nothing of Windward, and the network of a scenario file.

use bytes::BytesMut;
use quinn_proto::{ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, ServerConfig};
use std::{net::SocketAddr, sync::Arc};
use windward_network::{Clock, Codepoint, End, Network, Scenario, Time};
use windward_quic::null::{Null, Tokens};

/// An endpoint, its connection, and the clock that shows it the virtual time.
struct Side(Endpoint, Option<(ConnectionHandle, Connection)>, Clock);

impl End<BytesMut> for Side {
    fn receive(&mut self, now: Time, payload: BytesMut, _: Codepoint) {
        let (at, peer, mut reply) = (self.2.instant(now), SocketAddr::from(([127, 0, 0, 1], 1)), Vec::new());
        match (self.0.handle(at, peer, None, None, payload, &mut reply), &mut self.1) {
            (Some(DatagramEvent::NewConnection(new)), own) => *own = self.0.accept(new, at, &mut reply, None).ok(),
            (Some(DatagramEvent::ConnectionEvent(_, event)), Some((_, connection))) => connection.handle_event(event),
            _ => {}
        }
    }

    fn poll(&mut self, now: Time) -> Option<(BytesMut, Codepoint)> {
        let (at, mut buffer, (handle, connection)) = (self.2.instant(now), Vec::new(), self.1.as_mut()?);
        connection.handle_timeout(at);
        while let Some(event) = connection.poll_endpoint_events() {
            self.0.handle_event(*handle, event).into_iter().for_each(|event| connection.handle_event(event));
        }
        connection.poll_transmit(at, 1, &mut buffer).map(|_| (BytesMut::from(&buffer[..]), Codepoint::NotCapable))
    }

    fn next_time(&mut self) -> Option<Time> {
        self.1.as_mut()?.1.poll_timeout().map(|at| self.2.time(at))
    }
}

fn main() {
    let scenario = Scenario::from_toml(include_str!("../../../scenarios/lte.toml"), "lte.toml").expect("a valid file");
    let mut network = Network::new(&scenario, &["near"], 1).expect("a network for datagrams");
    let (down, clock) = (network.flow("near").expect("its flow"), Clock::start());
    let server = Arc::new(ServerConfig::new(Arc::new(Null::default()), Arc::new(Tokens)));
    let new = |server| Endpoint::new(Arc::new(EndpointConfig::new(Arc::new(Tokens))), server, false, None);
    let mut ends = [Side(new(Some(server)), None, clock), Side(new(None), None, clock)];
    let client = ClientConfig::new(Arc::new(Null::default()));
    ends[1].1 = ends[1].0.connect(clock.instant(Time::ZERO), client, ([127, 0, 0, 1], 1).into(), "server").ok();
    let is_over = |[_, client]: &mut [Side; 2]| client.1.as_ref().is_some_and(|(_, own)| !own.is_handshaking());
    let connected = network.run(down, &mut ends, (Time::ZERO, Time::NEVER), is_over);
    println!("connected after {:.1} ms", connected.as_secs() * 1e3);
}
