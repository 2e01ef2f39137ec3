//! An upload over one QUIC connection in virtual time.

use crate::null::Null;
use crate::pair::{CLIENT, Pair, PairConfig, SERVER};
use bytes::BytesMut;
use quinn_proto::congestion::ControllerFactory;
use std::sync::Arc;
use windward_network::{Datagram, Duration, HEADERS, Network, Path, Time, Unusable};

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

/// A running upload.
struct Run {
    network: Network<BytesMut>,
    /// From the client to the server.
    path: Path,
    now: Time,
    pair: Pair,
    digest: u64,
}

impl Upload {
    /// Upload without end under `controller`, in full datagrams of 1452 bytes.
    pub fn new(controller: Arc<dyn ControllerFactory + Send + Sync>) -> Self {
        Self { controller, bytes: None, mtu: 1452, certificate: Null::default().certificate, seed: 1 }
    }

    /// Runs it until `end` from the beginning of `path` to its end in `network`, whose time is not moved otherwise. The
    /// result follows from the network and the seed.
    pub fn run(&self, network: Network<BytesMut>, path: Path, end: Time) -> Uploaded {
        let config = PairConfig {
            controller: Arc::clone(&self.controller),
            bytes: self.bytes,
            is_paced: false,
            mtu: self.mtu,
            certificate: self.certificate,
            receive_window: None,
            seed: self.seed,
        };
        let mut run = Run { network, path, now: Time::ZERO, pair: Pair::new(&config, Time::ZERO), digest: 0 };
        run.pump();
        run.to(end);
        let Run { pair, digest, .. } = run;
        let mut result = Uploaded {
            connected: pair.connected,
            completed: pair.completed,
            received: pair.received,
            digest,
            ..Uploaded::default()
        };
        if let Some(connection) = pair.client() {
            let path = connection.stats().path;
            (result.sent, result.lost) = (path.sent_packets, path.lost_packets);
            result.rtt = Duration::from_nanos(connection.rtt().as_nanos() as u64);
        }
        result
    }
}

impl Run {
    fn to(&mut self, end: Time) {
        while self.pair.completed.is_none() {
            let timeouts = [CLIENT, SERVER].map(|side| self.pair.timeout(side, self.now).unwrap_or(Time::NEVER));
            let next = self.network.next_time().unwrap_or(Time::NEVER).min(timeouts[0]).min(timeouts[1]);
            if next > end {
                break;
            }
            self.now = self.now.max(next);
            while let Some((_, datagram)) = self.network.poll(self.now) {
                let side = if datagram.path == self.path { SERVER } else { CLIENT };
                self.pair.receive(side, self.now, datagram.ecn, datagram.payload);
            }
            for side in [CLIENT, SERVER] {
                if self.pair.timeout(side, self.now).is_some_and(|time| time <= self.now) {
                    self.pair.handle_timeout(side, self.now);
                }
            }
            self.pump();
        }
    }

    /// Lets both sides do what they can now.
    fn pump(&mut self) {
        for side in [CLIENT, SERVER] {
            self.pair.serve(side, self.now);
            while let Some((ecn, payload)) = self.pair.transmit(side, self.now) {
                let seen = self.now.as_nanos() ^ u64::from(payload.len() as u32 + HEADERS) << 1 ^ side as u64;
                self.digest = (self.digest ^ seen).wrapping_mul(0x0100_0000_01b3);
                let path = if side == CLIENT { self.path } else { self.path.back() };
                self.network.send(self.now, Datagram { path, payload, ecn, conversation: 1 });
            }
        }
    }
}
