//! Two endpoints in virtual time, and a connection between them.

#![expect(
    clippy::disallowed_types,
    reason = "the stacks tell the time by std's Instant; only its distances count here"
)]

use super::api;
use super::null::{Counted, Null, Tokens};
use super::proto::congestion::ControllerFactory;
use super::proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint,
    EndpointConfig, Event, ServerConfig, TransportConfig, VarInt,
};
use bytes::{Bytes, BytesMut};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use windward_sim::Codepoint;
use windward_units::Time;

/// Bytes that a sender keeps until they are acknowledged.
const SEND_WINDOW: u64 = 64 << 20;

/// The client and the server, as indices.
pub const CLIENT: usize = 0;
/// See [`CLIENT`].
pub const SERVER: usize = 1;

/// Properties of a pair.
#[derive(Clone)]
pub struct PairConfig {
    /// Congestion controllers of the client and of the server.
    pub controllers: [Arc<dyn ControllerFactory + Send + Sync>; 2],
    /// UDP payload of full datagrams, in bytes.
    pub mtu: u16,
    /// Handshake.
    pub null: Null,
    /// Bytes that each side accepts beyond those that it has read; no limit if none are given.
    pub receive_window: Option<u64>,
    /// Beginning of the paths of both ends' qlog files, for the feature `qlog`.
    #[cfg_attr(not(feature = "qlog"), expect(dead_code, reason = "written with the feature"))]
    pub qlog: Option<PathBuf>,
    /// Seed of connection ids and of what else the endpoints draw.
    pub seed: u64,
}

/// An endpoint with at most one connection.
struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    own: SocketAddr,
}

/// A running pair.
pub struct Pair {
    origin: Instant,
    sides: [Side; 2],
    buffer: Vec<u8>,
    /// True if a side has closed the connection.
    pub is_closed: bool,
}

impl Pair {
    /// Pair whose client connects at `now`.
    pub fn new(config: &PairConfig, now: Time) -> Self {
        let origin = Instant::now();
        let sides = [CLIENT, SERVER].map(|side| config.side(side, origin));
        let mut pair = Self { origin, sides, buffer: Vec::new(), is_closed: false };
        let at = pair.instant(now);
        let server = pair.sides[SERVER].own;
        let connection = pair.sides[CLIENT].endpoint.connect(at, config.client(origin), server, "server");
        pair.sides[CLIENT].connection = Some(connection.expect("a first connection to a known address can be begun"));
        pair
    }

    fn instant(&self, now: Time) -> Instant {
        self.origin + std::time::Duration::from_nanos(now.as_nanos())
    }

    /// Connection of a side; that of the server begins with the client's first datagram.
    pub fn connection(&self, side: usize) -> Option<&Connection> {
        self.sides[side].connection.as_ref().map(|(_, connection)| connection)
    }

    /// See [`Self::connection`].
    pub fn connection_mut(&mut self, side: usize) -> Option<&mut Connection> {
        self.sides[side].connection.as_mut().map(|(_, connection)| connection)
    }

    /// Time of the next timer of a side, not before `now`.
    pub fn timeout(&mut self, side: usize, now: Time) -> Option<Time> {
        let at = self.sides[side].connection.as_mut()?.1.poll_timeout()?;
        // A timer may be set in the past: it is due now.
        Some(Time::from_nanos(at.saturating_duration_since(self.origin).as_nanos() as u64).max(now))
    }

    /// Handles the timers of a side.
    pub fn handle_timeout(&mut self, side: usize, now: Time) {
        let now = self.instant(now);
        if let Some((_, connection)) = &mut self.sides[side].connection {
            connection.handle_timeout(now);
        }
    }

    /// Handles a datagram that arrives at a side.
    pub fn receive(&mut self, side: usize, now: Time, ecn: Codepoint, data: BytesMut) {
        let now = self.instant(now);
        let from = self.sides[1 - side].own;
        let ecn = match ecn {
            Codepoint::NotCapable => None,
            Codepoint::Capable => Some(EcnCodepoint::Ect0),
            Codepoint::Scalable => Some(EcnCodepoint::Ect1),
            Codepoint::Marked => Some(EcnCodepoint::Ce),
        };
        let Side { endpoint, connection, .. } = &mut self.sides[side];
        self.buffer.clear();
        match api::handle(endpoint, now, from, ecn, data, &mut self.buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                *connection = endpoint.accept(incoming, now, &mut self.buffer, None).ok();
            }
            Some(DatagramEvent::Response(_)) | None => {}
        }
    }

    /// Takes out what has happened next at a side. Take all of it after each arrival and timer.
    pub fn poll(&mut self, side: usize) -> Option<Event> {
        let Side { endpoint, connection, .. } = &mut self.sides[side];
        let (handle, connection) = connection.as_mut()?;
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        connection.poll()
    }

    /// Next datagram that a side sends now.
    pub fn transmit(&mut self, side: usize, now: Time) -> Option<(Codepoint, BytesMut)> {
        let now = self.instant(now);
        let (_, connection) = self.sides[side].connection.as_mut()?;
        self.buffer.clear();
        let transmit = api::transmit(connection, now, &mut self.buffer)?;
        let ecn = match transmit.ecn {
            None => Codepoint::NotCapable,
            Some(EcnCodepoint::Ect0) => Codepoint::Capable,
            Some(EcnCodepoint::Ect1) => Codepoint::Scalable,
            Some(EcnCodepoint::Ce) => Codepoint::Marked,
        };
        Some((ecn, BytesMut::from(&self.buffer[..transmit.size])))
    }

    /// Closes the connection from a side.
    pub fn close(&mut self, side: usize, now: Time) {
        let now = self.instant(now);
        self.is_closed = true;
        if let Some(connection) = self.connection_mut(side) {
            connection.close(now, VarInt::from_u32(0), Bytes::new());
        }
    }
}

impl PairConfig {
    fn side(&self, side: usize, origin: Instant) -> Side {
        let is_client = side == CLIENT;
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_be_bytes());
        seed[8] = u8::from(is_client);
        let first = self.seed.wrapping_mul(2).wrapping_add(u64::from(is_client)) << 32;
        let mut config = EndpointConfig::new(Arc::new(Tokens));
        config.rng_seed(Some(seed));
        api::name_connections(&mut config, move || Box::new(Counted { from: first }));
        let server = (!is_client).then(|| {
            let crypto = Arc::new(self.null);
            let mut server = ServerConfig::new(crypto, Arc::new(Tokens));
            server.transport_config(Arc::new(self.transport(SERVER, origin)));
            Arc::new(server)
        });
        Side {
            endpoint: api::endpoint(config, server),
            connection: None,
            own: SocketAddr::from((Ipv4Addr::LOCALHOST, if is_client { 1 } else { 2 })),
        }
    }

    fn client(&self, origin: Instant) -> ClientConfig {
        let mut client = ClientConfig::new(Arc::new(self.null));
        let seed = self.seed;
        client.initial_dst_cid_provider(Arc::new(move || Counted { from: !seed }.generate_cid()));
        client.transport_config(Arc::new(self.transport(CLIENT, origin)));
        client
    }

    /// Lets a side write its events. A file that cannot be made is left out.
    #[cfg(feature = "qlog")]
    fn log(&self, side: usize, origin: Instant, transport: &mut TransportConfig) {
        let Some(path) = &self.qlog else { return };
        let name = if side == CLIENT { "client" } else { "server" };
        let path = path.with_file_name(format!("{}-{name}.sqlog", path.file_name().unwrap_or_default().display()));
        if let Ok(file) = std::fs::File::create_new(path) {
            api::log(transport, std::io::BufWriter::new(file), name, origin);
        }
    }

    #[cfg(not(feature = "qlog"))]
    fn log(&self, _: usize, _: Instant, _: &mut TransportConfig) {}

    /// Flow control limits where a window is given; the sender keeps at most [`SEND_WINDOW`].
    fn transport(&self, side: usize, origin: Instant) -> TransportConfig {
        let window = self.receive_window.and_then(|bytes| VarInt::from_u64(bytes).ok()).unwrap_or(VarInt::MAX);
        let mut transport = TransportConfig::default();
        transport
            .congestion_controller_factory(Arc::clone(&self.controllers[side]))
            .initial_mtu(self.mtu)
            .min_mtu(1200.min(self.mtu))
            .mtu_discovery_config(None)
            .max_idle_timeout(None)
            .stream_receive_window(window)
            .receive_window(window)
            .send_window(SEND_WINDOW);
        self.log(side, origin, &mut transport);
        transport
    }
}
