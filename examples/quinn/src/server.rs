//! A server that sends a stream of zeros to each client, over QUIC under a law of Windward.

use quinn::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use quinn::{Connection, Endpoint, ServerConfig, TransportConfig};
use std::{error::Error, net::SocketAddr, sync::Arc};

/// Server at `address` with a certificate and its key, whose connections run QUIC-TCP.
pub fn bind(
    address: SocketAddr,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
) -> Result<Endpoint, Box<dyn Error>> {
    let mut config = ServerConfig::with_single_cert(vec![certificate], key)?;
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(windward_quic::Laws::named("quic-tcp")?));
    config.transport_config(Arc::new(transport));
    Ok(Endpoint::server(config, address)?)
}

/// Accepts connections, and sends `bytes` to each.
pub async fn serve(endpoint: Endpoint, bytes: usize) {
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move { send(&incoming.await?, bytes).await });
    }
}

/// Sends `bytes` on a stream of a connection, and waits until the client closes it.
pub async fn send(connection: &Connection, bytes: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut stream = connection.open_uni().await?;
    stream.write_all(&vec![0; bytes]).await?;
    stream.finish()?;
    connection.closed().await;
    Ok(())
}
