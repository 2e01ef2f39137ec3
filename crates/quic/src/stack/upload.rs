//! An upload over one QUIC connection in virtual time.

use super::api;
use super::null::Null;
use super::pair::{CLIENT, Pair, PairConfig, SERVER};
use super::proto::congestion::ControllerFactory;
use super::stream::Stream;
use crate::uploaded::Uploaded;
use bytes::BytesMut;
use std::sync::Arc;
use windward_network::{Datagram, Duration, HEADERS, Network, Path, Time};

/// Order of an upload.
#[derive(Clone)]
pub struct Upload {
    bytes: Option<u64>,
    pair: PairConfig,
    has_pacer: bool,
}

/// A running upload.
struct Run {
    network: Network<BytesMut>,
    /// From the client to the server.
    path: Path,
    now: Time,
    pair: Pair,
    stream: Stream,
    /// Time at which the client's next datagram may leave, if there is a pacer.
    pacer: Option<Time>,
    digest: u64,
}

impl Upload {
    /// Upload without end under `controller`, in full datagrams of 1452 bytes.
    pub fn new(controller: Arc<dyn ControllerFactory + Send + Sync>) -> Self {
        let pair = PairConfig {
            controllers: [Arc::clone(&controller), controller],
            mtu: 1452,
            null: Null::default(),
            receive_window: None,
            qlog: None,
            seed: 1,
        };
        Self { bytes: None, pair, has_pacer: false }
    }

    /// Upload of `bytes`.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// Sets the UDP payload of full datagrams, in bytes.
    #[must_use]
    pub fn mtu(mut self, bytes: u16) -> Self {
        self.pair.mtu = bytes;
        self
    }

    /// Sets the bytes of the server's flight behind its ServerHello.
    #[must_use]
    pub fn certificate(mut self, bytes: usize) -> Self {
        self.pair.null.certificate = bytes;
        self
    }

    /// Sets the seed of connection ids and of what else the endpoints draw.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.pair.seed = seed;
        self
    }

    /// Paces the client's datagrams at the rate that the controller reports, for a stack whose own pacer does not take
    /// it.
    #[must_use]
    pub fn paced_by_controller(self) -> Self {
        Self { has_pacer: true, ..self }
    }

    /// Runs it until `end` from the beginning of `path` to its end in `network`, whose time is not moved otherwise. The
    /// result follows from the network and the seed.
    pub fn run(&self, network: Network<BytesMut>, path: Path, end: Time) -> Uploaded {
        let (pair, stream) = (Pair::new(&self.pair, Time::ZERO), Stream::new(self.bytes, false));
        let pacer = self.has_pacer.then_some(Time::ZERO);
        let mut run = Run { network, path, now: Time::ZERO, pair, stream, pacer, digest: 0 };
        run.pump();
        run.to(end);
        let Run { mut pair, stream, digest, .. } = run;
        let mut result = Uploaded {
            connected: stream.connected,
            completed: stream.completed,
            received: stream.received,
            digest,
            ..Uploaded::default()
        };
        if let Some(connection) = pair.connection_mut(CLIENT) {
            (result.sent, result.lost) = api::packets(connection);
            result.rtt = Duration::from_nanos(api::rtt(connection).as_nanos() as u64);
        }
        result
    }
}

impl Run {
    fn to(&mut self, end: Time) {
        while self.stream.completed.is_none() {
            let timeouts = [CLIENT, SERVER].map(|side| self.pair.timeout(side, self.now).unwrap_or(Time::NEVER));
            let paced = self.pacer.filter(|at| *at > self.now).unwrap_or(Time::NEVER);
            let next = self.network.next_time().unwrap_or(Time::NEVER).min(timeouts[0]).min(timeouts[1]).min(paced);
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

    /// True if the pacer holds the datagrams of a side back.
    fn is_held_back(&self, side: usize) -> bool {
        side == CLIENT && self.pacer.is_some_and(|at| at > self.now)
    }

    /// Takes a packet of `bytes` into the pacer.
    fn pace(&mut self, side: usize, bytes: u64) {
        let Some(at) = self.pacer.as_mut().filter(|_| side == CLIENT) else { return };
        let reported = self.pair.connection(CLIENT).and_then(api::pacing_rate);
        if let Some(rate) = reported.filter(|rate| *rate > 0) {
            *at = (*at).max(self.now) + Duration::from_secs(bytes as f64 * 8.0 / rate as f64);
        }
    }

    /// Lets both sides do what they can now.
    fn pump(&mut self) {
        for side in [CLIENT, SERVER] {
            self.stream.serve(&mut self.pair, side, self.now);
            while !self.is_held_back(side)
                && let Some((ecn, payload)) = self.pair.transmit(side, self.now)
            {
                self.pace(side, payload.len() as u64 + u64::from(HEADERS));
                let seen = self.now.as_nanos() ^ u64::from(payload.len() as u32 + HEADERS) << 1 ^ side as u64;
                self.digest = (self.digest ^ seen).wrapping_mul(0x0100_0000_01b3);
                let path = if side == CLIENT { self.path } else { self.path.back() };
                self.network.send(self.now, Datagram { path, payload, ecn, conversation: 1 });
            }
        }
    }
}
