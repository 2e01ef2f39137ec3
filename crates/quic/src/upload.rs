//! An upload over one QUIC connection in virtual time.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant; only its distances count here")]

use crate::null::{Counted, Null, Tokens};
use bytes::BytesMut;
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, EndpointConfig, Event,
    ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt, WriteError,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use windward_network::{Codepoint, Datagram, Duration, HEADERS, Network, Path, Time, Unusable};

/// Data written at once.
const ZEROS: [u8; 1 << 14] = [0; 1 << 14];

/// Order of an upload.
pub struct Upload {
    /// Congestion controller of the client, which sends.
    pub controller: Arc<dyn ControllerFactory + Send + Sync>,
    /// Bytes to send; endless if none are given.
    pub bytes: Option<u64>,
    /// UDP payload of full datagrams, in bytes.
    pub mtu: u16,
    /// Bytes of the server's flight behind its ServerHello.
    pub certificate: usize,
    /// Seed of connection ids and of what else quinn draws.
    pub seed: u64,
}

/// Course of an upload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uploaded {
    /// Time at which the client's handshake was complete.
    pub connected: Option<Time>,
    /// Time at which the client knew that all was received.
    pub completed: Option<Time>,
    /// Bytes that the server's application read, in whatever order they came.
    pub received: u64,
    /// Packets that quinn sent.
    pub sent: u64,
    /// Packets that quinn found lost.
    pub lost: u64,
    /// Smoothed round-trip time at the end.
    pub rtt: Duration,
    /// Sum of all datagrams' sizes, times and directions: equal runs have equal sums.
    pub digest: u64,
}

/// Network of one flow from `a` to `b` over a link of `rate` and `delay` each way, as scenario files write them.
/// `packets` fit the buffer of the way there; the way back has no bound.
///
/// # Errors
/// [`Unusable::Scenario`] for a rate or a delay that no link has.
pub fn bottleneck(rate: &str, delay: &str, packets: u64) -> Result<Network<BytesMut>, Unusable> {
    let text = format!(
        r#"
name = "bottleneck"
duration = "60 s"
node = [{{ name = "a" }}, {{ name = "b" }}]
flow = [{{ from = "a", to = "b", law = "cubic" }}]

[[link]]
from = "a"
to = "b"
rate = "{rate}"
delay = "{delay}"
buffer = "{packets} packets"
reverse = {{ buffer = "unlimited" }}
"#
    );
    Network::from_toml(&text, &[], 1)
}

/// An endpoint with at most one connection.
struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    own: SocketAddr,
    is_client: bool,
}

/// A running upload.
struct Run {
    network: Network<BytesMut>,
    /// From the client to the server.
    path: Path,
    origin: Instant,
    now: Time,
    sides: [Side; 2],
    buffer: Vec<u8>,
    stream: Option<StreamId>,
    left: u64,
    result: Uploaded,
}

impl Upload {
    /// Upload without end under `controller`, in full datagrams of 1452 bytes.
    pub fn new(controller: Arc<dyn ControllerFactory + Send + Sync>) -> Self {
        Self { controller, bytes: None, mtu: 1452, certificate: Null::default().certificate, seed: 1 }
    }

    /// Runs it until `end` from the beginning of `path` to its end in `network`, whose time is not moved otherwise. The
    /// result follows from the network and the seed.
    pub fn run(&self, network: Network<BytesMut>, path: Path, end: Time) -> Uploaded {
        let mut run = Run {
            network,
            path,
            origin: Instant::now(),
            now: Time::ZERO,
            sides: [self.side(true), self.side(false)],
            buffer: Vec::new(),
            stream: None,
            left: self.bytes.unwrap_or(u64::MAX),
            result: Uploaded::default(),
        };
        run.connect(self.client());
        run.to(end);
        run.result
    }

    fn side(&self, is_client: bool) -> Side {
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
            is_client,
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

    /// Flow control never limits, apart from the 64 MB that the sender keeps until they are acknowledged.
    fn transport(&self) -> TransportConfig {
        let mut transport = TransportConfig::default();
        transport
            .congestion_controller_factory(Arc::clone(&self.controller) as Arc<dyn ControllerFactory + Send + Sync>)
            .initial_mtu(self.mtu)
            .min_mtu(1200.min(self.mtu))
            .mtu_discovery_config(None)
            .max_idle_timeout(None)
            .stream_receive_window(VarInt::MAX)
            .receive_window(VarInt::MAX)
            .send_window(64 << 20);
        transport
    }
}

impl Run {
    fn connect(&mut self, config: ClientConfig) {
        let server = self.sides[1].own;
        let connection = self.sides[0].endpoint.connect(self.origin, config, server, "server");
        self.sides[0].connection = Some(connection.expect("a first connection to a known address can be begun"));
        self.pump();
    }

    fn to(&mut self, end: Time) {
        while self.result.completed.is_none() {
            let timeouts = [0, 1].map(|side| self.timeout(side).unwrap_or(Time::NEVER));
            let next = self.network.next_time().unwrap_or(Time::NEVER).min(timeouts[0]).min(timeouts[1]);
            if next > end {
                break;
            }
            self.now = self.now.max(next);
            while let Some((_, datagram)) = self.network.poll(self.now) {
                self.receive(usize::from(datagram.path == self.path), datagram.ecn, datagram.payload);
            }
            for side in [0, 1] {
                if self.timeout(side).is_some_and(|time| time <= self.now) {
                    let now = self.instant();
                    self.sides[side].connection.as_mut().expect("it has a timer").1.handle_timeout(now);
                }
            }
            self.pump();
        }
        if let Some((_, connection)) = &self.sides[0].connection {
            let path = connection.stats().path;
            self.result.sent = path.sent_packets;
            self.result.lost = path.lost_packets;
            self.result.rtt = Duration::from_nanos(connection.rtt().as_nanos() as u64);
        }
    }

    fn instant(&self) -> Instant {
        self.origin + std::time::Duration::from_nanos(self.now.as_nanos())
    }

    fn timeout(&mut self, side: usize) -> Option<Time> {
        let at = self.sides[side].connection.as_mut()?.1.poll_timeout()?;
        // A timer may be set in the past: it is due now.
        Some(Time::from_nanos(at.saturating_duration_since(self.origin).as_nanos() as u64).max(self.now))
    }

    fn receive(&mut self, side: usize, ecn: Codepoint, data: BytesMut) {
        let now = self.instant();
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

    /// Lets both sides do what they can now.
    fn pump(&mut self) {
        for side in [0, 1] {
            self.events(side);
            self.application(side);
            self.transmit(side);
        }
    }

    fn events(&mut self, side: usize) {
        let Side { endpoint, connection, is_client, .. } = &mut self.sides[side];
        let Some((handle, connection)) = connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected if *is_client => {
                    self.result.connected = Some(self.now);
                    self.stream = connection.streams().open(Dir::Uni);
                }
                Event::Stream(StreamEvent::Finished { .. }) => self.result.completed = Some(self.now),
                _ => {}
            }
        }
    }

    fn application(&mut self, side: usize) {
        let Some((_, connection)) = &mut self.sides[side].connection else { return };
        if side == 1 {
            let id = StreamId::new(quinn_proto::Side::Client, Dir::Uni, 0);
            let mut stream = connection.recv_stream(id);
            if let Ok(mut chunks) = stream.read(false) {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    self.result.received += chunk.bytes.len() as u64;
                }
                let _ = chunks.finalize();
            }
            return;
        }
        let Some(id) = self.stream else { return };
        let mut stream = connection.send_stream(id);
        while self.left > 0 {
            let size = ZEROS.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
            match stream.write(&ZEROS[..size]) {
                Ok(written) => self.left -= written as u64,
                Err(WriteError::Blocked) => return,
                Err(_) => self.left = 0,
            }
        }
        if stream.finish().is_ok() {
            self.stream = None;
        }
    }

    fn transmit(&mut self, side: usize) {
        let now = self.instant();
        loop {
            let Some((_, connection)) = &mut self.sides[side].connection else { return };
            self.buffer.clear();
            let Some(transmit) = connection.poll_transmit(now, 1, &mut self.buffer) else { return };
            let ecn = match transmit.ecn {
                None => Codepoint::NotCapable,
                Some(EcnCodepoint::Ect0) => Codepoint::Capable,
                Some(EcnCodepoint::Ect1) => Codepoint::Scalable,
                Some(EcnCodepoint::Ce) => Codepoint::Marked,
            };
            let payload = BytesMut::from(&self.buffer[..transmit.size]);
            let seen = self.now.as_nanos() ^ u64::from(payload.len() as u32 + HEADERS) << 1 ^ side as u64;
            self.result.digest = (self.result.digest ^ seen).wrapping_mul(0x0100_0000_01b3);
            let path = if side == 0 { self.path } else { self.path.back() };
            self.network.send(self.now, Datagram { path, payload, ecn, conversation: 1 });
        }
    }
}
