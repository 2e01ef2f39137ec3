//! Calls of quinn-proto that differ from noq-proto's.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant")]

use bytes::{Bytes, BytesMut};
use quinn_proto::{
    Connection, ConnectionId, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, SendStream,
    ServerConfig, Transmit, TransportError, TransportErrorCode, WriteError,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A connection id as an argument.
pub type Id<'a> = &'a ConnectionId;

pub fn endpoint(config: EndpointConfig, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(Arc::new(config), server, false, None)
}

/// Sets the connection ids of an endpoint.
pub fn name_connections<F>(config: &mut EndpointConfig, make: F)
where
    F: Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
{
    config.cid_generator(make);
}

pub fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    ecn: Option<EcnCodepoint>,
    data: BytesMut,
    buffer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, from, None, ecn, data, buffer)
}

/// Writes one datagram to `buffer`.
pub fn transmit(connection: &mut Connection, now: Instant, buffer: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(now, 1, buffer)
}

/// Writes to a stream, and returns the number of bytes.
pub fn write(stream: &mut SendStream<'_>, data: Bytes) -> Result<usize, WriteError> {
    stream.write_chunks(&mut [data]).map(|written| written.bytes)
}

/// Packets sent and declared lost.
pub fn packets(connection: &mut Connection) -> (u64, u64) {
    let path = connection.stats().path;
    (path.sent_packets, path.lost_packets)
}

/// Smoothed RTT.
pub fn rtt(connection: &Connection) -> Duration {
    connection.rtt()
}

/// Pacing rate of the controller, in bit/s.
pub fn pacing_rate(connection: &Connection) -> Option<u64> {
    connection.congestion_state().metrics().pacing_rate
}

pub fn violation(reason: &str) -> TransportError {
    TransportError { code: TransportErrorCode::PROTOCOL_VIOLATION, frame: None, reason: reason.to_owned() }
}

/// Lets connections write their events.
#[cfg(feature = "qlog")]
pub fn log(
    transport: &mut quinn_proto::TransportConfig,
    to: impl std::io::Write + Send + Sync + 'static,
    title: &str,
    origin: Instant,
) {
    let mut config = quinn_proto::QlogConfig::default();
    config.writer(Box::new(to)).title(Some(title.to_owned())).start_time(origin);
    transport.qlog_stream(config.into_stream());
}
