//! Calls of noq-proto that differ from quinn-proto's.

#![expect(clippy::disallowed_types, reason = "noq tells the time by std's Instant")]

use bytes::{Bytes, BytesMut};
use noq_proto::{
    Connection, ConnectionId, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple,
    PathId, SendStream, ServerConfig, Transmit, TransportError, TransportErrorCode, WriteError,
};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A connection id as an argument.
pub type Id<'a> = ConnectionId;

pub fn endpoint(config: EndpointConfig, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(Arc::new(config), server, false)
}

/// Sets the connection ids of an endpoint.
pub fn name_connections<F>(config: &mut EndpointConfig, make: F)
where
    F: Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
{
    config.cid_generator(Arc::new(make));
}

pub fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    ecn: Option<EcnCodepoint>,
    data: BytesMut,
    buffer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::from_remote(from), ecn, data, buffer)
}

/// Writes one datagram to `buffer`.
pub fn transmit(connection: &mut Connection, now: Instant, buffer: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(now, NonZeroUsize::MIN, buffer)
}

/// Writes to a stream, and returns the number of bytes.
pub fn write(stream: &mut SendStream<'_>, data: Bytes) -> Result<usize, WriteError> {
    stream.write_chunks(&mut &mut [data][..])
}

/// Packets sent and declared lost.
pub fn packets(connection: &mut Connection) -> (u64, u64) {
    let stats = connection.stats();
    (stats.sent_packets, stats.lost_packets)
}

/// Smoothed RTT.
pub fn rtt(connection: &Connection) -> Duration {
    connection.rtt(PathId::ZERO).unwrap_or_default()
}

/// Pacing rate of the controller, in bit/s; noq has bytes per second.
pub fn pacing_rate(connection: &Connection) -> Option<u64> {
    connection.congestion_state(PathId::ZERO)?.metrics().pacing_rate.map(|bytes| 8 * bytes)
}

pub fn violation(reason: &str) -> TransportError {
    TransportError::new(TransportErrorCode::PROTOCOL_VIOLATION, reason.to_owned())
}

/// Lets connections write their events.
#[cfg(feature = "qlog")]
pub fn log(
    transport: &mut noq_proto::TransportConfig,
    to: impl std::io::Write + Send + Sync + 'static,
    title: &str,
    origin: Instant,
) {
    let mut config = noq_proto::QlogConfig::new(Box::new(to));
    config.title(Some(title.to_owned())).start_time(origin);
    transport.qlog_factory(Arc::new(Log(std::sync::Mutex::new(Some(config)))));
}

/// qlog file of the one connection of an endpoint.
#[cfg(feature = "qlog")]
struct Log(std::sync::Mutex<Option<noq_proto::QlogConfig>>);

#[cfg(feature = "qlog")]
impl noq_proto::QlogFactory for Log {
    fn for_connection(
        &self,
        _: noq_proto::Side,
        _: SocketAddr,
        _: ConnectionId,
        _: Instant,
    ) -> Option<noq_proto::QlogConfig> {
        self.0.lock().ok()?.take()
    }
}
