//! TLS configuration. A client trusts the system's roots or a file of certificates; verification cannot be turned off.
//! A server presents its certificate.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::local;

/// A client's configuration: TLS 1.2 or 1.3, only HTTP/1.1 by ALPN (one TCP connection per slot).
///
/// `ca` names a PEM file whose certificates are trusted *instead of* the system's, each as an authority and as a
/// server's own certificate.
///
/// # Errors
/// The file cannot be read or contains no certificate, or the system has no usable roots.
pub fn client(ca: Option<&Path>) -> io::Result<Arc<ClientConfig>> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let mut config = match ca {
        Some(path) => {
            let given = Given::read(path).map_err(|error| about(path, error))?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(given)).with_no_client_auth()
        }
        None => builder.with_platform_verifier().map_err(io::Error::other)?.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// A server's configuration: TLS 1.2 or 1.3, HTTP/1.1, with the certificate chain and the private key of these PEM
/// files.
///
/// # Errors
/// A file cannot be read or contains no certificate or key, or the key does not match the certificate.
pub fn server(certificate: &Path, key: &Path) -> io::Result<Arc<ServerConfig>> {
    let chain = certificates(certificate).map_err(|error| about(certificate, error))?;
    if chain.is_empty() {
        return Err(about(certificate, io::Error::new(io::ErrorKind::InvalidData, NO_CERTIFICATE)));
    }
    let key = local::read(key)
        .and_then(|text| PrivateKeyDer::from_pem_slice(&text).map_err(io::Error::other))
        .map_err(|error| about(key, error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The certificates of a PEM file.
fn certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    CertificateDer::pem_slice_iter(&local::read(path)?).collect::<Result<_, _>>().map_err(io::Error::other)
}

/// The error of a file, with the file's name.
fn about(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Verifier that trusts the certificates of a file. `openssl req -x509` marks every self-signed certificate as an
/// authority, and webpki rejects an authority as a server. One given by the user is accepted, as in OpenSSL and curl.
#[derive(Debug)]
struct Given {
    usual: Arc<WebPkiServerVerifier>,
    certificates: Vec<CertificateDer<'static>>,
}

impl Given {
    fn read(path: &Path) -> io::Result<Self> {
        let certificates = certificates(path)?;
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(io::Error::other)?;
        }
        if roots.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, NO_CERTIFICATE));
        }
        let provider = Arc::new(ring::default_provider());
        let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        Ok(Self { usual: usual.map_err(io::Error::other)?, certificates })
    }
}

impl ServerCertVerifier for Given {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.usual.verify_server_cert(certificate, chain, name, ocsp, now) {
            // This is the only error so far: webpki checks the validity period before it, and the name after it.
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(other)))
                if other.0.downcast_ref() == Some(&webpki::Error::CaUsedAsEndEntity)
                    && self.certificates.contains(certificate) =>
            {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.usual.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.usual.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Message for a file without certificates.
const NO_CERTIFICATE: &str = "no PEM certificate in the file";
