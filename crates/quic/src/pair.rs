//! Two endpoints of quinn in virtual time, with one connection and one stream from the client to the server.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant; only its distances count here")]

use crate::null::{Counted, Null, Tokens};
use bytes::{Bytes, BytesMut};
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, EndpointConfig, Event,
    ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt, WriteError,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use windward_sim::Codepoint;
use windward_units::Time;

/// Data written at once.
const CHUNK: usize = 1 << 18;

/// Bytes that a sender keeps until they are acknowledged.
const SEND_WINDOW: u64 = 64 << 20;

/// The client and the server, as indices.
pub const CLIENT: usize = 0;
/// See [`CLIENT`].
pub const SERVER: usize = 1;

/// Properties of a pair.
pub struct PairConfig {
    /// Congestion controller of the client, which sends.
    pub controller: Arc<dyn ControllerFactory + Send + Sync>,
    /// Bytes to send; endless if none are given.
    pub bytes: Option<u64>,
    /// True if the client sends only what [`Pair::write`] adds.
    pub is_paced: bool,
    /// UDP payload of full datagrams, in bytes.
    pub mtu: u16,
    /// Bytes of the server's flight behind its ServerHello.
    pub certificate: usize,
    /// Bytes that the server accepts beyond those that it has read; no limit if none are given.
    pub receive_window: Option<u64>,
    /// Seed of connection ids and of what else quinn draws.
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
    zeros: Bytes,
    stream: Option<StreamId>,
    left: u64,
    /// True if nothing is to be added to what is left.
    is_whole: bool,
    /// Time at which the client's handshake was complete.
    pub connected: Option<Time>,
    /// Time at which the client knew that all was received.
    pub completed: Option<Time>,
    /// Bytes that the server's application read, in whatever order they came.
    pub received: u64,
    /// True if the client has closed the connection.
    pub is_closed: bool,
}

impl Pair {
    /// Pair whose client connects at `now`.
    pub fn new(config: &PairConfig, now: Time) -> Self {
        let origin = Instant::now();
        let mut pair = Self {
            origin,
            sides: [config.side(CLIENT), config.side(SERVER)],
            buffer: Vec::new(),
            zeros: Bytes::from(vec![0; CHUNK]),
            stream: None,
            left: if config.is_paced { 0 } else { config.bytes.unwrap_or(u64::MAX) },
            is_whole: !config.is_paced,
            connected: None,
            completed: None,
            received: 0,
            is_closed: false,
        };
        let at = pair.instant(now);
        let server = pair.sides[SERVER].own;
        let connection = pair.sides[CLIENT].endpoint.connect(at, config.client(), server, "server");
        pair.sides[CLIENT].connection = Some(connection.expect("a first connection to a known address can be begun"));
        pair
    }

    fn instant(&self, now: Time) -> Instant {
        self.origin + std::time::Duration::from_nanos(now.as_nanos())
    }

    /// The client's connection.
    pub fn client(&self) -> Option<&Connection> {
        self.sides[CLIENT].connection.as_ref().map(|(_, connection)| connection)
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
        match endpoint.handle(now, from, None, ecn, data, &mut self.buffer) {
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

    /// Handles what has happened at a side: its application reads or writes. Call [`Self::transmit`] until it has
    /// nothing to send afterwards.
    pub fn serve(&mut self, side: usize, now: Time) {
        self.events(side, now);
        self.application(side);
    }

    fn events(&mut self, side: usize, now: Time) {
        let Side { endpoint, connection, .. } = &mut self.sides[side];
        let Some((handle, connection)) = connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected if side == CLIENT => {
                    self.connected = Some(now);
                    self.stream = connection.streams().open(Dir::Uni);
                }
                Event::Stream(StreamEvent::Finished { .. }) => self.completed = Some(now),
                _ => {}
            }
        }
    }

    fn application(&mut self, side: usize) {
        let Some((_, connection)) = &mut self.sides[side].connection else { return };
        if side == SERVER {
            let id = StreamId::new(quinn_proto::Side::Client, Dir::Uni, 0);
            let mut stream = connection.recv_stream(id);
            if let Ok(mut chunks) = stream.read(false) {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    self.received += chunk.bytes.len() as u64;
                }
                let _ = chunks.finalize();
            }
            return;
        }
        let Some(id) = self.stream else { return };
        let mut stream = connection.send_stream(id);
        while self.left > 0 {
            let size = CHUNK.min(usize::try_from(self.left).unwrap_or(usize::MAX));
            match stream.write_chunks(&mut [self.zeros.slice(..size)]) {
                Ok(written) => self.left -= written.bytes as u64,
                Err(WriteError::Blocked) => return,
                Err(_) => self.left = 0,
            }
        }
        if self.is_whole && stream.finish().is_ok() {
            self.stream = None;
        }
    }

    /// Next datagram that a side sends now.
    pub fn transmit(&mut self, side: usize, now: Time) -> Option<(Codepoint, BytesMut)> {
        let now = self.instant(now);
        let (_, connection) = self.sides[side].connection.as_mut()?;
        self.buffer.clear();
        let transmit = connection.poll_transmit(now, 1, &mut self.buffer)?;
        let ecn = match transmit.ecn {
            None => Codepoint::NotCapable,
            Some(EcnCodepoint::Ect0) => Codepoint::Capable,
            Some(EcnCodepoint::Ect1) => Codepoint::Scalable,
            Some(EcnCodepoint::Ce) => Codepoint::Marked,
        };
        Some((ecn, BytesMut::from(&self.buffer[..transmit.size])))
    }

    /// Adds bytes to the client's stream; it ends with them if they are the last.
    pub fn write(&mut self, bytes: u64, is_last: bool) {
        self.left += bytes;
        self.is_whole = is_last;
    }

    /// Closes the connection from the client's side.
    pub fn close(&mut self, now: Time) {
        let now = self.instant(now);
        self.is_closed = true;
        if let Some((_, connection)) = &mut self.sides[CLIENT].connection {
            connection.close(now, VarInt::from_u32(0), Bytes::new());
        }
    }
}

impl PairConfig {
    fn side(&self, side: usize) -> Side {
        let is_client = side == CLIENT;
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_be_bytes());
        seed[8] = u8::from(is_client);
        let first = self.seed.wrapping_mul(2).wrapping_add(u64::from(is_client)) << 32;
        let mut config = EndpointConfig::new(Arc::new(Tokens));
        config.cid_generator(move || Box::new(Counted { from: first })).rng_seed(Some(seed));
        let server = (!is_client).then(|| {
            let crypto = Arc::new(Null { certificate: self.certificate });
            let mut server = ServerConfig::new(crypto, Arc::new(Tokens));
            server.transport_config(Arc::new(self.transport()));
            Arc::new(server)
        });
        Side {
            endpoint: Endpoint::new(Arc::new(config), server, false, None),
            connection: None,
            own: SocketAddr::from((Ipv4Addr::LOCALHOST, if is_client { 1 } else { 2 })),
        }
    }

    fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new(Arc::new(Null { certificate: self.certificate }));
        let seed = self.seed;
        client.initial_dst_cid_provider(Arc::new(move || {
            quinn_proto::ConnectionIdGenerator::generate_cid(&mut Counted { from: !seed })
        }));
        client.transport_config(Arc::new(self.transport()));
        client
    }

    /// Flow control limits where a window is given; the sender keeps at most [`SEND_WINDOW`].
    fn transport(&self) -> TransportConfig {
        let window = self.receive_window.and_then(|bytes| VarInt::from_u64(bytes).ok()).unwrap_or(VarInt::MAX);
        let mut transport = TransportConfig::default();
        transport
            .congestion_controller_factory(Arc::clone(&self.controller) as Arc<dyn ControllerFactory + Send + Sync>)
            .initial_mtu(self.mtu)
            .min_mtu(1200.min(self.mtu))
            .mtu_discovery_config(None)
            .max_idle_timeout(None)
            .stream_receive_window(window)
            .receive_window(window)
            .send_window(SEND_WINDOW);
        transport
    }
}
