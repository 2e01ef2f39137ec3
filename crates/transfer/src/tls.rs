//! Whom a client trusts: the system's roots, or a file of one's own. There is no way to trust nobody's word. And what a
//! server shows.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_platform_verifier::BuilderVerifierExt;

/// A client's configuration: TLS 1.2 or 1.3, HTTP/1.1 alone by ALPN (one TCP connection per slot).
///
/// `ca` names a PEM file whose certificates are trusted *instead of* the system's.
///
/// # Errors
/// The file cannot be read or holds no certificate, or the system has no usable roots.
pub fn client(ca: Option<&Path>) -> io::Result<Arc<ClientConfig>> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let mut config = match ca {
        Some(path) => builder.with_root_certificates(roots(path)?).with_no_client_auth(),
        None => builder.with_platform_verifier().map_err(io::Error::other)?.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// A server's configuration: TLS 1.2 or 1.3, HTTP/1.1, the certificate chain and private key of these PEM files.
///
/// # Errors
/// A file cannot be read, holds nothing of the kind, or they do not belong together.
pub fn server(certificate: &Path, key: &Path) -> io::Result<Arc<ServerConfig>> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&fs::read(certificate)?).collect();
    let chain = chain.map_err(io::Error::other)?;
    if chain.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no PEM certificate in the file"));
    }
    let key = PrivateKeyDer::from_pem_slice(&fs::read(key)?).map_err(io::Error::other)?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn roots(path: &Path) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&fs::read(path)?) {
        roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    if roots.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no PEM certificate in the file"));
    }
    Ok(roots)
}
