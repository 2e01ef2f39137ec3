//! Whom a client trusts: the system's roots, or a file of one's own. There is no way to trust nobody's word.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
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

fn roots(path: &Path) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&fs::read(path)?) {
        roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    if roots.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the file holds no PEM certificate"));
    }
    Ok(roots)
}
