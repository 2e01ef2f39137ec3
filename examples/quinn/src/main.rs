//! quinn's own server and client on one machine: `cargo run`, with Rust alone.

mod server;

use quinn::rustls::RootCertStore;
use quinn::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use quinn::{ClientConfig, Connection, Endpoint};
use std::{error::Error, net::SocketAddr, sync::Arc, time::Instant};

/// Bytes that the server sends.
const BYTES: usize = 20_000_000;

/// Connects to a server that has the certificate.
async fn connect(server: SocketAddr, certificate: CertificateDer<'static>) -> Result<Connection, Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate)?;
    let mut endpoint = Endpoint::client(([127, 0, 0, 1], 0).into())?;
    endpoint.set_default_client_config(ClientConfig::with_root_certificates(Arc::new(roots))?);
    Ok(endpoint.connect(server, "localhost")?.await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let certificate = own.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let endpoint = server::bind(([127, 0, 0, 1], 0).into(), certificate.clone(), key.into())?;
    let address = endpoint.local_addr()?;
    tokio::spawn(server::serve(endpoint, BYTES));
    let begin = Instant::now();
    let connection = connect(address, certificate).await?;
    let received = connection.accept_uni().await?.read_to_end(BYTES).await?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{} bytes in {seconds:.2} s under QUIC-TCP", received.len());
    connection.close(0u32.into(), b"done");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TLS, a stream and the law: a fresh state of the law that a connection has is Windward's, which begins with
    /// ten packets. quinn's own begins with 12 000 to 14 720 bytes, whatever the path's MTU.
    #[tokio::test]
    async fn a_server_sends_under_the_law() {
        let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let certificate = own.cert.der().clone();
        let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
        let endpoint = server::bind(([127, 0, 0, 1], 0).into(), certificate.clone(), key.into()).unwrap();
        let address = endpoint.local_addr().unwrap();
        let accepted = tokio::spawn(async move {
            let connection = endpoint.accept().await.unwrap().await.unwrap();
            server::send(&connection, BYTES).await.unwrap();
            connection
        });
        let client = connect(address, certificate).await.unwrap();
        let received = client.accept_uni().await.unwrap().read_to_end(BYTES).await.unwrap();
        assert!(received.len() == BYTES && received.iter().all(|byte| *byte == 0));
        client.close(0u32.into(), b"done");
        let server = accepted.await.unwrap();
        let (law, path) = (server.congestion_state(), server.stats().path);
        assert_eq!(law.initial_window(), 10 * u64::from(path.current_mtu));
        assert!(path.cwnd > law.initial_window(), "the window has grown to {} bytes", path.cwnd);
    }
}
