//! Opening connections: addresses, proxies, TLS.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use socket2::{Domain, Protocol, Socket, Type};
use url::{Host, Position, Url};

use super::connection::Connection;
use super::error::Error;
use super::proxy::{Proxies, Proxy};
use crate::common::bound_window;
use crate::tls;

/// Opens connections.
pub struct Dialer {
    proxies: Proxies,
    ca: Option<PathBuf>,
    /// Created at first use: reading the system's roots takes milliseconds.
    tls: OnceLock<Result<Arc<ClientConfig>, String>>,
    connect_timeout: Duration,
    patience: Duration,
    /// A host that is an IPv6 address, and its zone.
    zone: Option<(String, String)>,
    /// Peer address of the last connection. Later connections use it too, because the servers behind one name may
    /// differ.
    last: Mutex<Option<(String, SocketAddr)>>,
}

impl Dialer {
    /// `connect_timeout` bounds the TCP handshake and the TLS handshake each, `patience` all later waits. `ca` names a
    /// PEM file to trust instead of the system's roots.
    pub fn new(proxies: Proxies, ca: Option<PathBuf>, connect_timeout: Duration, patience: Duration) -> Self {
        Self { proxies, ca, tls: OnceLock::new(), connect_timeout, patience, zone: None, last: Mutex::new(None) }
    }

    /// Looks for the host of `url`, an IPv6 address, in a zone: an interface's name or number.
    #[must_use]
    pub fn in_zone(mut self, url: &Url, zone: Option<&str>) -> Self {
        self.zone = url.host_str().zip(zone).map(|(host, zone)| (host.to_owned(), zone.to_owned()));
        self
    }

    fn addresses(&self, url: &Url) -> io::Result<Vec<SocketAddr>> {
        match &self.zone {
            Some((host, zone)) if url.host_str() == Some(host) => {
                let port = url.port_or_known_default().unwrap_or_default();
                Ok((format!("{}%{zone}", host.trim_matches(['[', ']'])), port).to_socket_addrs()?.collect())
            }
            _ => url.socket_addrs(|| None),
        }
    }

    /// The proxy for `url`, if any.
    pub fn proxy(&self, url: &Url) -> Option<Proxy> {
        self.proxies.of(url)
    }

    /// A request's target (RFC 9112 §3.2): the path, or the complete address for a proxy without a tunnel.
    pub fn target<'a>(&self, url: &'a Url) -> String {
        let path: &'a str = &url[Position::BeforePath..Position::AfterQuery];
        if url.scheme() == "http" && self.proxy(url).is_some() {
            format!("http://{}{path}", authority(url))
        } else {
            path.to_owned()
        }
    }

    /// Opens a connection to `url`, with a receive window of at most `window` bytes from the handshake on.
    ///
    /// # Errors
    /// No address answers, the proxy refuses, or the server's certificate is not trusted.
    pub fn dial(&self, url: &Url, window: Option<u32>) -> Result<Connection, Error> {
        let is_tls = url.scheme() == "https";
        let socket = match self.proxy(url) {
            Some(proxy) if is_tls => self.tunnel(&proxy, url, window)?,
            Some(proxy) => self.connect(proxy.url(), window)?,
            None => self.connect(url, window)?,
        };
        let connection = if is_tls {
            Connection::tls(self.handshake(socket, url)?, self.patience)
        } else {
            Connection::plain(socket, self.patience)
        };
        let timed = connection.socket();
        timed
            .set_read_timeout(Some(self.patience))
            .and_then(|()| timed.set_write_timeout(Some(self.patience)))
            .map_err(Error::Lost)?;
        Ok(connection)
    }

    fn connect(&self, url: &Url, window: Option<u32>) -> Result<TcpStream, Error> {
        let host = authority(url);
        let failure = |source: io::Error| {
            let source = if is_without_zone(url) && source.kind() == io::ErrorKind::InvalidInput {
                io::Error::new(source.kind(), "an address of a link needs the interface, as in [fe80::1%eth0]")
            } else {
                source
            };
            Error::Connect { host: host.clone(), source }
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let known = last.take().filter(|(name, _)| *name == host).map(|(_, address)| address);
        let mut error = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
        let mut attempt = |address: SocketAddr| match open(address, window, self.connect_timeout) {
            Ok(socket) => Some((socket, address)),
            Err(reason) => {
                error = reason;
                None
            }
        };
        let mut reached = known.and_then(&mut attempt);
        if reached.is_none() {
            let addresses = self.addresses(url).map_err(failure)?;
            reached = addresses.into_iter().find_map(attempt);
        }
        let (socket, address) = reached.ok_or_else(|| failure(error))?;
        socket
            .set_nodelay(true)
            .and_then(|()| socket.set_read_timeout(Some(self.connect_timeout)))
            .and_then(|()| socket.set_write_timeout(Some(self.connect_timeout)))
            .map_err(failure)?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((host, address));
        Ok(socket)
    }

    /// Opens a tunnel through a proxy (RFC 9110 §9.3.6).
    fn tunnel(&self, proxy: &Proxy, url: &Url, window: Option<u32>) -> Result<TcpStream, Error> {
        let mut connection = Connection::plain(self.connect(proxy.url(), window)?, self.connect_timeout);
        let host = authority(url);
        let authorization = proxy.authorization().map(|value| format!("Proxy-Authorization: {value}\r\n"));
        let authorization = authorization.unwrap_or_default();
        connection.send(format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n{authorization}\r\n").as_bytes())?;
        // The answer to CONNECT has no body, whatever its fields say, like the answer to HEAD.
        let (head, _) = connection.head(true)?;
        if !(200..300).contains(&head.status) {
            let reason = format!("answered {} to CONNECT {host}", head.status);
            return Err(Error::Proxy { proxy: authority(proxy.url()), reason });
        }
        connection.into_socket()
    }

    fn handshake(&self, mut socket: TcpStream, url: &Url) -> Result<StreamOwned<ClientConnection, TcpStream>, Error> {
        let failure = |reason: String| Error::Tls { host: authority(url), reason };
        let config = self.tls.get_or_init(|| tls::client(self.ca.as_deref()).map_err(|error| error.to_string()));
        let config = Arc::clone(config.as_ref().map_err(|reason| failure(reason.clone()))?);
        let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let name = ServerName::try_from(name.to_owned()).map_err(|error| failure(error.to_string()))?;
        let mut session = ClientConnection::new(config, name).map_err(|error| failure(error.to_string()))?;
        while session.is_handshaking() {
            match session.complete_io(&mut socket) {
                Ok(_) => {}
                // rustls reports protocol violations, mostly certificates, as invalid data.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(failure(error.to_string())),
                Err(source) => return Err(Error::Connect { host: authority(url), source }),
            }
        }
        Ok(StreamOwned::new(session, socket))
    }
}

/// Opens a connection to `address`. The window offered until the first data is bounded. So is the window scale, which
/// the handshake fixes for the whole connection; every scale allows a window of at least 64 KiB.
fn open(address: SocketAddr, window: Option<u32>, timeout: Duration) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if let Some(window) = window {
        bound_window(&socket, window)?;
    }
    socket.connect_timeout(&address.into(), timeout)?;
    Ok(socket.into())
}

/// Returns whether the host is an IPv6 address that every link may have (RFC 4291 §2.5.6).
fn is_without_zone(url: &Url) -> bool {
    matches!(url.host(), Some(Host::Ipv6(address)) if address.is_unicast_link_local())
}

/// Name and port as CONNECT and `Host` require them; the port is always included.
fn authority(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
}
